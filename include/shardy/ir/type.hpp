// Types of values: tensors, tokens, tuples, functions, bare scalars, foreign types as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <shardy/ir/element_type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::ir {

/// The size of a dim that is known only at run time; printed as `?`.
inline constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

class Type;

/// The type of a ranked tensor: `tensor<2x?xf32>`.
struct TensorType {
  std::vector<int64_t> dims;               // sizes, major to minor; kDynamicDim where unknown
  ElementType element = ElementType::F32;  // what its elements are
  std::string encoding;                    // text after the element type, empty when there is none
  bool operator==(const TensorType&) const;
};

/// The type of a token: `!stablehlo.token`.
struct TokenType {
  bool operator==(const TokenType&) const = default;
};

/// A bare scalar such as `i64` or `index`: types of attributes, never of tensor values.
struct ScalarType {
  ElementType element = ElementType::I64;  // what it is
  bool operator==(const ScalarType&) const = default;
};

/// A tuple of values: `tuple<tensor<f32>, !stablehlo.token>`.
struct TupleType {
  std::vector<Type> elements;  // of its values, in order
  bool operator==(const TupleType&) const;
};

/// One list of types, because programs may have as many function types as they like.
class FunctionType {
 public:
  /// From the types of arguments and results.
  FunctionType(std::vector<Type> inputs, std::span<const Type> results);

  std::span<const Type> inputs() const;   // of its arguments
  std::span<const Type> results() const;  // of its results
  bool operator==(const FunctionType&) const;

 private:
  std::vector<Type> types_;  // inputs, then results
  std::size_t num_inputs_;
};

/// A type of a foreign dialect (`!quant.uniform<...>`, `memref<4xf32>`, unranked tensors) as text.
struct OpaqueType {
  std::string text;  // as the text has it
  bool operator==(const OpaqueType&) const;
};

/// The type of a value. A handle to an immutable description: cheap to copy, compares by content.
///
/// Invariant of tensors: sizes are >= 0 or kDynamicDim, and the byte size of a static shape fits
/// int64. Text (type_text.hpp): `tensor<4x?xf32>`, `!stablehlo.token`, `tuple<tensor<f32>>`.
class Type {
 public:
  /// One of the kinds of types.
  using Data = std::variant<TokenType, TensorType, ScalarType, TupleType, FunctionType, OpaqueType>;

  /// The token type.
  Type() = default;
  Type(TokenType) {}  // NOLINT(google-explicit-constructor)
  /// A scalar type, as those of block arguments of a reduction. Requires: an element type that
  /// programs have.
  explicit Type(ScalarType scalar);
  /// A tuple type.
  explicit Type(TupleType tuple);
  /// A function type.
  explicit Type(FunctionType function);
  /// A type of a foreign dialect.
  explicit Type(OpaqueType opaque);

  /// Errors: a negative size, more bytes than int64 can count, more dims than kMaxRank.
  static Result<Type> make_tensor(std::vector<int64_t> dims, ElementType element,
                                  std::string encoding = {});
  /// For sizes known to be right. Requires: what make_tensor checks.
  static Type tensor(std::vector<int64_t> dims, ElementType element);

  /// Returns kind and parts of the type.
  const Data& data() const;
  /// The type as that kind, or null.
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data());
  }
  /// The type as a tensor, or null.
  const TensorType* tensor() const { return as<TensorType>(); }
  /// Returns whether it is a token.
  bool is_token() const { return as<TokenType>() != nullptr; }
  /// Returns whether it is a tensor.
  bool is_tensor() const { return tensor() != nullptr; }
  /// A tensor all of whose sizes are known.
  bool is_static_tensor() const;

  /// Requires: is_tensor().
  std::span<const int64_t> dims() const { return needed().dims; }
  /// Elements along a dim; -1 if it is not known. Requires: a tensor; index < rank().
  int64_t dim(std::size_t index) const {
    SHARDY_EXPECTS(index < needed().dims.size());
    return needed().dims[index];
  }
  /// How many dims it has. Requires: a tensor.
  int64_t rank() const { return static_cast<int64_t>(needed().dims.size()); }
  /// Returns the element type. Requires: a tensor.
  ElementType element() const { return needed().element; }
  /// Requires: is_static_tensor().
  int64_t num_elements() const {
    SHARDY_EXPECTS(is_static_tensor());
    return product(dims());
  }
  /// Bytes of a buffer. Requires: a static tensor.
  int64_t num_bytes() const { return num_elements() * static_cast<int64_t>(size_bytes(element())); }
  /// The same element type with other sizes. Requires: is_tensor(), sizes as make_tensor wants.
  Type with_dims(std::vector<int64_t> dims) const {
    return Type::tensor(std::move(dims), element());
  }
  /// The same dims with another element type. Requires: a tensor.
  Type with_element(ElementType element) const {
    return Type::tensor({dims().begin(), dims().end()}, element);
  }

  friend bool operator==(const Type& a, const Type& b) {
    return a.node_ == b.node_ || same_content(a, b);
  }

 private:
  const TensorType& needed() const {
    const TensorType* const type = tensor();
    SHARDY_EXPECTS(type != nullptr);
    return *type;
  }

  struct Node;
  explicit Type(Data data);
  static bool same_content(const Type& a, const Type& b);
  static const Shared<Node>& shared_scalar(ElementType element);
  static const Data& token();

  Shared<Node> node_;  // null: the token type
};

/// Shared content of a type.
struct Type::Node : OwnerCount {
  /// From one kind of type.
  explicit Node(Data of);
  /// Ends what a Node points to.
  static void destroy(const Node* node);
  Data data;  // the type itself
};

inline const Type::Data& Type::data() const { return node_ ? node_->data : token(); }

inline std::span<const Type> FunctionType::inputs() const {
  SHARDY_EXPECTS(num_inputs_ <= types_.size());
  return std::span(types_).first(num_inputs_);
}

inline std::span<const Type> FunctionType::results() const {
  SHARDY_EXPECTS(num_inputs_ <= types_.size());
  return std::span(types_).subspan(num_inputs_);
}

inline bool Type::is_static_tensor() const {
  if (!is_tensor()) return false;
  for (const int64_t dim : dims()) {
    if (dim == kDynamicDim) return false;
  }
  return true;
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <array>
#include <shardy/algebra/tensor_sharding.hpp>

namespace shardy::ir {

SHARDY_INLINE Type::Node::Node(Data of) : data(std::move(of)) {}
SHARDY_INLINE void Type::Node::destroy(const Node* node) { delete node; }
SHARDY_INLINE Type::Type(Data data) : node_(Shared<Node>::make(std::move(data))) {}
SHARDY_INLINE Type::Type(ScalarType scalar) : node_(shared_scalar(scalar.element)) {}
SHARDY_INLINE Type::Type(TupleType tuple) : Type(Data(std::move(tuple))) {}
SHARDY_INLINE Type::Type(FunctionType function) : Type(Data(std::move(function))) {}
SHARDY_INLINE Type::Type(OpaqueType opaque) : Type(Data(std::move(opaque))) {}

SHARDY_INLINE bool TupleType::operator==(const TupleType& other) const = default;
SHARDY_INLINE bool FunctionType::operator==(const FunctionType& other) const = default;

SHARDY_INLINE FunctionType::FunctionType(std::vector<Type> inputs, std::span<const Type> results)
    : types_(std::move(inputs)), num_inputs_(types_.size()) {
  types_.reserve(num_inputs_ + results.size());
  types_.insert(types_.end(), results.begin(), results.end());
}

SHARDY_INLINE const Type::Data& Type::token() {
  static const Data kToken{TokenType{}};
  return kToken;
}

SHARDY_INLINE bool Type::same_content(const Type& a, const Type& b) { return a.data() == b.data(); }

SHARDY_INLINE bool TensorType::operator==(const TensorType&) const = default;
SHARDY_INLINE bool OpaqueType::operator==(const OpaqueType&) const = default;

SHARDY_INLINE Type Type::tensor(std::vector<int64_t> dims, ElementType element) {
  Result<Type> type = make_tensor(std::move(dims), element);
  SHARDY_EXPECTS(type.has_value());
  return type ? *std::move(type) : Type();
}

/// One description for all scalars of an element type.
SHARDY_INLINE const Shared<Type::Node>& Type::shared_scalar(ElementType element) {
  static const auto kScalars = [] {
    std::array<Shared<Node>, kElementTypes.size()> all;
    for (std::size_t index = 0; index < all.size(); ++index) {
      all[index] = Shared<Node>::make(Data(ScalarType{static_cast<ElementType>(index)}));
    }
    return all;
  }();
  SHARDY_EXPECTS(static_cast<std::size_t>(element) < kScalars.size());
  return kScalars[static_cast<std::size_t>(element)];
}

SHARDY_INLINE Result<Type> Type::make_tensor(std::vector<int64_t> dims, ElementType element,
                                             std::string encoding) {
  if (dims.size() > kMaxRank) {
    return fail(too_many_dims() + ", got: " + std::to_string(dims.size()));
  }
  auto bytes = static_cast<int64_t>(size_bytes(element));
  for (const int64_t dim : dims) {
    if (dim == kDynamicDim || dim == 0) continue;
    if (dim < 0) return fail("tensor dim must not be negative, got: " + std::to_string(dim));
    const std::optional<int64_t> next = checked_mul(bytes, dim);
    if (!next) return fail("tensor is too large: its byte size does not fit 64 bits");
    bytes = *next;
  }
  return Type(Data(TensorType{std::move(dims), element, std::move(encoding)}));
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES

// Types of values: tensors, tokens, tuples, functions, bare scalars, foreign types as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <shardy/ir/element_type.hpp>
#include <shardy/support/math.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/shared.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::ir {

/// The size of a dim that is known only at run time; printed as `?`.
inline constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

class Type;

struct TensorType {
  std::vector<int64_t> dims;  // sizes, major to minor; kDynamicDim where unknown
  ElementType element = ElementType::F32;
  std::string encoding;  // text after the element type, empty when there is none
  bool operator==(const TensorType&) const;
};

struct TokenType {
  bool operator==(const TokenType&) const = default;
};

/// A bare scalar such as `i64` or `index`: types of attributes, never of tensor values.
struct ScalarType {
  ElementType element = ElementType::I64;
  bool operator==(const ScalarType&) const = default;
};

struct TupleType {
  std::vector<Type> elements;
  bool operator==(const TupleType&) const;
};

/// One list of types, because programs may have as many function types as they like.
class FunctionType {
 public:
  FunctionType(std::vector<Type> inputs, std::span<const Type> results);

  std::span<const Type> inputs() const;
  std::span<const Type> results() const;
  bool operator==(const FunctionType&) const;

 private:
  std::vector<Type> types_;  // inputs, then results
  std::size_t num_inputs_;
};

/// A type of a foreign dialect (`!quant.uniform<...>`, `memref<4xf32>`, unranked tensors) as text.
struct OpaqueType {
  std::string text;
  bool operator==(const OpaqueType&) const;
};

/// The type of a value. A handle to an immutable description: cheap to copy, compares by content.
///
/// Invariant of tensors: sizes are >= 0 or kDynamicDim, and the byte size of a static shape fits
/// int64. Text (type_text.hpp): `tensor<4x?xf32>`, `!stablehlo.token`, `tuple<tensor<f32>>`.
class Type {
 public:
  using Data = std::variant<TokenType, TensorType, ScalarType, TupleType, FunctionType, OpaqueType>;

  /// The token type.
  Type() = default;
  Type(TokenType) {}  // NOLINT(google-explicit-constructor)
  explicit Type(ScalarType scalar);
  explicit Type(TupleType tuple);
  explicit Type(FunctionType function);
  explicit Type(OpaqueType opaque);

  /// Errors: a negative size, more bytes than int64 can count, more dims than kMaxRank.
  static Result<Type> make_tensor(std::vector<int64_t> dims, ElementType element,
                                  std::string encoding = {});
  /// For sizes known to be right. Requires: what make_tensor checks.
  static Type tensor(std::vector<int64_t> dims, ElementType element);

  const Data& data() const;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data());
  }
  const TensorType* tensor() const { return as<TensorType>(); }
  bool is_token() const { return as<TokenType>() != nullptr; }
  bool is_tensor() const { return tensor() != nullptr; }
  /// A tensor all of whose sizes are known.
  bool is_static_tensor() const;

  /// Requires: is_tensor().
  std::span<const int64_t> dims() const { return tensor()->dims; }
  int64_t dim(std::size_t index) const { return tensor()->dims[index]; }
  int64_t rank() const { return static_cast<int64_t>(tensor()->dims.size()); }
  ElementType element() const { return tensor()->element; }
  /// Requires: is_static_tensor().
  int64_t num_elements() const { return product(dims()); }
  int64_t num_bytes() const { return num_elements() * static_cast<int64_t>(size_bytes(element())); }
  /// The same element type with other sizes. Requires: is_tensor(), sizes as make_tensor wants.
  Type with_dims(std::vector<int64_t> dims) const {
    return Type::tensor(std::move(dims), element());
  }
  Type with_element(ElementType element) const {
    return Type::tensor({dims().begin(), dims().end()}, element);
  }

  friend bool operator==(const Type& a, const Type& b) {
    return a.node_ == b.node_ || same_content(a, b);
  }

 private:
  struct Node;
  explicit Type(Data data);
  static bool same_content(const Type& a, const Type& b);
  static const Shared<Node>& shared_scalar(ElementType element);
  static const Data& token();

  Shared<Node> node_;  // null: the token type
};

struct Type::Node : OwnerCount {
  explicit Node(Data of);
  static void destroy(const Node* node);
  Data data;
};

inline const Type::Data& Type::data() const { return node_ ? node_->data : token(); }

inline std::span<const Type> FunctionType::inputs() const {
  return std::span(types_).first(num_inputs_);
}

inline std::span<const Type> FunctionType::results() const {
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/type_inl.hpp>
#endif

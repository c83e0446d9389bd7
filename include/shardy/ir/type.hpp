// Types of values and element types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::ir {

/// The number format of a tensor element. Names as in StableHLO text. Spec: stablehlo part 1.
enum class ElementType : uint8_t {
  I1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  UI2,
  UI4,
  UI8,
  UI16,
  UI32,
  UI64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64,
  Complex64,   // pair of f32
  Complex128,  // pair of f64
  Index,
  // Element types of exact checks, used in place of floats and complex numbers. These types have no
  // text form.
  Exact,         // an integer modulo 2^61 - 1
  ExactComplex,  // a pair of such integers
};

/// Class of an element type.
enum class ElementClass : uint8_t { Boolean, Signed, Unsigned, Float, Complex, Index };

/// Properties of an element type.
struct ElementInfo {
  std::string_view name;  // name in MLIR text
  ElementClass kind;      // class of the element type
  int bits;               // value bits of one element
  std::size_t bytes;      // bytes of one element in a buffer; types below 8 bits take one byte
};

/// Properties of the element types that programs use.
inline constexpr std::array<ElementInfo, 31> kElementTypes = {{
    {"i1", ElementClass::Boolean, 1, 1},
    {"i2", ElementClass::Signed, 2, 1},
    {"i4", ElementClass::Signed, 4, 1},
    {"i8", ElementClass::Signed, 8, 1},
    {"i16", ElementClass::Signed, 16, 2},
    {"i32", ElementClass::Signed, 32, 4},
    {"i64", ElementClass::Signed, 64, 8},
    {"ui2", ElementClass::Unsigned, 2, 1},
    {"ui4", ElementClass::Unsigned, 4, 1},
    {"ui8", ElementClass::Unsigned, 8, 1},
    {"ui16", ElementClass::Unsigned, 16, 2},
    {"ui32", ElementClass::Unsigned, 32, 4},
    {"ui64", ElementClass::Unsigned, 64, 8},
    {"f4E2M1FN", ElementClass::Float, 4, 1},
    {"f6E2M3FN", ElementClass::Float, 6, 1},
    {"f6E3M2FN", ElementClass::Float, 6, 1},
    {"f8E3M4", ElementClass::Float, 8, 1},
    {"f8E4M3", ElementClass::Float, 8, 1},
    {"f8E4M3FN", ElementClass::Float, 8, 1},
    {"f8E4M3FNUZ", ElementClass::Float, 8, 1},
    {"f8E4M3B11FNUZ", ElementClass::Float, 8, 1},
    {"f8E5M2", ElementClass::Float, 8, 1},
    {"f8E5M2FNUZ", ElementClass::Float, 8, 1},
    {"f8E8M0FNU", ElementClass::Float, 8, 1},
    {"bf16", ElementClass::Float, 16, 2},
    {"f16", ElementClass::Float, 16, 2},
    {"f32", ElementClass::Float, 32, 4},
    {"f64", ElementClass::Float, 64, 8},
    {"complex<f32>", ElementClass::Complex, 64, 8},
    {"complex<f64>", ElementClass::Complex, 128, 16},
    {"index", ElementClass::Index, 64, 8},
}};

/// Properties of the element types that only exact checks use.
inline constexpr std::array<ElementInfo, 2> kExactElementTypes = {{
    {"exact", ElementClass::Float, 64, 8},
    {"complex<exact>", ElementClass::Complex, 128, 16},
}};

/// Checks whether only exact checks use the element type.
constexpr bool is_exact(ElementType type) { return type >= ElementType::Exact; }

/// Returns the properties of an element type.
constexpr const ElementInfo& info(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return is_exact(type) ? kExactElementTypes[index - kElementTypes.size()] : kElementTypes[index];
}
/// Returns the name of the element type in MLIR text.
constexpr std::string_view to_string(ElementType type) { return info(type).name; }
/// Returns the bytes of one element in a buffer.
constexpr std::size_t size_bytes(ElementType type) { return info(type).bytes; }

/// Returns whether the element type is a real float.
constexpr bool is_float(ElementType type) { return info(type).kind == ElementClass::Float; }
/// Returns whether the element type is complex: a pair of floats.
constexpr bool is_complex(ElementType type) { return info(type).kind == ElementClass::Complex; }
/// Returns the element type of the real and imaginary parts of a complex type.
constexpr ElementType part_of(ElementType complex) {
  if (complex == ElementType::ExactComplex) return ElementType::Exact;
  return complex == ElementType::Complex128 ? ElementType::F64 : ElementType::F32;
}
/// Returns whether the element type is `i1`.
constexpr bool is_boolean(ElementType type) { return type == ElementType::I1; }
/// Returns whether the element type is a signed integer.
constexpr bool is_signed_integer(ElementType type) {
  return info(type).kind == ElementClass::Signed;
}
/// Returns whether the element type is an unsigned integer.
constexpr bool is_unsigned_integer(ElementType type) {
  return info(type).kind == ElementClass::Unsigned;
}
/// Returns true for a signed or unsigned integer; `i1` and `index` are not integers.
constexpr bool is_integer(ElementType type) {
  return is_signed_integer(type) || is_unsigned_integer(type);
}

/// Returns the element type named `name`, or std::nullopt.
constexpr std::optional<ElementType> parse_element_type(std::string_view name) {
  for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
    if (kElementTypes[index].name == name) return static_cast<ElementType>(index);
  }
  return std::nullopt;
}

}  // namespace shardy::ir

// Types of values: tensors, tokens, tuples, functions, scalars, and foreign types as text.

namespace shardy::ir {

/// The size of a dim that is known only at run time; text prints `?`.
inline constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

class Type;

/// The type of a ranked tensor: `tensor<2x?xf32>`.
struct TensorType {
  std::vector<int64_t> dims;               // sizes, major to minor; kDynamicDim if unknown
  ElementType element = ElementType::F32;  // element type
  std::string encoding;                    // text after the element type; empty without one
  bool operator==(const TensorType&) const;
};

/// The type of a token: `!stablehlo.token`.
struct TokenType {
  bool operator==(const TokenType&) const = default;
};

/// A scalar such as `i64` or `index`. Attributes have such types; tensor values never do.
struct ScalarType {
  ElementType element = ElementType::I64;  // the element type
  bool operator==(const ScalarType&) const = default;
};

/// A tuple of values: `tuple<tensor<f32>, !stablehlo.token>`.
struct TupleType {
  std::vector<Type> elements;  // types of the tuple elements, in order
  bool operator==(const TupleType&) const;
};

/// A function type. A single list stores inputs and results, which saves memory.
class FunctionType {
 public:
  /// Makes a function type from argument and result types.
  FunctionType(std::vector<Type> inputs, std::span<const Type> results);

  std::span<const Type> inputs() const;   // argument types
  std::span<const Type> results() const;  // result types
  bool operator==(const FunctionType&) const;

 private:
  std::vector<Type> types_;  // inputs, then results
  std::size_t num_inputs_;
};

/// A type that this library does not model, as text: `!quant.uniform<...>`, `memref<4xf32>`,
/// unranked tensors.
struct OpaqueType {
  std::string text;  // MLIR text of the type
  bool operator==(const OpaqueType&) const;
};

/// The type of a value. A Type is a handle to an immutable description: copies are cheap,
/// comparisons compare content.
///
/// Invariant of tensors: sizes are >= 0 or kDynamicDim, and the byte size of a static shape fits
/// int64. Text (see type_text.hpp): `tensor<4x?xf32>`, `!stablehlo.token`, `tuple<tensor<f32>>`.
class Type {
 public:
  /// A description of one of the kinds of types.
  using Data = std::variant<TokenType, TensorType, ScalarType, TupleType, FunctionType, OpaqueType>;

  /// Makes the token type.
  Type() = default;
  Type(TokenType) {}  // NOLINT(google-explicit-constructor)
  /// Makes a scalar type. Requires: an element type of programs, not of exact checks.
  explicit Type(ScalarType scalar);
  /// Makes a tuple type.
  explicit Type(TupleType tuple);
  /// Makes a function type.
  explicit Type(FunctionType function);
  /// Makes a type of a foreign dialect.
  explicit Type(OpaqueType opaque);

  /// Makes a tensor type. Errors: a negative size, a byte size beyond int64, more than kMaxRank
  /// dims.
  static Result<Type> make_tensor(std::vector<int64_t> dims, ElementType element,
                                  std::string encoding = {});
  /// Makes a tensor type without checks. Requires: make_tensor would accept the arguments.
  static Type tensor(std::vector<int64_t> dims, ElementType element);

  /// Returns the description of the type.
  const Data& data() const;
  /// Returns the description if the type is of kind T, and null otherwise.
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data());
  }
  /// Returns the description of a tensor type, and null for other types.
  const TensorType* tensor() const { return as<TensorType>(); }
  /// Returns whether the type is the token type.
  bool is_token() const { return as<TokenType>() != nullptr; }
  /// Returns whether the type is a tensor type.
  bool is_tensor() const { return tensor() != nullptr; }
  /// Returns true for a tensor type whose sizes are all known.
  bool is_static_tensor() const;

  /// Returns the sizes of the dims; kDynamicDim if unknown. Requires: is_tensor().
  std::span<const int64_t> dims() const { return needed().dims; }
  /// Returns the size of dim `index`; kDynamicDim if unknown. Requires: a tensor; index < rank().
  int64_t dim(std::size_t index) const {
    SHARDY_EXPECTS(index < needed().dims.size());
    return needed().dims[index];
  }
  /// Returns the number of dims. Requires: a tensor.
  int64_t rank() const { return static_cast<int64_t>(needed().dims.size()); }
  /// Returns the element type. Requires: a tensor.
  ElementType element() const { return needed().element; }
  /// Returns the number of elements. Requires: is_static_tensor().
  int64_t num_elements() const {
    SHARDY_EXPECTS(is_static_tensor());
    return product(dims());
  }
  /// Returns the bytes of a buffer with all elements. Requires: a static tensor.
  int64_t num_bytes() const { return num_elements() * static_cast<int64_t>(size_bytes(element())); }
  /// Returns the tensor type with the sizes `dims`. Requires: is_tensor(); make_tensor would accept
  /// the sizes.
  Type with_dims(std::vector<int64_t> dims) const {
    return Type::tensor(std::move(dims), element());
  }
  /// Returns the tensor type with another element type. Requires: a tensor.
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

  Shared<Node> node_;  // null for the token type
};

/// The description of a type, which handles share.
struct Type::Node : OwnerCount {
  /// Makes a node of a description.
  explicit Node(Data of);
  /// Deletes a node.
  static void destroy(const Node* node);
  Data data;  // the description
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

/// Returns the one description that all scalar types of an element type share.
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

// The part of a type that the algebra reads: the kind of value and its dims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// The shape of a type; `view` returns it as a ValueShape of the algebra. Owns the storage of the
/// ValueShape. Spec: algebra 9.2.
class TypeShape {
 public:
  /// Reads the shape of `type`. A tuple of one element has the shape of that element.
  explicit TypeShape(Type type);

  /// Returns the kind of value.
  ValueShape::Kind kind() const { return kind_; }
  /// Returns the sizes of the dims; empty for types without a shape.
  std::span<const int64_t> dims() const { return type_.is_tensor() ? type_.dims() : foreign_dims_; }
  /// Returns the number of dims.
  std::size_t rank() const { return dims().size(); }
  /// Returns the shape for the algebra. Valid as long as this object.
  ValueShape view() const { return {kind_, dims(), text_}; }

 private:
  void classify(std::string_view text);

  Type type_;
  std::string text_;
  ValueShape::Kind kind_ = ValueShape::Kind::NotShaped;
  std::vector<int64_t> foreign_dims_;
};

/// Returns the rank that a sharding of a value of this type has: the rank of a shaped type, 0 for
/// other types.
inline std::size_t sharding_rank(const Type& type) {
  return type.is_tensor() ? type.dims().size() : TypeShape(type).rank();
}

/// Returns true for a tuple whose number of elements is not one. Such a tuple cannot have a
/// sharding. Spec: algebra 9.2 step 3.
inline bool is_unshardable_tuple(const Type& type) {
  const auto* tuple = type.as<TupleType>();
  return tuple && tuple->elements.size() != 1;
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <charconv>
#include <shardy/ir/type_text.hpp>
#include <utility>

namespace shardy::ir::detail {

/// Returns the sizes in the text of a tensor or vector whose element type is foreign:
/// `tensor<2x?x!q>`.
SHARDY_INLINE std::vector<int64_t> dims_in_text(std::string_view text) {
  std::vector<int64_t> dims;
  text.remove_prefix(text.find('<') + 1);
  while (!text.empty()) {
    int64_t dim = kDynamicDim;
    std::size_t used = 1;
    if (text.front() != '?') {
      const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), dim);
      if (failure != std::errc()) break;
      used = static_cast<std::size_t>(rest - text.data());
    }
    if (text.substr(used, 1) != "x") break;
    dims.push_back(dim);
    text.remove_prefix(used + 1);
  }
  return dims;
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE TypeShape::TypeShape(Type type) : type_(std::move(type)) {
  const auto* tuple = type_.as<TupleType>();
  if (tuple && tuple->elements.size() == 1) type_ = Type(tuple->elements.front());
  text_ = to_string(type_);
  if (const auto* opaque = type_.as<OpaqueType>()) classify(opaque->text);
  if (type_.is_tensor()) kind_ = ValueShape::Kind::Ranked;
}

SHARDY_INLINE void TypeShape::classify(std::string_view text) {
  if (text.starts_with("tensor<*")) {
    kind_ = ValueShape::Kind::Unranked;
  } else if (text.starts_with("tensor<") || text.starts_with("vector<")) {
    kind_ = ValueShape::Kind::Ranked;
    foreign_dims_ = detail::dims_in_text(text);
  }
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES

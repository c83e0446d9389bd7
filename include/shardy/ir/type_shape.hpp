// The part of a type that shardings need: its kind and its sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/ir/type.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// A type as the algebra sees it. Keeps what its view points to. Spec: algebra 9.2.
class TypeShape {
 public:
  /// A tuple of one element counts as that element.
  explicit TypeShape(Type type);

  /// Kind of the value.
  ValueShape::Kind kind() const { return kind_; }
  /// Empty for what has no shape.
  std::span<const int64_t> dims() const { return type_.is_tensor() ? type_.dims() : foreign_dims_; }
  /// How many dims there are.
  std::size_t rank() const { return dims().size(); }
  /// Valid as long as this.
  ValueShape view() const { return {kind_, dims(), text_}; }

 private:
  void classify(std::string_view text);

  Type type_;
  std::string text_;
  ValueShape::Kind kind_ = ValueShape::Kind::NotShaped;
  std::vector<int64_t> foreign_dims_;
};

/// Rank of a shaped type, 0 of any other: the rank of a sharding for it.
inline std::size_t sharding_rank(const Type& type) {
  return type.is_tensor() ? type.dims().size() : TypeShape(type).rank();
}

/// A tuple that no sharding fits. Spec: algebra 9.2 step 3.
inline bool is_unshardable_tuple(const Type& type) {
  const auto* tuple = type.as<TupleType>();
  return tuple && tuple->elements.size() != 1;
}

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/type_shape_inl.hpp>
#endif

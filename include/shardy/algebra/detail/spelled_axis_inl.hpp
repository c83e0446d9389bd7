// Bodies of spelled_axis.hpp.
#pragma once

#include <optional>
#include <shardy/algebra/detail/spelled_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <string>

namespace shardy {

SHARDY_INLINE bool operator==(const SpelledAxisRef&, const SpelledAxisRef&) = default;
SHARDY_INLINE bool operator==(const SpelledDim&, const SpelledDim&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const SpelledDim&, const SpelledDim&) = default;

SHARDY_INLINE SpelledAxisRef spell(const Mesh& mesh, const AxisRef& ref) {
  if (mesh.is_full(ref)) return {mesh.axis_name(ref.axis), std::nullopt};
  return {mesh.axis_name(ref.axis), SubAxis{ref.pre, ref.size}};
}

SHARDY_INLINE std::string to_string(const SubAxis& sub) {
  return "(" + std::to_string(sub.pre) + ")" + std::to_string(sub.size);
}

SHARDY_INLINE std::string to_string(const SpelledAxisRef& ref) {
  return ref.sub ? in_quotes(ref.name) + ":" + to_string(*ref.sub) : in_quotes(ref.name);
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::SubAxis>::operator()(const shardy::SubAxis& sub) const {
  return shardy::hash_of(sub.pre, sub.size);
}

SHARDY_INLINE std::size_t std::hash<shardy::SpelledAxisRef>::operator()(
    const shardy::SpelledAxisRef& ref) const {
  return shardy::hash_of(ref.name, ref.sub);
}

SHARDY_INLINE std::size_t std::hash<shardy::SpelledDim>::operator()(
    const shardy::SpelledDim& dim) const {
  return shardy::hash_combine(shardy::hash_range(dim.axes),
                              shardy::hash_of(dim.is_closed, dim.priority));
}

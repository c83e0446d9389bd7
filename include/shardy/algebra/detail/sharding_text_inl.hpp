// Bodies of sharding_text.hpp.
#pragma once

#include <compare>
#include <cstddef>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <string>
#include <vector>

namespace shardy {

SHARDY_INLINE bool operator==(const SpelledAllToAll&, const SpelledAllToAll&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const SpelledAllToAll&,
                                               const SpelledAllToAll&) = default;

SHARDY_INLINE std::string to_string(const SpelledShardings& shardings) {
  return "<[" + detail::joined(shardings) + "]>";
}

SHARDY_INLINE std::string to_string(const SpelledAxisLists& lists) {
  return "[" + detail::joined(lists) + "]";
}

SHARDY_INLINE std::string to_string(const SpelledAllToAll& param) {
  return to_string(param.axes) + ": " + std::to_string(param.source_dim) + "->" +
         std::to_string(param.target_dim);
}

SHARDY_INLINE std::string to_string(const SpelledAllToAlls& params) {
  return "[" + detail::joined(params) + "]";
}

SHARDY_INLINE std::string manual_axes_text(const ManualAxes& names) {
  return "{" + detail::joined(names, [](const std::string& name) { return in_quotes(name); }) + "}";
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::SpelledAllToAll>::operator()(
    const shardy::SpelledAllToAll& param) const {
  return shardy::hash_combine(shardy::hash_range(param.axes),
                              shardy::hash_of(param.source_dim, param.target_dim));
}

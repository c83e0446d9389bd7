#pragma once

#include <compare>
#include <cstdint>
#include <shardy/algebra/spelled.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <vector>

namespace shardy {

/// One sharding per value: results, operands or block arguments. Text: `<[<@m, [{"a"}]>]>`.
using SpelledShardings = std::vector<SpelledSharding>;
/// Text: `[{"a"}, {}]`.
using SpelledAxisLists = std::vector<SpelledAxisList>;
/// Names of whole axes. Text: `{"a", "b"}`.
using ManualAxes = std::vector<std::string>;

/// Axes that an all-to-all moves from one dim to another. Text: `{"b"}: 0->2`.
struct SpelledAllToAll {
  SpelledAxisList axes;    // leave the source dim
  int64_t source_dim = 0;  // that the axes leave
  int64_t target_dim = 0;  // that the axes join

  friend bool operator==(const SpelledAllToAll&, const SpelledAllToAll&);
  friend std::strong_ordering operator<=>(const SpelledAllToAll&, const SpelledAllToAll&);
};
using SpelledAllToAlls = std::vector<SpelledAllToAll>;  // parameters of one op

std::string to_string(const SpelledShardings& shardings);
std::string to_string(const SpelledAxisLists& lists);
std::string to_string(const SpelledAllToAll& param);
std::string to_string(const SpelledAllToAlls& params);
/// `manual_axes={"x", "y"}`.
std::string manual_axes_text(const ManualAxes& names);

}  // namespace shardy

template <>
struct std::hash<shardy::SpelledAllToAll> {
  std::size_t operator()(const shardy::SpelledAllToAll& param) const;
};

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/support/quote.hpp>

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
#endif  // SHARDY_BODIES

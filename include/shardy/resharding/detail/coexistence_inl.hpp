// Bodies of coexistence.hpp.
#pragma once

#include <algorithm>
#include <optional>
#include <shardy/resharding/detail/coexistence.hpp>
#include <shardy/support/inline.hpp>

namespace shardy {

SHARDY_INLINE bool can_coexist(const AxisRef& ref, AxisSpan others) {
  return std::ranges::all_of(others, [&](const AxisRef& other) { return can_coexist(ref, other); });
}

SHARDY_INLINE bool can_coexist(AxisSpan refs, AxisSpan others) {
  return std::ranges::all_of(refs, [&](const AxisRef& ref) { return can_coexist(ref, others); });
}

SHARDY_INLINE std::optional<AxisRef> coexisting_part(AxisRef ref, AxisSpan others) {
  const auto conflicts = [&](const AxisRef& other) { return !can_coexist(ref, other); };
  for (auto other = others.begin();;) {
    other = std::find_if(others.begin(), others.end(), conflicts);
    if (other == others.end()) return ref;
    ref.size = coexisting_size(ref, *other);
    if (ref.size == 1) return std::nullopt;
  }
}

SHARDY_INLINE AxisList coexisting_prefix(AxisSpan list, AxisSpan others) {
  AxisList kept;
  for (const AxisRef& ref : list) {
    const std::optional<AxisRef> part = coexisting_part(ref, others);
    if (part) kept.push_back(*part);
    if (part != ref) break;
  }
  return kept;
}

}  // namespace shardy

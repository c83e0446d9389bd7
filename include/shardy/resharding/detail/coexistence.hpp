#pragma once

#include <cstdint>
#include <optional>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>

namespace shardy {

bool can_coexist(const AxisRef& ref, AxisSpan others);

bool can_coexist(AxisSpan refs, AxisSpan others);

/// Returns the size of the longest prefix of `ref` that can coexist with `other`; 1 if no prefix
/// can. Requires: `ref` itself cannot coexist with `other`.
constexpr int64_t coexisting_size(const AxisRef& ref, const AxisRef& other) {
  for (const int64_t end : {other.next(), other.pre}) {
    if (end % ref.pre != 0) continue;
    const int64_t size = gcd(ref.size, end / ref.pre);
    if (size > 1 && can_coexist(AxisRef{ref.axis, ref.pre, size}, other)) return size;
  }
  return 1;
}

/// Returns the longest prefix of `ref` that can coexist with all of `others`.
std::optional<AxisRef> coexisting_part(AxisRef ref, AxisSpan others);

/// Returns the longest prefix of `list` that can coexist with all of `others`. The last ref may be
/// shortened. Shardy fails for refs that cannot coexist. Spec: resharding B.8.
AxisList coexisting_prefix(AxisSpan list, AxisSpan others);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>

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
#endif  // SHARDY_BODIES

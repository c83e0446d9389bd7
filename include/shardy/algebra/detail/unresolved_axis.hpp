#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <vector>

namespace shardy {

/// A sub-axis `(pre)size` as written; the numbers are not validated.
struct SubAxis {
  int64_t pre = 1;
  int64_t size = 1;

  friend constexpr bool operator==(const SubAxis&, const SubAxis&) = default;
  friend constexpr std::strong_ordering operator<=>(const SubAxis&, const SubAxis&) = default;
};

/// An axis ref by name, without a mesh. Not validated. Order: canonical, by name, then `(1)x`, the
/// full axis, `(y)z` with y > 1. Text: `"a"`, `"a":(2)4`. Spec: algebra 2.1, 2.2.
struct UnresolvedAxisRef {
  std::string name;
  std::optional<SubAxis> sub = std::nullopt;

  friend bool operator==(const UnresolvedAxisRef&, const UnresolvedAxisRef&);
  friend std::strong_ordering operator<=>(const UnresolvedAxisRef& a, const UnresolvedAxisRef& b) {
    if (const auto order = a.name <=> b.name; order != 0) return order;
    const SubAxis left = a.sub.value_or(SubAxis{});
    const SubAxis right = b.sub.value_or(SubAxis{});
    if (const auto order = left.pre <=> right.pre; order != 0) return order;
    if (a.sub.has_value() != b.sub.has_value()) {
      return a.sub ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    return left.size <=> right.size;
  }
};

using UnresolvedAxisList = std::vector<UnresolvedAxisRef>;

/// A DimSharding with axis names. Not validated. Text: `{"a", ?}p1`.
struct UnresolvedDim {
  UnresolvedAxisList axes;
  bool is_closed = false;
  std::optional<int64_t> priority = std::nullopt;

  friend bool operator==(const UnresolvedDim&, const UnresolvedDim&);
  friend std::strong_ordering operator<=>(const UnresolvedDim&, const UnresolvedDim&);
};

UnresolvedAxisRef spell(const Mesh& mesh, const AxisRef& ref);

inline UnresolvedAxisList spell(const Mesh& mesh, AxisSpan axes) {
  UnresolvedAxisList spelled;
  for (const AxisRef& axis : axes) spelled.push_back(spell(mesh, axis));
  return spelled;
}

std::string to_string(const SubAxis& sub);

std::string to_string(const UnresolvedAxisRef& ref);

inline std::string to_string(const Mesh& mesh, const AxisRef& ref) {
  return to_string(spell(mesh, ref));
}

}  // namespace shardy

template <>
struct std::hash<shardy::SubAxis> {
  std::size_t operator()(const shardy::SubAxis& sub) const;
};

template <>
struct std::hash<shardy::UnresolvedAxisRef> {
  std::size_t operator()(const shardy::UnresolvedAxisRef& ref) const;
};

template <>
struct std::hash<shardy::UnresolvedDim> {
  std::size_t operator()(const shardy::UnresolvedDim& dim) const;
};

#ifdef SHARDY_BODIES
#include <shardy/support/detail/quote.hpp>

namespace shardy {

SHARDY_INLINE bool operator==(const UnresolvedAxisRef&, const UnresolvedAxisRef&) = default;
SHARDY_INLINE bool operator==(const UnresolvedDim&, const UnresolvedDim&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const UnresolvedDim&,
                                               const UnresolvedDim&) = default;

SHARDY_INLINE UnresolvedAxisRef spell(const Mesh& mesh, const AxisRef& ref) {
  if (mesh.is_full(ref)) return {mesh.axis_name(ref.axis), std::nullopt};
  return {mesh.axis_name(ref.axis), SubAxis{ref.pre, ref.size}};
}

SHARDY_INLINE std::string to_string(const SubAxis& sub) {
  return "(" + std::to_string(sub.pre) + ")" + std::to_string(sub.size);
}

SHARDY_INLINE std::string to_string(const UnresolvedAxisRef& ref) {
  return ref.sub ? in_quotes(ref.name) + ":" + to_string(*ref.sub) : in_quotes(ref.name);
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::SubAxis>::operator()(const shardy::SubAxis& sub) const {
  return shardy::hash_of(sub.pre, sub.size);
}

SHARDY_INLINE std::size_t std::hash<shardy::UnresolvedAxisRef>::operator()(
    const shardy::UnresolvedAxisRef& ref) const {
  return shardy::hash_of(ref.name, ref.sub);
}

SHARDY_INLINE std::size_t std::hash<shardy::UnresolvedDim>::operator()(
    const shardy::UnresolvedDim& dim) const {
  return shardy::hash_combine(shardy::hash_range(dim.axes),
                              shardy::hash_of(dim.is_closed, dim.priority));
}
#endif  // SHARDY_BODIES

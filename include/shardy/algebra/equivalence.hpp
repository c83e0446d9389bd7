#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>

namespace shardy {

namespace detail {

/// References are compared, not mesh contents: a name and its inlined mesh differ.
bool same_mesh_reference(const TensorSharding& a, const TensorSharding& b);

bool same_dim_axes(const TensorSharding& a, const TensorSharding& b);

}  // namespace detail

/// Both put the same data on each device, whatever may be open, have priority or be explicitly
/// replicated. Ranks and meshes of fully replicated shardings are not compared, nor is the
/// reduction op (see same_placement_and_reduction). Spec: algebra 5.4.
bool is_equivalent(const TensorSharding& a, const TensorSharding& b, bool ignore_unreduced = false);

/// The same where each may be absent, which is fully replicated. An absent `a` looks at the dims of
/// `b` only.
bool is_equivalent(const std::optional<TensorSharding>& a, const std::optional<TensorSharding>& b,
                   bool ignore_unreduced = false);

/// is_equivalent, and partial values combine in the same way.
inline bool same_placement_and_reduction(const TensorSharding& a, const TensorSharding& b) {
  return is_equivalent(a, b) &&
         (a.unreduced_axes().empty() || a.reduction_op() == b.reduction_op());
}

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>

namespace shardy::detail {

inline bool is_equivalently_replicated(const TensorSharding& sharding, bool ignore_unreduced) {
  return (ignore_unreduced || sharding.unreduced_axes().empty()) && sharding.is_fully_replicated();
}

SHARDY_INLINE bool same_mesh_reference(const TensorSharding& a, const TensorSharding& b) {
  if (a.mesh_name() || b.mesh_name()) return a.mesh_name() == b.mesh_name();
  return a.mesh() == b.mesh();
}

SHARDY_INLINE bool same_dim_axes(const TensorSharding& a, const TensorSharding& b) {
  return std::ranges::equal(a.dims(), b.dims(), {}, &DimSharding::axes, &DimSharding::axes);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE bool is_equivalent(const TensorSharding& a, const TensorSharding& b,
                                 bool ignore_unreduced) {
  if (detail::is_equivalently_replicated(a, ignore_unreduced)) {
    return detail::is_equivalently_replicated(b, ignore_unreduced);
  }
  if (!detail::same_mesh_reference(a, b)) return false;
  if (!ignore_unreduced && a.unreduced_axes() != b.unreduced_axes()) return false;
  return detail::same_dim_axes(a, b);
}

SHARDY_INLINE bool is_equivalent(const std::optional<TensorSharding>& a,
                                 const std::optional<TensorSharding>& b, bool ignore_unreduced) {
  if (a && b) return is_equivalent(*a, *b, ignore_unreduced);
  if (a) return detail::is_equivalently_replicated(*a, ignore_unreduced);
  return !b || b->is_fully_replicated();
}

}  // namespace shardy
#endif  // SHARDY_BODIES

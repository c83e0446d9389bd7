#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>

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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/equivalence_inl.hpp>
#endif

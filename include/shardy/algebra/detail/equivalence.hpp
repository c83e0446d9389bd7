// Relations between shardings: equal placement, common meshes, and changes of unreduced axes.
#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy {

namespace detail {

/// Checks whether both shardings refer to their mesh in the same way. Names are compared without
/// the contents of their meshes; a name and an inlined mesh always differ.
bool same_mesh_reference(const TensorSharding& a, const TensorSharding& b);

bool same_dim_axes(const TensorSharding& a, const TensorSharding& b);

}  // namespace detail

/// Checks whether both shardings place the same data on each device. Open and closed dims,
/// priorities and explicitly replicated axes are ignored. Ranks and meshes of fully replicated
/// shardings are not compared, nor is the reduction op (see same_placement_and_reduction). Spec:
/// algebra 5.4.
bool is_equivalent(const TensorSharding& a, const TensorSharding& b, bool ignore_unreduced = false);

/// Checks equivalence of optional shardings. A missing sharding is fully replicated; if `a` is
/// missing, only the dims of `b` are checked.
bool is_equivalent(const std::optional<TensorSharding>& a, const std::optional<TensorSharding>& b,
                   bool ignore_unreduced = false);

/// Checks is_equivalent and equal reduction ops of partial values.
inline bool same_placement_and_reduction(const TensorSharding& a, const TensorSharding& b) {
  return is_equivalent(a, b) &&
         (a.unreduced_axes().empty() || a.reduction_op() == b.reduction_op());
}

/// Options of common_mesh.
struct CommonMeshOptions {
  /// Ignore device ids; of equal meshes, one in iota order is returned.
  bool ignore_device_ids = false;
};

/// Returns the mesh that all shardings have in common, with the reference of the first sharding.
/// Empty meshes are ignored if another mesh exists. Returns std::nullopt if the meshes differ or
/// all shardings are missing. `shardings` has operands, then results. Spec: algebra 1.5.
std::optional<MeshRef> common_mesh(std::span<const std::optional<TensorSharding>> shardings,
                                   CommonMeshOptions options = {});

/// Returns the mesh reference of the first sharding that is not on a maximal mesh.
std::optional<MeshRef> first_non_maximal_mesh(
    std::span<const std::optional<TensorSharding>> shardings);

/// The reductions by which an op may introduce or remove unreduced axes.
struct UnreducedTransition {
  /// Reduction op of new unreduced axes; std::nullopt: none allowed.
  std::optional<ReductionOp> introduce = std::nullopt;
  /// Reduction op of removed unreduced axes; std::nullopt: none allowed.
  std::optional<ReductionOp> remove = std::nullopt;
};

/// One sharding per value; std::nullopt: the value has none.
using MaybeShardings = std::span<const std::optional<TensorSharding>>;

namespace detail {

bool same_mesh(const TensorSharding* first, MaybeShardings shardings);

Status check_kept(MaybeShardings operands, MaybeShardings results);

}  // namespace detail

/// Checks the unreduced axes of the operands and results of an op. Missing shardings are skipped;
/// shardings on different meshes are not compared. Spec: algebra 9.4.
Status verify_unreduced_transition(MaybeShardings operands, MaybeShardings results,
                                   UnreducedTransition allowed);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/unresolved.hpp>

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

namespace shardy::detail {

/// Merges `next` into `common`. Returns false if the meshes differ.
SHARDY_INLINE bool take_mesh(std::optional<MeshRef>& common, const MeshRef& next,
                             CommonMeshOptions options) {
  // While only empty meshes were found, the last reference is kept.
  if (!common || common->mesh.empty()) {
    common = next;
    return true;
  }
  if (next.mesh.empty()) return true;
  const bool equal = options.ignore_device_ids ? next.mesh.equals_ignoring_device_ids(common->mesh)
                                               : next.mesh == common->mesh;
  if (equal && options.ignore_device_ids && next.mesh.device_ids().empty()) common = next;
  return equal;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::optional<MeshRef> common_mesh(
    std::span<const std::optional<TensorSharding>> shardings, CommonMeshOptions options) {
  std::optional<MeshRef> common;
  for (const std::optional<TensorSharding>& sharding : shardings) {
    if (sharding && !detail::take_mesh(common, sharding->mesh_ref(), options)) return std::nullopt;
  }
  return common;
}

SHARDY_INLINE std::optional<MeshRef> first_non_maximal_mesh(
    std::span<const std::optional<TensorSharding>> shardings) {
  for (const std::optional<TensorSharding>& sharding : shardings) {
    if (sharding && !sharding->mesh().is_maximal()) return sharding->mesh_ref();
  }
  return std::nullopt;
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE bool same_mesh(const TensorSharding* first, MaybeShardings shardings) {
  return std::ranges::all_of(shardings, [&](const auto& sharding) {
    return !sharding || sharding->mesh() == first->mesh();
  });
}

SHARDY_INLINE const TensorSharding* first_present(MaybeShardings shardings) {
  const auto found = std::ranges::find_if(shardings, [](const auto& s) { return s.has_value(); });
  return found == shardings.end() ? nullptr : &**found;
}

/// Returns the unreduced axes of all values, in order, without duplicates.
SHARDY_INLINE AxisList all_unreduced(MaybeShardings shardings) {
  AxisList all;
  for (const auto& sharding : shardings) {
    if (!sharding) continue;
    const AxisList more = set_difference(sharding->unreduced_axes(), all);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Returns the first reduction op other than `op` among values that are unreduced along any of
/// `axes`.
SHARDY_INLINE std::optional<ReductionOp> other_reduction(MaybeShardings shardings, AxisSpan axes,
                                                         ReductionOp op) {
  for (const auto& sharding : shardings) {
    if (sharding && sharding->reduction_op() != op &&
        overlaps(AxisSpan(sharding->unreduced_axes()), axes)) {
      return sharding->reduction_op();
    }
  }
  return std::nullopt;
}

SHARDY_INLINE std::string single_quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

SHARDY_INLINE Status check_added(const Mesh& mesh, MaybeShardings results, AxisSpan added,
                                 std::optional<ReductionOp> introduce) {
  if (added.empty()) return {};
  if (!introduce) {
    return fail("cannot add new unreduced axis " + single_quoted(mesh.axis_name(added[0].axis)) +
                ".");
  }
  const std::optional<ReductionOp> other = other_reduction(results, added, *introduce);
  if (!other) return {};
  return fail("cannot introduce " + single_quoted(to_string(*other)) +
              " unreduced axes. Expected " + single_quoted(to_string(*introduce)) + ".");
}

SHARDY_INLINE Status check_removed(const Mesh& mesh, MaybeShardings operands, AxisSpan removed,
                                   std::optional<ReductionOp> remove) {
  if (removed.empty()) return {};
  if (!remove) {
    return fail("dropped unreduced axis " + single_quoted(mesh.axis_name(removed[0].axis)) +
                " without a blessed operation (e.g., sdy.reshard). This is an invalid transition "
                "from unreduced to reduced.");
  }
  const std::optional<ReductionOp> other = other_reduction(operands, removed, *remove);
  if (!other) return {};
  return fail("cannot reduce " + single_quoted(to_string(*other)) + " unreduced axes. Expected " +
              single_quoted(to_string(*remove)) + ".");
}

SHARDY_INLINE Status check_kept(MaybeShardings operands, MaybeShardings results) {
  for (const auto& result : results) {
    if (!result) continue;
    const AxisSpan axes = result->unreduced_axes();
    const auto other = other_reduction(operands, axes, result->reduction_op());
    if (!other) continue;
    return fail("cannot change the reduction operator of kept unreduced axes from " +
                std::string(to_string(*other)) + " to " +
                std::string(to_string(result->reduction_op())) + ".");
  }
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Status verify_unreduced_transition(MaybeShardings operands, MaybeShardings results,
                                                 UnreducedTransition allowed) {
  const TensorSharding* first = detail::first_present(operands);
  if (first == nullptr) first = detail::first_present(results);
  if (first == nullptr) return {};
  if (!detail::same_mesh(first, operands) || !detail::same_mesh(first, results)) return {};

  const AxisList before = detail::all_unreduced(operands);
  const AxisList after = detail::all_unreduced(results);
  const Mesh& mesh = first->mesh();
  SHARDY_TRY_STATUS(
      detail::check_added(mesh, results, set_difference(after, before), allowed.introduce));
  SHARDY_TRY_STATUS(
      detail::check_removed(mesh, operands, set_difference(before, after), allowed.remove));
  return detail::check_kept(operands, results);
}

}  // namespace shardy
#endif  // SHARDY_BODIES

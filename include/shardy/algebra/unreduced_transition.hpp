#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>

namespace shardy {

/// The reductions by which an op may make axes unreduced, and reduce them; absent: it may not.
struct UnreducedTransition {
  std::optional<ReductionOp> introduce = std::nullopt;  // the op by which values become partial
  std::optional<ReductionOp> remove = std::nullopt;     // the op by which they become whole
};

/// One for each value; nullopt: it has none.
using MaybeShardings = std::span<const std::optional<TensorSharding>>;

namespace detail {

bool same_mesh(const TensorSharding* first, MaybeShardings shardings);

Status check_kept(MaybeShardings operands, MaybeShardings results);

}  // namespace detail

/// Checks the unreduced axes of operands and results of an op; absent shardings are skipped,
/// and shardings on different meshes are not compared. Spec: algebra 9.4.
Status verify_unreduced_transition(MaybeShardings operands, MaybeShardings results,
                                   UnreducedTransition allowed);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/spelled.hpp>
#include <string>

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

/// Returns the axes that any value is unreduced along, in order, each part once.
SHARDY_INLINE AxisList all_unreduced(MaybeShardings shardings) {
  AxisList all;
  for (const auto& sharding : shardings) {
    if (!sharding) continue;
    const AxisList more = set_difference(sharding->unreduced_axes(), all);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// The first reduction other than `op` by which a value is unreduced along some of `axes`.
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

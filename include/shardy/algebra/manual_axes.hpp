// Manual axes: the shardings inside and outside of manual computations, and the axes that ops
// inside must not use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Shardings on the two sides of a manual computation. Spec: algebra 6.2.

namespace shardy {

/// Names of full mesh axes.
using AxisNames = std::span<const std::string>;

/// Returns whether `manual` contains the axis of the ref.
bool is_manual(const Mesh& mesh, const AxisRef& ref, AxisNames manual);

/// Returns the index of the first free axis of a dim. Manual axes precede free axes in each dim.
std::size_t first_free(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual);

/// Returns the number of shards along the manual axes of one dim. Sub-axes count with their own
/// size.
int64_t manual_size(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual);

/// Returns the sharding inside of the manual computation: `sharding` without manual axes. A dim
/// that becomes empty and closed loses its priority (quirk Q7 of algebra 11).
TensorSharding erase_manual(const TensorSharding& sharding, AxisNames manual);

/// Returns the sharding with only the manual axes of each dim. Replicated and unreduced axes still
/// contain free axes, because callers read only the dims.
TensorSharding erase_free(const TensorSharding& sharding, AxisNames manual);

/// Returns the sharding outside of the manual computation: each dim has the manual axes of `outer`,
/// then the axes of `inner`. Replicated and unreduced axes are the axes of `outer`, without axes
/// that `inner` uses on a dim or splits. The result is on the mesh of `inner`. Requires: equal
/// ranks; `inner` has no manual axes.
TensorSharding add_free(const TensorSharding& outer, const TensorSharding& inner, AxisNames manual);

/// The axes that no sharding and no collective may use at a position of a program: the manual axes
/// of all computations around that position, in all call contexts. Along these axes, devices have
/// different data. The class has no default constructor, so that callers write BoundAxes::none().
/// Spec: resharding C.9.
class BoundAxes {
 public:
  /// Returns the empty set, for positions outside of all manual computations.
  static BoundAxes none() { return BoundAxes({}); }
  /// Returns the set of these axes. Order and duplicates do not matter.
  static BoundAxes of(AxisNames names);

  /// Checks whether no axis is bound.
  bool empty() const { return names_.empty(); }
  /// Returns the names of the bound axes, ascending, without duplicates.
  AxisNames names() const { return names_; }

  /// Checks whether the axis of `ref` is bound.
  bool has(const Mesh& mesh, const AxisRef& ref) const { return is_manual(mesh, ref, names_); }
  /// Returns the first ref of a bound axis; nullptr if none exists.
  const AxisRef* first_in(const Mesh& mesh, AxisSpan refs) const;
  /// Checks that the sharding uses no bound axis. Errors: the sharding uses one.
  Status expect_free(const TensorSharding& sharding) const;

  friend auto operator<=>(const BoundAxes&, const BoundAxes&) = default;

 private:
  explicit BoundAxes(std::vector<std::string> names) : names_(std::move(names)) {}

  std::vector<std::string> names_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>

namespace shardy {

SHARDY_INLINE bool is_manual(const Mesh& mesh, const AxisRef& ref, AxisNames manual) {
  return std::ranges::find(manual, mesh.axis_name(ref.axis)) != manual.end();
}

SHARDY_INLINE std::size_t first_free(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual) {
  const auto found = std::ranges::find_if_not(
      dim_axes, [&](const AxisRef& ref) { return is_manual(mesh, ref, manual); });
  return static_cast<std::size_t>(found - dim_axes.begin());
}

SHARDY_INLINE int64_t manual_size(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual) {
  int64_t size = 1;
  for (const AxisRef& ref : dim_axes) {
    if (is_manual(mesh, ref, manual)) size *= ref.size;  // cannot overflow: axes of one mesh
  }
  return size;
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE AxisList without_manual(const Mesh& mesh, AxisList axes, AxisNames manual) {
  std::erase_if(axes, [&](const AxisRef& ref) { return is_manual(mesh, ref, manual); });
  return axes;
}

/// Returns the sharding with other dims. Manual axes are removed from its replicated and unreduced
/// axes.
SHARDY_INLINE TensorSharding with_free_sets(const TensorSharding& sharding,
                                            std::vector<DimSharding> dims, AxisNames manual) {
  const Mesh& mesh = sharding.mesh();
  return sharding.with_replicated(without_manual(mesh, sharding.replicated_axes(), manual))
      .with_unreduced(without_manual(mesh, sharding.unreduced_axes(), manual))
      .with_dims(std::move(dims));
}

/// Returns the axes as refs of the mesh `to`. Axes whose name and size do not occur in `to` are
/// dropped.
SHARDY_INLINE AxisList moved_to_mesh(AxisSpan axes, const Mesh& from, const Mesh& to) {
  AxisList moved;
  for (const AxisRef& ref : axes) {
    const std::optional<int32_t> axis = to.find_axis(from.axis_name(ref.axis));
    if (axis && to.axis_size(*axis) == from.axis_size(ref.axis)) {
      moved.push_back(AxisRef{*axis, ref.pre, ref.size});
    }
  }
  return moved;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE TensorSharding erase_manual(const TensorSharding& sharding, AxisNames manual) {
  if (manual.empty()) return sharding;
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    dim = dim.drop_front(first_free(sharding.mesh(), dim.axes, manual));
  }
  return detail::with_free_sets(sharding, std::move(dims), manual);
}

SHARDY_INLINE TensorSharding erase_free(const TensorSharding& sharding, AxisNames manual) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    dim = dim.take_front(first_free(sharding.mesh(), dim.axes, manual));
  }
  return detail::with_free_sets(sharding, std::move(dims), manual);
}

SHARDY_INLINE TensorSharding add_free(const TensorSharding& outer, const TensorSharding& inner,
                                      AxisNames manual) {
  if (inner.mesh().is_maximal() || outer.rank() != inner.rank()) return inner;
  std::vector<DimSharding> dims(inner.dims().begin(), inner.dims().end());
  for (std::size_t index = 0; index < dims.size(); ++index) {
    const AxisList& axes = outer.dim(index).axes;
    const AxisSpan fixed = AxisSpan(axes).first(first_free(outer.mesh(), axes, manual));
    AxisList joined = detail::moved_to_mesh(fixed, outer.mesh(), inner.mesh());
    joined.insert(joined.end(), dims[index].axes.begin(), dims[index].axes.end());
    dims[index].axes = std::move(joined);
  }
  const AxisList used = inner.dim_axes();
  const auto kept = [&](const AxisList& axes) {
    AxisList moved = detail::moved_to_mesh(axes, outer.mesh(), inner.mesh());
    // Drops refs that cannot coexist with `inner`: if `inner` splits an axis of size 6 into 3 and
    // 2, no sharding can also use its half.
    std::erase_if(moved, [&](const AxisRef& ref) {
      return std::ranges::any_of(used,
                                 [&](const AxisRef& other) { return !can_coexist(ref, other); });
    });
    return sort_and_merge(set_difference(moved, used));
  };
  Result<TensorSharding> result = TensorSharding::make(
      inner.mesh(), inner.mesh_name(), std::move(dims), kept(outer.replicated_axes()),
      kept(outer.unreduced_axes()), outer.reduction_op());
  SHARDY_EXPECTS(result.has_value());
  return result ? *std::move(result) : outer;
}

SHARDY_INLINE BoundAxes BoundAxes::of(AxisNames names) {
  std::vector<std::string> all(names.begin(), names.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return BoundAxes(std::move(all));
}

SHARDY_INLINE const AxisRef* BoundAxes::first_in(const Mesh& mesh, AxisSpan refs) const {
  if (names_.empty()) return nullptr;
  const auto found = std::ranges::find_if(refs, [&](const AxisRef& ref) { return has(mesh, ref); });
  return found == refs.end() ? nullptr : &*found;
}

SHARDY_INLINE Status BoundAxes::expect_free(const TensorSharding& sharding) const {
  if (names_.empty()) return {};
  const Mesh& mesh = sharding.mesh();
  std::string_view bound;
  const auto is_bound = [&](const AxisRef& ref) {
    if (!has(mesh, ref)) return false;
    bound = mesh.axis_name(ref.axis);
    return true;
  };
  if (!sharding.any_axis(is_bound)) return {};
  return fail("sharding: axis " + in_quotes(bound) +
              " is bound by a manual computation around; use an axis that is free");
}

}  // namespace shardy
#endif  // SHARDY_BODIES

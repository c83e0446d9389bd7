// Shardings on the two sides of a manual computation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"

namespace shardy::ir {

/// Names of whole mesh axes.
using AxisNames = std::span<const std::string>;

inline bool is_manual(const Mesh& mesh, const AxisRef& ref, AxisNames manual) {
  return std::ranges::find(manual, mesh.axis_name(ref.axis)) != manual.end();
}

/// Position of the first free axis of a dim, whose manual axes all come first. Spec: algebra 6.2.
inline std::size_t first_free(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual) {
  const auto found = std::ranges::find_if_not(
      dim_axes, [&](const AxisRef& ref) { return is_manual(mesh, ref, manual); });
  return static_cast<std::size_t>(found - dim_axes.begin());
}

/// Number of pieces into which the manual axes of one dim cut it; sub-axes count their own size.
inline int64_t manual_size(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual) {
  int64_t size = 1;
  for (const AxisRef& ref : dim_axes) {
    if (is_manual(mesh, ref, manual)) size *= ref.size;  // axes of one mesh: fits
  }
  return size;
}

/// The view from inside: without manual axes. Spec: algebra 6.2.
inline TensorSharding erase_manual(const TensorSharding& sharding, AxisNames manual) {
  if (manual.empty()) return sharding;
  const Mesh& mesh = sharding.mesh();
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) dim = dim.drop_front(first_free(mesh, dim.axes, manual));
  const auto free_of = [&](AxisList axes) {
    std::erase_if(axes, [&](const AxisRef& ref) { return is_manual(mesh, ref, manual); });
    return axes;
  };
  return sharding.with_replicated(free_of(sharding.replicated_axes()))
      .with_unreduced(free_of(sharding.unreduced_axes()))
      .with_dims(std::move(dims));
}

namespace detail {

/// Axes of one mesh as axes of another that has the same names and sizes; others are dropped.
inline AxisList moved_to_mesh(AxisSpan axes, const Mesh& from, const Mesh& to) {
  AxisList moved;
  for (const AxisRef& ref : axes) {
    const std::optional<int32_t> axis = to.find_axis(from.axis_name(ref.axis));
    if (axis && to.axis_size(*axis) == from.axis_size(ref.axis)) {
      moved.push_back(AxisRef{*axis, ref.pre, ref.size});
    }
  }
  return moved;
}

}  // namespace detail

/// The view from outside: per dim the manual axes of `outer`, then what `inner` has; explicitly
/// replicated and unreduced axes are those of `outer`, but for what `inner` shards by. The mesh is
/// that of `inner`. Requires: equal ranks; no manual axes in `inner`. Spec: algebra 6.2.
inline TensorSharding add_free(const TensorSharding& outer, const TensorSharding& inner,
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
    return sort_and_merge(set_difference(moved, used));
  };
  Result<TensorSharding> result = TensorSharding::make(
      inner.mesh(), inner.mesh_name(), std::move(dims), kept(outer.replicated_axes()),
      kept(outer.unreduced_axes()), outer.reduction_op());
  SHARDY_ASSERT(result.has_value());
  return result ? *std::move(result) : outer;
}

}  // namespace shardy::ir

#pragma once

#include <cstddef>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/rule_layout.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The sharding of one factor in one tensor.
struct FactorSharding {
  AxisList axes;           // of the factor in that tensor, major to minor
  AxisList overflow;       // axes of the dim that this factor could not take; they freeze the dim
  bool is_mapped = false;  // false: an earlier factor of the dim overflowed
  bool is_closed = false;  // whether the step must not add axes
  bool is_minor_most = false;  // whether the factor is the last of its dim

  friend bool operator==(const FactorSharding&, const FactorSharding&) = default;
};

/// Axes of a tensor that belong to no factor; a step never changes them.
struct TensorAxes {
  AxisList replicated;  // must not shard the tensor
  AxisList unreduced;   // the tensor is a sum along them

  friend bool operator==(const TensorAxes&, const TensorAxes&) = default;
};

/// The shardings of all tensors of an op, seen as shardings of the factors of its rule.
///
/// One factor sharding per entry of the rule's layout. Reusable: `reset` keeps all memory, so only
/// the first `layout.num_entries()` and `layout.num_tensors()` elements mean anything.
/// Spec: propagation 3.
struct Projection {
  std::vector<FactorSharding> entries;  // by entry of the layout
  std::vector<TensorAxes> tensors;      // operands first, then results

  /// Returns whether it has room for the rule, as after `reset`.
  bool holds(const RuleLayout& layout) const {
    return entries.size() >= layout.num_entries() && tensors.size() >= layout.num_tensors();
  }
  /// Makes room for a rule, without any axes.
  void reset(const RuleLayout& layout);
  /// Takes the meaningful part of `other`. Requires: other.holds(layout).
  void assign(const RuleLayout& layout, const Projection& other);
};

/// Appends `axis` to the list that begins at `begin` of `axes`, joined with its last ref if they
/// are parts of one axis side by side.
void append_merged(AxisList& axes, std::size_t begin, const AxisRef& axis);

/// Distributes the axes of one dim over its factors. Requires: projection.holds(layout), factors of
/// the layout. Spec: propagation 3.
void project_dim(const RuleLayout& layout, EntryRange factors, std::span<const AxisRef> axes,
                 bool is_closed, Projection& projection);

/// Appends the axes of one dim to `axes`; returns whether the dim is closed. Axes of a factor whose
/// major neighbour is not fully sharded are dropped. Requires: as project_dim. Spec: propagation 4.
bool back_project_dim(const RuleLayout& layout, EntryRange factors, const Projection& projection,
                      AxisList& axes);

/// Projects one tensor. Requires: projection.holds(layout); rank of the sharding == rank of the
/// mapping.
void project(const RuleLayout& layout, std::size_t tensor, const TensorSharding& sharding,
             Projection& projection);

/// Projects a tensor that has no sharding. Requires: projection.holds(layout), tensor <
/// layout.num_tensors().
void project_absent(const RuleLayout& layout, std::size_t tensor, bool is_closed,
                    Projection& projection);

/// The dim shardings of one tensor, without priorities. Requires: as project_absent.
std::vector<DimSharding> back_project(const RuleLayout& layout, std::size_t tensor,
                                      const Projection& projection);

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <cstdint>
#include <shardy/propagation/detail/axis_cursor.hpp>

namespace shardy::propagation {

SHARDY_INLINE void append_merged(AxisList& axes, std::size_t begin, const AxisRef& axis) {
  if (axes.size() > begin && can_merge(axes.back(), axis)) {
    axes.back() = merge(axes.back(), axis);
    return;
  }
  axes.push_back(axis);
}

SHARDY_INLINE void Projection::reset(const RuleLayout& layout) {
  if (entries.size() < layout.num_entries()) entries.resize(layout.num_entries());
  if (tensors.size() < layout.num_tensors()) tensors.resize(layout.num_tensors());
  for (std::size_t entry = 0; entry < layout.num_entries(); ++entry) {
    FactorSharding& factor = entries[entry];
    factor.axes.clear();
    factor.overflow.clear();
    factor.is_mapped = factor.is_closed = factor.is_minor_most = false;
  }
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    tensors[tensor].replicated.clear();
    tensors[tensor].unreduced.clear();
  }
}

SHARDY_INLINE void Projection::assign(const RuleLayout& layout, const Projection& other) {
  SHARDY_EXPECTS(other.holds(layout));
  reset(layout);
  std::copy_n(other.entries.begin(), layout.num_entries(), entries.begin());
  std::copy_n(other.tensors.begin(), layout.num_tensors(), tensors.begin());
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Gives a factor that is not the minor-most one what fits; the rest overflows.
SHARDY_INLINE void fill_major_factor(int64_t size, AxisCursor& cursor, FactorSharding& factor) {
  while (!cursor.done()) {
    const int64_t left = cursor.current().size;
    const int64_t fitting = gcd(size, left);
    // An axis of size 1 stays with the factor at hand, even if that one is full.
    if (fitting == 1 && left != 1) break;
    if (size != 0) size /= fitting;
    factor.axes.push_back(left > fitting ? cursor.take_part(fitting) : cursor.take());
  }
  if (size <= 1) return;
  while (!cursor.done()) factor.overflow.push_back(cursor.take());
}

/// Appends `factor_axes`, merging the first one with the previous axis; returns their shard count.
SHARDY_INLINE int64_t append_joined(AxisList& axes, std::size_t begin,
                                    std::span<const AxisRef> factor_axes) {
  int64_t shards = 1;
  for (const AxisRef& axis : factor_axes) {
    append_merged(axes, begin, axis);
    begin = axes.size();
    shards *= axis.size;
  }
  return shards;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE void project_dim(const RuleLayout& layout, EntryRange factors,
                               std::span<const AxisRef> axes, bool is_closed,
                               Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout) && factors.end <= layout.num_entries());
  detail::AxisCursor cursor(axes);
  bool is_frozen = false;
  for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
    FactorSharding& factor = projection.entries[entry];
    factor.is_mapped = true;
    factor.is_minor_most = entry + 1 == factors.end;
    factor.is_closed = is_closed || is_frozen;
    if (is_frozen) return;  // later factors of the dim stay unmapped
    if (factor.is_minor_most) {
      while (!cursor.done()) append_merged(factor.axes, 0, cursor.take());
      return;
    }
    detail::fill_major_factor(layout.factor_size(layout.entry_factor(entry)), cursor, factor);
    is_frozen = !factor.overflow.empty();
  }
}

SHARDY_INLINE bool back_project_dim(const RuleLayout& layout, EntryRange factors,
                                    const Projection& projection, AxisList& axes) {
  SHARDY_EXPECTS(projection.holds(layout) && factors.end <= layout.num_entries());
  const std::size_t begin = axes.size();
  bool is_closed = false;
  for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
    const FactorSharding& factor = projection.entries[entry];
    is_closed |= factor.is_closed;
    const int64_t shards = detail::append_joined(axes, begin, factor.axes);
    detail::append_joined(axes, begin, factor.overflow);
    const bool is_full = shards >= layout.factor_size(layout.entry_factor(entry));
    if (!factor.overflow.empty() || !is_full) break;
  }
  return is_closed;
}

SHARDY_INLINE void project(const RuleLayout& layout, std::size_t tensor,
                           const TensorSharding& sharding, Projection& projection) {
  SHARDY_EXPECTS(sharding.dims().size() == layout.rank(tensor) && projection.holds(layout));
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    const DimSharding& from = sharding.dims()[dim];
    project_dim(layout, layout.dim_entries(tensor, dim), from.axes, from.is_closed, projection);
  }
  const auto& replicated = sharding.replicated_axes();
  const auto& unreduced = sharding.unreduced_axes();
  projection.tensors[tensor].replicated.assign(replicated.begin(), replicated.end());
  projection.tensors[tensor].unreduced.assign(unreduced.begin(), unreduced.end());
}

SHARDY_INLINE void project_absent(const RuleLayout& layout, std::size_t tensor, bool is_closed,
                                  Projection& projection) {
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    project_dim(layout, layout.dim_entries(tensor, dim), {}, is_closed, projection);
  }
}

SHARDY_INLINE std::vector<DimSharding> back_project(const RuleLayout& layout, std::size_t tensor,
                                                    const Projection& projection) {
  std::vector<DimSharding> dims(layout.rank(tensor));
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const EntryRange factors = layout.dim_entries(tensor, dim);
    dims[dim].is_closed = back_project_dim(layout, factors, projection, dims[dim].axes);
  }
  return dims;
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES

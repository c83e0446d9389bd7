#pragma once

#include <cstddef>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/rule_layout.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/projection_inl.hpp>
#endif

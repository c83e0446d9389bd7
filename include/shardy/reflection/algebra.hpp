// Text, hashes and an order for all values of the header-only layers, for {fmt}, streams and std
// containers. No other header includes this one, because it takes long to compile.
#pragma once

#include <shardy/algebra/detail/hlo_named.hpp>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/reflection/detail/fields.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/permute.hpp>
#include <shardy/support/result.hpp>

namespace shardy::detail {

template <>
struct OwnValue<Location> {
  static std::string text(const Location& value) { return in_quotes(value.text()); }
  static std::size_t hash(const Location& value) { return std::hash<std::string>{}(value.text()); }
  static std::strong_ordering order(const Location& a, const Location& b) { return a <=> b; }
};

}  // namespace shardy::detail

SHARDY_VALUES_OF(shardy::propagation)

SHARDY_VALUE_WITH_TEXT(shardy::Mesh)
SHARDY_VALUE_WITH_TEXT(shardy::MeshAxis)
SHARDY_VALUE_WITH_TEXT(shardy::MeshRef)
SHARDY_VALUE_WITH_TEXT(shardy::SubAxis)
SHARDY_VALUE_WITH_TEXT(shardy::UnresolvedAxisRef)
SHARDY_VALUE_WITH_TEXT(shardy::UnresolvedDim)
SHARDY_VALUE_WITH_TEXT(shardy::UnresolvedSharding)
SHARDY_VALUE_WITH_TEXT(shardy::UnresolvedAllToAll)
SHARDY_VALUE_WITH_TEXT(shardy::TensorSharding)
SHARDY_VALUE_WITH_TEXT(shardy::TensorMapping)
SHARDY_VALUE_WITH_TEXT(shardy::OpShardingRule)
SHARDY_VALUE_WITH_TEXT(shardy::OpShardingRuleParts)
SHARDY_VALUE_WITH_TEXT(shardy::HloSharding)
SHARDY_VALUE_WITH_TEXT(shardy::NamedHloSharding)
SHARDY_VALUE_WITH_TEXT(shardy::EinsumRule)
SHARDY_VALUE_WITH_TEXT(shardy::EdgeValueRef)
SHARDY_VALUE_WITH_TEXT(shardy::AxisEdge)
SHARDY_VALUE_WITH_TEXT(shardy::PropagationStepEdges)
SHARDY_VALUE_WITH_TEXT(shardy::PropagationEdges)
SHARDY_VALUE_WITH_TEXT(shardy::ReshardStep)
SHARDY_VALUE_WITH_TEXT(shardy::CostModel)
SHARDY_VALUE_WITH_TEXT(shardy::ReductionOp)
SHARDY_VALUE_WITH_TEXT(shardy::Topology)
SHARDY_VALUE_WITH_TEXT(shardy::PlanKind)
SHARDY_VALUE_WITH_TEXT(shardy::Severity)
SHARDY_VALUE_WITH_TEXT(shardy::propagation::ConflictReason)

SHARDY_ORDERED_VALUE(shardy::AxisRef, axis, pre, size)
SHARDY_ORDERED_VALUE(shardy::DimSharding, axes, is_closed, priority)
SHARDY_ORDERED_VALUE(shardy::HloShardGroup, kind, id)
SHARDY_ORDERED_VALUE(shardy::Range, begin, end)

SHARDY_VALUE(shardy::DiagnosticSubject, kind, is_sharding, is_repeated, index, name)
SHARDY_VALUE(shardy::Diagnostic, message, location, notes, code, severity, subject)
SHARDY_VALUE(shardy::EinsumTensor, batching, dims)
SHARDY_VALUE(shardy::EinsumRule, operands, results, sizes, reduction, need_replication, permutation,
             blocked)
SHARDY_VALUE(shardy::HloLayout, sharding, manual)
SHARDY_VALUE(shardy::NamedHloSharding, device, mesh, dims, word, replicated, unreduced, manual,
             reduction_op)
SHARDY_VALUE(shardy::ReshapeGroup, in_begin, in_end, out_begin, out_end)
SHARDY_VALUE(shardy::ShardHolder, device, replica, summand)
SHARDY_VALUE(shardy::AxisCost, topology, bytes_per_second, latency_seconds)
SHARDY_VALUE(shardy::NamedAxisCost, axis, cost)
SHARDY_VALUE(shardy::CostModel, other, axes)
SHARDY_VALUE(shardy::BestPlanOptions, model, max_live_bytes, max_ways)
SHARDY_VALUE(shardy::PermuteOrders, sender, receiver)
SHARDY_VALUE(shardy::AllToAllMove, axes, source, target)
SHARDY_VALUE(shardy::ReshardStep, kind, dim_axes, params, axes, reduction_op, out)
SHARDY_VALUE(shardy::propagation::AxisMove, axis, factor, source, target)
SHARDY_VALUE(shardy::propagation::Conflict, factor, wanted, kept, reason, tensor, other_factor,
             target)
SHARDY_VALUE(shardy::propagation::FactorSharding, axes, overflow, is_mapped, is_closed,
             is_minor_most)
SHARDY_VALUE(shardy::propagation::TensorAxes, replicated, unreduced)

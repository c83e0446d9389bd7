#include "partitioning/varying_axes.hpp"

#include <utility>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

AxisList joined(AxisList a, const AxisList& b) {
  const AxisList more = set_difference(b, a);
  a.insert(a.end(), more.begin(), more.end());
  return sort_and_merge(std::move(a));
}

AxisList axes_of(const std::optional<TensorSharding>& sharding) {
  AxisList all;
  if (!sharding) return all;
  for (const DimSharding& dim : sharding->dims()) all = joined(std::move(all), dim.axes);
  return joined(std::move(all), sharding->unreduced_axes());
}

AxisList group_axes(const Module& program, OpId op) {
  const auto* axes = program.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  return axes != nullptr ? axes->axes : AxisList();
}

/// Checks for collectives that give all devices of a group equal results.
bool makes_equal(OpKind kind) {
  return kind == OpKind::SpmdAllGather || kind == OpKind::SpmdAllReduce ||
         kind == OpKind::SpmdBroadcastFrom;
}

}  // namespace

VaryingAxes::VaryingAxes(const Module& program) {
  for (const OpId function : program.functions()) {
    if (program.is_external(function)) continue;
    add_arguments(program, function);
    for (const OpId op : ir::pre_order(program, program.entry(function))) add_op(program, op);
  }
}

const AxisList& VaryingAxes::of(ValueId value) const {
  static const AxisList none;
  const auto found = axes_.find(value);
  return found == axes_.end() ? none : found->second;
}

void VaryingAxes::add_arguments(const Module& program, OpId function) {
  const auto args = program.args(program.entry(function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    set(args[index], axes_of(ir::arg_sharding(program, function, index)));
  }
}

void VaryingAxes::add_op(const Module& program, OpId op) {
  const OpKind kind = program.kind(op);
  if (kind == OpKind::FuncCall) {
    const auto callee = ir::callee_of(program, op);
    for (std::size_t index = 0; callee && index < program.num_results(op); ++index) {
      set(program.result(op, index), axes_of(ir::result_sharding(program, *callee, index)));
    }
    return;
  }
  if (kind == OpKind::While) {
    for (std::size_t index = 0; index < program.num_results(op); ++index) {
      const AxisList axes = of(program.operand(op, index));
      set(program.result(op, index), axes);
      for (const ir::RegionId region : program.regions(op)) {
        set(program.args(program.blocks(region).front())[index], axes);
      }
    }
    return;
  }
  if (program.has_trait(op, ir::kControlFlow)) return;
  AxisList axes;
  for (const ValueId operand : program.operands(op)) axes = joined(std::move(axes), of(operand));
  if (makes_equal(kind)) {
    axes = set_difference(axes, group_axes(program, op));
  } else if (ir::is_spmd(kind)) {
    axes = joined(std::move(axes), group_axes(program, op));
  }
  for (const ValueId result : program.results(op)) set(result, axes);
}

}  // namespace shardy::partitioning

// Ops that reduce dims run on local shards if the following collective reduces their partial
// results. Spec: partitioning 10.4.
//
//   sdy.mesh @mesh = <["y"=2]>
//   %0 = dot_general %a, %b                       %0 = dot_general %a, %b
//     : 8x16 [{}, {"y"}], 16x4 [{"y"}, {}]   ->     : 8x8, 8x4
//   %1 = sdy.all_reduce {"y"} %0                  %1 = stablehlo.all_reduce add %0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ir/op_facts.hpp"
#include "partitioning/families.hpp"
#include "partitioning/local_program.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Axes and reducer of the collective after the op, or of the result's declared unreduced axes.
struct Combination {
  AxisList axes;
  OpKind combiner = OpKind::Add;
};

std::optional<Combination> combination_behind(const LocalProgram& program, ValueId result) {
  const Module& module = program.module();
  const auto& sharding = program.sharding(result);
  if (sharding && !sharding->unreduced_axes().empty()) {
    return Combination{sort_and_merge(sharding->unreduced_axes()),
                       ir::reducer_of(sharding->reduction_op())};
  }
  if (module.num_uses(result) != 1) return std::nullopt;
  const OpId user = module.uses(result).front().op;
  if (!ir::completes_reduction(module.kind(user))) return std::nullopt;
  return Combination{sort_and_merge(ir::combined_axes(module, user)),
                     ir::reducer_of(ir::collective_reduction(module, user))};
}

AxisList without_units(AxisList axes) {
  std::erase_if(axes, [](const AxisRef& axis) { return axis.size == 1; });
  return axes;
}

/// Adds the axes of a dim of a value.
void add_axes(const LocalProgram& program, ValueId value, std::size_t dim, AxisList& axes) {
  for (const AxisRef& axis : program.axes(value, dim)) {
    if (!overlaps(axis, axes)) axes.push_back(axis);
  }
}

}  // namespace

Status expect_combined(const LocalProgram& program, OpId op, AxisList axes, OpKind combiner) {
  axes = without_units(sort_and_merge(std::move(axes)));
  if (axes.empty()) return {};
  for (const ValueId result : program.module().results(op)) {
    const auto behind = combination_behind(program, result);
    if (!behind || without_units(behind->axes) != axes) {
      return program.error(op,
                           "combines elements along a sharded dimension, but its only user is not "
                           "an all-reduce over exactly these axes");
    }
    if (behind->combiner != combiner) {
      return program.error(op, "combines elements by another op than the all-reduce that uses it");
    }
  }
  return {};
}

namespace {

Status localize_dot(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  ir::DotDims dims;
  if (const auto* general = module.attribute<ir::DotDims>(op, ir::attr::kDotDimensionNumbers)) {
    dims = *general;
  } else {
    const int64_t rank = program.global(module.operand(op, 0)).rank();
    dims.lhs_contracting = {rank - 1};
    dims.rhs_contracting = {0};
  }
  AxisList axes;
  for (std::size_t index = 0; index < dims.lhs_contracting.size(); ++index) {
    const auto lhs = static_cast<std::size_t>(dims.lhs_contracting[index]);
    const auto rhs = static_cast<std::size_t>(dims.rhs_contracting[index]);
    if (program.axes(module.operand(op, 0), lhs) != program.axes(module.operand(op, 1), rhs)) {
      return program.error(
          op, "has a contracting dimension that is sharded differently in its operands");
    }
    add_axes(program, module.operand(op, 0), lhs, axes);
  }
  return expect_combined(program, op, std::move(axes), OpKind::Add);
}

Status localize_reduce(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const std::size_t count = module.num_operands(op) / 2;
  AxisList axes;
  const auto* dims = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kDimensions);
  for (const int64_t dim : dims->values) {
    add_axes(program, module.operand(op, 0), static_cast<std::size_t>(dim), axes);
  }
  if (without_units(axes).empty()) return {};
  const auto reducers = ir::recognized_reducers(module, op, count);
  if (!reducers || count != 1) {
    return program.error(op, "reduces a sharded dimension by a region that no all-reduce supports");
  }
  if (!is_neutral(module, module.operand(op, 1), reducers->front())) {
    return program.error(
        op, "reduces a sharded dimension from an initial value that every device would count");
  }
  return expect_combined(program, op, std::move(axes), reducers->front());
}

// ---- Windows ------------------------------------------------------------------------------------

/// Errors: windows of a sharded dim are not contained in the shards.
Status expect_tiling(LocalProgram& program, OpId op, std::span<const ir::WindowDim> window,
                     ValueId whole, ValueId windows) {
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    if (program.shards(whole, dim) == 1 && program.shards(windows, dim) == 1) continue;
    const ir::WindowDim& w = window[dim];
    const bool stays =
        program.axes(whole, dim) == program.axes(windows, dim) && w.low == 0 && w.high == 0 &&
        w.stride >= w.size && w.base_dilation == 1 && w.window_dilation == 1 &&
        program.module().type(whole).dim(dim) == program.module().type(windows).dim(dim) * w.stride;
    if (stays) continue;
    return program.error(op,
                         "has windows that reach over shards of dimension " + std::to_string(dim));
  }
  return {};
}

Status localize_convolution(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ConvolutionOp view = *ir::ConvolutionOp::of(module, op);
  const ir::ConvolutionDims dims = view.dims;
  const ValueId lhs = module.operand(op, 0);
  const ValueId rhs = module.operand(op, 1);
  const ValueId result = module.result(op);
  const auto at = [](int64_t dim) { return static_cast<std::size_t>(dim); };
  for (std::size_t index = 0; index < dims.input_spatial.size(); ++index) {
    if (program.shards(lhs, at(dims.input_spatial[index])) > 1 ||
        program.shards(result, at(dims.output_spatial[index])) > 1) {
      return program.error(op, "has windows that reach over shards of dimension " +
                                   std::to_string(dims.input_spatial[index]));
    }
  }
  AxisList contracted;
  add_axes(program, rhs, at(dims.kernel_input_feature), contracted);
  for (const int64_t dim : dims.kernel_spatial) add_axes(program, rhs, at(dim), contracted);
  SHARDY_TRY_STATUS(expect_combined(program, op, contracted, OpKind::Add));
  const auto divide = [&](std::string_view name, int64_t groups, int64_t shards) {
    if (groups == 1) return;
    module.attributes(op).set(
        name, ir::IntegerAttr{groups / std::min(groups, shards), ir::ElementType::I64});
  };
  const int64_t feature_groups = view.feature_groups;
  const int64_t batch_groups = view.batch_groups;
  if (feature_groups > 1) {
    divide(ir::attr::kFeatureGroupCount, feature_groups,
           program.shards(lhs, at(dims.input_feature)));
  }
  if (batch_groups > 1) {
    divide(ir::attr::kBatchGroupCount, batch_groups,
           program.shards(result, at(dims.output_feature)));
  }
  return {};
}

}  // namespace

Status localize_reduction(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  switch (module.kind(op)) {
    case OpKind::Reduce:
      return localize_reduce(program, op);
    case OpKind::Convolution:
      return localize_convolution(program, op);
    case OpKind::ReduceWindow:
      return expect_tiling(program, op, ir::ReduceWindowOp::of(module, op)->window,
                           module.operand(op, 0), module.result(op));
    case OpKind::SelectAndScatter:
      return expect_tiling(program, op, ir::SelectAndScatterOp::of(module, op)->window,
                           module.operand(op, 0), module.operand(op, 1));
    default:
      return localize_dot(program, op);
  }
}

}  // namespace shardy::partitioning

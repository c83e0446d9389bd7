// Changes the shardings of arguments and results. Spec: passes 5.6, 5.7.
//
//   sdy.mesh @mesh = <["x"=8, "y"=3]>
//   sdy-update-non-divisible-input-output-shardings: keep the axes that divide the dim
//     tensor<6xf32>  [{"x", "y"}]    ->   [{"x":(1)2}]
//     tensor<6xf32>  [{"y", "x"}]    ->   [{"y", "x":(1)2}]
//
//   sdy-remove-sub-axes-in-input-output-shardings: end open dims of main before a sub-axis
//     [{"x", "y":(1)2, "z", ?}]      ->   [{"x", ?}]
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/common/symbols.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

using OptionalSharding = std::optional<TensorSharding>;

/// Checks whether a collective uses the argument. The sharding of the argument must then not
/// change.
bool is_argument_of_collective(const Module& module, OpId function, std::size_t index) {
  return !module.is_external(function) &&
         is_side_of_collective(module, module.args(module.entry(function))[index]);
}

// ---- Divisible (5.6) ----------------------------------------------------------------------------

/// Returns the sharding with only the axes that divide the type evenly. Removed axes are not used
/// for other dims. Returns std::nullopt if all axes divide.
OptionalSharding divisible(const Type& type, const OptionalSharding& sharding) {
  if (!sharding || sharding->mesh().is_maximal() || !ir::has_static_shape(type))
    return std::nullopt;
  if (!type.is_tensor() || sharding->rank() != type.dims().size()) return std::nullopt;
  std::vector<DimSharding> dims(sharding->dims().begin(), sharding->dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    AxisList axes = evenly_dividing_prefix(dims[dim].axes, type.dim(dim));
    // A changed dim loses its priority (deviation 11, kept).
    if (axes != dims[dim].axes) dims[dim] = {std::move(axes), dims[dim].is_closed, std::nullopt};
  }
  TensorSharding changed = sharding->with_dims(std::move(dims));
  return changed == *sharding ? std::nullopt : OptionalSharding(std::move(changed));
}

void make_function_divisible(Module& module, OpId function) {
  const std::vector<Type> args = module.arg_types(function);
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (is_argument_of_collective(module, function, index)) continue;
    const auto changed = divisible(args[index], ir::arg_sharding(module, function, index));
    if (changed) ir::set_arg_sharding(module, function, index, *changed);
  }
  const std::vector<Type> results = module.function(function).result_types;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const auto changed = divisible(results[index], ir::result_sharding(module, function, index));
    if (changed) ir::set_result_sharding(module, function, index, *changed);
  }
}

void make_call_divisible(Module& module, OpId call) {
  const auto* stored = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (stored == nullptr) return;
  ir::ShardingList list = *stored;
  for (std::size_t index = 0; index < list.shardings.size(); ++index) {
    const ValueId result = module.result(call, index);
    const auto changed = divisible(module.type(result), list.shardings[index]);
    if (changed && !is_side_of_collective(module, result)) list.shardings[index] = *changed;
  }
  module.attributes(call).set(ir::kShardingAttr, std::move(list));
}

/// Makes edge shardings divisible: of block arguments by their local shapes and free axes, of
/// results by their global shapes.
void make_edges_divisible(Module& module, OpId op) {
  for (const ir::EdgeOwners which : ir::kEdgeOwners) {
    const std::vector<ValueId> owners = ir::edge_owners(module, op, which);
    std::vector<TensorSharding> shardings = ir::edge_owner_shardings(module, op, which);
    for (std::size_t index = 0; index < std::min(owners.size(), shardings.size()); ++index) {
      const auto changed = divisible(module.type(owners[index]), shardings[index]);
      if (changed && !is_side_of_collective(module, owners[index]))
        ir::set_edge_owner_sharding(module, owners[index], *changed);
    }
  }
}

// ---- Without sub-axes (5.7) ---------------------------------------------------------------------

TensorSharding without_sub_axes(const TensorSharding& sharding) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    if (dim.is_closed) continue;
    const auto sub = std::ranges::find_if(
        dim.axes, [&](const AxisRef& ref) { return ref != sharding.mesh().full_axis(ref.axis); });
    dim = dim.take_front(static_cast<std::size_t>(sub - dim.axes.begin()));
  }
  return sharding.with_dims(std::move(dims));
}

}  // namespace

void update_non_divisible_input_output_shardings(Module& module) {
  for (const OpId function : module.functions()) make_function_divisible(module, function);
  const std::vector<OpId> ops = ir::pre_order(module);
  for (const OpId op : ops) {
    if (module.is(op, OpKind::FuncCall)) make_call_divisible(module, op);
  }
  for (const OpId op : ops) {
    if (ir::keep_edge_shardings_divisible(module, op)) make_edges_divisible(module, op);
  }
}

Diagnostics remove_sub_axes_in_input_output_shardings(Module& module) {
  Result<OpId> main = require_main_function(module);
  if (!main) return {std::move(main).error()};
  const std::size_t num_args = module.arg_types(*main).size();
  for (std::size_t index = 0; index < num_args; ++index) {
    if (is_argument_of_collective(module, *main, index)) continue;
    const OptionalSharding sharding = ir::arg_sharding(module, *main, index);
    if (sharding) ir::set_arg_sharding(module, *main, index, without_sub_axes(*sharding));
  }
  for (std::size_t index = 0; index < module.function(*main).result_types.size(); ++index) {
    const OptionalSharding sharding = ir::result_sharding(module, *main, index);
    if (sharding) ir::set_result_sharding(module, *main, index, without_sub_axes(*sharding));
  }
  return {};
}

// ---- Closed shardings ---------------------------------------------------------------------------
// All dims are closed and explicitly replicated axes are dropped. Spec: passes 5.8.
//
//   [{"x", ?}, {?}], replicated={"y"}, unreduced={"z"}   ->   [{"x"}, {}], unreduced={"z"}

void close_shardings(ir::Module& module) {
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return sharding.closed_like(); });
}

}  // namespace shardy::passes

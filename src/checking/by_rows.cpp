#include "checking/by_rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "passes/export/export_passes.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {
namespace {

using ir::Module;
using ir::OpId;
using ir::OpKind;

/// Ops that only say how a value is laid out.
bool is_annotation(OpKind kind) {
  return kind == OpKind::SdyShardingConstraint || kind == OpKind::SdyReshard ||
         kind == OpKind::SdyPropagationBarrier || ir::is_sdy_collective(kind);
}

Status drop_annotations(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyManualComputation)) {
      return fail(
          "a program with manual computations is written for its shardings: it has no others");
    }
    if (module.is(op, OpKind::SdyShardingGroup)) {
      module.erase(op);
    } else if (is_annotation(module.kind(op))) {
      module.replace_all_uses(module.result(op), module.operand(op, 0));
      module.erase(op);
    }
  }
  return {};
}

/// The mesh of the first result that has one.
Result<MeshRef> mesh_of(std::span<const simulation::WholeValue> results) {
  for (const simulation::WholeValue& each : results) {
    if (each.sharding) return each.sharding->mesh_ref();
  }
  return fail("no result has a sharding, so that there is no mesh");
}

/// The largest dim over the first axes that it has room for.
TensorSharding by_largest_dim(const MeshRef& mesh, const ir::Type& type) {
  const std::span<const int64_t> dims = type.dims();
  std::vector<AxisList> axes(dims.size());
  if (!dims.empty()) {
    const auto largest = std::ranges::max_element(dims);
    int64_t room = *largest;
    AxisList& list = axes[static_cast<std::size_t>(largest - dims.begin())];
    for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
      const int64_t size = mesh.mesh.axis_size(axis);
      if (size == 1 || size > room) continue;
      list.push_back({axis, 1, size});
      room /= size;
    }
  }
  return TensorSharding::closed(mesh, std::move(axes));
}

}  // namespace

Result<Module> sharded_by_rows(const Module& module,
                               std::span<const simulation::WholeValue> results) {
  SHARDY_TRY(const MeshRef mesh, mesh_of(results));
  Module other = module;
  const std::optional<OpId> main = other.main_function();
  if (!main) return fail("the program has no main function to run");
  SHARDY_TRY_STATUS(drop_annotations(other));
  passes::drop_shardings(other);
  const std::vector<ir::Type> arguments = other.arg_types(*main);
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (!arguments[index].is_tensor()) continue;
    ir::set_arg_sharding(other, *main, index, by_largest_dim(mesh, arguments[index]));
  }
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (!results[index].type.is_tensor()) continue;
    TensorSharding sharding =
        results[index].sharding
            ? *results[index].sharding
            : TensorSharding::closed(mesh,
                                     std::vector<AxisList>(results[index].type.dims().size()));
    if (!sharding.unreduced_axes().empty()) {
      return fail("result " + std::to_string(index) +
                  " is unreduced: its parts are still to be summed");
    }
    ir::set_result_sharding(other, *main, index, sharding);
  }
  return other;
}

}  // namespace shardy::checking

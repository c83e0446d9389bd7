// Kernels of ops that forward values: tuples, tokens, ops that return their operands (such as sdy
// collectives of a global program), sizes of dims, ops that never run; map, which applies a region
// to all elements; manual_computation of a global program, whose body runs once per device of the
// mesh. Spec: stablehlo 24.4, 28, 36, algebra 6.2.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/lane_function.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_tuple(const KernelRequest&) {
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors{Tensor::tuple({call.operands.begin(), call.operands.end()})};
  };
}

Result<Kernel> make_get_tuple_element(const KernelRequest& request) {
  const auto view = ir::view<ir::GetTupleElementOp>(request.module, request.op);
  return [index = static_cast<std::size_t>(view.index)](const KernelCall& call) -> Result<Tensors> {
    return Tensors{call.operands[0].parts()[index]};
  };
}

Result<Kernel> make_token(const KernelRequest&) {
  return [](const KernelCall&) -> Result<Tensors> { return Tensors{Tensor::token()}; };
}

/// Makes a kernel that returns its operands, of any type.
Result<Kernel> make_barrier(const KernelRequest&) {
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors(call.operands.begin(), call.operands.end());
  };
}

Result<Kernel> make_get_dimension_size(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const int64_t dim = reader.view<ir::DimensionSizeOp>().dim;
  const int64_t size[] = {reader.operand().dim(static_cast<std::size_t>(dim))};
  SHARDY_TRY(Tensor value, Tensor::from_integers(reader.result(), size));
  return
      [value = std::move(value)](const KernelCall&) -> Result<Tensors> { return Tensors{value}; };
}

// ---- Out of scope ------------------------------------------------------------------------------

Result<Kernel> refuse_host_transfer(const KernelRequest& request) {
  return op_fail(request.module, request.op, "host transfer is not supported");
}
Result<Kernel> refuse_dynamic_shape(const KernelRequest& request) {
  return op_fail(request.module, request.op, "dynamic shapes are not supported");
}
Result<Kernel> refuse_quantized(const KernelRequest& request) {
  return op_fail(request.module, request.op, "quantized types are not supported");
}

struct MapPlan {
  LaneFunction function;
  ir::Type result;
};

Result<Tensors> run_map(const MapPlan& plan, const KernelCall& call) {
  const int64_t num_lanes = plan.result.num_elements();
  if (num_lanes == 0) {
    SHARDY_TRY(Tensor empty, filled_tensor(plan.result, Fill::Zero));
    return Tensors{std::move(empty)};
  }
  Tensors arguments;
  const auto elements = plan.function.arguments();
  for (std::size_t index = 0; index < elements.size(); ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], elements[index]));
    arguments.push_back(x.reshaped(x.type().with_dims({num_lanes})));
  }
  SHARDY_TRY(const LaneFunction::Lanes map,
             plan.function.lanes(num_lanes, call.operands.subspan(elements.size())));
  SHARDY_TRY(const Tensors results, map(std::move(arguments)));
  return Tensors{results.front().reshaped(plan.result)};
}

Result<Kernel> make_map(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(LaneFunction function, LaneFunction::make(request));
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    SHARDY_TRY_STATUS(
        expect_conversion(reader, reader.operand(index), function.arguments()[index]));
  }
  auto plan = std::make_shared<const MapPlan>(MapPlan{std::move(function), reader.result()});
  return [plan = std::move(plan)](const KernelCall& call) { return run_map(*plan, call); };
}

Result<Kernel> make_identity(const KernelRequest& request) {
  SHARDY_TRY_STATUS(OpReader::make(request));
  return make_barrier(request);
}

/// Makes the kernel of an op that returns its operand in a global program. In a per-device program,
/// the op would have to move data, so it is an error.
Result<Kernel> make_global_identity(const KernelRequest& request) {
  if (request.is_global) return make_identity(request);
  return op_fail(request.module, request.op, "is not an op of a per-device program");
}

Result<Kernel> make_nothing(const KernelRequest& request) {
  SHARDY_TRY_STATUS(OpReader::make(request));
  return [](const KernelCall&) -> Result<Tensors> { return Tensors{}; };
}

/// Keeps only the manual axes of each dim.
TensorSharding manual_part(const TensorSharding& sharding, ir::AxisNames manual) {
  const Mesh& mesh = sharding.mesh();
  std::vector<AxisList> dims;
  for (const DimSharding& dim : sharding.dims()) {
    const auto count = static_cast<std::ptrdiff_t>(ir::first_free(mesh, dim.axes, manual));
    dims.emplace_back(dim.axes.begin(), dim.axes.begin() + count);
  }
  AxisList unreduced = sharding.unreduced_axes();
  std::erase_if(unreduced, [&](const AxisRef& ref) { return !ir::is_manual(mesh, ref, manual); });
  return TensorSharding::closed(sharding.mesh_ref(), std::move(dims))
      .with_unreduced(std::move(unreduced), sharding.reduction_op());
}

struct ManualPlan {
  std::vector<TensorSharding> inputs;
  std::vector<TensorSharding> outputs;
  std::vector<ir::Type> results;
  Mesh mesh;
  GridRunner body;
};

Result<Tensors> run_manual(const ManualPlan& plan, const KernelCall& call) {
  const int64_t num_devices = plan.mesh.num_devices();
  std::vector<Tensors> arguments(static_cast<std::size_t>(num_devices));
  for (std::size_t index = 0; index < plan.inputs.size(); ++index) {
    SHARDY_TRY(const Tensors parts,
               scatter_input(call.operands[index], plan.inputs[index], num_devices));
    for (std::size_t device = 0; device < parts.size(); ++device) {
      arguments[device].push_back(parts[device]);
    }
  }
  SHARDY_TRY(const std::vector<Tensors> results, plan.body(std::move(arguments)));
  Tensors gathered;
  for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
    Tensors parts;
    for (const Tensors& device : results) parts.push_back(device[index]);
    SHARDY_TRY(Tensor whole, gather_output(parts, plan.outputs[index], plan.results[index]));
    gathered.push_back(std::move(whole));
  }
  return gathered;
}

/// Returns the manual parts of a list of shardings, which must fit the global and the local types.
Result<std::vector<TensorSharding>> read_shardings(const OpReader& reader, std::string_view name,
                                                   const ir::ShardingList& list,
                                                   const std::vector<ir::Type>& global,
                                                   const std::vector<ir::Type>& local,
                                                   ir::AxisNames manual) {
  const auto fail_types = [&] {
    return reader.fail("`" + std::string(name) + "` does not fit the types of the op and its body");
  };
  if (list.shardings.size() != global.size() || local.size() != global.size()) {
    return fail_types();
  }
  std::vector<TensorSharding> parts;
  for (std::size_t index = 0; index < global.size(); ++index) {
    const TensorSharding& sharding = list.shardings[index];
    if (static_cast<int64_t>(sharding.rank()) != global[index].rank()) return fail_types();
    parts.push_back(manual_part(sharding, manual));
    const auto shape = parts.back().local_shape(global[index].dims());
    if (!local[index].is_static_tensor() || !std::ranges::equal(shape, local[index].dims()) ||
        local[index].element() != global[index].element()) {
      return fail_types();
    }
  }
  return parts;
}

std::vector<ir::Type> types_of(const ir::Module& module, std::span<const ir::ValueId> values) {
  std::vector<ir::Type> types;
  for (const ir::ValueId value : values) types.push_back(module.type(value));
  return types;
}

/// Returns a mesh of the shardings that has axes. All meshes have equal axes.
Result<Mesh> common_mesh_of(const OpReader& reader, const ManualPlan& plan) {
  Mesh mesh;
  for (const auto* list : {&plan.inputs, &plan.outputs}) {
    for (const TensorSharding& sharding : *list) {
      if (sharding.mesh().empty()) continue;
      SHARDY_TRY_STATUS(reader.expect(mesh.empty() || mesh == sharding.mesh(),
                                      "the shardings must be on one mesh"));
      mesh = sharding.mesh();
    }
  }
  return mesh;
}

Result<ManualPlan> make_plan(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect(request.is_global, "is not an op of a per-device program"));
  const ir::Module& module = request.module;
  const auto regions = module.regions(request.op);
  const bool has_body = regions.size() == 1 && module.blocks(regions[0]).size() == 1 &&
                        module.last_op(module.blocks(regions[0])[0]).valid();
  SHARDY_TRY_STATUS(reader.expect(has_body && request.captured.empty() && request.compile_on_grid,
                                  "needs a body of one block that uses its arguments only"));
  const ir::BlockId block = module.block(request.op);
  const auto view = reader.view<ir::ManualComputationOp>();
  const std::vector<ir::ValueId> returned = module.operands(module.last_op(block));
  ManualPlan plan;
  plan.results = types_of(module, module.results(request.op));
  SHARDY_TRY(plan.inputs,
             read_shardings(reader, ir::attr::kInShardings, *view.in,
                            types_of(module, module.operands(request.op)),
                            types_of(module, module.args(block)), view.manual_axes->names));
  SHARDY_TRY(plan.outputs, read_shardings(reader, ir::attr::kOutShardings, *view.out, plan.results,
                                          types_of(module, returned), view.manual_axes->names));
  SHARDY_TRY(plan.mesh, common_mesh_of(reader, plan));
  SHARDY_TRY(plan.body, request.compile_on_grid(regions[0], {1, plan.mesh.num_devices()}));
  return plan;
}

Result<Kernel> make_manual_computation(const KernelRequest& request) {
  SHARDY_TRY(ManualPlan plan, make_plan(request));
  return [plan = std::move(plan)](const KernelCall& call) { return run_manual(plan, call); };
}

// ---- Nested ------------------------------------------------------------------------------------

/// A nested manual computation. Runs the body on the operands of all devices of the mesh, so that
/// its collectives may cross the outer axes. Assembles one result for the devices with equal outer
/// coordinates.
struct NestedRun {
  ManualPlan plan;
  DeviceGroups agreeing;

  Result<Exchanged> operator()(std::span<const Tensors> by_device) const {
    SHARDY_TRY(const std::vector<Tensors> results, run_body(by_device));
    Exchanged out{std::vector<Tensors>(by_device.size()),
                  std::vector<int64_t>(by_device.size(), 0)};
    for (int64_t position = 0; position < std::ssize(by_device); ++position) {
      if (agreeing.leader(position) != position) continue;
      SHARDY_TRY(const Tensors whole, put_together(results, position));
      for (int64_t rank = 0; rank < agreeing.size(); ++rank) {
        out.results[static_cast<std::size_t>(agreeing.device(position, rank))] = whole;
      }
    }
    return out;
  }

  /// Runs the body for the devices with equal outer coordinates. The body reads no data of other
  /// devices, so these get copies of the operands, and their results are unused.
  Result<Exchanged> run_group(const Gathered& group) const {
    std::vector<Tensors> by_device(static_cast<std::size_t>(plan.mesh.num_devices()));
    for (int64_t position = 0; position < std::ssize(by_device); ++position) {
      by_device[static_cast<std::size_t>(plan.mesh.device_at(position))] =
          group.by_rank[static_cast<std::size_t>(agreeing.rank(position))];
    }
    SHARDY_TRY(const std::vector<Tensors> results, run_body(by_device));
    SHARDY_TRY(const Tensors whole, put_together(results, group.leader));
    const std::size_t size = group.by_rank.size();
    return Exchanged{std::vector<Tensors>(size, whole), std::vector<int64_t>(size, 0)};
  }

 private:
  Result<std::vector<Tensors>> run_body(std::span<const Tensors> by_device) const {
    std::vector<Tensors> arguments(by_device.size());
    for (std::size_t device = 0; device < by_device.size(); ++device) {
      for (std::size_t index = 0; index < plan.inputs.size(); ++index) {
        SHARDY_TRY(const Tensors parts, scatter_input(by_device[device][index], plan.inputs[index],
                                                      std::ssize(by_device)));
        arguments[device].push_back(parts[device]);
      }
    }
    return plan.body(std::move(arguments));
  }

  /// Joins the results of the devices that have the outer coordinates of `leader`.
  Result<Tensors> put_together(const std::vector<Tensors>& results, int64_t leader) const {
    Tensors gathered;
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
      Tensors parts(results.size());
      for (int64_t position = 0; position < std::ssize(results); ++position) {
        const int64_t source = agreeing.device(leader, agreeing.rank(position));
        parts[static_cast<std::size_t>(plan.mesh.device_at(position))] =
            results[static_cast<std::size_t>(source)][index];
      }
      SHARDY_TRY(Tensor whole, gather_output(parts, plan.outputs[index], plan.results[index]));
      gathered.push_back(std::move(whole));
    }
    return gathered;
  }
};

/// Checks whether devices of one mesh may reach the op different numbers of times.
bool may_diverge(const ir::Module& module, ir::OpId op) {
  for (ir::OpId outer = module.parent_op(op); outer.valid(); outer = module.parent_op(outer)) {
    const ir::OpKind kind = module.kind(outer);
    if (kind == ir::OpKind::If || kind == ir::OpKind::Case || kind == ir::OpKind::While)
      return true;
  }
  return false;
}

/// Checks whether a body may read data of other devices. Does not check callees.
bool may_communicate(const ir::Module& module, ir::BlockId body) {
  return std::ranges::any_of(ir::pre_order(module, body), [&](ir::OpId op) {
    return is_process_collective(module.kind(op)) || module.is(op, ir::OpKind::FuncCall);
  });
}

AxisList axes_but(const Mesh& mesh, std::span<const std::string> names) {
  AxisList axes;
  for (std::size_t index = 0; index < mesh.axes().size(); ++index) {
    const MeshAxis& axis = mesh.axes()[index];
    if (std::ranges::find(names, axis.name) != names.end()) continue;
    axes.push_back({static_cast<int32_t>(index), 1, axis.size});
  }
  return axes;
}

}  // namespace

SHARDY_KERNEL(Tuple, make_tuple)
SHARDY_KERNEL(GetTupleElement, make_get_tuple_element)
SHARDY_KERNEL(AfterAll, make_token)
SHARDY_KERNEL(CreateToken, make_token)
SHARDY_KERNEL(OptimizationBarrier, make_barrier)
SHARDY_KERNEL(GetDimensionSize, make_get_dimension_size)
SHARDY_KERNEL(Infeed, refuse_host_transfer)
SHARDY_KERNEL(Outfeed, refuse_host_transfer)
SHARDY_KERNEL(Send, refuse_host_transfer)
SHARDY_KERNEL(Recv, refuse_host_transfer)
SHARDY_KERNEL(RealDynamicSlice, refuse_dynamic_shape)
SHARDY_KERNEL(SetDimensionSize, refuse_dynamic_shape)
SHARDY_KERNEL(UniformQuantize, refuse_quantized)
SHARDY_KERNEL(UniformDequantize, refuse_quantized)

SHARDY_KERNEL(Map, make_map)

SHARDY_KERNEL(SdyPropagationBarrier, make_identity)
SHARDY_KERNEL(SdyDataFlowEdge, make_identity)
SHARDY_KERNEL(SdyFuncDataFlowEdge, make_identity)
SHARDY_KERNEL(SdyShardingGroup, make_nothing)
SHARDY_KERNEL(SdyShardingConstraint, make_global_identity)
SHARDY_KERNEL(SdyReshard, make_global_identity)
SHARDY_KERNEL(SdyAllGather, make_global_identity)
SHARDY_KERNEL(SdyAllSlice, make_global_identity)
SHARDY_KERNEL(SdyAllToAll, make_global_identity)
SHARDY_KERNEL(SdyCollectivePermute, make_global_identity)
SHARDY_KERNEL(SdyAllReduce, make_global_identity)
SHARDY_KERNEL(SdyReduceScatter, make_global_identity)
SHARDY_KERNEL(SdyShardedToUnreduced, make_global_identity)
SHARDY_KERNEL(SdyReplicatedToUnreduced, make_global_identity)

Result<CollectiveKernel> make_nested_manual(const KernelRequest& request,
                                            std::span<const std::string> outer_axes) {
  SHARDY_TRY_STATUS(ir::verify_types(request.module, request.op));
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(ManualPlan plan, make_plan(request));
  const int64_t num_devices = request.grid.size();
  SHARDY_TRY_STATUS(reader.expect(plan.mesh.num_devices() == num_devices,
                                  "must be on the mesh of the manual computation around it"));
  SHARDY_TRY(DeviceGroups agreeing,
             reader.at_op(DeviceGroups::make(plan.mesh, axes_but(plan.mesh, outer_axes))));
  const bool is_apart = may_diverge(request.module, request.op) &&
                        !may_communicate(request.module, request.module.block(request.op));
  NestedRun run{std::move(plan), agreeing};
  if (is_apart) {
    return CollectiveKernel{
        ir::OpKind::SdyManualComputation, 0, ReplicaGroups(std::move(agreeing)),
        [run = std::move(run)](const Gathered& group) { return run.run_group(group); }};
  }
  std::vector<int64_t> all(static_cast<std::size_t>(num_devices));
  std::iota(all.begin(), all.end(), int64_t{0});
  return CollectiveKernel{
      ir::OpKind::SdyManualComputation, 0, ReplicaGroups({std::move(all)}),
      [run = std::move(run)](const Gathered& group) { return run(group.by_rank); }};
}

SHARDY_KERNEL(SdyManualComputation, make_manual_computation)

}  // namespace shardy::simulation

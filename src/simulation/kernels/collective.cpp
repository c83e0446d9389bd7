#include "simulation/kernels/collective.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "shardy/ir/spmd_ops.hpp"
#include "shardy/ir/verify.hpp"
#include "simulation/kernels/collective_grid.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

Result<Fold> make_group_fold(const KernelRequest& request, std::size_t num_operands) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Fold fold, Fold::make(request, num_operands));
  for (std::size_t index = 0; index < num_operands; ++index) {
    SHARDY_TRY_STATUS(
        op.expect(fold.keeps_pairs_apart() ||
                      std::ranges::equal(op.operand(index).dims(), op.operand().dims()),
                  "a reducer that mixes operands needs operands of one shape"));
  }
  return fold;
}

std::vector<ir::Type> result_types(const OpReader& op) {
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < op.module().num_results(op.op()); ++index) {
    types.push_back(op.result(index));
  }
  return types;
}

namespace {

// ---- The spmd dialect --------------------------------------------------------------------------

struct SpmdReader {
  OpReader op;
  const KernelRequest& request;
  DeviceGroups groups;
};

/// Of the ops that gather or scatter along one.
std::size_t dim_of(const SpmdReader& reader) {
  return static_cast<std::size_t>(reader.op.view<ir::SpmdDimOp>().dim);
}

Result<Exchange> make_all_gather(const SpmdReader& reader) {
  return [dim = dim_of(reader), types = result_types(reader.op)](const Gathered& group) {
    return all_gather(group.by_rank, dim, types);
  };
}

Result<Exchange> make_all_to_all(const SpmdReader& reader) {
  const auto view = reader.op.view<ir::SpmdAllToAllOp>();
  return [split = static_cast<std::size_t>(view.split_dim),
          concat = static_cast<std::size_t>(view.concat_dim),
          types = result_types(reader.op)](const Gathered& group) {
    return all_to_all(group.by_rank, split, concat, types, group.wanted);
  };
}

Result<Fold> make_spmd_fold(const SpmdReader& reader) {
  SHARDY_TRY_STATUS(reader.op.expect(reader.request.captured.empty(),
                                     "the reducer may not use values from outside"));
  return make_group_fold(reader.request, reader.op.num_operands());
}

Exchange all_reduce_by(PartFold fold) {
  return [fold = std::move(fold)](const Gathered& group) -> Result<Exchanged> {
    SHARDY_TRY(const Tensors folded, fold(group));
    return all_reduce(group.by_rank.size(), bytes_of(group.by_rank[0]), folded);
  };
}

Result<Exchange> make_reduce_scatter(const SpmdReader& reader) {
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  return [fold = std::move(fold), dim = dim_of(reader)](const Gathered& group) {
    return reduce_scatter(group.by_rank, fold, dim, group.crew, group.wanted);
  };
}

Result<Exchange> make_permute(const SpmdReader& reader) {
  const auto* const map = reader.op.view<ir::SpmdPermuteOp>().map;
  SHARDY_TRY(SourceMap sources, reader.op.at_op(make_source_map(*map, reader.groups)));
  return [source_map = std::move(sources)](const Gathered& group) -> Result<Exchanged> {
    SHARDY_TRY(const std::vector<int64_t> by_receiver, source_map(group.leader));
    return permute(group.by_rank, by_receiver);
  };
}

Result<Exchange> make_broadcast_from(const SpmdReader& reader) {
  const int64_t root = reader.op.view<ir::SpmdBroadcastFromOp>().root;
  return
      [roots = std::vector<std::size_t>(reader.op.num_operands(), static_cast<std::size_t>(root))](
          const Gathered& group) -> Result<Exchanged> { return broadcast(group.by_rank, roots); };
}

/// The ids of the mesh are those of the devices that run.
Status verify_devices(const OpReader& op, const Mesh& mesh, int64_t num_devices) {
  const int64_t largest = mesh.is_maximal() ? mesh.device_ids().front() : mesh.num_devices() - 1;
  return op.expect(largest < num_devices, "the mesh has device " + std::to_string(largest) +
                                              ", the run has " + std::to_string(num_devices) +
                                              " devices");
}

Result<SpmdReader> read_spmd(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto* const axes = op.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY_STATUS(verify_devices(op, axes->mesh, request.num_devices));
  SHARDY_TRY(DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  return SpmdReader{op, request, std::move(groups)};
}

Collective on_mesh(const SpmdReader& reader, Exchange exchange) {
  return {reader.request.module.kind(reader.request.op), 0, MeetingGroups(reader.groups),
          std::move(exchange)};
}

template <Result<Exchange> (*kMake)(const SpmdReader&)>
Result<Collective> make_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const SpmdReader reader, read_spmd(request));
  SHARDY_TRY(Exchange exchange, kMake(reader));
  return on_mesh(reader, std::move(exchange));
}

Result<Collective> make_all_reduce_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const SpmdReader reader, read_spmd(request));
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  const bool is_by_element = !fold.loops().empty();
  PartFold fold_part = [fold = std::move(fold)](const Gathered& group) {
    return fold_ranks(fold, group.by_rank, group.crew);
  };
  Collective collective = on_mesh(reader, all_reduce_by(fold_part));
  if (is_by_element) collective.fold_part = std::move(fold_part);
  return collective;
}

Result<Collective> make_permute_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Collective collective, make_on_mesh<&make_permute>(request));
  const auto* const axes = op.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY(const DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  SHARDY_TRY(collective.sources,
             op.at_op(make_source_map(*op.view<ir::SpmdPermuteOp>().map, groups)));
  return collective;
}

/// A rank gets one block of what each brings.
Result<Collective> make_all_to_all_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Collective collective, make_on_mesh<&make_all_to_all>(request));
  collective.block_dim = static_cast<std::size_t>(op.view<ir::SpmdAllToAllOp>().split_dim);
  return collective;
}

Result<Collective> make_reduce_scatter_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Collective collective, make_on_mesh<&make_reduce_scatter>(request));
  collective.block_dim = static_cast<std::size_t>(op.view<ir::SpmdDimOp>().dim);
  return collective;
}

Result<Collective> make_broadcast_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Collective collective, make_on_mesh<&make_broadcast_from>(request));
  const auto* const axes = op.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY(const DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  collective.sources =
      [size = static_cast<std::size_t>(groups.size()),
       root = op.view<ir::SpmdBroadcastFromOp>().root](int64_t) -> Result<std::vector<int64_t>> {
    return std::vector<int64_t>(size, root);
  };
  return collective;
}

// ---- Table -------------------------------------------------------------------------------------

struct CollectiveRow {
  ir::OpKind kind;
  Result<Collective> (*make)(const KernelRequest& request);
};
constexpr CollectiveRow kCollectives[] = {
    {ir::OpKind::AllGather, &make_grid_all_gather},
    {ir::OpKind::AllReduce, &make_grid_all_reduce},
    {ir::OpKind::AllToAll, &make_grid_all_to_all},
    {ir::OpKind::CollectiveBroadcast, &make_grid_broadcast},
    {ir::OpKind::CollectivePermute, &make_grid_permute},
    {ir::OpKind::CollectiveReduce, &make_grid_reduce},
    {ir::OpKind::CrossReplicaSum, &make_grid_all_reduce},
    {ir::OpKind::ReduceScatter, &make_grid_reduce_scatter},
    {ir::OpKind::SpmdAllGather, &make_on_mesh<&make_all_gather>},
    {ir::OpKind::SpmdAllReduce, &make_all_reduce_on_mesh},
    {ir::OpKind::SpmdReduceScatter, &make_reduce_scatter_on_mesh},
    {ir::OpKind::SpmdAllToAll, &make_all_to_all_on_mesh},
    {ir::OpKind::SpmdPermute, &make_permute_on_mesh},
    {ir::OpKind::SpmdBroadcastFrom, &make_broadcast_on_mesh},
};
static_assert(std::ranges::adjacent_find(kCollectives, std::ranges::greater_equal(),
                                         &CollectiveRow::kind) == std::end(kCollectives),
              "an op stands once in the table, in the order of OpKind");

const CollectiveRow* find_row(ir::OpKind kind) {
  const auto* const row = std::ranges::lower_bound(kCollectives, kind, {}, &CollectiveRow::kind);
  return row != std::end(kCollectives) && row->kind == kind ? row : nullptr;
}

}  // namespace

bool is_communication(ir::OpKind kind) { return find_row(kind) != nullptr; }

bool is_process_collective(ir::OpKind kind) {
  return is_communication(kind) && !ir::has_trait(kind, ir::kCollective);
}

Result<Collective> make_collective(const KernelRequest& request) {
  const CollectiveRow* const row = find_row(request.module.kind(request.op));
  SHARDY_ASSERT(row != nullptr);
  SHARDY_TRY_STATUS(ir::verify_types(request.module, request.op));
  return row->make(request);
}

}  // namespace shardy::simulation

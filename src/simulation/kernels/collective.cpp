#include "simulation/kernels/collective.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "shardy/ir/collective_ops.hpp"
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

/// The ids of the mesh are those of the devices that run.
Status verify_devices(const OpReader& op, const Mesh& mesh, int64_t num_devices) {
  const int64_t largest = mesh.is_maximal() ? mesh.device_ids().front() : mesh.num_devices() - 1;
  return op.expect(largest < num_devices, "the mesh has device " + std::to_string(largest) +
                                              ", the run has " + std::to_string(num_devices) +
                                              " devices");
}

/// Calls a maker below with the op and its groups.
template <Result<Collective> (*kMake)(const SpmdReader&)>
Result<Collective> make_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto* const axes = op.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY_STATUS(verify_devices(op, axes->mesh, request.num_devices));
  SHARDY_TRY(DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  return kMake(SpmdReader{op, request, std::move(groups)});
}

Collective on_mesh(const SpmdReader& reader, Exchange exchange) {
  return {reader.request.module.kind(reader.request.op), 0, ReplicaGroups(reader.groups),
          std::move(exchange)};
}

/// Returns the dim of an op that gathers or scatters along one.
std::size_t dim_of(const SpmdReader& reader) {
  return static_cast<std::size_t>(reader.op.view<ir::SpmdDimOp>().dim);
}

Result<Collective> make_all_gather(const SpmdReader& reader) {
  return on_mesh(reader,
                 [dim = dim_of(reader), types = result_types(reader.op)](const Gathered& group) {
                   return all_gather(group.by_rank, dim, types);
                 });
}

/// A rank gets one block of what each brings.
Result<Collective> make_all_to_all(const SpmdReader& reader) {
  const auto view = reader.op.view<ir::SpmdAllToAllOp>();
  const auto split = static_cast<std::size_t>(view.split_dim);
  Collective collective =
      on_mesh(reader, [split, concat = static_cast<std::size_t>(view.concat_dim),
                       types = result_types(reader.op)](const Gathered& group) {
        return all_to_all(group.by_rank, split, concat, types, group.wanted);
      });
  collective.block_dim = split;
  return collective;
}

Result<Fold> make_spmd_fold(const SpmdReader& reader) {
  SHARDY_TRY_STATUS(reader.op.expect(reader.request.captured.empty(),
                                     "the reducer may not use values from outside"));
  return make_group_fold(reader.request, reader.op.num_operands());
}

Result<Collective> make_all_reduce(const SpmdReader& reader) {
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  const bool is_by_element = !fold.loops().empty();
  PartFold fold_part = [fold = std::move(fold)](const Gathered& group) {
    return fold_ranks(fold, group.by_rank, group.pool);
  };
  Collective collective = on_mesh(reader, [fold_part](const Gathered& group) -> Result<Exchanged> {
    SHARDY_TRY(const Tensors folded, fold_part(group));
    return all_reduce(group.by_rank.size(), bytes_of(group.by_rank[0]), folded);
  });
  if (is_by_element) collective.fold_part = std::move(fold_part);
  return collective;
}

Result<Collective> make_reduce_scatter(const SpmdReader& reader) {
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  const std::size_t dim = dim_of(reader);
  Collective collective = on_mesh(reader, [fold = std::move(fold), dim](const Gathered& group) {
    return reduce_scatter(group.by_rank, fold, dim, group.pool, group.wanted);
  });
  collective.block_dim = dim;
  return collective;
}

Result<Collective> make_permute(const SpmdReader& reader) {
  const auto* const map = reader.op.view<ir::SpmdPermuteOp>().map;
  SHARDY_TRY(SourceMap sources, reader.op.at_op(make_source_map(*map, reader.groups)));
  Collective collective = on_mesh(reader, [sources](const Gathered& group) -> Result<Exchanged> {
    SHARDY_TRY(const std::vector<int64_t> by_receiver, sources(group.leader));
    return permute(group.by_rank, by_receiver);
  });
  collective.sources = std::move(sources);
  return collective;
}

Result<Collective> make_broadcast_from(const SpmdReader& reader) {
  const int64_t root = reader.op.view<ir::SpmdBroadcastFromOp>().root;
  const std::vector<std::size_t> roots(reader.op.num_operands(), static_cast<std::size_t>(root));
  Collective collective = on_mesh(reader, [roots](const Gathered& group) -> Result<Exchanged> {
    return broadcast(group.by_rank, roots);
  });
  const auto size = static_cast<std::size_t>(reader.groups.size());
  collective.sources = [size, root](int64_t) -> Result<std::vector<int64_t>> {
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
    {ir::OpKind::SpmdAllReduce, &make_on_mesh<&make_all_reduce>},
    {ir::OpKind::SpmdReduceScatter, &make_on_mesh<&make_reduce_scatter>},
    {ir::OpKind::SpmdAllToAll, &make_on_mesh<&make_all_to_all>},
    {ir::OpKind::SpmdPermute, &make_on_mesh<&make_permute>},
    {ir::OpKind::SpmdBroadcastFrom, &make_on_mesh<&make_broadcast_from>},
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

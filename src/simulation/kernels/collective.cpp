// Kernels of collectives along mesh axes and between processes of a grid, which forward or fold
// elements. Also ops that return the id of a device, and ops that run other programs. Spec:
// stablehlo 31, partitioning 4.
#include "simulation/kernels/collective.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/process_groups.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {

// ---- Groups of devices --------------------------------------------------------------------------

namespace {

Status verify_axis(const Mesh& mesh, const AxisRef& ref) {
  if (ref.axis < 0 || ref.axis >= mesh.num_axes()) {
    return fail("axis index out of range: " + std::to_string(ref.axis));
  }
  const std::optional<int64_t> next = checked_mul(ref.pre, ref.size);
  const bool divides =
      ref.pre >= 1 && ref.size >= 1 && next && mesh.axis_size(ref.axis) % *next == 0;
  if (divides) return {};
  return fail("(" + std::to_string(ref.pre) + ")" + std::to_string(ref.size) +
              " is not a sub-axis of axis " + mesh.axis_name(ref.axis));
}

Status verify_disjoint(const Mesh& mesh, std::span<const AxisRef> axes) {
  for (std::size_t index = 0; index < axes.size(); ++index) {
    for (const AxisRef& before : axes.first(index)) {
      if (before.axis != axes[index].axis) continue;
      if (!can_coexist(before, axes[index]) || overlaps(before, axes[index])) {
        return fail(to_string(mesh, before) + " and " + to_string(mesh, axes[index]) +
                    " overlap; the axis refs must be disjoint");
      }
    }
  }
  return {};
}

}  // namespace

Result<DeviceGroups> DeviceGroups::make(Mesh mesh, std::span<const AxisRef> axes) {
  for (const AxisRef& ref : axes) {
    SHARDY_TRY_STATUS(verify_axis(mesh, ref));
  }
  SHARDY_TRY_STATUS(verify_disjoint(mesh, axes));
  DeviceGroups groups(std::move(mesh));
  std::vector<int64_t> strides(groups.mesh_.axes().size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * groups.mesh_.axes()[axis].size;
  }
  for (const AxisRef& ref : axes) {
    const int64_t minor = groups.mesh_.axis_size(ref.axis) / ref.next();
    groups.parts_.push_back({ref.size, strides[static_cast<std::size_t>(ref.axis)] * minor});
    groups.size_ *= ref.size;
  }
  return groups;
}

int64_t DeviceGroups::rank(int64_t position) const {
  int64_t rank = 0;
  for (const GroupAxis& part : parts_) rank = rank * part.size + position / part.stride % part.size;
  return rank;
}

int64_t DeviceGroups::offset(int64_t rank) const {
  int64_t offset = 0;
  for (std::size_t index = parts_.size(); index-- > 0;) {
    offset += rank % parts_[index].size * parts_[index].stride;
    rank /= parts_[index].size;
  }
  return offset;
}

ReplicaGroups::ReplicaGroups(std::vector<std::vector<int64_t>> groups) : groups_(Listed{}) {
  auto& listed = std::get<Listed>(groups_);
  listed.groups = std::move(groups);
  for (std::size_t leader = 0; leader < listed.groups.size(); ++leader) {
    for (std::size_t rank = 0; rank < listed.groups[leader].size(); ++rank) {
      const GroupMember place{static_cast<int64_t>(leader), static_cast<int64_t>(rank)};
      const bool is_new = listed.places.emplace(listed.groups[leader][rank], place).second;
      SHARDY_ASSERT(is_new);
      static_cast<void>(is_new);
    }
  }
}

std::optional<ReplicaGroups::GroupMember> ReplicaGroups::place_of(int64_t device) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    const auto found = listed->places.find(device);
    if (found == listed->places.end()) return std::nullopt;
    return found->second;
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  const std::optional<int64_t> position = groups.mesh().position_of(device);
  if (!position) return std::nullopt;
  return GroupMember{groups.leader(*position), groups.rank(*position)};
}

bool ReplicaGroups::has_leader(int64_t leader) const {
  if (leader < 0) return false;
  if (const auto* listed = std::get_if<Listed>(&groups_))
    return leader < std::ssize(listed->groups);
  const auto& groups = std::get<DeviceGroups>(groups_);
  return leader < groups.mesh().num_devices() && groups.leader(leader) == leader;
}

std::vector<int64_t> ReplicaGroups::members(int64_t leader) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    return listed->groups[static_cast<std::size_t>(leader)];
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  std::vector<int64_t> devices;
  for (int64_t rank = 0; rank < groups.size(); ++rank) {
    devices.push_back(groups.device(leader, rank));
  }
  return devices;
}

// ---- Collectives --------------------------------------------------------------------------------

namespace {

/// Returns the fold of the collective's reducer region.
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

// ---- On a grid of processes. Spec: stablehlo 31.3 -----------------------------------------------

using ir::GroupList;

/// Returns the numbers of replicas and partitions of a grid.
ir::ProcessCounts counts_of(const ProcessGrid& grid) {
  return {grid.num_replicas, grid.num_partitions};
}

/// Reads the replica groups of the op. Errors: those of ir::process_groups.
Result<GroupList> read_groups(const KernelRequest& request, const OpReader& op) {
  return op.at_op(ir::process_groups(request.module, request.op, counts_of(request.grid)));
}

CollectiveKernel on_groups(const KernelRequest& request, GroupList groups, GroupExchange exchange) {
  return {request.module.kind(request.op), ir::channel_of(request.module, request.op),
          ReplicaGroups(std::move(groups)), std::move(exchange)};
}

/// Appends a group of one member for each device that no group contains.
void add_outsiders(GroupList& groups, int64_t num_devices) {
  std::vector<bool> is_inside(static_cast<std::size_t>(num_devices), false);
  for (const auto& group : groups) {
    for (const int64_t device : group) is_inside[static_cast<std::size_t>(device)] = true;
  }
  for (int64_t device = 0; device < num_devices; ++device) {
    if (!is_inside[static_cast<std::size_t>(device)]) groups.push_back({device});
  }
}

/// Checks that all groups have full_size / shard_size members, as the types of the op require.
Status expect_group_sizes(const OpReader& op, const GroupList& groups, int64_t full_size,
                          int64_t shard_size) {
  if (full_size == 0 && shard_size == 0) return {};
  const int64_t size = shard_size == 0 || full_size % shard_size != 0 ? -1 : full_size / shard_size;
  const bool fits =
      std::ranges::all_of(groups, [&](const auto& group) { return std::ssize(group) == size; });
  return op.expect(fits, "replica groups must have " + std::to_string(full_size) + " / " +
                             std::to_string(shard_size) + " members");
}

/// Checks whether the last operand contains the ranks of the senders, one per data operand.
bool has_dynamic_root(const OpReader& op) {
  return op.module().attributes(op.op()).contains(ir::attr::kHasDynamicRoot);
}

/// Returns the number of operands that are data.
std::size_t num_data_operands(const OpReader& op, bool is_dynamic) {
  return op.num_operands() - (is_dynamic ? 1 : 0);
}

/// Returns the rank that sends each data operand: rank 0, or an element of the last
/// operand.
Result<std::vector<std::size_t>> roots_of(ByRank by_rank, std::size_t num_data, bool is_dynamic) {
  std::vector<std::size_t> roots(num_data, 0);
  if (!is_dynamic) return roots;
  const Tensor& positions = by_rank[0].back();
  const std::size_t size = ir::size_bytes(positions.type().element());
  for (std::size_t index = 0; index < num_data; ++index) {
    const int64_t root =
        ir::decode_int(positions.bytes().subspan(index * size, size), positions.type().element());
    if (root < 0 || root >= std::ssize(by_rank)) {
      return fail("root " + std::to_string(root) + " is not a position in a group of " +
                  std::to_string(by_rank.size()));
    }
    roots[index] = static_cast<std::size_t>(root);
  }
  return roots;
}

/// The (source, target) pairs of a permute as device ids.
struct Permutation {
  GroupList groups;  // groups of devices that pairs connect, directly or over others
  std::map<int64_t, int64_t> source_of;  // source of each target
};

/// Returns the groups of devices that chains of pairs connect, so that no device waits for a device
/// from which it receives nothing.
GroupList connected(const std::map<int64_t, int64_t>& source_of) {
  std::map<int64_t, int64_t> root;  // per device: a step towards the smallest device of its group
  const auto find = [&](int64_t device) {
    while (root.emplace(device, device).first->second != device) device = root[device];
    return device;
  };
  for (const auto& [target, source] : source_of) {
    const int64_t a = find(target);
    const int64_t b = find(source);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::map<int64_t, std::vector<int64_t>> groups;
  for (const auto& entry : root) groups[find(entry.first)].push_back(entry.first);
  GroupList list;
  for (auto& entry : groups) list.push_back(std::move(entry.second));
  return list;
}

Result<Permutation> read_pairs(const KernelRequest& request, const OpReader& op) {
  SHARDY_TRY(const auto pairs,
             op.at_op(ir::process_pairs(request.module, request.op, counts_of(request.grid))));
  Permutation permutation;
  for (const auto& [source, target] : pairs) permutation.source_of.emplace(target, source);
  permutation.groups = connected(permutation.source_of);
  return permutation;
}

/// Returns for each rank of a group the rank from which it receives; -1 if it receives nothing.
std::vector<int64_t> sources_in(const std::vector<int64_t>& devices,
                                const std::map<int64_t, int64_t>& source_of) {
  std::vector<int64_t> sources;
  for (const int64_t device : devices) {
    const auto source = source_of.find(device);
    sources.push_back(source == source_of.end()
                          ? -1
                          : std::ranges::find(devices, source->second) - devices.begin());
  }
  return sources;
}

/// The outer values that the region uses on one rank.
using Captured = std::span<const Tensor>;
/// A function from the operands of all members, in device order, to the reduced operands.
using Reduce =
    std::function<Result<Tensors>(ByRank by_device, ThreadPool* pool, Captured captured)>;

using ReducingExchange = std::function<Result<Exchanged>(const Gathered& group, Captured captured)>;

/// The operands of the ranks, without captured values.
struct RankOperands {
  std::vector<Tensors> operands;
  std::vector<Tensors> captured;

  RankOperands(ByRank by_rank, std::size_t num_captured) {
    for (const Tensors& all : by_rank) {
      const auto end = all.end() - static_cast<std::ptrdiff_t>(num_captured);
      operands.emplace_back(all.begin(), end);
      captured.emplace_back(end, all.end());
    }
  }
};

/// Folds for each rank with the captured values of that rank. Ranks with equal captured values
/// share one fold.
Result<Exchanged> fold_by_captured(const ReducingExchange& exchange, const RankOperands& brought,
                                   const Gathered& group) {
  Exchanged out;
  std::vector<std::shared_ptr<const Exchanged>> runs;
  for (std::size_t rank = 0; rank < brought.operands.size(); ++rank) {
    const auto same = static_cast<std::size_t>(
        std::ranges::find(brought.captured, brought.captured[rank]) - brought.captured.begin());
    if (same < rank) {
      runs.push_back(runs[same]);
    } else {
      SHARDY_TRY(Exchanged run,
                 exchange({brought.operands, group.leader, group.pool}, brought.captured[rank]));
      runs.push_back(std::make_shared<const Exchanged>(std::move(run)));
    }
    out.results.push_back(runs.back()->results[rank]);
    out.bytes_sent.push_back(runs.back()->bytes_sent[rank]);
  }
  return out;
}

CollectiveKernel reducing(const KernelRequest& request, GroupList groups,
                          ReducingExchange exchange) {
  const std::size_t num_captured = request.captured.size();
  return on_groups(request, std::move(groups),
                   [exchange = std::move(exchange), num_captured](const Gathered& group) {
                     if (num_captured == 0) return exchange(group, {});
                     return fold_by_captured(exchange, RankOperands(group.by_rank, num_captured),
                                             group);
                   });
}

/// Returns for each group the ranks of its members in the order of their device ids. Spec:
/// stablehlo 35 H12.
std::vector<std::vector<std::size_t>> device_orders(const GroupList& groups) {
  std::vector<std::vector<std::size_t>> orders;
  for (const auto& group : groups) {
    std::vector<std::size_t>& order = orders.emplace_back(group.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t rank) { return group[rank]; });
  }
  return orders;
}

/// Returns the tensors of one operand, one per device, as numbers of the accumulator type.
Result<std::vector<Tensors>> accumulated(ByRank by_device, std::size_t operand,
                                         ir::ElementType accumulator) {
  std::vector<Tensors> values;
  for (const Tensors& operands : by_device) {
    SHARDY_TRY(Tensor value, converted(operands[operand], accumulator));
    values.push_back({std::move(value)});
  }
  return values;
}

/// Returns the reduction by the region of the op, which runs for each operand separately. Operands
/// are converted to the accumulator type of the region.
Result<Reduce> region_reduce(const KernelRequest& request) {
  SHARDY_TRY(Fold fold, make_group_fold(request, 1));
  return [fold = std::move(fold)](ByRank by_device, ThreadPool* pool,
                                  Captured captured) -> Result<Tensors> {
    Tensors results;
    for (std::size_t operand = 0; operand < by_device[0].size(); ++operand) {
      SHARDY_TRY(const std::vector<Tensors> values,
                 accumulated(by_device, operand, fold.accumulators()[0]));
      SHARDY_TRY(Tensors folded, fold_ranks(fold, values, pool, captured));
      results.push_back(std::move(folded[0]));
    }
    return results;
  };
}

Result<Reduce> sum_reduce(const OpReader& op) {
  const FoldLoop add = pick_fold_loop(ir::OpKind::Add, op.operand().element());
  if (!add) return op.unsupported_element(op.operand().element());
  return [add](ByRank by_device, ThreadPool* pool, Captured /*captured*/) -> Result<Tensors> {
    SHARDY_TRY(Tensor sum, fold_ranks(add, by_device, 0, pool));
    return Tensors{std::move(sum)};
  };
}

/// Reduces the first `count` operands of a group.
Result<Tensors> reduce_group(const Reduce& reduce, std::size_t count,
                             const std::vector<std::size_t>& order, const Gathered& group,
                             Captured captured) {
  std::vector<Tensors> by_device;
  by_device.reserve(order.size());
  for (const std::size_t rank : order) {
    const Tensors& operands = group.by_rank[rank];
    by_device.emplace_back(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return reduce(by_device, group.pool, captured);
}

template <class Number>
Result<Kernel> make_process_number(const KernelRequest& request, Number number_of) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return [type = reader.result(), grid = request.grid,
          number_of](const KernelCall& call) -> Result<Tensors> {
    const int64_t number[] = {number_of(call.device, grid)};
    SHARDY_TRY(Tensor value, Tensor::from_integers(type, number));
    return Tensors{std::move(value)};
  };
}

Result<Kernel> make_partition_id(const KernelRequest& request) {
  return make_process_number(request, [](int64_t device, const ProcessGrid& grid) {
    return device % grid.num_partitions;
  });
}
Result<Kernel> make_replica_id(const KernelRequest& request) {
  return make_process_number(request, [](int64_t device, const ProcessGrid& grid) {
    return device / grid.num_partitions;
  });
}

// ---- run_parallel ------------------------------------------------------------------------------

/// The functions of all processes, in row-major order of the grid.
struct Processes {
  ProcessGrid grid;
  std::vector<ir::OpId> functions;
};

Result<ir::OpId> find_program(const KernelRequest& request, const ir::Attribute& name) {
  const ir::Module& module = request.module;
  const auto* symbol = name.as<ir::SymbolAttr>();
  const std::optional<ir::OpId> function =
      symbol == nullptr ? std::nullopt : module.find_symbol(symbol->name);
  if (function && module.is(*function, ir::OpKind::Func) && !module.is_external(*function)) {
    return *function;
  }
  return op_fail(module, request.op,
                 "Function \"" + (symbol == nullptr ? "" : symbol->name) + "\" not found");
}

Result<Processes> read_programs(const KernelRequest& request) {
  const auto* rows = request.module.attribute<ir::ArrayAttr>(request.op, ir::attr::kPrograms);
  const auto* first = rows == nullptr || rows->elements.empty()
                          ? nullptr
                          : rows->elements.front().as<ir::ArrayAttr>();
  if (first == nullptr || first->elements.empty()) {
    return op_fail(request.module, request.op, "`programs` attribute cannot be empty");
  }
  Processes processes;
  processes.grid = {std::ssize(rows->elements), std::ssize(first->elements)};
  for (const ir::Attribute& row : rows->elements) {
    const auto* names = row.as<ir::ArrayAttr>();
    const std::size_t count = names == nullptr ? 0 : names->elements.size();
    if (count != first->elements.size()) {
      return op_fail(request.module, request.op,
                     "Sizes of second dimension of `programs` should all match " +
                         std::to_string(first->elements.size()) + " but got " +
                         std::to_string(count));
    }
    for (const ir::Attribute& name : names->elements) {
      SHARDY_TRY(const ir::OpId function, find_program(request, name));
      processes.functions.push_back(function);
    }
  }
  return processes;
}

Status verify_count(const KernelRequest& request, std::string_view what, std::size_t count,
                    std::size_t sum) {
  if (count == sum) return {};
  return op_fail(request.module, request.op,
                 "Number of " + std::string(what) + " (" + std::to_string(count) +
                     ") should match the sum of the number of " + std::string(what) +
                     " of all programs (" + std::to_string(sum) + ")");
}

Status verify_types(const KernelRequest& request, std::span<const ir::ValueId> values,
                    const std::vector<ir::Type>& types) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const ir::Type& type = request.module.type(values[index]);
    if (type == types[index]) continue;
    return op_fail(
        request.module, request.op,
        "passes " + ir::to_string(type) + " where " + ir::to_string(types[index]) + " is expected");
  }
  return {};
}

/// Checks that operands and results are the concatenated operands and results of all processes.
Status verify_values(const KernelRequest& request, const Processes& processes) {
  const ir::Module& module = request.module;
  std::vector<ir::Type> inputs;
  std::vector<ir::Type> results;
  for (const ir::OpId function : processes.functions) {
    const std::vector<ir::Type> arguments = module.arg_types(function);
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    const std::vector<ir::Type>& returned = module.function(function).result_types;
    results.insert(results.end(), returned.begin(), returned.end());
  }
  SHARDY_TRY_STATUS(
      verify_count(request, "inputs", module.num_operands(request.op), inputs.size()));
  SHARDY_TRY_STATUS(
      verify_count(request, "results", module.num_results(request.op), results.size()));
  SHARDY_TRY_STATUS(verify_types(request, module.operands(request.op), inputs));
  return verify_types(request, module.results(request.op), results);
}

Result<Kernel> make_run_parallel(const KernelRequest& request) {
  const ir::Module& module = request.module;
  SHARDY_TRY(const Processes processes, read_programs(request));
  const auto* infeed = module.attribute<ir::ArrayAttr>(request.op, ir::attr::kInfeed);
  if (infeed != nullptr && infeed->elements.empty()) {
    return op_fail(module, request.op, "infeed attribute is optional or should not be empty");
  }
  SHARDY_TRY_STATUS(verify_values(request, processes));
  if (!request.compile_processes) {
    return op_fail(module, request.op, "cannot be used where a single op is run");
  }
  SHARDY_TRY(GridRunner run, request.compile_processes(processes.functions, processes.grid));
  std::vector<std::size_t> counts;
  for (const ir::OpId function : processes.functions) {
    counts.push_back(module.arg_types(function).size());
  }
  return [run = std::move(run), counts](const KernelCall& call) -> Result<Tensors> {
    std::vector<Tensors> arguments;
    std::size_t next = 0;
    for (const std::size_t count : counts) {
      const auto own = call.operands.subspan(next, count);
      arguments.emplace_back(own.begin(), own.end());
      next += count;
    }
    SHARDY_TRY(const std::vector<Tensors> results, run(std::move(arguments)));
    Tensors all;
    for (const Tensors& each : results) all.insert(all.end(), each.begin(), each.end());
    return all;
  };
}

// ---- The spmd dialect --------------------------------------------------------------------------

struct SpmdReader {
  OpReader op;
  const KernelRequest& request;
  DeviceGroups groups;
};

/// Checks that the device ids of the mesh are the devices of the run.
Status verify_devices(const OpReader& op, const Mesh& mesh, int64_t num_devices) {
  const int64_t largest = mesh.is_maximal() ? mesh.device_ids().front() : mesh.num_devices() - 1;
  return op.expect(largest < num_devices, "the mesh has device " + std::to_string(largest) +
                                              ", the run has " + std::to_string(num_devices) +
                                              " devices");
}

/// Calls `kMake`, one of the functions below, with the op and its groups.
template <Result<CollectiveKernel> (*kMake)(const SpmdReader&)>
Result<CollectiveKernel> make_on_mesh(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto* const axes = op.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY_STATUS(verify_devices(op, axes->mesh, request.num_devices));
  SHARDY_TRY(DeviceGroups groups, op.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  return kMake(SpmdReader{op, request, std::move(groups)});
}

CollectiveKernel on_mesh(const SpmdReader& reader, GroupExchange exchange) {
  return {reader.request.module.kind(reader.request.op), 0, ReplicaGroups(reader.groups),
          std::move(exchange)};
}

/// Returns the dim along which the op gathers or scatters.
std::size_t dim_of(const SpmdReader& reader) {
  return static_cast<std::size_t>(reader.op.view<ir::SpmdDimOp>().dim);
}

Result<CollectiveKernel> make_all_gather(const SpmdReader& reader) {
  return on_mesh(reader,
                 [dim = dim_of(reader), types = result_types(reader.op)](const Gathered& group) {
                   return all_gather(group.by_rank, dim, types);
                 });
}

/// Makes the kernel of spmd.all_to_all: each rank gets one block of the operand of each member.
Result<CollectiveKernel> make_all_to_all(const SpmdReader& reader) {
  const auto view = reader.op.view<ir::SpmdAllToAllOp>();
  const auto split = static_cast<std::size_t>(view.split_dim);
  CollectiveKernel collective =
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

Result<CollectiveKernel> make_all_reduce(const SpmdReader& reader) {
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  const bool is_by_element = !fold.loops().empty();
  PartFold fold_part = [fold = std::move(fold)](const Gathered& group) {
    return fold_ranks(fold, group.by_rank, group.pool);
  };
  CollectiveKernel collective =
      on_mesh(reader, [fold_part](const Gathered& group) -> Result<Exchanged> {
        SHARDY_TRY(const Tensors folded, fold_part(group));
        return all_reduce(group.by_rank.size(), bytes_of(group.by_rank[0]), folded);
      });
  if (is_by_element) collective.fold_part = std::move(fold_part);
  return collective;
}

Result<CollectiveKernel> make_reduce_scatter(const SpmdReader& reader) {
  SHARDY_TRY(Fold fold, make_spmd_fold(reader));
  const std::size_t dim = dim_of(reader);
  CollectiveKernel collective =
      on_mesh(reader, [fold = std::move(fold), dim](const Gathered& group) {
        return reduce_scatter(group.by_rank, fold, dim, group.pool, group.wanted);
      });
  collective.block_dim = dim;
  return collective;
}

Result<CollectiveKernel> make_permute(const SpmdReader& reader) {
  const auto* const map = reader.op.view<ir::SpmdPermuteOp>().map;
  SHARDY_TRY(SourceMap sources, reader.op.at_op(make_source_map(*map, reader.groups)));
  CollectiveKernel collective =
      on_mesh(reader, [sources](const Gathered& group) -> Result<Exchanged> {
        SHARDY_TRY(const std::vector<int64_t> by_receiver, sources(group.leader));
        return permute(group.by_rank, by_receiver);
      });
  collective.sources = std::move(sources);
  return collective;
}

Result<CollectiveKernel> make_broadcast_from(const SpmdReader& reader) {
  const int64_t root = reader.op.view<ir::SpmdBroadcastFromOp>().root;
  const std::vector<std::size_t> roots(reader.op.num_operands(), static_cast<std::size_t>(root));
  CollectiveKernel collective =
      on_mesh(reader, [roots](const Gathered& group) -> Result<Exchanged> {
        return broadcast(group.by_rank, roots);
      });
  const auto size = static_cast<std::size_t>(reader.groups.size());
  collective.sources = [size, root](int64_t) -> Result<std::vector<int64_t>> {
    return std::vector<int64_t>(size, root);
  };
  return collective;
}

// ---- all_gather, all_to_all --------------------------------------------------------------------

Result<CollectiveKernel> make_grid_all_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const auto place = static_cast<std::size_t>(op.view<ir::AllGatherOp>().dim);
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(
        expect_group_sizes(op, groups, op.result(index).dim(place), op.operand(index).dim(place)));
  }
  return on_groups(request, std::move(groups),
                   [place, types = result_types(op)](const Gathered& group) {
                     return all_gather(group.by_rank, place, types);
                   });
}

Result<CollectiveKernel> make_grid_all_to_all(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto view = op.view<ir::AllToAllOp>();
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const bool fits = std::ranges::all_of(
      groups, [&](const auto& group) { return std::ssize(group) == view.split_count; });
  SHARDY_TRY_STATUS(
      op.expect(fits, "group size of replica_groups must be " + std::to_string(view.split_count)));
  return on_groups(request, std::move(groups),
                   [split = static_cast<std::size_t>(view.split_dim),
                    concat = static_cast<std::size_t>(view.concat_dim),
                    types = result_types(op)](const Gathered& group) {
                     return all_to_all(group.by_rank, split, concat, types, group.wanted);
                   });
}

// ---- collective_broadcast ----------------------------------------------------------------------

Result<CollectiveKernel> make_grid_broadcast(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_dynamic = has_dynamic_root(op);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const int64_t num_groups = std::ssize(groups);
  add_outsiders(groups, request.grid.size());
  return on_groups(request, std::move(groups),
                   [count = num_data_operands(op, is_dynamic), is_dynamic, num_groups,
                    types = result_types(op)](const Gathered& group) -> Result<Exchanged> {
                     if (group.leader >= num_groups) {
                       SHARDY_TRY(Tensors nothing, zeros(types));
                       return Exchanged{{std::move(nothing)}, {0}};
                     }
                     SHARDY_TRY(const auto roots, roots_of(group.by_rank, count, is_dynamic));
                     return broadcast(group.by_rank, roots);
                   });
}

// ---- collective_permute ------------------------------------------------------------------------

Result<CollectiveKernel> make_grid_permute(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Permutation permutation, read_pairs(request, op));
  GroupList groups = permutation.groups;
  add_outsiders(groups, request.grid.size());
  std::vector<std::vector<int64_t>> sources;
  for (const auto& group : groups) sources.push_back(sources_in(group, permutation.source_of));
  CollectiveKernel collective =
      on_groups(request, std::move(groups), [sources](const Gathered& group) {
        return permute(group.by_rank, sources[static_cast<std::size_t>(group.leader)]);
      });
  collective.sources = [sources =
                            std::move(sources)](int64_t leader) -> Result<std::vector<int64_t>> {
    return sources[static_cast<std::size_t>(leader)];
  };
  return collective;
}

Result<CollectiveKernel> make_grid_all_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_sum = request.module.is(request.op, ir::OpKind::CrossReplicaSum);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  SHARDY_TRY(Reduce reduce, is_sum ? sum_reduce(op) : region_reduce(request));
  ReducingExchange exchange = [reduce = std::move(reduce), orders = device_orders(groups)](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, group.by_rank[0].size(),
                            orders[static_cast<std::size_t>(group.leader)], group, captured));
    return all_reduce(group.by_rank.size(), bytes_of(group.by_rank[0]), folded);
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

Result<CollectiveKernel> make_grid_reduce_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto place = static_cast<std::size_t>(op.view<ir::ReduceScatterOp>().dim);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  SHARDY_TRY_STATUS(
      expect_group_sizes(op, groups, op.operand().dim(place), op.result().dim(place)));
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  ReducingExchange exchange = [reduce = std::move(reduce), orders = device_orders(groups), place](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    SHARDY_TRY(
        const Tensors folded,
        reduce_group(reduce, 1, orders[static_cast<std::size_t>(group.leader)], group, captured));
    return reduce_scatter(group.by_rank, folded, place);
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

Result<CollectiveKernel> make_grid_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_dynamic = has_dynamic_root(op);
  const std::size_t count = num_data_operands(op, is_dynamic);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  ReducingExchange exchange = [count, is_dynamic, reduce = std::move(reduce),
                               orders = device_orders(groups), types = result_types(op)](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    const ByRank by_rank = group.by_rank;
    SHARDY_TRY(const std::vector<std::size_t> roots, roots_of(by_rank, count, is_dynamic));
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, count, orders[static_cast<std::size_t>(group.leader)], group,
                            captured));
    SHARDY_TRY(const Tensors nothing, zeros(types));
    Exchanged out{std::vector<Tensors>(by_rank.size(), nothing),
                  std::vector<int64_t>(by_rank.size(), bytes_of(by_rank[0]))};
    for (std::size_t index = 0; index < count; ++index) {
      out.results[roots[index]][index] = folded[index];
      out.bytes_sent[roots[index]] -= by_rank[0][index].num_bytes();
    }
    return out;
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

// ---- Table -------------------------------------------------------------------------------------

struct CollectiveRow {
  ir::OpKind kind;
  Result<CollectiveKernel> (*make)(const KernelRequest& request);
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
              "each op is in the table once, in the order of OpKind");

const CollectiveRow* find_row(ir::OpKind kind) {
  const auto* const row = std::ranges::lower_bound(kCollectives, kind, {}, &CollectiveRow::kind);
  return row != std::end(kCollectives) && row->kind == kind ? row : nullptr;
}

}  // namespace

SHARDY_KERNEL(PartitionId, make_partition_id)
SHARDY_KERNEL(ReplicaId, make_replica_id)
SHARDY_KERNEL(InterpreterRunParallel, make_run_parallel)

bool is_communication(ir::OpKind kind) { return find_row(kind) != nullptr; }

bool is_process_collective(ir::OpKind kind) {
  return is_communication(kind) && !ir::has_trait(kind, ir::kCollective);
}

Result<CollectiveKernel> make_collective(const KernelRequest& request) {
  const CollectiveRow* const row = find_row(request.module.kind(request.op));
  SHARDY_ASSERT(row != nullptr);
  SHARDY_TRY_STATUS(ir::verify_types(request.module, request.op));
  return row->make(request);
}

}  // namespace shardy::simulation

// Type rules of collectives, of ops of per-device programs, and of sdy ops. Spec: stablehlo 15.1,
// 31, partitioning 4.1 to 4.3, dialect 3.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "infer_families.hpp"
#include "op_facts.hpp"
#include "process_groups.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::ir {
namespace {

/// The groups that `replica_groups` declares; empty if their size is known at run time only.
struct DeclaredGroups {
  std::size_t size = 0;  // number of processes of each group
  bool known = false;
};

bool may_be_ragged(OpKind kind) {
  return kind == OpKind::AllReduce || kind == OpKind::CollectiveReduce ||
         kind == OpKind::CrossReplicaSum;
}

/// Returns the number of elements to check. For a splat, which may declare more elements than fit
/// in memory, two elements show that an id is repeated.
int64_t num_checked(const Literal& literal) {
  return literal.is_splat() ? std::min<int64_t>(literal.num_elements(), 2) : literal.num_elements();
}

/// Checks that no id is repeated and, unless processes may be in no group, that all ids 0..n-1
/// occur. Spec: stablehlo 31.2.
Status expect_all_replicas(const OpFacts& op, const Literal& groups) {
  Dims ids;
  for (int64_t index = 0; index < num_checked(groups); ++index) {
    const auto id = groups.at<int64_t>(index);
    if (id == -1 && may_be_ragged(op.kind)) continue;
    if (id < 0) return fail("Invalid replica id " + std::to_string(id));
    ids.push_back(id);
  }
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end()) {
    return fail("replica id #" + std::to_string(*twice) + " seen more than once");
  }
  if (op.kind == OpKind::CollectiveBroadcast) return {};
  for (std::size_t id = 0; id < ids.size(); ++id) {
    if (ids[id] == static_cast<int64_t>(id)) continue;
    return fail("replica id #" + std::to_string(id) + " not seen in replica groups");
  }
  return {};
}

/// Checks whether a group contains the replicas of its row in every partition. The number of
/// partitions is known at run time only.
bool spans_partitions(const OpFacts& op) {
  const bool is_reduction =
      op.kind == OpKind::AllGather || op.kind == OpKind::ReduceScatter || may_be_ragged(op.kind);
  return is_reduction && op.attributes.contains(attr::kChannelHandle) &&
         !op.attributes.contains(attr::kUseGlobalDeviceIds);
}

Result<DeclaredGroups> replica_groups(const OpFacts& op) {
  if (op.attributes.contains(attr::kUseGlobalDeviceIds) &&
      !op.attributes.contains(attr::kChannelHandle)) {
    return fail("use_global_device_ids needs a channel_handle");
  }
  const Attribute* attribute = op.attributes.find(attr::kReplicaGroups);
  const auto* groups = attribute ? attribute->as<Literal>() : nullptr;
  if (!groups) return DeclaredGroups{};
  const Type& type = groups->type();
  if (type.rank() != 2 || type.element() != ElementType::I64) {
    return fail("replica groups should be a rank 2 tensor");
  }
  if (type.num_elements() == 0) {
    if (op.attributes.contains(attr::kUseGlobalDeviceIds)) {
      return fail("replica_groups cannot be empty");
    }
    return DeclaredGroups{};
  }
  SHARDY_TRY_STATUS(expect_all_replicas(op, *groups));
  return DeclaredGroups{static_cast<std::size_t>(type.dim(1)), !spans_partitions(op)};
}

Result<std::size_t> dim_of(const OpFacts& op, std::string_view name, int64_t dim) {
  SHARDY_TRY_STATUS(expect_dim(name, dim, op.operand_type(0).dims().size()));
  return static_cast<std::size_t>(dim);
}

bool is_multiple(int64_t whole, int64_t part, int64_t times) {
  return whole == kDynamicDim || part == kDynamicDim || checked_mul(part, times) == whole;
}

/// Returns the number of data operands. If the op has dynamic roots, each data operand has one root
/// operand; otherwise all operands are data. Spec: stablehlo 31.3.
Result<std::size_t> num_data_operands(const OpFacts& op) {
  if (!op.attributes.contains(attr::kHasDynamicRoot)) return op.num_operands();
  const std::size_t count = op.num_operands() - 1;
  const Type wanted = Type::tensor({static_cast<int64_t>(count)}, ElementType::I32);
  if (compatible(op.operand_type(count), wanted)) return count;
  return fail(operand_name(count) + ", the roots, must be " + to_string(wanted) + ", got " +
              to_string(op.operand_type(count)));
}

/// Checks the written results against the first `count` operands: the ranks are equal, and so are
/// the sizes except of the dim `free`.
Status expect_like_operands(const OpFacts& op, std::size_t count, std::optional<std::size_t> free) {
  if (op.result_types.size() != count) {
    return fail("expects as many results as operands with data, " + std::to_string(count) +
                ", got " + std::to_string(op.result_types.size()));
  }
  for (std::size_t index = 0; index < count; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    const Type& operand = op.operand_type(index);
    const Type& result = op.result_types[index];
    if (!result.is_tensor()) return fail("result must be a tensor, got " + to_string(result));
    Dims wanted(operand.dims().begin(), operand.dims().end());
    const bool same_rank = result.dims().size() == wanted.size();
    if (free && same_rank && *free < wanted.size()) wanted[*free] = result.dim(*free);
    if (same_rank && compatible_dims(wanted, result.dims())) continue;
    return fail("result " + std::to_string(index) + " must have the sizes of the operand" +
                (free ? " but for dim " + std::to_string(*free) : "") + ", got " +
                to_string(operand) + " and " + to_string(result));
  }
  return {};
}

/// Returns types with the written sizes and the inferred element types.
Result<Types> written_with(const OpFacts& op, std::span<const ElementType> elements) {
  Types results;
  for (std::size_t index = 0; index < op.result_types.size(); ++index) {
    results.push_back(op.result_types[index].with_element(elements[index]));
  }
  return results;
}

std::vector<ElementType> data_elements(const OpFacts& op, std::size_t count) {
  std::vector<ElementType> elements;
  for (std::size_t index = 0; index < count; ++index) {
    elements.push_back(op.operand_type(index).element());
  }
  return elements;
}

/// Checks the reducer, which is used for all operands. The operands have one element type, or are
/// converted to the element types of the reducer.
Result<std::vector<ElementType>> reduced_elements(const OpFacts& op, std::size_t count) {
  if (op.regions.empty()) return data_elements(op, count);
  const Types args = region_arg_types(op, 0);
  if (args.size() != 2 || !is_scalar(args.front())) {
    return fail("region 0: expects 2 block arguments that are tensors of rank 0");
  }
  const ElementType element = args.front().element();
  SHARDY_TRY_STATUS(expect_reducer(op, std::span(&element, 1)));
  for (std::size_t index = 0; index < count; ++index) {
    if (is_promotable(op.operand_type(index).element(), element)) continue;
    return fail(operand_name(index) + ", " + to_string(op.operand_type(index)) +
                ", cannot be accumulated as " + to_string(args.front()));
  }
  return std::vector<ElementType>(count, element);
}

Type index_type() { return Type::tensor({}, ElementType::I64); }

/// Returns the mesh that the attribute `mesh` names.
Result<Mesh> named_mesh(const OpFacts& op) {
  SHARDY_TRY(const auto* symbol, required<SymbolAttr>(op, attr::kMesh, "a symbol"));
  std::optional<Mesh> mesh = nearest_mesh(op.module, op.op, symbol->name);
  if (!mesh) return fail_unknown_mesh(symbol->name);
  return *std::move(mesh);
}

struct Group {
  Mesh mesh;
  AxisList axes;
  int64_t size = 1;
};

/// Returns the replica group of the op: the axes `axes` of the mesh that `mesh` names.
Result<Group> group_of(const OpFacts& op) {
  SHARDY_TRY(Mesh mesh, named_mesh(op));
  SHARDY_TRY(const auto view, read_view<SpmdGroupOp>(op.attributes));
  const AxesAttr* const axes = view.axes;
  if (axes->mesh != mesh) {
    return fail("attribute 'axes' is on mesh " + to_string(axes->mesh) + ", but 'mesh' is " +
                to_string(mesh));
  }
  SHARDY_TRY_STATUS(check_mergeable_axes(mesh, axes->axes));
  return Group{std::move(mesh), axes->axes, sharding_size(axes->axes)};
}

Status expect_static_operands(const OpFacts& op) {
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    if (op.operand_type(index).is_static_tensor()) continue;
    return fail(operand_name(index) + " must be a static tensor, got " +
                to_string(op.operand_type(index)));
  }
  return {};
}

Result<std::size_t> dim_of_all(const OpFacts& op, std::string_view name, int64_t dim) {
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const std::string what = std::string(name) + " of " + operand_name(index);
    SHARDY_TRY_STATUS(expect_dim(what, dim, op.operand_type(index).dims().size()));
  }
  return static_cast<std::size_t>(dim);
}

Result<Type> gathered(const Type& type, std::size_t dim, int64_t group_size) {
  Dims dims(type.dims().begin(), type.dims().end());
  const std::optional<int64_t> size = checked_mul(dims[dim], group_size);
  if (!size) return fail("result is too large: a size does not fit 64 bits");
  dims[dim] = *size;
  return Type::make_tensor(std::move(dims), type.element());
}

Result<Type> scattered(const OpFacts& op, std::size_t index, std::size_t dim, int64_t group_size) {
  const Type& type = op.operand_type(index);
  Dims dims(type.dims().begin(), type.dims().end());
  if (dims[dim] % group_size != 0) {
    return fail("dim " + std::to_string(dim) + " of " + operand_name(index) + " with size " +
                std::to_string(dims[dim]) + " is not divisible by the group size " +
                std::to_string(group_size));
  }
  dims[dim] /= group_size;
  return Type::make_tensor(std::move(dims), type.element());
}

Status expect_reducer_of_operands(const OpFacts& op) {
  std::vector<ElementType> elements;
  for (const Type& type : op.operand_types()) elements.push_back(type.element());
  return expect_reducer(op, elements);
}

Status expect_numbers(const PermuteMap& map, std::string_view kind, std::size_t count) {
  if (map.numbers.size() == count) return {};
  return fail(std::string(kind) + " map needs " + counted(count, "number") + ", got " +
              std::to_string(map.numbers.size()));
}

/// Checks six numbers of the map affine(a, b, c, j, M, rho): each receiver q = rho mod M gets the
/// data of the sender floor((a q + b) / c) + j.
Status check_affine_term(const PermuteMap& map, std::span<const int64_t> numbers) {
  const int64_t a = numbers[0], c = numbers[2], m = numbers[4], rho = numbers[5];
  if (c < 1 || m < 1 || rho < 0 || rho >= m) {
    return fail("affine map needs c >= 1, M >= 1 and rho in [0, M), got " + list_text(map.numbers));
  }
  // Two receivers are at least M apart. Their senders therefore differ if a M >= c.
  const std::optional<int64_t> step = checked_mul(a, m);
  if (step.value_or(a > 0 ? std::numeric_limits<int64_t>::max() : 0) < c) {
    return fail("affine map must not send one source to two receivers, got " +
                list_text(map.numbers));
  }
  return {};
}

Status check_affine(const Group& group, const PermuteMap& map) {
  constexpr std::size_t kNumbers = 6;
  const std::size_t count = map.numbers.size();
  if (count == 0 || count % kNumbers != 0) SHARDY_TRY_STATUS(expect_numbers(map, "affine", 6));
  for (std::size_t at = 0; at < count; at += kNumbers) {
    SHARDY_TRY_STATUS(check_affine_term(map, std::span(map.numbers).subspan(at, kNumbers)));
  }
  if (count == kNumbers) return {};
  if (group.size > kMostListedRanks) {
    return fail("affine map with more than 6 numbers needs a group of at most " +
                std::to_string(kMostListedRanks) + " devices, got " + std::to_string(group.size));
  }
  std::vector<bool> sends(static_cast<std::size_t>(group.size), false);
  for (int64_t rank = 0; rank < group.size; ++rank) {
    const auto source = source_rank(map, rank, group.size);
    if (!source) continue;
    if (sends[static_cast<std::size_t>(*source)]) {
      return fail("affine map must not send one source to two receivers, got " +
                  list_text(map.numbers));
    }
    sends[static_cast<std::size_t>(*source)] = true;
  }
  return {};
}

/// Checks that the order of a relabel lists every sub-axis of the axes exactly once.
Status check_order(const Group& group, const AxisList& order) {
  SHARDY_TRY_STATUS(check_mergeable_axes(group.mesh, order));
  if (sort_and_merge(order) == sort_and_merge(group.axes)) return {};
  return fail("relabel map must list all of the axes " + to_string(group.mesh, group.axes) +
              ", got " + to_string(group.mesh, order));
}

Status check_relabel(const Group& group, const PermuteMap& map) {
  if (map.mesh != group.mesh) {
    return fail("relabel map is on mesh " + to_string(map.mesh) + ", but 'mesh' is " +
                to_string(group.mesh));
  }
  SHARDY_TRY_STATUS(check_order(group, map.source_order));
  SHARDY_TRY_STATUS(check_order(group, map.receiver_order));
  const std::size_t receivers = map.receiver_order.size();
  const std::size_t all = receivers + map.source_order.size();
  if (map.numbers.empty() || map.numbers.size() == receivers || map.numbers.size() == all) {
    return {};
  }
  return fail(
      "relabel map needs no numbers, or one for each axis of the order of receivers and "
      "then none or one for each axis of the order of sources, got " +
      list_text(map.numbers));
}

Status check_remesh(const Group& group, const PermuteMap& map) {
  if (map.mesh.equals_ignoring_device_ids(group.mesh)) return {};
  return fail("remesh map is from mesh " + to_string(map.mesh) +
              ", which has other axes than 'mesh', " + to_string(group.mesh));
}

/// Checks the flat list of the ids of source and target devices.
Status check_pairs(const Group& group, const PermuteMap& map) {
  if (map.numbers.size() % 2 != 0) return fail("pairs map needs an even number of device ids");
  std::vector<int64_t> sides[2];
  for (std::size_t index = 0; index < map.numbers.size(); ++index) {
    const int64_t device = map.numbers[index];
    if (!group.mesh.position_of(device)) {
      return fail("device " + std::to_string(device) + " of pairs map is not in the mesh");
    }
    sides[index % 2].push_back(device);
  }
  for (std::vector<int64_t>& side : sides) {
    std::ranges::sort(side);
    if (std::ranges::adjacent_find(side) != side.end()) {
      return fail("pairs map must name each source and each target once");
    }
  }
  return {};
}

Status check_map(const Group& group, const PermuteMap& map) {
  switch (map.kind) {
    case PermuteMap::Kind::Shift:
      return expect_numbers(map, "shift", 1);
    case PermuteMap::Kind::Rotate:
      return expect_numbers(map, "rotate", 1);
    case PermuteMap::Kind::Mirror:
      return expect_numbers(map, "mirror", 0);
    case PermuteMap::Kind::Affine:
      return check_affine(group, map);
    case PermuteMap::Kind::Relabel:
      return check_relabel(group, map);
    case PermuteMap::Kind::Remesh:
      return check_remesh(group, map);
    case PermuteMap::Kind::Pairs:
      break;
  }
  return check_pairs(group, map);
}

Status expect_ranked(const OpFacts& op) {
  if (TypeShape(op.operand_type(0)).kind() == ValueShape::Kind::Ranked) return {};
  return fail("operand 0 must be a ranked tensor, got " + to_string(op.operand_type(0)));
}

/// Returns the global type of a value that the body returns: each dim is multiplied by the sizes of
/// its manual axes.
Result<Type> global_type(const Type& local, const TensorSharding& sharding, AxisNames manual) {
  if (!local.is_tensor() || sharding.rank() != local.dims().size()) return local;
  Dims dims(local.dims().begin(), local.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == kDynamicDim) continue;
    const std::optional<int64_t> size =
        checked_mul(dims[dim], manual_size(sharding.mesh(), sharding.dim(dim).axes, manual));
    if (!size) return fail("result is too large: a size does not fit 64 bits");
    dims[dim] = *size;
  }
  return Type::make_tensor(std::move(dims), local.element());
}

}  // namespace

Result<Types> infer_all_gather(const OpFacts& op) {
  SHARDY_TRY(const DeclaredGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<AllGatherOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of(op, attr::kAllGatherDim, view.dim));
  SHARDY_TRY_STATUS(expect_like_operands(op, op.num_operands(), dim));
  const auto size = static_cast<int64_t>(groups.size);
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const Type& operand = op.operand_type(index);
    SHARDY_TRY_STATUS(
        expect_dim(attr::kAllGatherDim, static_cast<int64_t>(dim), operand.dims().size()));
    if (!groups.known || is_multiple(op.result_types[index].dim(dim), operand.dim(dim), size)) {
      continue;
    }
    return fail("result dim " + std::to_string(dim) + " must be " + std::to_string(size) +
                " times that of the operand, got " + to_string(operand) + " and " +
                to_string(op.result_types[index]));
  }
  return written_with(op, data_elements(op, op.num_operands()));
}

/// The type rule of all_reduce, collective_reduce and cross-replica-sum. The results have the
/// shapes of the operands and the element types of the region.
Result<Types> infer_all_reduce(const OpFacts& op) {
  SHARDY_TRY_STATUS(replica_groups(op));
  SHARDY_TRY(const std::size_t count, num_data_operands(op));
  SHARDY_TRY_STATUS(expect_like_operands(op, count, std::nullopt));
  SHARDY_TRY(const std::vector<ElementType> elements, reduced_elements(op, count));
  return written_with(op, elements);
}

Result<Types> infer_reduce_scatter(const OpFacts& op) {
  SHARDY_TRY(const DeclaredGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<ReduceScatterOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of(op, attr::kScatterDimension, view.dim));
  SHARDY_TRY_STATUS(expect_like_operands(op, 1, dim));
  const Type& operand = op.operand_type(0);
  const Type& result = op.result_types.front();
  const auto size = static_cast<int64_t>(groups.size);
  if (groups.known && !is_multiple(operand.dim(dim), result.dim(dim), size)) {
    return fail("operand dim " + std::to_string(dim) + " must be " + std::to_string(size) +
                " times that of the result, got " + to_string(operand) + " and " +
                to_string(result));
  }
  SHARDY_TRY(const std::vector<ElementType> elements, reduced_elements(op, 1));
  return written_with(op, elements);
}

Result<Types> infer_all_to_all(const OpFacts& op) {
  SHARDY_TRY(const DeclaredGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<AllToAllOp>(op.attributes));
  SHARDY_TRY(const std::size_t split, dim_of(op, attr::kSplitDimension, view.split_dim));
  SHARDY_TRY(const std::size_t concat, dim_of(op, attr::kConcatDimension, view.concat_dim));
  const int64_t count = view.split_count;
  if (count < 1) return fail("split_count must be positive, got " + std::to_string(count));
  if (groups.known && static_cast<int64_t>(groups.size) != count) {
    return fail("group size of replica_groups must be " + std::to_string(count));
  }
  Types results;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    const Type& operand = op.operand_type(index);
    Dims dims(operand.dims().begin(), operand.dims().end());
    if (split >= dims.size() || concat >= dims.size()) return fail("operands must have equal rank");
    if (dims[split] != kDynamicDim) {
      if (dims[split] % count != 0) {
        return fail("split dimension has size " + std::to_string(dims[split]) +
                    ", expected to be a multiple of split_count " + std::to_string(count));
      }
      dims[split] /= count;
    }
    if (dims[concat] != kDynamicDim) {
      const std::optional<int64_t> grown = checked_mul(dims[concat], count);
      if (!grown) return fail("result is too large: a size does not fit 64 bits");
      dims[concat] = *grown;
    }
    SHARDY_TRY(Type type, Type::make_tensor(std::move(dims), operand.element()));
    results.push_back(std::move(type));
  }
  return results;
}

Result<Types> infer_collective_permute(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<CollectivePermuteOp>(op.attributes));
  const Literal* const pairs = view.pairs;
  const Type& type = pairs->type();
  if (type.rank() != 2 || type.dim(1) != 2 || type.element() != ElementType::I64) {
    return fail("expect source_target_pairs attribute of shape (N, 2), but got " + to_string(type));
  }
  const int64_t num_pairs = pairs->is_splat() ? std::min<int64_t>(type.dim(0), 2) : type.dim(0);
  for (int64_t side = 0; side < 2; ++side) {
    Dims ids;
    for (int64_t row = 0; row < num_pairs; ++row) ids.push_back(pairs->at<int64_t>(2 * row + side));
    if (std::ranges::any_of(ids, [](int64_t id) { return id < 0; })) {
      return fail("replica ids in source_target_pairs must be >= 0");
    }
    std::ranges::sort(ids);
    if (std::ranges::adjacent_find(ids) != ids.end()) {
      return fail(side == 0 ? "duplicate sources not allowed" : "duplicate targets not allowed");
    }
  }
  return op.operand_types();
}

Result<Types> infer_collective_broadcast(const OpFacts& op) {
  SHARDY_TRY_STATUS(replica_groups(op));
  SHARDY_TRY(const std::size_t count, num_data_operands(op));
  for (std::size_t index = 0; index < count; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
  }
  Types types = op.operand_types();
  types.resize(count);
  return types;
}

Result<Types> infer_spmd_coord(const OpFacts& op) {
  SHARDY_TRY_STATUS(group_of(op));
  return Types{index_type()};
}

Result<Types> infer_spmd_device_id(const OpFacts& op) {
  SHARDY_TRY_STATUS(named_mesh(op));
  return Types{index_type()};
}

Result<Types> infer_spmd_undef(const OpFacts& op) {
  SHARDY_TRY(Type type, written_tensor(op));
  if (!type.is_static_tensor()) {
    return fail("result must be a static tensor, got " + to_string(type));
  }
  return Types{std::move(type)};
}

Result<Types> infer_spmd_integer_arithmetic(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kS | kU));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  SHARDY_TRY_STATUS(expect_type_of(op, 1, 0));
  return Types{op.operand_type(0)};
}

Result<Types> infer_spmd_all_gather(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdDimOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of_all(op, attr::kDim, view.dim));
  Types results;
  for (const Type& type : op.operand_types()) {
    SHARDY_TRY(Type result, gathered(type, dim, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_all_reduce(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY_STATUS(group_of(op));
  SHARDY_TRY_STATUS(expect_reducer_of_operands(op));
  return op.operand_types();
}

Result<Types> infer_spmd_reduce_scatter(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdDimOp>(op.attributes));
  SHARDY_TRY(const std::size_t dim, dim_of_all(op, attr::kDim, view.dim));
  SHARDY_TRY_STATUS(expect_reducer_of_operands(op));
  Types results;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY(Type result, scattered(op, index, dim, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_all_to_all(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdAllToAllOp>(op.attributes));
  SHARDY_TRY(const std::size_t split, dim_of_all(op, attr::kSplitDim, view.split_dim));
  SHARDY_TRY(const std::size_t concat, dim_of_all(op, attr::kConcatDim, view.concat_dim));
  Types results;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    SHARDY_TRY(const Type block, scattered(op, index, split, group.size));
    SHARDY_TRY(Type result, gathered(block, concat, group.size));
    results.push_back(std::move(result));
  }
  return results;
}

Result<Types> infer_spmd_broadcast_from(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdBroadcastFromOp>(op.attributes));
  const int64_t root = view.root;
  if (root < 0 || root >= group.size) {
    return fail("root must be in range [0, " + std::to_string(group.size) + "), got " +
                std::to_string(root));
  }
  return op.operand_types();
}

// ---- permute ------------------------------------------------------------------------------------

Result<Types> infer_spmd_permute(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY(const Group group, group_of(op));
  SHARDY_TRY(const auto view, read_view<SpmdPermuteOp>(op.attributes));
  SHARDY_TRY_STATUS(check_map(group, *view.map));
  return op.operand_types();
}

Result<Types> infer_same_tensor(const OpFacts& op) {
  if (TypeShape(op.operand_type(0)).kind() == ValueShape::Kind::NotShaped) {
    return fail("operand 0 must be a tensor, got " + to_string(op.operand_type(0)));
  }
  return op.operand_types();
}

Result<Types> infer_sharding_group(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_ranked(op));
  SHARDY_TRY_STATUS(read_view<ShardingGroupOp>(op.attributes));
  return Types();
}

Result<Types> infer_propagation_barrier(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<PropagationBarrierOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_enumerator(op, attr::kAllowedDirection));
  if (view.direction == "BOTH") return fail("cannot specify BOTH as the direction");
  SHARDY_TRY_STATUS(expect_ranked(op));
  return op.operand_types();
}

Result<Types> infer_named_computation(const OpFacts& op) {
  SHARDY_TRY_STATUS(required<std::string>(op, attr::kName, "a string"));
  const Types args = region_arg_types(op, 0);
  if (args.size() != op.num_operands()) {
    return fail("number of block arguments must match the number of operands: " +
                std::to_string(args.size()) + " != " + std::to_string(op.num_operands()));
  }
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (args[index] == op.operand_type(index)) continue;
    return fail("expected the type of the " + std::to_string(index) +
                "'th block argument to match the type of the corresponding operand: '" +
                to_string(args[index]) + "' vs '" + to_string(op.operand_type(index)) + "'");
  }
  return returned_types(op, 0);
}

/// Returns the written types. verify_sharding.cpp checks them against the body and the shardings.
Result<Types> infer_manual_computation(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<ManualComputationOp>(op.attributes));
  const std::vector<TensorSharding>& out = view.out->shardings;
  if (!op.result_types.empty()) return Types(op.result_types.begin(), op.result_types.end());
  const Types local = returned_types(op, 0);
  if (local.size() != out.size()) {
    return fail("result shardings don't match number of values: " + std::to_string(out.size()) +
                " shardings vs " + std::to_string(local.size()) + " values");
  }
  Types results;
  for (std::size_t index = 0; index < local.size(); ++index) {
    SHARDY_TRY(Type type, global_type(local[index], out[index], view.manual_axes->names));
    results.push_back(std::move(type));
  }
  return results;
}

}  // namespace shardy::ir

// StableHLO collectives. Spec: stablehlo 31.2, 31.3.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"

namespace shardy::ir {

namespace {

/// The groups that `replica_groups` gives; nothing if their size is known only to a run.
struct ReplicaGroups {
  std::size_t size = 0;  // of each group
  bool known = false;
};

bool may_be_ragged(OpKind kind) {
  return kind == OpKind::AllReduce || kind == OpKind::CollectiveReduce ||
         kind == OpKind::CrossReplicaSum;
}

/// How many elements tell all: a splat may promise more of them than memory holds.
int64_t num_telling(const Literal& literal) {
  return literal.is_splat() ? std::min<int64_t>(literal.num_elements(), 2) : literal.num_elements();
}

/// No id twice, and 0..n-1 all there, but where replicas may be in no group. Spec: stablehlo 31.2.
Status expect_all_replicas(const OpFacts& op, const Literal& groups) {
  Dims ids;
  for (int64_t index = 0; index < num_telling(groups); ++index) {
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

/// A group has the members of its row in every partition, of which the run knows the number.
bool spans_partitions(const OpFacts& op) {
  const bool is_reduction =
      op.kind == OpKind::AllGather || op.kind == OpKind::ReduceScatter || may_be_ragged(op.kind);
  return is_reduction && op.attributes.contains(attr::kChannelHandle) &&
         !op.attributes.contains(attr::kUseGlobalDeviceIds);
}

Result<ReplicaGroups> replica_groups(const OpFacts& op) {
  if (op.attributes.contains(attr::kUseGlobalDeviceIds) &&
      !op.attributes.contains(attr::kChannelHandle)) {
    return fail("use_global_device_ids needs a channel_handle");
  }
  const Attribute* attribute = op.attributes.find(attr::kReplicaGroups);
  const auto* groups = attribute ? attribute->as<Literal>() : nullptr;
  if (!groups) return ReplicaGroups{};
  const Type& type = groups->type();
  if (type.rank() != 2 || type.element() != ElementType::I64) {
    return fail("replica groups should be a rank 2 tensor");
  }
  if (type.num_elements() == 0) {
    if (op.attributes.contains(attr::kUseGlobalDeviceIds)) {
      return fail("replica_groups cannot be empty");
    }
    return ReplicaGroups{};
  }
  SHARDY_TRY_STATUS(expect_all_replicas(op, *groups));
  return ReplicaGroups{static_cast<std::size_t>(type.dim(1)), !spans_partitions(op)};
}

Result<std::size_t> dim_of(const OpFacts& op, std::string_view name, int64_t dim) {
  SHARDY_TRY_STATUS(expect_dim(name, dim, op.operand_type(0).dims().size()));
  return static_cast<std::size_t>(dim);
}

bool is_multiple(int64_t whole, int64_t part, int64_t times) {
  return whole == kDynamicDim || part == kDynamicDim || checked_mul(part, times) == whole;
}

/// The operands that carry data: all, or all but the root of each of them. Spec: stablehlo 31.3.
Result<std::size_t> num_data_operands(const OpFacts& op) {
  if (!op.attributes.contains(attr::kHasDynamicRoot)) return op.num_operands();
  const std::size_t count = op.num_operands() - 1;
  const Type wanted = Type::tensor({static_cast<int64_t>(count)}, ElementType::I32);
  if (compatible(op.operand_type(count), wanted)) return count;
  return fail(operand_name(count) + ", the roots, must be " + to_string(wanted) + ", got " +
              to_string(op.operand_type(count)));
}

/// Written results, of the rank and, but for `free`, of the sizes of the first `count` operands.
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

/// The written sizes with the elements that follow.
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

/// One reducer for all operands, which have one element type or are converted to its own.
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

}  // namespace

Result<Types> infer_all_gather(const OpFacts& op) {
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
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

/// Also collective_reduce and cross-replica-sum: results like operands, elements of the region.
Result<Types> infer_all_reduce(const OpFacts& op) {
  SHARDY_TRY_STATUS(replica_groups(op));
  SHARDY_TRY(const std::size_t count, num_data_operands(op));
  SHARDY_TRY_STATUS(expect_like_operands(op, count, std::nullopt));
  SHARDY_TRY(const std::vector<ElementType> elements, reduced_elements(op, count));
  return written_with(op, elements);
}

Result<Types> infer_reduce_scatter(const OpFacts& op) {
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
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
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
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

}  // namespace shardy::ir

// StableHLO collectives. Spec: stablehlo 31.2, 31.3.
#include <algorithm>

#include "infer_families.hpp"

namespace shardy::ir {

namespace {

/// The rows of `replica_groups`; nothing if they are those of a mesh, which only a run knows.
struct ReplicaGroups {
  std::size_t size = 0;  // of each group
  bool known = false;
};

bool may_be_ragged(OpKind kind) {
  return kind == OpKind::AllReduce || kind == OpKind::CollectiveReduce ||
         kind == OpKind::CrossReplicaSum;
}

/// No id twice, and 0..n-1 all there.
Status expect_all_replicas(const OpFacts& op, const Literal& groups) {
  const int64_t count = groups.num_elements();
  std::vector<bool> seen(static_cast<std::size_t>(count), false);
  int64_t ids = 0;
  for (int64_t index = 0; index < count; ++index) {
    const auto id = groups.at<int64_t>(index);
    if (id == -1 && may_be_ragged(op.kind)) continue;
    if (id < 0) return fail("Invalid replica id " + std::to_string(id));
    ++ids;
    if (id >= count) continue;
    if (seen[static_cast<std::size_t>(id)]) {
      return fail("replica id #" + std::to_string(id) + " seen more than once");
    }
    seen[static_cast<std::size_t>(id)] = true;
  }
  for (int64_t id = 0; id < ids; ++id) {
    if (!seen[static_cast<std::size_t>(id)]) {
      return fail("replica id #" + std::to_string(id) + " not seen in replica groups");
    }
  }
  return {};
}

Result<ReplicaGroups> replica_groups(const OpFacts& op) {
  const Attribute* attribute = op.attributes.find("replica_groups");
  const auto* groups = attribute ? attribute->as<Literal>() : nullptr;
  if (!groups) return ReplicaGroups{};
  const Type& type = groups->type();
  if (type.rank() != 2 || type.element() != ElementType::I64) {
    return fail("replica groups should be a rank 2 tensor");
  }
  if (type.num_elements() == 0) {
    if (op.attributes.contains("use_global_device_ids")) {
      return fail("replica_groups cannot be empty");
    }
    return ReplicaGroups{};
  }
  SHARDY_TRY_STATUS(expect_all_replicas(op, *groups));
  return ReplicaGroups{static_cast<std::size_t>(type.dim(1)), true};
}

Result<std::size_t> dim_of(const OpFacts& op, std::string_view name) {
  SHARDY_TRY(const int64_t dim, required_integer(op, name));
  SHARDY_TRY_STATUS(expect_dim(name, dim, op.operand_type(0).dims().size()));
  return static_cast<std::size_t>(dim);
}

/// The size of a dim of the result: what was written, or what follows.
Status expect_grown(const Type& operand, const Type& result, std::size_t dim, int64_t times) {
  const int64_t from = operand.dim(dim);
  const int64_t to = result.dim(dim);
  if (from == kDynamicDim || to == kDynamicDim || checked_mul(from, times) == to) return {};
  return fail("result dim " + std::to_string(dim) + " must be " + std::to_string(times) +
              " times that of the operand, got " + to_string(operand) + " and " +
              to_string(result));
}

/// Written results, of the rank and, but for `free`, of the sizes of the operands.
Status expect_like_operands(const OpFacts& op, std::optional<std::size_t> free) {
  if (op.result_types.size() != op.num_operands()) {
    return fail("expects as many results as operands, got " +
                std::to_string(op.result_types.size()));
  }
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
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

Types written(const OpFacts& op) { return {op.result_types.begin(), op.result_types.end()}; }

}  // namespace

Result<Types> infer_all_gather(const OpFacts& op) {
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const std::size_t dim, dim_of(op, "all_gather_dim"));
  SHARDY_TRY_STATUS(expect_like_operands(op, dim));
  for (std::size_t index = 0; groups.known && index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_grown(op.operand_type(index), op.result_types[index], dim,
                                   static_cast<int64_t>(groups.size)));
  }
  return written(op);
}

/// Also collective_reduce and cross-replica-sum: results like operands, elements of the region.
Result<Types> infer_all_reduce(const OpFacts& op) {
  SHARDY_TRY_STATUS(replica_groups(op));
  if (!op.attributes.contains("has_dynamic_root")) {
    SHARDY_TRY_STATUS(expect_like_operands(op, std::nullopt));
  }
  if (!op.regions.empty() && region_arg_types(op, 0).size() != 2) {
    return fail("region 0: expects 2 block arguments, got " +
                std::to_string(region_arg_types(op, 0).size()));
  }
  return written(op);
}

Result<Types> infer_reduce_scatter(const OpFacts& op) {
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const std::size_t dim, dim_of(op, "scatter_dimension"));
  SHARDY_TRY_STATUS(expect_like_operands(op, dim));
  if (groups.known) {
    SHARDY_TRY_STATUS(expect_grown(op.result_types[0], op.operand_type(0), dim,
                                   static_cast<int64_t>(groups.size)));
  }
  return written(op);
}

Result<Types> infer_all_to_all(const OpFacts& op) {
  SHARDY_TRY(const ReplicaGroups groups, replica_groups(op));
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const std::size_t split, dim_of(op, "split_dimension"));
  SHARDY_TRY(const std::size_t concat, dim_of(op, "concat_dimension"));
  SHARDY_TRY(const int64_t count, required_integer(op, "split_count"));
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
  const auto* pairs = op.attributes.get<Literal>("source_target_pairs");
  if (!pairs) return op.operand_types();
  const Type& type = pairs->type();
  if (type.rank() != 2 || type.dim(1) != 2 || type.element() != ElementType::I64) {
    return fail("expect source_target_pairs attribute of shape (N, 2), but got " + to_string(type));
  }
  for (int64_t side = 0; side < 2; ++side) {
    Dims ids;
    for (int64_t row = 0; row < type.dim(0); ++row)
      ids.push_back(pairs->at<int64_t>(2 * row + side));
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
  Types types = op.operand_types();
  if (op.attributes.contains("has_dynamic_root")) types.pop_back();
  return types;
}

}  // namespace shardy::ir

// Values computed from constants and iota are recomputed on each device instead of being sent.
// Spec: partitioning 8.25.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = iota [{"x"}]                          %0 = iota, replicated
//   %1 = reshape %0 [{"x"}, {}]           ->   %1 = reshape %0, replicated
//   (elements change their device)             %2 = sdy.reshard %1 [{"x"}, {}]: a local slice
//
//   %0 = iota [{"x"}, {}]                      %0 = iota [{}, {"x"}]
//   %1 = sine %0 [{"x"}, {}]              ->   %1 = sine %0 [{}, {"x"}]
//   %2 = sdy.reshard %1 [{}, {"x"}]
//   (more bytes than each device may compute whole; also through broadcasts)
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

constexpr int64_t kMostBytes = int64_t{1}
                               << 20;  // limit of the bytes of a value that every device computes
constexpr std::size_t kMostOps = 100;  // limit of the ops that are recomputed for one value

bool is_leaf(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyConstant) || module.is(op, OpKind::Constant) ||
         module.is(op, OpKind::Iota);
}

/// Returns true for cheap ops whose result is constant if their operands are.
bool is_cheap(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::BitcastConvert:
    case OpKind::Concatenate:
    case OpKind::DynamicSlice:
    case OpKind::Pad:
    case OpKind::Reverse:
    case OpKind::SdyReshard:
    case OpKind::Transpose:
      return true;
    default:
      return keeps_constants(module, op);
  }
}

/// The set of values that cheap ops compute from constants and iota.
class Constants {
 public:
  explicit Constants(const Module& module) : module_(module) {}

  bool contains(ValueId value) {
    int budget = static_cast<int>(kMostOps);
    return is_constant(value, budget);
  }

 private:
  bool is_constant(ValueId value, int& budget) {
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    const OpId op = module_.defining_op(value);
    bool is = op.valid() && --budget >= 0 && module_.num_results(op) == 1 &&
              module_.type(value).is_static_tensor() &&
              module_.type(value).num_bytes() <= kMostBytes && module_.regions(op).empty();
    if (is && !is_leaf(module_, op)) {
      is = is_pure_static(module_, op) && is_cheap(module_, op) &&
           std::ranges::all_of(module_.operands(op),
                               [&](ValueId operand) { return is_constant(operand, budget); });
    }
    if (budget >= 0) known_.emplace(value, is);
    return is;
  }

  const Module& module_;
  std::unordered_map<ValueId, bool> known_;
};

bool is_splat(const Module& module, OpId op) {
  if (!module.is(op, OpKind::Constant) && !module.is(op, OpKind::SdyConstant)) return false;
  const auto* const elements = module.attribute<ir::Literal>(op, ir::attr::kValue);
  return elements != nullptr && elements->is_splat();
}

/// Checks whether elementwise ops compute the value from iota and constants of equal elements, so
/// that a device can compute any shard of it alone. `seen` has the values that were checked.
bool is_computed_by_shard(const Module& module, ValueId value, Constants& constants,
                          std::unordered_set<ValueId>& seen) {
  if (!seen.insert(value).second) return true;  // else the check has ended
  const OpId op = module.defining_op(value);
  const bool is_candidate = op.valid() && seen.size() <= kMostOps && module.num_results(op) == 1 &&
                            module.type(value).is_static_tensor();
  if (!is_candidate) return false;
  if (module.is(op, OpKind::Iota) || is_splat(module, op)) return true;
  if (module.type(value).rank() == 0) return constants.contains(value);
  return is_pure_static(module, op) &&
         (is_elementwise(module, op) || module.is(op, OpKind::BroadcastInDim)) &&
         std::ranges::all_of(module.operands(op), [&](ValueId operand) {
           return is_computed_by_shard(module, operand, constants, seen);
         });
}

/// Checks whether a reshard from `from` to `to` only slices.
bool only_slices(const TensorSharding& from, const TensorSharding& to) {
  if (from.mesh() != to.mesh() || from.rank() != to.rank()) return from.is_fully_replicated();
  for (std::size_t dim = 0; dim < from.rank(); ++dim) {
    if (greatest_common_prefix(from.dim(dim).axes, to.dim(dim).axes) != from.dim(dim).axes) {
      return false;
    }
  }
  return true;
}

bool is_sharded(const std::optional<TensorSharding>& sharding) {
  return sharding && !sharding->is_fully_replicated();
}

/// Checks whether a dim has uneven shards.
bool is_uneven(const Module& module, ValueId value, const std::optional<TensorSharding>& sharding) {
  if (!sharding) return false;
  const auto dims = module.type(value).dims();
  for (std::size_t dim = 0; dim < dims.size() && dim < sharding->rank(); ++dim) {
    if (dims[dim] % sharding->dim(dim).sharded_size() != 0) return true;
  }
  return false;
}

/// Checks whether the op moves elements between devices because its result is sharded.
bool moves_elements(const Module& module, OpId op) {
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, result);
  switch (module.kind(op)) {
    case OpKind::Reshape: {
      const ValueId operand = module.operand(op, 0);
      return is_uneven(module, result, sharding) ||
             is_uneven(module, operand, ir::get_sharding(module, operand));
    }
    case OpKind::Concatenate:
    case OpKind::DynamicSlice:
    case OpKind::Pad:
    case OpKind::Reverse:
    case OpKind::Slice:
      return is_sharded(sharding);
    default:
      return false;
  }
}

/// Returns the sharding of the operand of a broadcast whose result has the sharding.
TensorSharding broadcast_source(const Module& module, OpId op, const TensorSharding& result) {
  const ir::Type& from = module.type(module.operand(op, 0));
  const ir::Type& to = module.type(module.result(op));
  const auto mapped_dims = ir::view<ir::BroadcastInDimOp>(module, op).dims;
  std::vector<AxisList> axes;
  for (std::size_t dim = 0; dim < mapped_dims.size(); ++dim) {
    const auto at = static_cast<std::size_t>(mapped_dims[dim]);
    axes.push_back(from.dim(dim) == to.dim(at) ? result.dim(at).axes : AxisList());
  }
  return TensorSharding::closed(result.mesh_ref(), std::move(axes));
}

/// Copies of the ops that compute a value, inserted before an op. They are replicated, or have the
/// shardings with which the last one gets the given sharding. A value may get several copies.
class Recomputation {
 public:
  Recomputation(Module& module, OpId before) : module_(module), before_(before) {}

  ValueId copy_of(ValueId value,
                  const explicit_reshards::OptionalSharding& sharding = std::nullopt) {
    for (const auto& [known, copy] : copies_[value]) {
      if (known == sharding) return copy;
    }
    const OpId op = module_.defining_op(value);
    const ValueId copy = module_.is(op, OpKind::SdyReshard)
                             ? copy_of(module_.operand(op, 0), sharding)
                             : copy_of_op(op, sharding);
    copies_[value].emplace_back(sharding, copy);
    return copy;
  }

 private:
  ValueId copy_of_op(OpId op, const explicit_reshards::OptionalSharding& sharding) {
    ValueMap map;
    for (const ValueId operand : module_.operands(op)) {
      explicit_reshards::OptionalSharding of_operand = sharding;
      if (module_.type(operand).rank() == 0) {
        of_operand.reset();
      } else if (sharding && module_.is(op, OpKind::BroadcastInDim)) {
        of_operand = broadcast_source(module_, op, *sharding);
      }
      map.emplace(operand, copy_of(operand, of_operand));
    }
    const OpId copy = clone_op(module_, op, map);
    module_.attributes(copy).erase(ir::kShardingAttr);
    if (sharding) ir::set_sharding(module_, module_.result(copy), *sharding);
    module_.insert_before(before_, copy);
    return module_.result(copy);
  }

  Module& module_;
  OpId before_;
  std::unordered_map<ValueId, std::vector<std::pair<explicit_reshards::OptionalSharding, ValueId>>>
      copies_;
};

/// Replaces the operand of the reshard by a copy that already has the sharding of the reshard, or
/// by a replicated copy of which the reshard only takes a slice.
void recompute_for_reshard(Module& module, OpId reshard, Constants& constants) {
  const ValueId value = module.operand(reshard, 0);
  const TensorSharding to = *module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  const auto from = ir::get_sharding(module, value);
  const bool moves = is_sharded(from) && from->unreduced_axes().empty() &&
                     to.unreduced_axes().empty() && !only_slices(*from, to);
  if (!moves) return;
  std::unordered_set<ValueId> seen;
  if (from->mesh() == to.mesh() && is_computed_by_shard(module, value, constants, seen)) {
    module.set_operand(reshard, 0, Recomputation(module, reshard).copy_of(value, to));
  } else if (constants.contains(value)) {
    module.set_operand(reshard, 0, Recomputation(module, reshard).copy_of(value));
  }
}

/// Makes users of the result use a slice of a replicated copy.
void recompute_for_users(Module& module, OpId op, Constants& constants) {
  if (module.num_results(op) != 1 || !moves_elements(module, op)) return;
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, result);
  if (!constants.contains(result)) return;
  const ValueId whole = Recomputation(module, op).copy_of(result);
  if (!is_sharded(sharding)) {
    module.replace_all_uses(result, whole);
    return;
  }
  const OpId reshard = module.create(reshard_op(module, whole, *sharding));
  module.insert_before(op, reshard);
  module.replace_all_uses(result, module.result(reshard));
}

}  // namespace

FreeTensors explicit_reshards::recomputed_operands(const Module& module, OpId op) {
  Constants constants(module);
  FreeTensors free(module.num_operands(op) + module.num_results(op));
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    std::unordered_set<ValueId> seen;
    const ValueId operand = module.operand(op, index);
    free[index] =
        constants.contains(operand) || is_computed_by_shard(module, operand, constants, seen);
  }
  return free;
}

void recompute_constants(Module& module) {
  Constants constants(module);
  std::vector<OpId> ops;
  for (const OpId op : ir::post_order(module)) ops.push_back(op);
  for (const OpId op : ops) {
    if (module.is(op, OpKind::SdyReshard)) {
      recompute_for_reshard(module, op, constants);
    } else {
      recompute_for_users(module, op, constants);
    }
  }
}

}  // namespace shardy::passes

// Adds ops that users write explicitly to random programs: barriers, unreduced results,
// collectives.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/random_maker.hpp"
#include "ir/op_facts.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::checking {

bool RandomMaker::add_barrier() {
  constexpr std::array<const char*, 3> kDirections = {"NONE", "FORWARD", "BACKWARD"};
  const ValueId value = any();
  AttributeMap attributes;
  attributes.set(ir::attr::kAllowedDirection,
                 ir::EnumAttr{"sdy.propagation_direction",
                              random_.pick(std::span<const char* const>(kDirections))});
  return emit_simple(OpKind::SdyPropagationBarrier, {value}, known(value), std::move(attributes));
}

std::optional<ValueId> RandomMaker::add_constrained(ValueId value, TensorSharding sharding) {
  AttributeMap attributes;
  attributes.set(ir::attr::kSharding, std::move(sharding));
  if (!emit_simple(OpKind::SdyShardingConstraint, {value}, known(value), std::move(attributes))) {
    return std::nullopt;
  }
  return values_.back();
}

// ---- Unreduced results --------------------------------------------------------------------------

namespace {

/// Returns the reduction op of a reducer; std::nullopt if annotations cannot express it.
std::optional<ReductionOp> reduction_of(const ir::Module& module, OpId op) {
  const auto reducers = ir::recognized_reducers(module, op, module.num_results(op));
  if (!reducers) return std::nullopt;
  return ir::reduction_of(reducers->front());
}

/// Returns the sharding without `axes` in its dims and with these axes unreduced.
TensorSharding unreduced_over(const TensorSharding& sharding, const AxisList& axes,
                              ReductionOp op) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) truncate_without_overlap(dim.axes, axes);
  return sharding.with_replicated({}).with_dims(std::move(dims)).with_unreduced(axes, op);
}

}  // namespace

/// Adds an op whose result has the unreduced axes of the op before it, even if the new op has
/// another reduction. Only an op that performs another reduction may introduce one that is not a
/// sum. Returns false if nothing was added. Spec: passes 5.13.
bool RandomMaker::add_link(AxisList& unreduced, ReductionOp& reduction,
                           std::vector<ValueId>& chain) {
  constexpr std::array<Step, 18> kSteps = {
      &RandomMaker::add_unary,          &RandomMaker::add_binary,      &RandomMaker::add_binary,
      &RandomMaker::add_binary,         &RandomMaker::add_select,      &RandomMaker::add_clamp,
      &RandomMaker::add_compare,        &RandomMaker::add_convert,     &RandomMaker::add_constant,
      &RandomMaker::add_integer_binary, &RandomMaker::add_broadcast,   &RandomMaker::add_reshape,
      &RandomMaker::add_transpose,      &RandomMaker::add_reduce,      &RandomMaker::add_dot,
      &RandomMaker::add_slice,          &RandomMaker::add_concatenate, &RandomMaker::add_pad};
  if (!(this->*random_.pick(std::span<const Step>(kSteps)))()) return false;
  const ValueId made = values_.back();
  const OpId op = module_.defining_op(made);
  const std::vector<ValueId> operands = module_.operands(op);
  const bool continues = std::ranges::any_of(
      operands, [&](ValueId operand) { return std::ranges::find(chain, operand) != chain.end(); });
  if (!continues) {
    const auto own = module_.is(op, OpKind::Reduce) ? reduction_of(module_, op)
                                                    : std::optional(ReductionOp::Sum);
    if (chain.empty() && own) reduction = *own;
    if (own != reduction) return false;
  }
  const TensorSharding base = any_sharding(made);
  if (chain.empty()) {
    const TensorSharding random =
        random_sharding(random_, mesh_, rank(made), bound_, Summands::Some);
    unreduced = random.unreduced_axes();
  }
  const TensorSharding sharding = unreduced_over(base.with_mesh({mesh_, "mesh"}), unreduced,
                                                 unreduced.empty() ? ReductionOp::Sum : reduction);
  ir::set_sharding(module_, made, sharding);
  chain.push_back(made);
  return true;
}

/// Adds a chain of integer ops whose results have equal unreduced axes. A constraint ends the
/// chain, and only the constraint's result is used by other ops.
bool RandomMaker::add_unreduced() {
  if (!may_shard()) return false;
  const std::vector<ValueId> before = values_;
  std::erase_if(values_, [&](ValueId value) {
    return ir::is_float(element(value)) || !known(value).integral;
  });
  if (values_.empty()) {
    values_ = before;
    return false;
  }
  AxisList unreduced;
  ReductionOp reduction = ReductionOp::Sum;
  std::vector<ValueId> chain;
  for (int64_t links = random_.between(1, 4); links > 0; --links) {
    const std::vector<ValueId> visible = values_;
    if (!add_link(unreduced, reduction, chain)) {
      values_ = visible;
      continue;
    }
    const ValueId made = values_.back();
    values_ = visible;
    // Makes later uses likely.
    if (!ir::is_float(element(made))) values_.insert(values_.end(), 2, made);
  }
  values_ = before;
  for (const ValueId link : chain) {
    if (!add_constrained(link, any_sharding(link).with_mesh({mesh_, "mesh"}))) return false;
  }
  return !chain.empty();
}

// ---- Collectives --------------------------------------------------------------------------------

/// Adds collectives between two closed shardings. `make` converts a reshard to the collectives.
bool RandomMaker::add_collectives() {
  if (!may_shard()) return false;
  const ValueId value = any();
  const auto closed = [&] {
    const TensorSharding sharding = any_sharding(value);
    return sharding.closed_like();
  };
  const auto constrained = add_constrained(value, closed());
  if (!constrained) return false;
  AttributeMap attributes;
  attributes.set(ir::attr::kSharding, closed());
  ungrouped_.push_back(*constrained);
  if (!emit_simple(OpKind::SdyReshard, {*constrained}, known(value), std::move(attributes))) {
    return false;
  }
  ungrouped_.push_back(values_.back());
  return true;
}

/// Adds an all_reduce of a value that is complete along the axes of the all_reduce.
bool RandomMaker::add_idle_reduction() {
  if (!may_shard()) return false;
  const ValueId value = any();
  const TensorSharding sharding = any_sharding(value).closed_like();
  AxisList axes;
  for (int32_t axis = 0; axis < mesh_.num_axes(); ++axis) {
    const AxisRef full = mesh_.full_axis(axis);
    const bool shards_dim = std::ranges::any_of(
        sharding.dims(), [&](const DimSharding& dim) { return overlaps(full, dim.axes); });
    if (!shards_dim && !bound_.has(mesh_, full) && random_.chance(2)) axes.push_back(full);
  }
  if (axes.empty()) return false;
  const auto constrained = add_constrained(value, sharding);
  if (!constrained) return false;
  AttributeMap attributes;
  attributes.set(ir::attr::kReductionAxes, ir::AxesAttr{sharding.mesh(), std::move(axes)});
  attributes.set(ir::attr::kOutSharding, sharding);
  ungrouped_.push_back(*constrained);
  if (!emit_simple(OpKind::SdyAllReduce, {*constrained}, known(value), std::move(attributes))) {
    return false;
  }
  ungrouped_.push_back(values_.back());
  return true;
}

bool RandomMaker::add_annotation() {
  std::vector<Step> steps;
  if (options_.barriers) steps.push_back(&RandomMaker::add_barrier);
  if (options_.unreduced) steps.push_back(&RandomMaker::add_unreduced);
  if (options_.collectives) {
    steps.insert(steps.end(), {&RandomMaker::add_collectives, &RandomMaker::add_idle_reduction});
  }
  return !steps.empty() && (this->*random_.pick(steps))();
}

// StableHLO collectives in the bodies of manual computations, as `shard_map` creates them.

namespace {

/// The limit of elements of a gathered result.
constexpr int64_t kMaxElements = 20000;

bool reduces(OpKind kind) {
  return kind == OpKind::AllReduce || kind == OpKind::ReduceScatter ||
         kind == OpKind::CollectiveReduce;
}

bool names_devices(OpKind kind) { return reduces(kind) || kind == OpKind::AllGather; }

IntegerAttr number(int64_t value) { return {value, ElementType::I64}; }

}  // namespace

/// Returns some of the manual axes around the op, in any order.
AxisList RandomMaker::any_manual_axes() {
  AxisList axes;
  for (const std::string& name : bound_.names()) {
    axes.push_back(mesh_.full_axis(*mesh_.find_axis(name)));
  }
  while (axes.size() > 1 && random_.chance(2)) {
    axes.erase(axes.begin() + random_.between(0, std::ssize(axes) - 1));
  }
  if (random_.chance(2)) std::ranges::reverse(axes);
  return axes;
}

/// Pairs each device of a group with the device `distance` further. Sometimes, the last devices
/// have no target.
ir::Attribute RandomMaker::any_pairs(const AxisList& axes) {
  std::vector<int64_t> numbers;
  const auto groups = replica_groups(mesh_, axes);
  const int64_t size = std::ssize(groups.front());
  const int64_t distance = random_.between(-(size - 1), size - 1);
  const bool wraps = random_.chance(2);
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t rank = 0; rank < size; ++rank) {
      const int64_t target = rank + distance;
      if (!wraps && (target < 0 || target >= size)) continue;
      numbers.push_back(group[static_cast<std::size_t>(rank)]);
      numbers.push_back(group[static_cast<std::size_t>((target + size) % size)]);
    }
  }
  return partitioning::matrix(numbers, std::ssize(numbers) / 2);
}

/// Returns the result type and adds the attributes that list dims. Returns std::nullopt if the
/// group size does not divide a dim.
std::optional<Type> RandomMaker::exchanged_type(OpSpec& spec, ValueId value, int64_t size) {
  std::vector<int64_t> sizes = dims(value);
  const bool moves_dims = spec.kind == OpKind::AllGather || spec.kind == OpKind::ReduceScatter ||
                          spec.kind == OpKind::AllToAll;
  if (!moves_dims) return type(value);
  if (sizes.empty()) return std::nullopt;
  const auto any_dim = [&] { return random_.between(0, std::ssize(sizes) - 1); };
  const int64_t split = any_dim();
  const int64_t joined = spec.kind == OpKind::AllToAll ? any_dim() : split;
  if (spec.kind == OpKind::AllGather) {
    spec.attributes.set(ir::attr::kAllGatherDim, number(joined));
  } else {
    if (sizes[static_cast<std::size_t>(split)] % size != 0) return std::nullopt;
    sizes[static_cast<std::size_t>(split)] /= size;
  }
  if (spec.kind == OpKind::ReduceScatter) {
    spec.attributes.set(ir::attr::kScatterDimension, number(split));
  } else {
    sizes[static_cast<std::size_t>(joined)] *= size;
  }
  if (spec.kind == OpKind::AllToAll) {
    spec.attributes.set(ir::attr::kSplitDimension, number(split));
    spec.attributes.set(ir::attr::kConcatDimension, number(joined));
    spec.attributes.set(ir::attr::kSplitCount, number(size));
  }
  return Type::tensor(std::move(sizes), element(value));
}

/// Adds a StableHLO collective. Uses reducers whose results do not depend on the order, because the
/// range of floats is unknown here.
bool RandomMaker::add_process_collective() {
  constexpr std::array kKinds = {OpKind::AllGather,         OpKind::AllReduce,
                                 OpKind::AllToAll,          OpKind::CollectiveBroadcast,
                                 OpKind::CollectivePermute, OpKind::CollectivePermute,
                                 OpKind::ReduceScatter,     OpKind::CollectiveReduce};
  const ValueId value = any();
  OpSpec spec{.kind = random_.pick(std::span<const OpKind>(kKinds))};
  spec.operands = {value};
  const AxisList axes = any_manual_axes();
  const int64_t size = sharding_size(axes);
  const auto result = exchanged_type(spec, value, size);
  if (!result || result->num_elements() > kMaxElements) return false;
  spec.result_types = {*result};
  if (spec.kind == OpKind::CollectivePermute) {
    spec.attributes.set(ir::attr::kSourceTargetPairs, any_pairs(axes));
  } else {
    const bool is_mesh = random_.chance(3);
    spec.attributes.set(
        ir::attr::kReplicaGroups,
        is_mesh ? partitioning::mesh_groups("@mesh", mesh_, axes)
                : partitioning::listed_groups(mesh_, axes, random_.between(0, size - 1)));
  }
  spec.attributes.set(ir::attr::kChannelHandle, partitioning::channel_handle(++last_channel_));
  if (names_devices(spec.kind)) {
    spec.attributes.set(ir::attr::kUseGlobalDeviceIds, ir::UnitAttr());
  }
  if (reduces(spec.kind)) {
    const bool is_sum = ir::is_integer(element(value)) && random_.chance(2);
    const OpKind extreme = random_.chance(2) ? OpKind::Maximum : OpKind::Minimum;
    spec.regions = {reducer(is_sum ? OpKind::Add : extreme, element(value))};
  }
  remember(module_.result(builder_->create(std::move(spec))), ValueRange{false, 0});
  return true;
}

}  // namespace shardy::checking

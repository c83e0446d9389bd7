// Random ops that users write explicitly: barriers, unreduced results, collectives.
#include <algorithm>
#include <array>
#include <utility>

#include "checking/random_maker.hpp"
#include "ir/op_facts.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::ElementType;
using ir::OpId;
using ir::OpKind;
using ir::OpSpec;
using ir::ValueId;

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

/// How the body of a reduction combines, if an annotation can say so.
std::optional<ReductionOp> reduction_of(const ir::Module& module, OpId op) {
  const auto reducers = ir::recognized_reducers(module, op, module.num_results(op));
  if (!reducers) return std::nullopt;
  return ir::reduction_of(reducers->front());
}

/// The axes of the dims but for those that are unreduced now.
TensorSharding unreduced_over(const TensorSharding& sharding, const AxisList& axes,
                              ReductionOp op) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) truncate_without_overlap(dim.axes, axes);
  return sharding.with_replicated({}).with_dims(std::move(dims)).with_unreduced(axes, op);
}

}  // namespace

/// One more op, annotated as unreduced like those of `chain` before it, whatever it makes of them.
/// False: nothing was added. Only sums may be introduced but where an op itself combines otherwise.
/// Spec: passes 5.13.
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

/// A chain of ops on integers whose results are unreduced alike, with a constraint behind it: it is
/// all that others see.
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
    if (!ir::is_float(element(made))) values_.insert(values_.end(), 2, made);  // likely used
  }
  values_ = before;
  for (const ValueId link : chain) {
    if (!add_constrained(link, any_sharding(link).with_mesh({mesh_, "mesh"}))) return false;
  }
  return !chain.empty();
}

// ---- Collectives --------------------------------------------------------------------------------

/// Collectives on their way from one closed sharding to another: `make` turns the reshard into
/// them.
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

/// An all_reduce of a value that is complete along its axes.
bool RandomMaker::add_idle_reduction() {
  if (!may_shard()) return false;
  const ValueId value = any();
  const TensorSharding sharding = any_sharding(value).closed_like();
  AxisList axes;
  for (int32_t axis = 0; axis < mesh_.num_axes(); ++axis) {
    const AxisRef full = mesh_.full_axis(axis);
    const bool cuts = std::ranges::any_of(
        sharding.dims(), [&](const DimSharding& dim) { return overlaps(full, dim.axes); });
    if (!cuts && !bound_.has(mesh_, full) && random_.chance(2)) axes.push_back(full);
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

}  // namespace shardy::checking

// Rules that sink collectives below the ops that use their results. Spec: resharding C.8.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "ir/operand_roles.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

// ---- Below elementwise ops ----------------------------------------------------------------------
// A collective sinks below the elementwise users of its result. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = sdy.all_gather [{"x"}] %a             %0 = add %a, %b   [{"x"}]
//   %1 = sdy.all_gather [{"x"}] %b        ->   %1 = sdy.all_gather [{"x"}] %0
//   %2 = add %0, %1   [{}]                     (8xf32: 24 bytes sent instead of 48)

namespace {

constexpr std::size_t kMaxLinks = 16;  // limit of the ops below which one collective is sunk

/// An elementwise op below which the collective is sunk, with its new operands.
struct Link {
  OpId op;
  PlacedStep move;  // the collective of its result
  std::vector<ValueId> operands;
  std::vector<std::size_t> sliced = {};  // operands that need an all-slice
  std::vector<OpId> gone = {};           // collectives that become dead
};

bool is_same_move(const PlacedStep& a, const PlacedStep& b) {
  return a.step.kind == b.step.kind && a.step.dim_axes == b.step.dim_axes &&
         a.step.params == b.step.params && dim_axes(a.from) == dim_axes(b.from) &&
         dim_axes(a.step.out) == dim_axes(b.step.out) && a.from.mesh_ref() == b.from.mesh_ref() &&
         b.from.unreduced_axes().empty();
}

/// Checks whether the value has the sharding at the end of the move.
bool is_held_like(const Module& module, ValueId value, const TensorSharding& out) {
  const TensorSharding have = sharding_or_whole(module, value, out);
  return have.mesh_ref() == out.mesh_ref() && dim_axes(have) == dim_axes(out) &&
         have.unreduced_axes().empty();
}

/// Checks whether the dim is unsharded before and after the move.
bool leaves_whole(const PlacedStep& move, std::size_t dim) {
  return dim_axes(move.from)[dim].empty() && dim_axes(move.step.out)[dim].empty();
}

/// Returns the dims that a reduce, slice or dynamic_slice makes shorter; std::nullopt for other
/// ops.
std::optional<std::vector<std::size_t>> narrowed_dims(const Module& module, OpId op) {
  std::vector<std::size_t> narrowed;
  if (module.is(op, OpKind::Reduce) && module.num_results(op) == 1) {
    for (const int64_t dim : ir::view<ir::ReduceOp>(module, op).dims) {
      narrowed.push_back(static_cast<std::size_t>(dim));
    }
    return narrowed;
  }
  if (!module.is(op, OpKind::Slice) && !module.is(op, OpKind::DynamicSlice)) return std::nullopt;
  const auto sizes = module.type(module.operand(op, 0)).dims();
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (module.type(module.result(op)).dim(dim) != sizes[dim]) narrowed.push_back(dim);
  }
  return narrowed;
}

TensorSharding dropping_dims(const TensorSharding& sharding, std::span<const std::size_t> gone) {
  AxisLists kept;
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    if (std::ranges::find(gone, dim) == gone.end()) kept.push_back(dim_axes(sharding)[dim]);
  }
  return TensorSharding::closed(sharding.mesh_ref(), std::move(kept));
}

/// Returns the move of the tensor without the dims `gone`, which the move does not change.
PlacedStep dropping_dims(const PlacedStep& move, std::span<const std::size_t> gone) {
  PlacedStep kept{dropping_dims(move.from, gone), move.step};
  kept.step.out = dropping_dims(move.step.out, gone);
  kept.step.dim_axes.clear();
  for (std::size_t dim = 0; dim < move.step.dim_axes.size(); ++dim) {
    const bool stays = std::ranges::find(gone, dim) == gone.end();
    if (stays) kept.step.dim_axes.push_back(move.step.dim_axes[dim]);
  }
  return kept;
}

/// Returns the move of an op's result if the op makes only dims shorter that are unsharded before
/// and after the move; else std::nullopt.
std::optional<PlacedStep> move_of_narrowed(const Module& module, const PlacedStep& move,
                                           ValueId moved, OpId op) {
  if (module.operand(op, 0) != moved || !is_pure_static(module, op)) return std::nullopt;
  const auto narrowed = narrowed_dims(module, op);
  const bool fits = narrowed && std::ranges::all_of(*narrowed, [&](std::size_t dim) {
                      return leaves_whole(move, dim);
                    });
  if (!fits) return std::nullopt;
  if (!module.is(op, OpKind::Reduce)) return move;
  if (!move.step.params.empty()) return std::nullopt;  // an all-to-all lists dims by number
  return dropping_dims(move, *narrowed);
}

/// Returns the link for `op`, a user of `moved`, if the move can be sunk below it; else
/// std::nullopt.
std::optional<Link> link_after(RewriteContext& context, const PlacedStep& move, ValueId moved,
                               OpId op, Price& before) {
  const Module& module = context.module;
  const bool is_elementwise = is_plain_elementwise(module, op);
  const auto own = is_elementwise ? move : move_of_narrowed(module, move, moved, op);
  if (!own || module.attributes(op).contains(ir::kShardingRuleAttr) ||
      !is_held_like(module, module.result(op), own->step.out) ||
      read_elsewhere(module, module.result(op), own->step.out.mesh())) {
    return std::nullopt;
  }
  Link link{op, *own, module.operands(op)};
  for (std::size_t index = 0; index < link.operands.size(); ++index) {
    const ValueId operand = link.operands[index];
    if (operand == moved || module.type(operand).rank() == 0)
      continue;  // every op that makes dims shorter has it
    const OpId maker = module.defining_op(operand);
    const auto other =
        maker.valid() && only_reader(module, operand) == op ? step_of(module, maker) : std::nullopt;
    if (other && is_same_move(move, *other)) {
      link.operands[index] = module.operand(maker, 0);
      if (std::ranges::find(link.gone, maker) != link.gone.end()) continue;
      link.gone.push_back(maker);
      before += context.price(module.type(operand), *other);
      continue;
    }
    const bool can_be_sliced = move.step.kind == StepKind::AllGather &&
                               is_held_like(module, operand, move.step.out) &&
                               blocks_nest(module.type(operand), move.step.out, move.from);
    if (!can_be_sliced) return std::nullopt;
    link.sliced.push_back(index);
  }
  return link;
}

void apply(Module& module, const PlacedStep& move, const Link& link, ValueId moved, ValueId whole) {
  for (std::size_t index = 0; index < link.operands.size(); ++index) {
    ValueId value = link.operands[index] == moved ? whole : link.operands[index];
    if (std::ranges::find(link.sliced, index) != link.sliced.end()) {
      const ReshardStep slice{
          .kind = StepKind::AllSlice, .dim_axes = move.step.dim_axes, .out = move.from};
      value = emit_steps(module, link.op, value, std::span(&slice, 1));
    }
    module.set_operand(link.op, index, value);
  }
  ir::set_sharding(module, module.result(link.op), link.move.from);
  for (const OpId op : link.gone) module.erase(op);
}

/// Returns the gain if the move after the last link and the move's only user are planned as one
/// change.
std::optional<Gain> joined_with(RewriteContext& context, const Link& last, const Price& before,
                                OpId next) {
  const Module& module = context.module;
  const auto outer = next.valid() ? step_of(module, next) : std::nullopt;
  if (!outer || !only_moves(outer->step.kind)) return std::nullopt;
  const ir::Type& type = module.type(module.operand(next, 0));
  const TensorSharding& from = last.move.from;
  if (outer->from.mesh_ref() != from.mesh_ref()) return std::nullopt;
  const auto steps = context.planners.plan(next, type, from, outer->step.out);
  if (!steps) return std::nullopt;
  if (!users_accept(module, next, steps->empty() ? from : steps->back().out)) return std::nullopt;
  Gain gain{before, context.price(type, from, *steps)};
  gain.before += context.price(type, *outer);
  return gain;
}

/// Inserts the move after the value and redirects all users of the value.
void move_after(Module& module, const PlacedStep& move, ValueId value) {
  const std::vector<ir::Use> uses = module.uses(value);
  const OpId next = module.next(module.defining_op(value));
  const ValueId moved = emit_steps(module, next, value, std::span(&move.step, 1));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, moved);
}

}  // namespace

std::optional<Gain> sink_collectives(RewriteContext& context, OpId op) {
  Module& module = context.module;
  const auto move = step_of(module, op);
  if (!move || !only_moves(move->step.kind) || move->step.kind == StepKind::AllSlice) {
    return std::nullopt;
  }
  const bool fits =
      move->from.unreduced_axes().empty() && move->from.mesh_ref() == move->step.out.mesh_ref();
  if (!fits) return std::nullopt;
  std::vector<Link> links;
  std::size_t num_best = 0;
  bool is_joined = false;
  Gain best;
  Price before = context.price(module.type(module.operand(op, 0)), *move);
  ValueId moved = module.result(op);
  while (links.size() < kMaxLinks) {
    const OpId reader = only_reader(module, moved);
    const PlacedStep& here = links.empty() ? *move : links.back().move;
    auto link = reader.valid() ? link_after(context, here, moved, reader, before) : std::nullopt;
    if (!link) break;
    links.push_back(*std::move(link));
    moved = module.result(reader);
    const auto joined = joined_with(context, links.back(), before, only_reader(module, moved));
    const Gain gain =
        joined.value_or(Gain{before, context.price(module.type(moved), links.back().move)});
    const bool is_gain = is_cheaper(gain.after, gain.before);
    const bool is_more = num_best == 0 || gain.before.bytes - gain.after.bytes >
                                              best.before.bytes - best.after.bytes;
    if (!is_gain || !is_more) continue;
    num_best = links.size();
    is_joined = joined.has_value();
    best = gain;
  }
  if (num_best == 0) return std::nullopt;
  ValueId from = module.result(op);
  ValueId to = module.operand(op, 0);
  for (std::size_t index = 0; index < num_best; ++index) {
    apply(module, index == 0 ? *move : links[index - 1].move, links[index], from, to);
    from = to = module.result(links[index].op);
  }
  module.erase(op);
  const OpId next = only_reader(module, to);
  move_after(module, links[num_best - 1].move, to);
  if (is_joined) join_collectives(context, next);
  return best;
}

// ---- Below conversions --------------------------------------------------------------------------
// The narrowest form of a value is moved. Conversions and scaling follow the move. Spec: resharding
// C.8.
//
//   %1 = convert %w : i8 -> f32                    %1 = sdy.all_gather [{"x"}, {}] %w : i8
//   %2 = multiply %1, broadcast(%scale)       ->   %2 = convert %1 : i8 -> f32
//   %3 = sdy.all_gather [{"x"}, {}] %2 : f32       %3 = multiply %2, broadcast(%scale)

namespace {

constexpr int kMaxOps = 16;  // limit of the ops that are recomputed after the move

/// A move of an earlier value of an elementwise chain. Moves do not change elements, so they
/// commute exactly with elementwise ops.
class NarrowMove {
 public:
  NarrowMove(RewriteContext& context, OpId collective, PlacedStep move)
      : context_(context),
        module_(context.module),
        collective_(collective),
        move_(std::move(move)) {}

  /// Returns the lower one of two costs: to move the value, or to move the operands of its op.
  Price least(ValueId value) {
    const Price whole = context_.price(module_.type(value), move_);
    const auto narrow = price_of_operands(value);
    if (!narrow || !is_cheaper(*narrow, whole)) return whole;
    computed_.push_back(module_.defining_op(value));
    return *narrow;
  }

  /// Creates the value with the sharding at the end of the move. Requires: `least` was called.
  ValueId made(ValueId value) {
    if (const auto found = map_.find(value); found != map_.end()) return found->second;
    const OpId op = module_.defining_op(value);
    const bool is_computed = op.valid() && std::ranges::find(computed_, op) != computed_.end();
    if (!is_computed && !is_free(value)) {
      declare(value, move_.from);
      const ValueId moved = emit_steps(module_, collective_, value, std::span(&move_.step, 1));
      map_.emplace(value, moved);
      return moved;
    }
    if (is_computed) {
      for (const ValueId operand : module_.operands(op)) {
        if (module_.type(operand).rank() > 0) made(operand);
      }
    }
    const OpId copy = clone_op(module_, op, map_);
    module_.insert_before(collective_, copy);
    ir::set_sharding(module_, module_.result(copy), move_.step.out);
    return module_.result(copy);
  }

 private:
  std::optional<Price> price_of_operands(ValueId value) {
    const OpId op = module_.defining_op(value);
    const bool fits = op.valid() && ++num_ops_ <= kMaxOps && is_plain_elementwise(module_, op) &&
                      !module_.attributes(op).contains(ir::kShardingRuleAttr) &&
                      module_.parent_block(op) == module_.parent_block(collective_);
    if (!fits) return std::nullopt;
    Price all;
    std::vector<ValueId> seen;
    for (const ValueId operand : module_.operands(op)) {
      if (std::ranges::find(seen, operand) != seen.end()) continue;
      seen.push_back(operand);
      if (module_.type(operand).rank() == 0 || is_free(operand)) continue;
      if (!is_held(operand)) return std::nullopt;
      all += least(operand);
    }
    return all;
  }

  /// Checks whether the value needs no move: it is replicated, or all its elements are equal.
  bool is_free(ValueId value) const {
    const OpId op = module_.defining_op(value);
    if (!op.valid()) return false;
    if (module_.is(op, OpKind::Iota)) return true;
    const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal != nullptr) return literal->is_splat();
    if (!module_.is(op, OpKind::BroadcastInDim)) return false;
    const auto source = ir::get_sharding(module_, module_.operand(op, 0));
    return !source || (source->is_fully_replicated() && source->unreduced_axes().empty());
  }

  bool is_held(ValueId value) const {
    const TensorSharding have = sharding_or_whole(module_, value, move_.from);
    return have.mesh_ref() == move_.from.mesh_ref() && dim_axes(have) == dim_axes(move_.from) &&
           have.unreduced_axes().empty();
  }

  void declare(ValueId value, const TensorSharding& sharding) {
    if (!ir::get_sharding(module_, value)) ir::set_sharding(module_, value, sharding);
  }

  RewriteContext& context_;
  Module& module_;
  OpId collective_;
  PlacedStep move_;
  int num_ops_ = 0;
  std::vector<OpId> computed_;  // ops that are recomputed after the move
  ValueMap map_;
};

void erase_unused(Module& module, ValueId value) {
  std::vector<ValueId> pending = {value};
  while (!pending.empty()) {
    const ValueId next = pending.back();
    pending.pop_back();
    const OpId op = module.defining_op(next);
    const bool is_dead = op.valid() && !module.is_erased(op) && module.num_uses(next) == 0 &&
                         is_plain_elementwise(module, op);
    if (!is_dead) continue;
    const std::vector<ValueId> operands = module.operands(op);
    module.erase(op);
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
}

}  // namespace

std::optional<Gain> convert_later(RewriteContext& context, OpId op) {
  Module& module = context.module;
  auto move = step_of(module, op);
  const bool fits = move && only_moves(move->step.kind) && move->from.unreduced_axes().empty() &&
                    move->from.mesh_ref() == move->step.out.mesh_ref();
  if (!fits) return std::nullopt;
  const ValueId wide = module.operand(op, 0);
  const Price before = context.price(module.type(wide), *move);
  NarrowMove narrow(context, op, *std::move(move));
  const Gain gain{before, narrow.least(wide)};
  if (!is_cheaper(gain.after, gain.before)) return std::nullopt;
  module.replace_all_uses(module.result(op), narrow.made(wide));
  module.erase(op);
  erase_unused(module, wide);
  return gain;
}

// ---- Reductions ---------------------------------------------------------------------------------
// Sinks reductions below the ops that use their results. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %0                    %1 = scatter %zeros, %rows, %0
//   %2 = scatter %zeros, %rows, %1  [{"x"}]   ->          [{}] unreduced={"x"}
//                                                   %2 = sdy.reduce_scatter [{"x"}] %1
//   (updates of 24x6xf32: 432 bytes sent instead of 864)
//
//   %1 = sdy.all_reduce {"x"} %0                    %1 = gather %0, %rows  unreduced={"x"}
//   %2 = gather %1, %rows                     ->    %2 = sdy.all_reduce {"x"} %1

namespace {

constexpr std::size_t kMaxSunk = 16;  // limit of the ops below which one reduction is sunk

/// An op below which the reduction is sunk.
struct LinearUser {
  OpId op;
  TensorSharding out;                    // sharding of its result in the program
  TensorSharding partial;                // sharding of its result before the reduction
  std::vector<std::size_t> remade = {};  // constant operands that need a sharding without the axes
};

/// A plan of the reduction after the last op.
struct SunkPlan {
  Gain gain;
  TensorSharding from;
  std::vector<ReshardStep> steps;
  OpId joined = {};  // the collective that the plan replaces; invalid: none
};

/// Checks whether each device can make all elements of the value without communication.
bool is_uniform(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  if (!op.valid()) return false;
  if (module.is(op, OpKind::BroadcastInDim)) {
    return module.type(module.operand(op, 0)).rank() == 0;
  }
  const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
  const bool is_constant = module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant);
  return is_constant && literal != nullptr && literal->is_splat();
}

AxisLists without_axes(const TensorSharding& sharding, const AxisList& axes) {
  AxisLists lists = dim_axes(sharding);
  for (AxisList& list : lists) list = truncate_by_removing_overlaps(list, axes);
  return lists;
}

/// A search for the ops below which a reduction sinks, and for the last of them.
class ReductionSinker {
 public:
  ReductionSinker(RewriteContext& context, OpId reduction, PlacedStep placed, const Price& before)
      : context_(context),
        module_(context.module),
        reduction_(reduction),
        placed_(std::move(placed)),
        axes_(placed_.from.unreduced_axes()),
        max_factors_(placed_.step.kind == StepKind::AllReduce ? 1 : 0),
        before_(before) {}

  /// Returns the gain of the best position; std::nullopt if none is cheaper.
  std::optional<Gain> find() {
    ValueId value = module_.result(reduction_);
    while (users_.size() < kMaxSunk) {
      auto user = user_of(value);
      if (!user) break;
      users_.push_back(*std::move(user));
      value = module_.result(users_.back().op);
      note_zeros(users_.back().op);
      if (may_have_other_zeros_) continue;
      auto plan = plan_after(users_.back());
      const bool is_gain = plan && is_cheaper(plan->gain.after, plan->gain.before);
      const auto saved = [](const Gain& gain) { return gain.before.bytes - gain.after.bytes; };
      if (!is_gain || (best_ && saved(plan->gain) <= saved(best_->gain))) continue;
      num_best_ = users_.size();
      best_ = std::move(plan);
    }
    return best_ ? std::optional(best_->gain) : std::nullopt;
  }

  /// Requires: `find` returned a gain.
  void apply() {
    const ValueId operand = module_.operand(reduction_, 0);
    ir::set_sharding(module_, operand, placed_.from);
    module_.replace_all_uses(module_.result(reduction_), operand);
    for (std::size_t at = 0; at < num_best_; ++at) {
      for (const std::size_t index : users_[at].remade) remake(users_[at].op, index);
      ir::set_sharding(module_, module_.result(users_[at].op), users_[at].partial);
    }
    const OpId last = users_[num_best_ - 1].op;
    const ValueId partial = module_.result(last);
    ir::set_sharding(module_, partial, best_->from);
    if (best_->joined.valid()) {
      const ValueId made = emit_steps(module_, best_->joined, partial, best_->steps);
      module_.replace_all_uses(module_.result(best_->joined), made);
      module_.erase(best_->joined);
    } else {
      const std::vector<ir::Use> uses = module_.uses(partial);
      const ValueId made = emit_steps(module_, module_.next(last), partial, best_->steps);
      for (const ir::Use& use : uses) module_.set_operand(use.op, use.operand, made);
    }
    module_.erase(reduction_);
  }

 private:
  /// Notes whether zeros of the op's result may have another sign if the op is before the
  /// reduction:
  /// -(1 - 1) is -0, and -1 + 1 is 0. Sums of products have no such zeros.
  void note_zeros(OpId op) {
    switch (module_.kind(op)) {
      case OpKind::Negate:
      case OpKind::Multiply:
        may_have_other_zeros_ = !ir::is_integer(module_.type(module_.result(op)).element());
        break;
      case OpKind::Convolution:
      case OpKind::Dot:
      case OpKind::DotGeneral:
      case OpKind::Reduce:
        may_have_other_zeros_ = false;
        break;
      default:
        break;
    }
  }

  /// Returns the only user of the value if it is linear in the value and each device has its other
  /// operands; else std::nullopt.
  std::optional<LinearUser> user_of(ValueId value) const {
    const OpId op = only_reader(module_, value);
    if (!op.valid() || !is_pure_static(module_, op) || module_.num_results(op) != 1 ||
        module_.has_trait(op, ir::kSdyAnnotation) || module_.has_trait(op, ir::kCollective) ||
        module_.attributes(op).contains(ir::kShardingRuleAttr)) {
      return std::nullopt;
    }
    const ValueId result = module_.result(op);
    const TensorSharding& from = placed_.from;
    const TensorSharding out = sharding_or_whole(module_, result, from);
    if (out.mesh_ref() != from.mesh_ref() || !out.unreduced_axes().empty() ||
        read_elsewhere(module_, result, from.mesh())) {
      return std::nullopt;
    }
    const TensorSharding whole = TensorSharding::closed(out.mesh_ref(), without_axes(out, axes_));
    LinearUser user{op, out, whole.with_unreduced(axes_, from.reduction_op())};
    if (!accepts(user, value)) return std::nullopt;
    return user;
  }

  /// Checks that the op is linear in the value and that no other operand is sharded along the axes
  /// of the reduction, except constants, which are added to `remade`.
  bool accepts(LinearUser& user, ValueId value) const {
    const auto roles =
        ir::operand_roles(module_, user.op, ir::reducer_of(placed_.from.reduction_op()));
    std::size_t num_factors = 0;
    for (std::size_t index = 0; index < roles.size(); ++index) {
      const ValueId operand = module_.operand(user.op, index);
      if (operand == value) {
        num_factors += roles[index] == ir::OperandRole::Factor ? 1 : 0;
        if (roles[index] == ir::OperandRole::Whole || num_factors > max_factors_) return false;
        continue;
      }
      const auto have = ir::get_sharding(module_, operand);
      if (!have) continue;
      if (have->mesh_ref() != placed_.from.mesh_ref() || !have->unreduced_axes().empty()) {
        return false;
      }
      if (!overlaps(flatten(dim_axes(*have)), axes_)) continue;
      if (!is_uniform(module_, operand)) return false;
      user.remade.push_back(index);
    }
    return true;
  }

  /// Plans the reduction after the op, together with the next collective if that is the only user.
  std::optional<SunkPlan> plan_after(const LinearUser& user) {
    const ValueId result = module_.result(user.op);
    const OpId next = only_reader(module_, result);
    const auto outer = next.valid() ? step_of(module_, next) : std::nullopt;
    const bool is_near = outer && outer->step.out.mesh_ref() == user.partial.mesh_ref();
    if (std::ranges::any_of(module_.uses(result), [&](const ir::Use& use) {
          return ir::completes_reduction(module_.kind(use.op));
        })) {
      // The op reduces, too: its result is partial along the axes of both reductions.
      const bool is_alike = is_near && outer->step.reduction_op == user.partial.reduction_op();
      if (!is_alike) return std::nullopt;
      AxisList axes = axes_;
      append(axes, set_difference(outer->from.unreduced_axes(), axes_));
      return joined(next, *outer, user.partial.with_unreduced(sort_and_merge(std::move(axes))));
    }
    if (is_near && only_moves(outer->step.kind)) {
      if (auto plan = joined(next, *outer, user.partial)) return plan;
    }
    return plan_to(user.op, result, user.partial, user.out);
  }

  /// Plans the reduction and the next collective, whose operand is then `from`.
  std::optional<SunkPlan> joined(OpId next, const PlacedStep& outer, const TensorSharding& from) {
    const ValueId value = module_.operand(next, 0);
    auto plan = plan_to(next, value, from, outer.step.out);
    if (!plan) return std::nullopt;
    plan->joined = next;
    plan->gain.before += context_.price(module_.type(value), outer);
    return plan;
  }

  std::optional<SunkPlan> plan_to(OpId at, ValueId value, const TensorSharding& from,
                                  const TensorSharding& to) {
    auto steps = context_.planners.plan(at, module_.type(value), from, to);
    if (!steps || steps->empty()) return std::nullopt;
    const bool is_declared = ir::get_sharding(module_, module_.result(at)).has_value();
    if (is_declared && !users_accept(module_, at, steps->back().out)) return std::nullopt;
    const Price after = context_.price(module_.type(value), from, *steps);
    return SunkPlan{{before_, after}, from, *std::move(steps)};
  }

  void remake(OpId op, std::size_t index) {
    const ValueId value = module_.operand(op, index);
    const TensorSharding have = *ir::get_sharding(module_, value);
    ValueMap map;
    const OpId copy = clone_op(module_, module_.defining_op(value), map);
    module_.insert_before(op, copy);
    const ValueId made = module_.result(copy);
    ir::set_sharding(module_, made,
                     TensorSharding::closed(have.mesh_ref(), without_axes(have, axes_)));
    module_.set_operand(op, index, made);
  }

  RewriteContext& context_;
  Module& module_;
  OpId reduction_;
  PlacedStep placed_;
  AxisList axes_;  // over which the operand of the reduction is partial
  // Below a product, a reduce-scatter would multiply the work of each device.
  std::size_t max_factors_;
  Price before_;  // of the reduction
  std::vector<LinearUser> users_;
  bool may_have_other_zeros_ = false;
  std::size_t num_best_ = 0;  // the first users, below which the reduction is cheapest
  std::optional<SunkPlan> best_;
};

}  // namespace

std::optional<Gain> sink_reductions(RewriteContext& context, OpId op) {
  const Module& module = context.module;
  if (!ir::completes_reduction(module.kind(op))) return std::nullopt;
  auto placed = step_of(module, op);
  const bool fits = placed && placed->step.out.unreduced_axes().empty() &&
                    placed->from.mesh_ref() == placed->step.out.mesh_ref() &&
                    can_be_partial(module, module.operand(op, 0), placed->from);
  if (!fits) return std::nullopt;
  // A plan of the reduction alone may be cheaper, too. Sinking must cost less than this plan.
  const ir::Type& type = module.type(module.operand(op, 0));
  const auto alone = context.planners.plan(op, type, placed->from, placed->step.out);
  Price before = context.price(type, *placed);
  if (!alone) return std::nullopt;
  if (const Price plan = context.price(type, placed->from, *alone); is_cheaper(plan, before)) {
    before = plan;
  }
  ReductionSinker sinker(context, op, *std::move(placed), before);
  const std::optional<Gain> gain = sinker.find();
  if (gain) sinker.apply();
  return gain;
}

}  // namespace shardy::passes

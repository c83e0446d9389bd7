// Rules that sink collectives below the ops that use their results. Spec: resharding C.8.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

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

}  // namespace shardy::passes

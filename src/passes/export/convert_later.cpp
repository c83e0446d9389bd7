// Moves the narrowest form of a value; conversions and scaling follow the move.
// Spec: resharding C.8.
//
//   %1 = convert %w : i8 -> f32                    %1 = sdy.all_gather [{"x"}, {}] %w : i8
//   %2 = multiply %1, broadcast(%scale)       ->   %2 = convert %1 : i8 -> f32
//   %3 = sdy.all_gather [{"x"}, {}] %2 : f32       %3 = multiply %2, broadcast(%scale)
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
#include "passes/export/collective_replan.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr int kMaxOps = 16;  // limit of ops recomputed after the move

/// A move of an earlier value of an elementwise chain. Moves do not change elements, so elementwise
/// ops commute with them exactly.
class NarrowMove {
 public:
  NarrowMove(RewriteContext& context, OpId collective, PlacedStep move)
      : context_(context),
        module_(context.module),
        collective_(collective),
        move_(std::move(move)) {}

  /// Returns the lower cost of moving the value and of moving the operands of its op.
  Price least(ValueId value) {
    const Price whole = context_.price(module_.type(value), move_);
    const auto narrow = price_of_operands(value);
    if (!narrow || !is_cheaper(*narrow, whole)) return whole;
    computed_.push_back(module_.defining_op(value));
    return *narrow;
  }

  /// Creates the value under the sharding at the end of the move. Requires: `least` was called.
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

  /// Checks whether the value needs no move: replicated on all devices, or a splat of one number.
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
  std::vector<OpId> computed_;  // ops that follow the move
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

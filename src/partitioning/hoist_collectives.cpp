// Collectives of loop-invariant values are hoisted out of the loop.
//
//   %0 = while(%i, %v) {                           %1 = spmd.all_gather %w {"x"}, dim 0
//     %1 = spmd.all_gather %w {"x"}, dim 0    ->   %0 = while(%i, %v) {
//     use %1                                         use %1
//   }                                              }
#include "shardy/partitioning/hoist_collectives.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "partitioning/program_rewrites.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/collective_cost.hpp"

namespace shardy::partitioning {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// The set of values and ops that are invariant in a loop.
class Invariants {
 public:
  Invariants(Module& module, OpId loop, BlockId body, OpId last)
      : module_(module), loop_(loop), body_(body), last_(last) {}

  /// Checks whether the op can run before the loop, with the ops that compute its operands.
  bool contains(OpId op) {
    if (const auto found = known_.find(op); found != known_.end()) return found->second;
    const bool can_move = module_.has_trait(op, ir::kPure) &&
                          (module_.regions(op).empty() || module_.has_trait(op, ir::kCollective)) &&
                          !module_.has_trait(op, ir::kTerminator) &&
                          !module_.has_trait(op, ir::kControlFlow);
    const bool is = can_move && std::ranges::all_of(module_.operands(op), [&](ValueId operand) {
                      return is_unchanged(operand);
                    });
    known_.emplace(op, is);
    return is;
  }

  /// Moves the op and the ops that compute its operands before the loop. Requires: contains.
  void hoist(OpId op) {
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const ValueId operand = module_.operand(op, index);
      const OpId maker = module_.defining_op(operand);
      if (maker.valid() && module_.parent_block(maker) == body_) hoist(maker);
      if (is_carried(operand)) {
        module_.set_operand(op, index, module_.operand(loop_, module_.owner(operand).index));
      }
    }
    module_.remove(op);
    module_.insert_before(loop_, op);
  }

 private:
  bool is_carried(ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    return !owner.is_result() && owner.block == body_;
  }

  bool is_unchanged(ValueId value) {
    if (is_carried(value)) return module_.operand(last_, module_.owner(value).index) == value;
    const OpId op = module_.defining_op(value);
    return !op.valid() || module_.parent_block(op) != body_ || contains(op);
  }

  Module& module_;
  OpId loop_;
  BlockId body_;
  OpId last_;
  std::unordered_map<OpId, bool> known_;
};

void hoist_from(Module& program, const CollectivePrices& prices, OpId loop,
                std::vector<passes::CollectiveRewrite>& rewrites) {
  const auto body = ir::entry_block(program, loop, 1);
  const auto last = body ? ir::return_op(program, *body) : std::nullopt;
  const int64_t steps = steps_of_loop(program, loop);
  if (!last || steps < 2) return;
  std::vector<OpId> ops;
  for (const OpId op : program.ops(*body)) ops.push_back(op);
  Invariants invariants(program, loop, *body, *last);
  for (const OpId op : ops) {
    const bool is_collective =
        ir::is_spmd(program.kind(op)) && program.has_trait(op, ir::kCollective);
    if (!is_collective || !invariants.contains(op)) continue;
    passes::CollectiveRewrite rewrite{std::string(kHoistCollectives), std::string(program.name(op)),
                                      program.location_text(op)};
    rewrite.bytes_after = prices.bytes_sent(op);
    rewrite.bytes_before = steps * rewrite.bytes_after;
    rewrite.messages_after = prices.cost(op).messages;
    rewrite.messages_before = steps * rewrite.messages_after;
    invariants.hoist(op);
    rewrites.push_back(std::move(rewrite));
  }
}

}  // namespace

std::vector<passes::CollectiveRewrite> hoist_collectives(Module& program) {
  const CollectivePrices prices(program);
  std::vector<passes::CollectiveRewrite> rewrites;
  // Inner loops first: ops hoisted out of them may be hoisted out of outer ones.
  for (const OpId op : ir::post_order(program)) {
    if (program.is(op, OpKind::While)) hoist_from(program, prices, op, rewrites);
  }
  return rewrites;
}

}  // namespace shardy::partitioning

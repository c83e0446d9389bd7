#include "passes/common/clone.hpp"

#include <utility>
#include <vector>

namespace shardy::passes {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::RegionId;
using ir::ValueId;

namespace {

/// A copier with a stack of its own, so that deep nesting does not recurse; program order.
class Cloner {
 public:
  Cloner(const Module& from, Module& to, ValueMap& map) : from_(from), module_(to), map_(map) {}

  OpId clone(OpId op) {
    const OpId copy = clone_one(op);
    finish();
    return copy;
  }

  void clone_ops(BlockId from, BlockId to) {
    push_ops(from, to);
    finish();
  }

 private:
  struct Pending {
    OpId op;
    BlockId target;
  };

  void push_ops(BlockId from, BlockId to) {
    for (OpId op = from_.last_op(from); op.valid(); op = from_.prev(op)) {
      pending_.push_back({op, to});
    }
  }

  void finish() {
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      const OpId copy = clone_one(next.op);
      module_.append(next.target, copy);
    }
    if (&from_ != &module_) return;
    // In regions with several blocks a use may precede its definition.
    for (const OpId copy : copies_) {
      for (std::size_t index = 0; index < module_.num_operands(copy); ++index) {
        module_.set_operand(copy, index, mapped(map_, module_.operand(copy, index)));
      }
    }
  }

  OpId clone_one(OpId op) {
    ir::OpSpec spec{.kind = from_.kind(op)};
    if (spec.kind == OpKind::Unknown) spec.name = std::string(from_.name(op));
    for (const ValueId operand : from_.operands(op)) {
      spec.operands.push_back(mapped(map_, operand));
    }
    for (const ValueId result : from_.results(op)) {
      spec.result_types.push_back(from_.type(result));
    }
    spec.attributes = from_.attributes(op);
    spec.location =
        &from_ == &module_ ? from_.location(op) : module_.add_location(from_, from_.location(op));
    const std::vector<RegionId> regions(from_.regions(op).begin(), from_.regions(op).end());
    for (const RegionId region : regions) spec.regions.push_back(clone_region(region));
    const OpId copy = module_.create(std::move(spec));
    if (from_.is(op, OpKind::Func)) {
      ir::FunctionData data = from_.function(op);
      module_.function(copy) = std::move(data);
    }
    for (std::size_t index = 0; index < from_.num_results(op); ++index) {
      map_[from_.result(op, index)] = module_.result(copy, index);
      module_.copy_value_name(module_.result(copy, index), from_, from_.result(op, index));
    }
    copies_.push_back(copy);
    return copy;
  }

  /// Copies the blocks and their arguments; their ops follow later from the stack.
  RegionId clone_region(RegionId region) {
    const RegionId copy = module_.new_region();
    const std::vector<BlockId> blocks(from_.blocks(region).begin(), from_.blocks(region).end());
    std::vector<std::pair<BlockId, BlockId>> pairs;
    for (const BlockId block : blocks) {
      const BlockId target = module_.new_block(copy);
      const std::vector<ValueId> args(from_.args(block).begin(), from_.args(block).end());
      for (const ValueId arg : args) {
        map_[arg] = module_.add_argument(target, ir::Type(from_.type(arg)));
        module_.copy_value_name(map_[arg], from_, arg);
      }
      pairs.emplace_back(block, target);
    }
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
      push_ops(pair->first, pair->second);
    }
    return copy;
  }

  const Module& from_;
  Module& module_;  // destination of the copies
  ValueMap& map_;
  std::vector<Pending> pending_;
  std::vector<OpId> copies_;
};

}  // namespace

OpId clone_op(Module& module, OpId op, ValueMap& map) {
  return Cloner(module, module, map).clone(op);
}

void clone_ops(Module& module, BlockId from, BlockId to, ValueMap& map) {
  Cloner(module, module, map).clone_ops(from, to);
}

OpId clone_op_into(Module& module, const Module& from, OpId op, ValueMap& map) {
  return Cloner(from, module, map).clone(op);
}

}  // namespace shardy::passes

// Copies ops with their regions, outlines bodies into functions, and inlines bodies into their
// parents.
#include "passes/common/bodies.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/common/symbols.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

// ---- Copies of ops with their regions -----------------------------------------------------------

using ir::RegionId;

namespace {

/// Copies ops in program order. The explicit stack avoids recursion for deep nesting.
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
    // In a region with several blocks, a use may precede its definition.
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

  /// Copies the blocks and their arguments. Their ops are copied later from the stack.
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
  Module& module_;  // the module that gets the copies
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

RegionId moved_body(Module& module, OpId op) {
  const ir::BlockId from = module.block(op);
  const RegionId region = module.new_region();
  std::vector<Type> types;
  for (const ValueId arg : module.args(from)) types.push_back(module.type(arg));
  const ir::BlockId to = module.new_block(region, types);
  for (std::size_t index = 0; index < types.size(); ++index) {
    module.replace_all_uses(module.args(from)[index], module.args(to)[index]);
  }
  std::vector<OpId> ops;
  for (const OpId inner : module.ops(from)) ops.push_back(inner);
  for (const OpId inner : ops) {
    module.remove(inner);
    module.append(to, inner);
  }
  return region;
}

// ---- Bodies of manual and named computations ----------------------------------------------------

std::vector<OpId> manual_computations(const Module& module) {
  std::vector<OpId> found;
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyManualComputation)) found.push_back(op);
  }
  return found;
}

std::vector<TensorSharding> shardings_in(const Module& module, OpId op, std::string_view name) {
  const auto* list = module.attribute<ir::ShardingList>(op, name);
  return list != nullptr ? list->shardings : std::vector<TensorSharding>();
}

OpId outline_body(Module& module, OpId computation, SymbolTable& symbols, std::string_view name) {
  const ir::BlockId body = module.block(computation);
  std::vector<ir::Type> args;
  for (const ValueId arg : module.args(body)) args.push_back(module.type(arg));
  std::vector<ir::Type> results;
  for (const ValueId value : module.operands(module.last_op(body))) {
    results.push_back(module.type(value));
  }
  const OpId function = module.add_function(symbols.unique_name(name), args, std::move(results));
  module.attributes(function).set("sym_visibility", std::string("private"));
  module.set_location(function, module.location(computation));
  const ir::BlockId entry = module.entry(function);
  module.splice(body, entry);
  for (std::size_t index = 0; index < args.size(); ++index) {
    module.replace_all_uses(module.args(body)[index], module.args(entry)[index]);
  }
  const OpId last = module.last_op(entry);
  ir::OpSpec spec{.kind = OpKind::FuncReturn};
  spec.operands = module.operands(last);
  spec.location = module.location(last);
  module.append(entry, module.create(std::move(spec)));
  module.erase(last);
  return function;
}

void inline_body(Module& module, OpId computation) {
  const ir::BlockId body = module.block(computation);
  for (std::size_t index = 0; index < module.num_operands(computation); ++index) {
    module.replace_all_uses(module.args(body)[index], module.operand(computation, index));
  }
  const OpId last = module.last_op(body);
  const std::vector<ValueId> values = module.operands(last);
  for (OpId op = module.first_op(body); op.valid() && op != last;) {
    const OpId next = module.next(op);
    module.remove(op);
    module.insert_before(computation, op);
    op = next;
  }
  for (std::size_t index = 0; index < values.size(); ++index) {
    module.replace_all_uses(module.result(computation, index), values[index]);
  }
  module.erase(computation);
}

// ---- Inlining of calls --------------------------------------------------------------------------
// Calls become the bodies of their functions. Spec: passes 2.
//
//   %0 = call @f(%a)                              %0 = stablehlo.negate %a
//   func.func private @f(%x) {             ->
//     %1 = stablehlo.negate %x
//     return %1
//   }

namespace {

/// Checks whether the function has `no_inline`, or the call has XLA's `inlineable = "false"`, as
/// calls of bodies of manual computations do.
bool must_stay(const Module& module, OpId call, OpId function) {
  if (module.attributes(function).contains("no_inline")) return true;
  const auto* entries = module.attribute<ir::AttributeMap>(call, "mhlo.frontend_attributes");
  const auto* text = entries != nullptr ? entries->get<std::string>("inlineable") : nullptr;
  return text != nullptr && *text == "false";
}

bool has_one_block(const Module& module, OpId function) {
  return !module.is_external(function) &&
         module.blocks(module.regions(function).front()).size() == 1;
}

void inline_call(Module& module, OpId call, OpId function) {
  const ir::BlockId body = module.entry(function);
  ValueMap map;
  for (std::size_t index = 0; index < module.num_operands(call); ++index) {
    map.emplace(module.args(body)[index], module.operand(call, index));
  }
  const OpId last = module.last_op(body);
  for (OpId op = module.first_op(body); op.valid() && op != last; op = module.next(op)) {
    module.insert_before(call, clone_op(module, op, map));
  }
  const std::vector<ValueId> results = module.operands(last);
  for (std::size_t index = 0; index < results.size(); ++index) {
    module.replace_all_uses(module.result(call, index), mapped(map, results[index]));
  }
  module.erase(call);
}

}  // namespace

Diagnostics inline_calls(Module& module) {
  const Result<ir::CallGraph> graph = verified_calls(module);
  if (!graph) return {graph.error()};
  if (Status few = expect_few_copies(module, *graph); !few) return {std::move(few).error()};
  // The graph lists calls in callees first, so a copied body contains no call that can be inlined.
  for (std::size_t index = 0; index < graph->calls.size(); ++index) {
    const OpId call = graph->calls[index];
    const OpId function = graph->callees[index];
    if (has_one_block(module, function) && !must_stay(module, call, function)) {
      inline_call(module, call, function);
    }
  }
  erase_dead_symbols(module);
  return {};
}

}  // namespace shardy::passes

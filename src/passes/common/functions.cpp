// Manages the names of functions and meshes, copies functions and ops with their regions, outlines
// bodies into functions, and inlines bodies into their parents.
#include "passes/common/functions.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::passes {

Result<OpId> lookup_function(const Module& module, std::string_view name) {
  const std::optional<OpId> op = module.find_symbol(name);
  if (op && module.is(*op, OpKind::Func)) return *op;
  return fail("Failed to lookup function: " + std::string(name));
}

Result<OpId> called_function(const Module& module, OpId call, std::string_view attribute) {
  const auto* symbol = module.attribute<ir::SymbolAttr>(call, attribute);
  Result<OpId> function =
      lookup_function(module, symbol ? std::string_view(symbol->name) : std::string_view());
  if (!function) function.error().location = module.source_location(call);
  return function;
}

Result<OpId> require_main_function(const Module& module) {
  const std::optional<OpId> main = module.main_function();
  if (main) return *main;
  return tl::unexpected(ir::no_main_function(module, "Failed to lookup function: main"));
}

std::string original_name(const Module& module, OpId function) {
  const auto* name = module.attribute<std::string>(function, kOriginalFuncNameAttr);
  return name ? *name : std::string(module.symbol_name(function));
}

namespace {

/// Returns an error for the first call of a missing function.
Status verify_callees(const Module& module, const ir::CallGraph& graph) {
  if (graph.all_known) return {};
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    SHARDY_TRY_STATUS(called_function(module, op));
  }
  return {};
}

}  // namespace

Result<ir::CallGraph> verified_calls(const Module& module) {
  ir::CallGraph graph = ir::call_graph(module);
  SHARDY_TRY_STATUS(verify_callees(module, graph));
  SHARDY_TRY_STATUS(ir::verify_acyclic(module, graph));
  return graph;
}

Result<ir::CallGraph> verified_calls_with_bodies(const Module& module) {
  SHARDY_TRY(ir::CallGraph graph, verified_calls(module));
  SHARDY_TRY_STATUS(ir::verify_bodies(module, graph));
  return graph;
}

// ---- Names --------------------------------------------------------------------------------------

std::string SymbolTable::unique_name(std::string_view base) {
  std::string name(base);
  while (module_->find_symbol(name)) {
    name = std::string(base) + "_" + std::to_string(counter_++);
  }
  return name;
}

void SymbolTable::insert(OpId symbol) {
  const std::string base(module_->symbol_name(symbol));
  module_->set_symbol_name(symbol, unique_name(base));
  module_->append(module_->body(), symbol);
}

void set_callee(Module& module, OpId call, std::string_view name) {
  module.attributes(call).set(ir::attr::kCallee, ir::SymbolAttr{std::string(name)});
}

namespace {

std::vector<OpId> calls_under(const Module& module, OpId function) {
  std::vector<OpId> calls;
  if (module.is_external(function)) return calls;
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    if (module.is(op, OpKind::FuncCall)) calls.push_back(op);
  }
  return calls;
}

/// The state of copying one function: the next call whose callee has to be copied.
struct CloneFrame {
  OpId copy;
  std::vector<OpId> calls;
  std::size_t next = 0;
};

CloneFrame start_clone(Module& module, OpId function) {
  ValueMap map;
  const OpId copy = clone_op(module, function, map);
  module.attributes(copy).set(kOriginalFuncNameAttr, original_name(module, function));
  return CloneFrame{copy, calls_under(module, copy)};
}

}  // namespace

Result<OpId> SymbolTable::clone_function(OpId function) {
  copied_ += trees_.size(function);
  SHARDY_TRY_STATUS(expect_few_copies(copied_, module_->source_location(function)));
  std::vector<CloneFrame> stack = {start_clone(*module_, function)};
  while (stack.back().next < stack.back().calls.size() || stack.size() > 1) {
    CloneFrame& top = stack.back();
    if (top.next < top.calls.size()) {
      SHARDY_TRY(const OpId callee, called_function(*module_, top.calls[top.next]));
      stack.push_back(start_clone(*module_, callee));
      continue;
    }
    const OpId done = top.copy;
    stack.pop_back();
    insert(done);
    CloneFrame& caller = stack.back();
    set_callee(*module_, caller.calls[caller.next++], module_->symbol_name(done));
  }
  return stack.back().copy;
}

// ---- Sizes of copies ----------------------------------------------------------------------------

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t saturated_sum(int64_t a, int64_t b) { return a > kMost - b ? kMost : a + b; }

/// Returns 1 plus the number of ops in the function.
int64_t own_ops(const Module& module, OpId function) {
  if (module.is_external(function)) return 1;
  return 1 + std::ssize(ir::pre_order(module, module.entry(function)));
}

/// Returns the callees of the calls in the function.
std::vector<OpId> callees_in(const Module& module, OpId function) {
  std::vector<OpId> callees;
  if (module.is_external(function)) return callees;
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    if (const auto callee = ir::callee_of(module, op)) callees.push_back(*callee);
  }
  return callees;
}

std::string more_or_number(int64_t number) {
  return number == kMost ? "more than " + std::to_string(kMost - 1) : std::to_string(number);
}

}  // namespace

CopySize& CopySize::operator+=(const CopySize& other) {
  functions = saturated_sum(functions, other.functions);
  ops = saturated_sum(ops, other.ops);
  return *this;
}

CopySize CallTrees::count(OpId function) const {
  CopySize size{1, own_ops(*module_, function)};
  for (const OpId callee : callees_in(*module_, function)) size += sizes_.at(callee);
  return size;
}

CopySize CallTrees::size(OpId function) {
  std::vector<OpId> pending = {function};
  while (!pending.empty()) {
    const OpId next = pending.back();
    const std::size_t before = pending.size();
    if (!sizes_.contains(next)) {
      for (const OpId callee : callees_in(*module_, next)) {
        if (!sizes_.contains(callee)) pending.push_back(callee);
      }
      if (pending.size() > before) continue;
      sizes_.emplace(next, count(next));
    }
    pending.pop_back();
  }
  return sizes_.at(function);
}

Status expect_few_copies(const CopySize& copies, Location at) {
  if (copies.ops <= kMaxCopiedOps) return {};
  Error error{"copies of functions for each of their calls: " + more_or_number(copies.functions) +
                  " with " + more_or_number(copies.ops) + " ops, more than " +
                  std::to_string(kMaxCopiedOps),
              std::move(at),
              {}};
  error.notes.emplace_back(
      "calls in functions that are called several times multiply: call them fewer times");
  return tl::unexpected(std::move(error));
}

Status expect_few_copies(const Module& module, const ir::CallGraph& graph) {
  const std::unordered_set<OpId> called(graph.callees.begin(), graph.callees.end());
  CallTrees trees(module);
  CopySize all;
  CopySize originals;
  std::pair<int64_t, OpId> largest;
  for (const OpId function : graph.functions) {
    originals += CopySize{1, own_ops(module, function)};
    if (called.contains(function)) continue;
    const CopySize tree = trees.size(function);
    all += tree;
    largest = std::max(largest, {tree.ops, function},
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  // The first call of each function keeps the original function.
  const auto without = [](int64_t sum, int64_t kept) { return sum == kMost ? sum : sum - kept; };
  const CopySize copies{without(all.functions, originals.functions),
                        without(all.ops, originals.ops)};
  Status status = expect_few_copies(
      copies, largest.second.valid() ? module.source_location(largest.second) : Location());
  if (!status) {
    status.error().notes.emplace_back(
        "or let all calls of a function share its shardings: dedup-functions-fully");
  }
  return status;
}

// ---- Dead symbols -------------------------------------------------------------------------------
// Erases private functions without references. Spec: passes 2.
//
//   func.func @main() { call @used() }            func.func @main() { call @used() }
//   func.func private @used()              ->     func.func private @used()
//   func.func private @unused()

using ir::Attribute;

bool is_private(const Module& module, OpId symbol) {
  const auto* visibility = module.attribute<std::string>(symbol, "sym_visibility");
  return visibility != nullptr && *visibility == "private";
}

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.' || c == '-';
}

/// The set of functions to which public symbols and other ops refer, directly or indirectly.
class Reached {
 public:
  explicit Reached(const Module& module) : module_(module), is_live_(module.num_ops()) {
    for (const OpId op : module.ops(module.body())) {
      if (!is_private(module, op)) reach(op);
    }
    while (!pending_.empty()) {
      const OpId op = pending_.back();
      pending_.pop_back();
      follow(op);
    }
  }

  bool is_live(OpId op) const { return is_live_[op.index()]; }

 private:
  void reach(OpId op) {
    if (is_live_[op.index()]) return;
    is_live_[op.index()] = true;
    pending_.push_back(op);
  }

  void reach_symbol(std::string_view name) {
    if (const std::optional<OpId> op = module_.find_symbol(name)) reach(*op);
  }

  void follow(OpId top) {
    follow_attributes(top);
    for (const ir::RegionId region : module_.regions(top)) {
      for (const ir::BlockId block : module_.blocks(region)) {
        for (const OpId op : ir::pre_order(module_, block)) follow_attributes(op);
      }
    }
  }

  void follow_attributes(OpId op) {
    follow(module_.attributes(op));
    if (!module_.is(op, OpKind::Func)) return;
    for (const ir::AttributeMap& map : module_.function(op).arg_attributes) follow(map);
    for (const ir::AttributeMap& map : module_.function(op).result_attributes) follow(map);
  }

  void follow(const ir::AttributeMap& map) {
    for (const ir::NamedAttribute& entry : map) follow(entry.value);
  }

  /// Follows references with an explicit stack, because attributes may be nested deeply.
  void follow(const Attribute& root) {
    std::vector<const Attribute*> pending = {&root};
    while (!pending.empty()) {
      const Attribute& attribute = *pending.back();
      pending.pop_back();
      if (const auto* symbol = attribute.as<ir::SymbolAttr>()) reach_symbol(symbol->name);
      if (const auto* text = attribute.as<ir::OpaqueAttr>()) reach_symbols_in(text->text);
      if (const auto* array = attribute.as<ir::ArrayAttr>()) {
        for (const Attribute& element : array->elements) pending.push_back(&element);
      }
      if (const auto* map = attribute.as<ir::AttributeMap>()) {
        for (const ir::NamedAttribute& entry : *map) pending.push_back(&entry.value);
      }
    }
  }

  /// Finds the symbol references in an opaque attribute by their syntax.
  void reach_symbols_in(std::string_view text) {
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
      std::size_t end = at + 1;
      if (end < text.size() && text[end] == '"') {
        const std::size_t close = text.find('"', end + 1);
        reach_symbol(text.substr(end + 1, close == text.npos ? close : close - end - 1));
        continue;
      }
      while (end < text.size() && is_name_char(text[end])) ++end;
      reach_symbol(text.substr(at + 1, end - at - 1));
    }
  }

  const Module& module_;
  std::vector<bool> is_live_;
  std::vector<OpId> pending_;
};

}  // namespace

void erase_dead_symbols(Module& module) {
  const auto functions = module.functions();
  if (std::ranges::none_of(functions, [&](OpId op) { return is_private(module, op); })) return;
  const Reached reached(module);
  for (const OpId function : functions) {
    if (!reached.is_live(function)) module.erase(function);
  }
}

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

/// Moves the body of a function to its only call.
void move_body(Module& module, OpId call, OpId function) {
  const ir::BlockId body = module.entry(function);
  for (std::size_t index = 0; index < module.num_operands(call); ++index) {
    module.replace_all_uses(module.args(body)[index], module.operand(call, index));
  }
  const OpId last = module.last_op(body);
  for (OpId op = module.first_op(body); op != last; op = module.first_op(body)) {
    module.remove(op);
    module.insert_before(call, op);
  }
  const std::vector<ValueId> results = module.operands(last);
  for (std::size_t index = 0; index < results.size(); ++index) {
    module.replace_all_uses(module.result(call, index), results[index]);
  }
  module.erase(call);
}

}  // namespace

std::vector<FunctionCall> single_calls(const Module& module) {
  const Result<ir::CallGraph> graph = verified_calls(module);
  if (!graph) return {};
  std::unordered_map<OpId, int> count;  // never iterated
  for (const OpId function : graph->callees) ++count[function];
  std::vector<FunctionCall> single;
  for (std::size_t index = 0; index < graph->calls.size(); ++index) {
    const FunctionCall each{graph->calls[index], graph->callees[index]};
    const bool is_single = count.at(each.function) == 1 && is_private(module, each.function) &&
                           has_one_block(module, each.function) &&
                           !must_stay(module, each.call, each.function);
    if (is_single) single.push_back(each);
  }
  return single;
}

void move_single_calls(Module& module) {
  for (const auto& [call, function] : single_calls(module)) move_body(module, call, function);
}

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

// Manages the names of functions and meshes, copies functions, and erases private functions without
// references.
#include "passes/common/symbols.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
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

namespace {

bool is_private(const Module& module, OpId op) {
  const auto* visibility = module.attribute<std::string>(op, "sym_visibility");
  return visibility != nullptr && *visibility == "private";
}

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

}  // namespace shardy::passes

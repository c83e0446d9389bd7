#include "passes/common/call_copies.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardy/ir/walk.hpp"
#include "shardy/support/math.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t saturated_sum(int64_t a, int64_t b) { return a > kMost - b ? kMost : a + b; }

/// Counts the function and the ops in it.
int64_t own_ops(const Module& module, OpId function) {
  if (module.is_external(function)) return 1;
  return 1 + std::ssize(ir::pre_order(module, module.entry(function)));
}

/// Returns the functions that the calls in it reference.
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

Status expect_few_copies(const CopySize& copies, std::string at) {
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
  // The first call of each function keeps the original.
  const auto without = [](int64_t sum, int64_t kept) { return sum == kMost ? sum : sum - kept; };
  const CopySize copies{without(all.functions, originals.functions),
                        without(all.ops, originals.ops)};
  Status status = expect_few_copies(
      copies, largest.second.valid() ? module.location_text(largest.second) : std::string());
  if (!status) {
    status.error().notes.emplace_back(
        "or let all calls of a function share its shardings: dedup-functions-fully");
  }
  return status;
}

}  // namespace shardy::passes

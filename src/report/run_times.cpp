#include "report/run_times.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/trip_count.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Stops at the largest number.
Times multiplied(Times times, std::optional<int64_t> by) {
  if (!by) return {times.count, false};
  if (*by != 0 && times.count > kMost / *by) return {kMost, times.is_exact};
  return {times.count * *by, times.is_exact};
}

Times added(Times a, Times b) {
  return {a.count > kMost - b.count ? kMost : a.count + b.count, a.is_exact && b.is_exact};
}

}  // namespace

RunTimes::RunTimes(const ir::Module& module) : module_(module) {
  const auto main = module.main_function();
  if (!main) return;
  functions_[*main] = {};
  std::vector<OpId> order = ir::functions_in_post_order(module);
  std::ranges::reverse(order);
  for (const OpId function : order) {
    const auto found = functions_.find(function);
    if (found == functions_.end() || module.is_external(function)) continue;
    enter(module.entry(function), found->second);
  }
}

void RunTimes::enter(BlockId block, Times times) {
  std::vector<std::pair<BlockId, Times>> open = {{block, times}};
  while (!open.empty()) {
    const auto [here, count] = open.back();
    open.pop_back();
    blocks_[here] = count;
    for (const OpId op : module_.ops(here)) {
      if (module_.is(op, OpKind::FuncCall)) call(op, count);
      if (!module_.has_trait(op, ir::kControlFlow)) continue;
      const std::vector<Times> inside = times_inside(op, count);
      for (std::size_t region = 0; region < inside.size(); ++region) {
        const auto blocks = module_.blocks(module_.regions(op)[region]);
        for (const BlockId inner : blocks) open.emplace_back(inner, inside[region]);
      }
    }
  }
}

/// Per region: a loop's condition runs once more than its body, and of several branches one runs.
std::vector<Times> RunTimes::times_inside(OpId op, Times count) const {
  std::vector<Times> inside(module_.regions(op).size(), count);
  if (!module_.is(op, OpKind::While)) {
    for (Times& times : inside) times.is_exact &= inside.size() == 1;
    return inside;
  }
  const std::optional<int64_t> trips = ir::trip_count(module_, op);
  for (Times& times : inside) times = multiplied(count, trips);
  if (trips) inside.front() = added(inside.front(), count);
  return inside;
}

void RunTimes::call(OpId op, Times times) {
  const auto callee = ir::callee_of(module_, op);
  if (!callee) return;
  const auto [found, is_new] = functions_.try_emplace(*callee, times);
  if (!is_new) found->second = added(found->second, times);
}

}  // namespace shardy::report

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
      const bool loops = module_.is(op, OpKind::While);
      const std::optional<int64_t> trips = loops ? ir::trip_count(module_, op) : std::nullopt;
      const std::size_t num_regions = module_.regions(op).size();
      for (std::size_t region = 0; region < num_regions; ++region) {
        Times inside = count;
        if (loops)
          inside = region == 0 && trips ? added(multiplied(count, trips), count)
                                        : multiplied(count, trips);
        if (!loops && num_regions > 1) inside.is_exact = false;
        for (const BlockId inner : module_.blocks(module_.regions(op)[region])) {
          open.emplace_back(inner, inside);
        }
      }
    }
  }
}

void RunTimes::call(OpId op, Times times) {
  const auto callee = ir::callee_of(module_, op);
  if (!callee) return;
  const auto [found, is_new] = functions_.try_emplace(*callee, times);
  if (!is_new) found->second = added(found->second, times);
}

}  // namespace shardy::report

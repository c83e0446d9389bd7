#include "report/run_times.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Devices along the manual axes of a manual computation.
int64_t manual_devices(const ir::Module& module, OpId op) {
  const auto* names = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  int64_t devices = 1;
  for (const std::string_view key : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    const auto* list = module.attribute<ir::ShardingList>(op, key);
    if (names == nullptr || list == nullptr || list->shardings.empty()) continue;
    const Mesh& mesh = list->shardings.front().mesh();
    for (const std::string& name : names->names) devices *= mesh.axis_size(name).value_or(1);
    return devices;
  }
  return devices;
}

}  // namespace

/// Stops at the largest number; a loop without a known number of iterations runs once.
RunTimes::Runs RunTimes::multiplied(Runs runs, std::optional<int64_t> by) {
  if (!by) return {{runs.times.count, false}, runs.parts};
  const bool fits = *by == 0 || runs.times.count <= kMost / *by;
  runs.times.count = fits ? runs.times.count * *by : kMost;
  runs.parts *= static_cast<double>(*by);
  return runs;
}

RunTimes::Runs RunTimes::added(const Runs& a, const Runs& b) {
  const bool fits = a.times.count <= kMost - b.times.count;
  return {{fits ? a.times.count + b.times.count : kMost, a.times.is_exact && b.times.is_exact},
          a.parts + b.parts};
}

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

void RunTimes::enter(BlockId block, Runs runs) {
  std::vector<std::pair<BlockId, Runs>> open = {{block, runs}};
  while (!open.empty()) {
    const auto [here, count] = open.back();
    open.pop_back();
    blocks_[here] = count;
    for (const OpId op : module_.ops(here)) {
      if (module_.is(op, OpKind::FuncCall)) call(op, count);
      if (!module_.has_trait(op, ir::kControlFlow)) continue;
      const std::vector<Runs> inside = runs_inside(op, count);
      for (std::size_t region = 0; region < inside.size(); ++region) {
        const auto blocks = module_.blocks(module_.regions(op)[region]);
        for (const BlockId inner : blocks) open.emplace_back(inner, inside[region]);
      }
    }
  }
}

/// Per region: a loop's condition runs once more than its body, and of several branches one runs.
std::vector<RunTimes::Runs> RunTimes::runs_inside(OpId op, Runs runs) const {
  if (module_.is(op, OpKind::SdyManualComputation)) {
    runs.parts *= static_cast<double>(manual_devices(module_, op));
  }
  std::vector<Runs> inside(module_.regions(op).size(), runs);
  if (!module_.is(op, OpKind::While)) {
    for (Runs& each : inside) each.times.is_exact &= inside.size() == 1;
    return inside;
  }
  const std::optional<int64_t> trips = ir::trip_count(module_, op);
  for (Runs& each : inside) each = multiplied(runs, trips);
  if (trips) inside.front() = added(inside.front(), runs);
  return inside;
}

void RunTimes::call(OpId op, const Runs& runs) {
  const auto callee = ir::callee_of(module_, op);
  if (!callee) return;
  const auto [found, is_new] = functions_.try_emplace(*callee, runs);
  if (!is_new) found->second = added(found->second, runs);
}

}  // namespace shardy::report

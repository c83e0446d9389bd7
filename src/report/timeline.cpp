#include "shardy/report/timeline.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "report/parts.hpp"
#include "shardy/ir/call_graph.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;

namespace {

/// The ops of `main`, those of regions behind the op around them, those of a function where it is
/// called first.
std::vector<OpId> ops_in_order(const Module& module) {
  std::vector<OpId> ops;
  std::vector<OpId> next;  // of each block that is open
  std::unordered_set<ir::OpId> entered;
  const auto enter = [&](OpId owner) {
    const auto regions = module.regions(owner);
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const auto blocks = module.blocks(*region);
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        next.push_back(module.first_op(*block));
      }
    }
  };
  const auto main = module.main_function();
  if (!main) return ops;
  entered.insert(*main);
  enter(*main);
  while (!next.empty()) {
    const OpId op = next.back();
    if (!op.valid()) {
      next.pop_back();
      continue;
    }
    next.back() = module.next(op);
    ops.push_back(op);
    enter(op);
    if (!module.is(op, ir::OpKind::FuncCall)) continue;
    const std::optional<OpId> callee = ir::callee_of(module, op);
    if (callee && entered.insert(*callee).second) enter(*callee);
  }
  return ops;
}

TimelineEvent event_of(const Collective& row) {
  const auto count = static_cast<double>(row.times.count);
  return {.op = row.op,
          .name = row.axes.empty() ? row.kind : row.kind + " " + row.axes,
          .axes = row.axes.empty() ? "groups along no axes" : row.axes,
          .location = row.location,
          .serves = row.serves,
          .times = row.times,
          .seconds = count * row.seconds,
          .bytes = row.times.count * row.bytes};
}

}  // namespace

std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options) {
  const Module& program = compiled.program;
  const RunTimes times(program);
  std::unordered_map<OpId, Collective> rows;  // for look-ups only
  for (Collective& row : collectives_of(program, compiled.propagated, times, options.model)) {
    rows.emplace(row.op, std::move(row));
  }
  std::vector<TimelineEvent> events;
  double now = 0;
  for (const OpId op : ops_in_order(program)) {
    TimelineEvent event;
    if (const auto row = rows.find(op); row != rows.end()) {
      event = event_of(row->second);
    } else {
      const Times count = times.of(program.parent_block(op));
      const double operations = static_cast<double>(count.count) * flops_of_op(program, op);
      if (operations == 0) continue;
      event = {.op = op,
               .name = std::string(program.name(op)),
               .location = program.location_text(op),
               .times = count,
               .seconds = operations / options.operations_per_second,
               .operations = operations};
    }
    event.begin = now;
    now += event.seconds;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace shardy::report

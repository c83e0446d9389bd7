#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "report/parts.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/collective_cost.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;

namespace {

/// The first op at each place that computes; else the first that says where a value lies.
std::unordered_map<std::string, std::string> served_ops(const Module& program) {
  std::unordered_map<std::string, std::string> ops;  // for look-ups only
  const std::vector<OpId> all = ir::pre_order(program);
  for (const bool computes : {true, false}) {
    for (const OpId op : all) {
      if ((ir::dialect_of(program.kind(op)) == ir::Dialect::Sdy) == computes ||
          program.is(op, ir::OpKind::Func)) {
        continue;
      }
      ops.try_emplace(program.location_text(op), program.name(op));
    }
  }
  return ops;
}

std::vector<AxisBytes> loads_of(const StepCost& cost, const Mesh& mesh) {
  std::vector<AxisBytes> loads;
  for (std::size_t axis = 0; axis < cost.axis_bytes.size(); ++axis) {
    if (cost.axis_bytes[axis] > 0) loads.push_back({mesh.axes()[axis].name, cost.axis_bytes[axis]});
  }
  return loads;
}

/// Of the first operand: `tensor<2x4xf32> and 1 more`.
std::string operand_text(const Module& module, OpId op) {
  std::string text = ir::to_string(module.type(module.operand(op, 0)));
  const std::size_t others = module.num_operands(op) - 1;
  return others > 0 ? text + " and " + std::to_string(others) + " more" : text;
}

}  // namespace

std::vector<Collective> collectives_of(const Module& per_device, const Module& program,
                                       const RunTimes& times, const CostModel& model) {
  const partitioning::CollectivePrices prices(per_device, model);
  const partitioning::CollectiveViews views(per_device);
  const auto served = served_ops(program);
  std::vector<Collective> all;
  for (const OpId op : ir::pre_order(per_device)) {
    const auto view = views.of(op);
    if (!view) continue;
    const Times count = times.of(per_device.parent_block(op));
    if (count.count == 0) continue;
    const StepCost cost = prices.cost(op);
    Collective row{.op = op,
                   .kind = std::string(per_device.name(op)),
                   .axes = {},
                   .type = operand_text(per_device, op),
                   .serves = {},
                   .location = per_device.location_text(op),
                   .times = count,
                   .bytes = cost.bytes,
                   .messages = cost.messages,
                   .seconds = cost.seconds};
    const auto found = served.find(row.location);
    if (found != served.end() && !row.location.empty()) row.serves = found->second;
    if (!view->mesh_name.empty()) {
      row.axes = to_string(view->mesh, view->axes);
      row.axis_bytes = loads_of(cost, view->mesh);
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace shardy::report

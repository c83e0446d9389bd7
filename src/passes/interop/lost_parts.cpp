#include "passes/interop/lost_parts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/common/sharding_walker.hpp"
#include "passes/interop/carriers.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

struct Lost {
  std::string_view what;
  int64_t count = 0;
  std::string place = {};
  std::string location = {};
};

void lose(Lost& lost, int64_t count, const std::string& place, std::string location) {
  if (count == 0) return;
  if (lost.count == 0) {
    lost.place = place;
    lost.location = std::move(location);
  }
  lost.count += count;
}

/// `argument 0 of @main`, or the op.
std::pair<std::string, std::string> owner_text(const Module& module, ValueId value) {
  if (!value.valid()) return {"a function result", ""};
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) {
    return {place_text(module, {owner.op}), module.location_text(owner.op)};
  }
  const OpId parent = module.parent_op(owner.block);
  if (!module.is(parent, OpKind::Func)) {
    return {std::string(module.name(parent)), module.location_text(parent)};
  }
  return {place_text(module, {parent, Place::Kind::Argument, owner.index}),
          module.location_text(parent)};
}

/// Open dims of constraints and manual computations are written as unspecified dims.
bool keeps_openness(const Module& module, ValueId value) {
  if (!value.valid()) return false;
  const ir::ValueOwner owner = module.owner(value);
  const OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  return module.is(op, OpKind::SdyShardingConstraint) ||
         module.is(op, OpKind::SdyManualComputation);
}

}  // namespace

Diagnostics lost_parts(const Module& module, ExportForm form) {
  if (form == ExportForm::Sdy || form == ExportForm::RoundTrip) return {};
  std::vector<Lost> all = {{"open dims"},       {"priorities"}, {"explicit replicated axes"},
                           {"sharding groups"}, {"barriers"},   {"sharding rules"}};
  const bool is_gspmd = form == ExportForm::Gspmd || form == ExportForm::GspmdNamed;
  const bool has_names = form != ExportForm::Gspmd;
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId value) {
    const auto [place, location] = owner_text(module, value);
    const auto open = std::ranges::count_if(sharding.dims(),
                                            [](const DimSharding& dim) { return !dim.is_closed; });
    const auto priorities = std::ranges::count_if(
        sharding.dims(), [](const DimSharding& dim) { return dim.priority.has_value(); });
    if (!has_names && !keeps_openness(module, value)) lose(all[0], open, place, location);
    lose(all[1], priorities, place, location);
    if (!has_names && !sharding.replicated_axes().empty()) lose(all[2], 1, place, location);
  });
  for (const OpId op : ir::pre_order(module)) {
    const std::string place = place_text(module, {op});
    if (is_gspmd && module.is(op, OpKind::SdyShardingGroup))
      lose(all[3], 1, place, module.location_text(op));
    if (is_gspmd && module.is(op, OpKind::SdyPropagationBarrier)) {
      lose(all[4], 1, place, module.location_text(op));
    }
    const bool has_rule = module.attributes(op).contains(ir::kShardingRuleAttr);
    if (!has_names && has_rule) lose(all[5], 1, place, module.location_text(op));
  }
  Diagnostics said;
  for (const Lost& lost : all) {
    if (lost.count == 0) continue;
    said.push_back({.message = "mhlo.sharding has no words for " + std::string(lost.what) + ": " +
                               std::to_string(lost.count) + " lost, the first of " + lost.place,
                    .location = lost.location,
                    .notes = {"--shardings=sdy and --shardings=sdy-round-trip keep them"},
                    .severity = Severity::Warning});
  }
  return said;
}

}  // namespace shardy::passes

#include "passes/interop/unsupported_features.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/common/sharding_walker.hpp"
#include "passes/interop/sharding_attributes.hpp"
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

/// Returns `argument 0 of @main` or the op, and its location.
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
  return {place_text(module, {parent, AttributePlace::Kind::Argument, owner.index}),
          module.location_text(parent)};
}

/// Checks whether the form stores open dims of the value, as unspecified dims: constraints and
/// manual computations.
bool keeps_openness(const Module& module, ValueId value) {
  if (!value.valid()) return false;
  const ir::ValueOwner owner = module.owner(value);
  const OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  return module.is(op, OpKind::SdyShardingConstraint) ||
         module.is(op, OpKind::SdyManualComputation);
}

/// Counters of features that a form does not support.
struct LostParts {
  Lost open = {"open dims"};
  Lost priorities = {"priorities"};
  Lost replicated = {"explicit replicated axes"};
  Lost groups = {"sharding groups"};
  Lost barriers = {"barriers"};
  Lost rules = {"sharding rules"};
};

void lose_of_shardings(const Module& module, bool has_names, LostParts& lost) {
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId value) {
    const auto [place, location] = owner_text(module, value);
    const auto open = std::ranges::count_if(sharding.dims(),
                                            [](const DimSharding& dim) { return !dim.is_closed; });
    const auto priorities = std::ranges::count_if(
        sharding.dims(), [](const DimSharding& dim) { return dim.priority.has_value(); });
    if (!has_names && !keeps_openness(module, value)) lose(lost.open, open, place, location);
    lose(lost.priorities, priorities, place, location);
    if (!has_names && !sharding.replicated_axes().empty()) {
      lose(lost.replicated, 1, place, location);
    }
  });
}

void lose_of_ops(const Module& module, bool is_gspmd, bool has_names, LostParts& lost) {
  for (const OpId op : ir::pre_order(module)) {
    const auto lose_one = [&](Lost& part) {
      lose(part, 1, place_text(module, {op}), module.location_text(op));
    };
    if (is_gspmd && module.is(op, OpKind::SdyShardingGroup)) lose_one(lost.groups);
    if (is_gspmd && module.is(op, OpKind::SdyPropagationBarrier)) lose_one(lost.barriers);
    if (!has_names && module.attributes(op).contains(ir::kShardingRuleAttr)) lose_one(lost.rules);
  }
}

}  // namespace

Diagnostics unsupported_features(const Module& module, ExportForm form) {
  if (form == ExportForm::Sdy || form == ExportForm::RoundTrip) return {};
  const bool is_gspmd = form == ExportForm::Gspmd || form == ExportForm::GspmdNamed;
  const bool has_names = form != ExportForm::Gspmd;
  LostParts parts;
  lose_of_shardings(module, has_names, parts);
  lose_of_ops(module, is_gspmd, has_names, parts);
  Diagnostics said;
  for (const Lost& lost : {parts.open, parts.priorities, parts.replicated, parts.groups,
                           parts.barriers, parts.rules}) {
    if (lost.count == 0) continue;
    said.push_back({.message = "mhlo.sharding cannot express " + std::string(lost.what) + ": " +
                               std::to_string(lost.count) + " lost, the first of " + lost.place,
                    .location = lost.location,
                    .notes = {"--shardings=sdy and --shardings=sdy-round-trip keep them"},
                    .severity = Severity::Warning});
  }
  return said;
}

}  // namespace shardy::passes

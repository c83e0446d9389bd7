// Options of passes that choose between Shardy's plan and the plan of least cost.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "shardy/passes/pass.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::passes {

/// Returns the option with choices `reference`, Shardy's and the default, and `best`.
inline PassOption plan_option(std::string name, std::string help) {
  return {std::move(name), OptionType::Enum, "reference", std::move(help), {"reference", "best"}};
}

inline PassOption common_axes_option() {
  return plan_option("common-axes",
                     "common sharding of the tensors of an op: that of Shardy, or the cheapest");
}

inline PlanKind plan_kind(const OptionValues& values, std::string_view name) {
  return values.text(name) == "best" ? PlanKind::Best : PlanKind::Reference;
}

}  // namespace shardy::passes

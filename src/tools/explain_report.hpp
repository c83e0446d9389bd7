// An explanation as text and as JSON, which starts with the most expensive conflicts and replicated
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/report/report.hpp"

namespace shardy::tools {

// Costs of conflicts and of replicated values, in descending order.

/// Equal collectives that run for the op of a conflict.
struct CausedCollectives {
  std::string kind;
  std::string axes;
  std::string type;
  int64_t count = 0;
  int64_t bytes = 0;  // bytes that all of them send
};

struct RankedConflict {
  const propagation::ExplainedConflict* conflict = nullptr;
  std::vector<CausedCollectives> following = {};
  int64_t bytes = 0;  // bytes that these collectives send
};

/// Returns the conflicts sorted by the bytes of the collectives that run along the conflict's axis
/// for its op; on ties in program order.
std::vector<RankedConflict> ranked_conflicts(
    const std::vector<const propagation::ExplainedConflict*>& conflicts,
    const report::Report& report);

/// A value and the axes along which it is replicated for one reason.
struct ReplicatedValue {
  const propagation::ExplainedValue* value = nullptr;
  std::vector<const propagation::AbsentAxis*> axes = {};
  int64_t bytes = 0;  // bytes on each device
};

/// Returns the replicated values of `module` without a conflict, the largest first.
std::vector<ReplicatedValue> replicated_values(const propagation::Explanation& explanation,
                                               const ir::Module& module);

/// Returns whether a location, as MLIR text or as reports show it, contains `wanted`. True if
/// `wanted` is empty.
bool is_on_line(const Location& location, const std::string& wanted);

// The explanation as text and as JSON.

/// The selected part of an explanation, and the findings that are errors with `--strict`.
struct ExplainReport {
  std::vector<const propagation::ExplainedValue*> values;
  std::span<const propagation::Decision> decisions;  // all decisions of the explanation
  std::vector<RankedConflict> conflicts;
  std::vector<ReplicatedValue> replicated;
  std::vector<propagation::MissingRule> missing_rules;
  std::vector<std::string> refused;  // findings that are errors; with --strict only
  std::size_t top = 0;               // number of conflicts and of rows in text; JSON has all
  bool is_filtered = false;          // some conflicts or values are omitted
};

std::string explain_text(const ExplainReport& report);
/// Returns the line of a decision in a chain.
std::string decision_text(const propagation::Decision& decision);
/// Returns the reason for a missing axis, without the axis.
std::string absence_text(const propagation::AbsentAxis& absent);
/// Returns the list of conflicts of explain_json.
std::string conflicts_json(const std::vector<RankedConflict>& conflicts);
/// Returns the list of ops without a rule of explain_json.
std::string missing_rules_json(const std::vector<propagation::MissingRule>& missing_rules);
/// Returns the explanation as JSON. `diagnostics`: diagnostics of the command.
std::string explain_json(const ExplainReport& report, const Diagnostics& diagnostics);

}  // namespace shardy::tools

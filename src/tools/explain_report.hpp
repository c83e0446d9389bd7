// An explanation as text and as JSON, its costliest conflicts and replicated values first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/report/report.hpp"

namespace shardy::tools {

// Costs of conflicts and replicated values, in descending order.

/// Equal collectives for the op of a conflict.
struct CausedCollectives {
  std::string kind;
  std::string axes;
  std::string type;
  int64_t count = 0;
  int64_t bytes = 0;  // sent by all of them
};

struct RankedConflict {
  const propagation::ExplainedConflict* conflict = nullptr;
  std::vector<CausedCollectives> following = {};
  int64_t bytes = 0;  // of these collectives
};

/// Sorted by the bytes of the collectives along the axis for the same op, else in program order.
std::vector<RankedConflict> ranked_conflicts(
    const std::vector<const propagation::ExplainedConflict*>& conflicts,
    const report::Report& report);

/// A value, and the axes along which it is replicated for one reason.
struct ReplicatedValue {
  const propagation::ExplainedValue* value = nullptr;
  std::vector<const propagation::AbsentAxis*> axes = {};
  int64_t bytes = 0;  // that each device holds
};

/// Returns replicated values without a conflict, of `module`; the largest first.
std::vector<ReplicatedValue> replicated_values(const propagation::Explanation& explanation,
                                               const ir::Module& module);

/// Returns whether a location, as MLIR writes it or as it is shown, has `wanted` in it; empty: all
/// do.
bool is_on_line(const Location& location, const std::string& wanted);

// An explanation as text and as JSON.

/// The selected part of an explanation, and the findings that `--strict` refuses.
struct ExplainReport {
  std::vector<const propagation::ExplainedValue*> values;
  std::span<const propagation::Decision> decisions;  // of the explanation
  std::vector<RankedConflict> conflicts;
  std::vector<ReplicatedValue> replicated;
  std::vector<propagation::MissingRule> missing_rules;
  std::vector<std::string> refused;  // with --strict
  std::size_t top = 0;               // conflicts, and rows of the table of text; JSON has all
  bool is_filtered = false;          // parts of the program are omitted
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
/// `diagnostics`: those of the command.
std::string explain_json(const ExplainReport& report, const Diagnostics& diagnostics);

}  // namespace shardy::tools

// An explanation as text and as JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "shardy/propagation/ir_explain.hpp"
#include "tools/explain_rank.hpp"

namespace shardy::tools {

/// The selected part of an explanation, and the findings that `--strict` refuses.
struct ExplainReport {
  std::vector<const propagation::ExplainedValue*> values;
  std::span<const propagation::Decision> decisions;  // of the explanation
  std::vector<RankedConflict> conflicts;
  std::vector<ReplicatedValue> replicated;
  std::vector<propagation::MissingRule> missing_rules;
  std::vector<std::string> refused;  // with --strict
  std::size_t top = 0;               // conflicts, and rows of the table of text; JSON has all
  bool is_filtered = false;          // parts of the program are left out
};

std::string explain_text(const ExplainReport& report);
/// `said`: the diagnostics of the command.
std::string explain_json(const ExplainReport& report, const Diagnostics& said);

}  // namespace shardy::tools

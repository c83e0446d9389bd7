// An explanation as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shardy/propagation/ir_explain.hpp"

namespace shardy::tools {

/// What of an explanation was asked for, and what a strict user does not accept.
struct ExplainReport {
  std::vector<const propagation::ExplainedValue*> values;
  std::span<const propagation::Decision> decisions;  // of the explanation
  std::vector<const propagation::ExplainedConflict*> conflicts;
  std::vector<propagation::MissingRule> missing_rules;
  std::vector<std::string> refused;  // with --strict
};

std::string explain_text(const ExplainReport& report);
/// `said`: what stands beside the answer.
std::string explain_json(const ExplainReport& report, const Diagnostics& said);

}  // namespace shardy::tools

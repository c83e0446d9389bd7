// Text of a rule, or the reason why an op has none, for the tests of rules.
#pragma once

#include <optional>
#include <string>

#include "shardy/algebra/text.hpp"
#include "shardy/support/result.hpp"

namespace shardy::rules {

/// The text without the `<` and `>` around it.
inline std::string text_of(const OpShardingRule& rule) {
  const std::string text = to_string(rule);
  return text.starts_with('<') ? text.substr(1, text.size() - 2) : text;
}

inline std::string text_of(const Result<OpShardingRule>& rule) {
  return rule ? text_of(*rule) : "error: " + rule.error().message;
}

inline std::string text_of(const Result<std::optional<OpShardingRule>>& rule) {
  if (!rule) return "error: " + rule.error().message;
  return *rule ? text_of(**rule) : "null";
}

}  // namespace shardy::rules

// Any text is a sharding rule or an error, and a rule reads back.
#include <cstdint>
#include <shardy/algebra/text.hpp>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace shardy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<OpShardingRuleParts> parts = parse_rule_parts(text);
  const Result<OpShardingRule> rule = parse_rule(text);
  if (!parts) {
    fuzz::check(!rule && !parts.error().location.empty(), "a located error", text);
    return 0;
  }
  if (!rule) {
    fuzz::check(!rule.error().message.empty(), "an error", text);
    return 0;
  }
  fuzz::check(rule->parts() == *parts, "a rule keeps its parts", text);
  fuzz::check(parse_rule(to_string(*rule)) == *rule, "parse(print(x)) == x", text);
  fuzz::check(OpShardingRule::make(*parts) == *rule, "make(parts) == x", text);
  for (const int32_t factor : rule->batching_factors()) {
    fuzz::check(rule->factor_kind(factor) == FactorKind::PassThrough, "batching", text);
  }
  return 0;
}

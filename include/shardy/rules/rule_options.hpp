// Queries of rules and their results.
#pragma once

#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/result.hpp>

namespace shardy::rules {

/// How rules are made.
struct RuleOptions {
  /// Rules in which no sharding can lead to uneven or overlapping pieces. Spec: rules 7.
  bool conservative = false;
  /// Also rules of ops through which nothing propagates by default. Spec: partitioning 8.0.
  bool lowering_rules = false;
};

/// A rule, or nothing for an op without one.
using RuleResult = Result<std::optional<OpShardingRule>>;

}  // namespace shardy::rules

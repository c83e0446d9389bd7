// One op on its own: from the shardings of its operands to those of its results.
#pragma once

#include <optional>
#include <shardy/propagation/propagate.hpp>
#include <vector>

namespace shardy::propagation {

/// A sharding per tensor; nullopt: none.
using TensorShardings = std::vector<std::optional<TensorSharding>>;

/// How one op propagates.
struct InferOptions {
  Strategy strategy = Strategy::Aggressive;  // which steps are taken, in which order
  /// Of factors that compete for an axis the most sharded one gets it. Spec: propagation 6.
  bool is_elementwise = false;
  /// Whole axes only. Spec: propagation 15.
  bool is_conservative = false;
};

/// Shardings of an op's tensors after one propagation step.
struct Inferred {
  TensorShardings operands;  // one for each operand
  TensorShardings results;   // one for each result
};

/// Propagates through one op with that rule, in both directions and once per sweep of the strategy.
///
/// `results` are the shardings that the results have before; none: absent. A tensor comes back with
/// what it had and what it got. Errors: another number of operands than the rule has, or of results
/// if there are any; ranks that do not fit the rule.
Result<Inferred> infer(const OpShardingRule& rule, const TensorShardings& operands,
                       const InferOptions& options = {}, const TensorShardings& results = {});

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/infer_inl.hpp>
#endif

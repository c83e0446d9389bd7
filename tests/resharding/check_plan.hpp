#pragma once

#include <shardy/resharding/best_plan.hpp>
#include <span>
#include <string>
#include <vector>

#include "resharding/data_oracle.hpp"
#include "resharding/legal_steps.hpp"

namespace shardy::testing {

/// The first fault of a plan between two shardings, empty if it has none: each step is legal, it
/// ends at `to`, and, where all dims stay divisible, every device holds after each step what the
/// sharding of the step requires.
inline std::string check_steps(const std::vector<int64_t>& shape, const TensorSharding& from,
                               const TensorSharding& to, std::span<const ReshardStep> plan) {
  if (!is_plan(from, to, plan)) return "an illegal step, or another end";
  if (!oracle::can_run(shape, from, plan)) return {};
  TensorSharding here = from;
  oracle::Buffers buffers = oracle::layout(shape, from);
  for (const ReshardStep& step : plan) {
    buffers = oracle::run(step, here, std::move(buffers));
    here = step.out;
    if (!oracle::holds(shape, here, buffers)) {
      return std::string("wrong data after ") + std::string(op_name(step.kind));
    }
  }
  if (from.mesh() != to.mesh() && here.mesh() != to.mesh()) return {};  // replicated: no permute
  return oracle::holds(shape, to, buffers) ? "" : "wrong data at the end";
}

/// The same of the plan of the reference, which has to exist.
inline std::string check_plan(const std::vector<int64_t>& shape, const TensorSharding& from,
                              const TensorSharding& to) {
  const Result<std::vector<ReshardStep>> plan = plan_reshard(shape, from, to);
  return plan ? check_steps(shape, from, to, *plan) : plan.error().message;
}

/// The same of the best plan, for elements of one byte.
inline std::string check_best_plan(const std::vector<int64_t>& shape, const TensorSharding& from,
                                   const TensorSharding& to, const BestPlanOptions& options = {}) {
  const Result<BestPlan> plan =
      plan_best_reshard({.shape = shape}, from, to, BoundAxes::none(), options);
  return plan ? check_steps(shape, from, to, plan->steps) : plan.error().message;
}

}  // namespace shardy::testing

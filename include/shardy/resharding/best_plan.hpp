#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <shardy/algebra/bound_axes.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

// The cheapest collectives from one sharding to another. Spec: resharding C.2, C.3.

namespace shardy {

/// Options of the search for the cheapest plan.
struct BestPlanOptions {
  CostModel model;  // what sending along each axis costs
  /// Of what goes in and comes out of any step on a device; 0: any.
  int64_t max_live_bytes = 0;
  /// Ways from a sharding to another that the search may look at where all ways can be looked at; a
  /// fiftieth of them where there are too many axes for that. Then the best plan so far is taken.
  int64_t max_ways = 200000;

  friend bool operator==(const BestPlanOptions&, const BestPlanOptions&) = default;
};

/// A plan, and whether it is known to be the cheapest.
struct BestPlan {
  std::vector<ReshardStep> steps;  // in the order in which they run
  /// No plan of these steps takes less time, or as much and sends less. Otherwise there were too
  /// many axes to try, and the plan is at least as good as that of plan_reshard.
  bool is_proven = false;
};

/// The plan of plan_reshard, or one that takes less time, sends less in the same time or exchanges
/// less often. Neither uses an axis in `bound`. Errors: those of plan_reshard and check_costs; no
/// plan keeps to the limit of memory; `from` or `to` uses a bound axis.
Result<BestPlan> plan_best_reshard(const TensorSize& tensor, const TensorSharding& from,
                                   const TensorSharding& to, const BoundAxes& bound,
                                   const BestPlanOptions& options = {});

/// Two plans between two shardings, what they cost and what any plan costs at least.
struct ReshardComparison {
  std::vector<ReshardStep> reference;  // of plan_reshard
  BestPlan best;                       // of plan_best_reshard
  StepCost reference_cost;             // of all steps of `reference`
  StepCost best_cost;                  // of all steps of `best`
  int64_t least_bytes = 0;             // no plan sends less
  double least_seconds = 0;            // no plan takes less time
};

/// Both plans and their costs. Errors: those of plan_best_reshard.
Result<ReshardComparison> compare_reshards(const TensorSize& tensor, const TensorSharding& from,
                                           const TensorSharding& to, const BoundAxes& bound,
                                           const BestPlanOptions& options = {});

/// Kind of plans.
enum class PlanKind : uint8_t { Reference, Best };

/// "reference", "best".
constexpr std::string_view to_string(PlanKind kind) {
  return kind == PlanKind::Reference ? "reference" : "best";
}

/// Makes the steps from one sharding of a tensor to another; none may use a bound axis.
using PlanMaker = std::function<Result<std::vector<ReshardStep>>(
    const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
    const BoundAxes& bound)>;

/// Makes plans and keeps them: a program reshards many values alike.
class ReshardPlanner {
 public:
  /// Plans of that kind; `options` are for Best.
  explicit ReshardPlanner(PlanKind kind = PlanKind::Reference, BestPlanOptions options = {})
      : kind_(kind), options_(std::move(options)) {}

  /// Plans of the caller's own, which are taken as they are; `options` say what they cost.
  explicit ReshardPlanner(PlanMaker maker, BestPlanOptions options = {})
      : kind_(PlanKind::Best), maker_(std::move(maker)), options_(std::move(options)) {}

  /// Returns the kind of its plans; Best for a custom planner.
  PlanKind kind() const { return kind_; }
  /// Costs and limits of Best.
  const BestPlanOptions& options() const { return options_; }

  /// Errors: those of plan_reshard and plan_best_reshard, or of the maker.
  Result<std::vector<ReshardStep>> plan(const TensorSize& tensor, const TensorSharding& from,
                                        const TensorSharding& to, const BoundAxes& bound);

 private:
  struct Key {
    std::vector<int64_t> shape;
    int64_t element_bytes = 1;
    TensorSharding from;
    TensorSharding to;
    BoundAxes bound;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  PlanKind kind_;
  PlanMaker maker_;  // none: as `kind_` says
  BestPlanOptions options_;
  std::map<Key, std::vector<ReshardStep>> plans_;
};

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/best_plan_inl.hpp>
#endif

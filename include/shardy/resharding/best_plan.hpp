// Plans of reshards: the collectives that Shardy chooses, and the collectives of least cost.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

// ---- The plan that Shardy chooses ---------------------------------------------------------------

/// Returns the collectives that reshard a tensor from `from` to `to`, as Shardy chooses them. Plans
/// also exist where Shardy fails: for sizes that do not divide each other, refs that cannot
/// coexist, and unreduced axes that change. A plan to a replicated tensor stays on the mesh of
/// `from`. An empty plan means that each device already has its result.
///
/// Units: `shape` is the global shape, of any sizes. Errors: a single-device sharding; different
/// ranks; meshes that differ in more than device ids; a different reduction of unreduced axes that
/// are kept; new unreduced axes with a reduction other than sum. Spec: resharding A.8, B.3, B.4,
/// B.5.
Result<std::vector<ReshardStep>> plan_reshard(std::span<const int64_t> shape,
                                              const TensorSharding& from, const TensorSharding& to);

// ---- The plan of least cost. Spec: resharding C.2, C.3 ------------------------------------------

/// The phase of LimitChecker::status in errors of plans.
inline constexpr std::string_view kPlanningPhase = "planning of collectives";

/// Options of the search for the cheapest plan.
struct BestPlanOptions {
  CostModel model;  // cost of communication along each mesh axis
  /// Limit for the bytes of a step's operand and result on one device; 0: no limit.
  int64_t max_live_bytes = 0;
  /// Maximal number of transitions between search states, if the search can be exhaustive. If the
  /// mesh has too many axes for that, the limit is a fiftieth of this number. At the limit, the
  /// search returns the best plan so far.
  int64_t max_ways = 200000;

  friend bool operator==(const BestPlanOptions&, const BestPlanOptions&) = default;
};

/// A plan, and whether the search proved it to be optimal.
struct BestPlan {
  std::vector<ReshardStep> steps;  // steps in the order in which they run
  /// True if no plan of steps of the kinds StepKind takes less time, or equal time with fewer bytes
  /// sent. If false, the mesh had too many axes for an exhaustive search, and the plan costs at
  /// most as much as the plan of plan_reshard.
  bool is_proven = false;
};

/// Returns the plan of plan_reshard, or a plan that takes less time, sends fewer bytes in equal
/// time, or has fewer messages. No step uses an axis of `bound`. Errors: those of plan_reshard and
/// check_costs; no plan within the memory limit; `from` or `to` uses a bound axis; the search
/// exceeds `limits` (null: no limits).
Result<BestPlan> plan_best_reshard(const TensorSize& tensor, const TensorSharding& from,
                                   const TensorSharding& to, const BoundAxes& bound,
                                   const BestPlanOptions& options = {},
                                   LimitChecker* limits = nullptr);

/// The plans of both planners between two shardings, their costs, and lower bounds for any plan.
struct ReshardComparison {
  std::vector<ReshardStep> reference;  // plan of plan_reshard
  BestPlan best;                       // plan of plan_best_reshard
  StepCost reference_cost;             // total cost of `reference`
  StepCost best_cost;                  // total cost of `best`
  int64_t least_bytes = 0;             // lower bound of the bytes that any plan sends
  double least_seconds = 0;            // lower bound of the time of any plan
};

/// Returns the plans of plan_reshard and plan_best_reshard with their costs. Errors: those of
/// plan_best_reshard.
Result<ReshardComparison> compare_reshards(const TensorSize& tensor, const TensorSharding& from,
                                           const TensorSharding& to, const BoundAxes& bound,
                                           const BestPlanOptions& options = {});

/// Kind of planner. Reference: plan_reshard, which follows Shardy. Best: plan_best_reshard.
enum class PlanKind : uint8_t { Reference, Best };

/// Returns "reference" or "best".
constexpr std::string_view to_string(PlanKind kind) {
  return kind == PlanKind::Reference ? "reference" : "best";
}

/// A function that returns the steps from one sharding of a tensor to another. No step may use a
/// bound axis.
using PlanMaker = std::function<Result<std::vector<ReshardStep>>(
    const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
    const BoundAxes& bound)>;

/// A planner that caches its plans, because a program reshards many values in the same way.
class ReshardPlanner {
 public:
  /// Makes a planner of a kind. Only Best uses `options`.
  explicit ReshardPlanner(PlanKind kind = PlanKind::Reference, BestPlanOptions options = {})
      : kind_(kind), options_(std::move(options)) {}

  /// Makes a planner that returns the plans of `maker` unchanged. `options` gives the cost model.
  explicit ReshardPlanner(PlanMaker maker, BestPlanOptions options = {})
      : kind_(PlanKind::Best), maker_(std::move(maker)), options_(std::move(options)) {}

  /// Returns the kind of planner; Best for a planner with a custom `maker`.
  PlanKind kind() const { return kind_; }
  /// Returns the options of the search.
  const BestPlanOptions& options() const { return options_; }
  /// Ends plans when `limits`, which must outlive the planner, are exceeded; null: none.
  void set_limits(LimitChecker* limits) { limits_ = limits; }

  /// Returns a plan from `from` to `to`. Errors: those of plan_reshard, of plan_best_reshard, or of
  /// the custom maker.
  Result<std::vector<ReshardStep>> plan(const TensorSize& tensor, const TensorSharding& from,
                                        const TensorSharding& to, const BoundAxes& bound);

 private:
  struct PlanKey {
    std::vector<int64_t> shape;
    int64_t element_bytes = 1;
    TensorSharding from;
    TensorSharding to;
    BoundAxes bound;

    friend auto operator<=>(const PlanKey&, const PlanKey&) = default;
  };

  PlanKind kind_;
  PlanMaker maker_;  // custom planner; empty: `kind_` selects the planner
  BestPlanOptions options_;
  LimitChecker* limits_ = nullptr;
  std::map<PlanKey, std::vector<ReshardStep>> plans_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/detail/reference.hpp>
#include <shardy/resharding/detail/search.hpp>
#include <shardy/resharding/detail/search_problem.hpp>
#include <shardy/resharding/detail/step_meter.hpp>
#include <shardy/resharding/detail/unreduced.hpp>
#include <string>

namespace shardy::detail {

/// A builder of a plan that tracks the sharding after its last step.
class PlanBuilder {
 public:
  PlanBuilder(std::span<const int64_t> shape, TensorSharding from)
      : shape_(shape), here_(std::move(from)) {}

  const TensorSharding& here() const { return here_; }

  void reduce(const AxisList& axes);

  void change_dims(const TensorSharding& to);

  void introduce(const UnreducedIntroduction& way, const TensorSharding& to);

  std::vector<ReshardStep> take_steps() { return std::move(steps_); }

 private:
  void add(ReshardStep step) {
    here_ = step.out;
    steps_.push_back(std::move(step));
  }

  std::span<const int64_t> shape_;
  TensorSharding here_;
  std::vector<ReshardStep> steps_;
};

SHARDY_INLINE Status check_ranks(std::span<const int64_t> shape, const TensorSharding& from,
                                 const TensorSharding& to) {
  if (from.is_single_device() || to.is_single_device()) {
    return fail("cannot reshard from or to a single-device sharding by collectives");
  }
  if (from.rank() == to.rank() && to.rank() == shape.size()) return {};
  return fail("cannot reshard a tensor of rank " + std::to_string(shape.size()) + " from rank " +
              std::to_string(from.rank()) + " to rank " + std::to_string(to.rank()));
}

SHARDY_INLINE void PlanBuilder::reduce(const AxisList& axes) {
  if (axes.empty()) return;
  add({.kind = StepKind::AllReduce,
       .axes = axes,
       .reduction_op = here_.reduction_op(),
       .out = here_.closed_like().with_unreduced(set_difference(here_.unreduced_axes(), axes))});
}

SHARDY_INLINE void PlanBuilder::change_dims(const TensorSharding& to) {
  reference::Sequence way = reference::sequence(shape_, here_, to);
  for (ReshardStep& step : way.steps) add(std::move(step));
}

SHARDY_INLINE void PlanBuilder::introduce(const UnreducedIntroduction& way,
                                          const TensorSharding& to) {
  change_dims(way.before);
  detail::introduce(here_, way, to, steps_);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<std::vector<ReshardStep>> plan_reshard(std::span<const int64_t> shape,
                                                            const TensorSharding& from,
                                                            const TensorSharding& to) {
  SHARDY_TRY_STATUS(detail::check_ranks(shape, from, to));
  detail::PlanBuilder plan(shape, from);
  if (to.is_fully_replicated() && to.unreduced_axes().empty()) {
    plan.reduce(from.unreduced_axes());
    plan.change_dims(plan.here().fully_closed_like());
    return plan.take_steps();
  }
  if (!from.mesh().equals_ignoring_device_ids(to.mesh())) {
    return fail("cannot reshard between meshes that differ in more than device ids");
  }
  plan.reduce(axes_to_reduce(from.unreduced_axes(), to.unreduced_axes()));
  const AxisList& kept = plan.here().unreduced_axes();
  if (!kept.empty() && from.reduction_op() != to.reduction_op()) {
    return fail("cannot change the reduction operator of kept unreduced axes from " +
                std::string(to_string(from.reduction_op())) + " to " +
                std::string(to_string(to.reduction_op())) + ".");
  }
  if (set_difference(to.unreduced_axes(), kept).empty()) {
    plan.change_dims(to);
    return plan.take_steps();
  }
  if (to.reduction_op() != ReductionOp::Sum) {
    return fail("cannot introduce '" + std::string(to_string(to.reduction_op())) +
                "' unreduced axes. Expected 'sum'.");
  }
  plan.introduce(introduce_unreduced(plan.here(), to), to);
  return plan.take_steps();
}

}  // namespace shardy

namespace shardy::detail {

/// The part of a plan that the search finds: a change of dim axes and the reduction of partial
/// values.
struct DimChange {
  TensorSharding from;
  TensorSharding to;
  // Introduction of unreduced axes, which follows the change.
  std::optional<UnreducedIntroduction> introduction;
};

/// Returns the part between `from` and `to` that the search finds. Requires: plan_reshard has a
/// plan from `from` to `to`.
SHARDY_INLINE DimChange dim_change(const TensorSharding& from, const TensorSharding& to) {
  const TensorSharding start = from.closed_like();
  if (to.is_fully_replicated() && to.unreduced_axes().empty()) {
    return {start, from.fully_closed_like(), std::nullopt};
  }
  const AxisList reduced = axes_to_reduce(from.unreduced_axes(), to.unreduced_axes());
  const AxisList kept = sort_and_merge(set_difference(from.unreduced_axes(), reduced));
  if (set_difference(to.unreduced_axes(), kept).empty()) {
    return {start, to.closed_like(), std::nullopt};
  }
  UnreducedIntroduction way = introduce_unreduced(start.with_unreduced(kept), to);
  const TensorSharding end = way.before.with_unreduced(
      way.before.unreduced_axes(),
      way.before.unreduced_axes().empty() ? ReductionOp::Sum : from.reduction_op());
  return {start, end, std::move(way)};
}

/// Returns true for an axis of size 1. The search ignores such axes, because they shard nothing.
SHARDY_INLINE bool is_unit(const AxisRef& ref) { return ref.size == 1; }

SHARDY_INLINE TensorSharding without_units(const TensorSharding& sharding) {
  AxisLists lists = dim_axes(sharding);
  for (AxisList& list : lists) {
    std::erase_if(list, is_unit);
    list = merged(list);  // refs on both sides of a removed ref may be adjacent now
  }
  return sharding.with_dims(closed_dims(lists));
}

SHARDY_INLINE bool all_coexist(const TensorSharding& from, const TensorSharding& to) {
  AxisList before = from.dim_axes();
  append(before, from.unreduced_axes());
  AxisList after = to.dim_axes();
  append(after, to.unreduced_axes());
  return can_coexist(before, after);
}

/// A plan of a DimChange, and whether the search proved it to be optimal.
struct DimChangePlan {
  std::vector<ReshardStep> steps;
  bool is_proven = false;
};

/// A planner of a DimChange by search. The result is std::nullopt if no plan costs less than
/// `bound`.
class ChangePlanner {
 public:
  ChangePlanner(const TensorSize& tensor, const BoundAxes& axes, const BestPlanOptions& options,
                links::Exchange bound, LimitChecker* limits)
      : tensor_(tensor), axes_(axes), options_(options), bound_(bound), limits_(limits) {}

  std::optional<DimChangePlan> plan(const DimChange& change);
  /// Returns true if the search was exhaustive and found no plan below the bound.
  bool ended() const { return ended_; }

 private:
  void go(ReshardStep step) {
    here_ = step.out;
    steps_.push_back(std::move(step));
  }
  void put_units_away(const TensorSharding& to);
  std::vector<ReshardStep> cheaper_joined(std::vector<ReshardStep> steps, bool all_kinds) const;
  void gather_what_cannot_coexist(const TensorSharding& to);

  TensorSize tensor_;
  const BoundAxes& axes_;  // bound axes
  const BestPlanOptions& options_;
  links::Exchange bound_;
  LimitChecker* limits_;
  TensorSharding here_ = TensorSharding::fully_closed(Mesh(), std::nullopt, 0);
  std::vector<ReshardStep> steps_;
  bool ended_ = false;
};

SHARDY_INLINE void ChangePlanner::put_units_away(const TensorSharding& to) {
  AxisList reduced = set_difference(here_.unreduced_axes(), to.unreduced_axes());
  std::erase_if(reduced, [](const AxisRef& ref) { return !is_unit(ref); });
  if (!reduced.empty()) {
    const AxisList rest = set_difference(here_.unreduced_axes(), reduced);
    const ReductionOp op = here_.reduction_op();
    go({.kind = StepKind::AllReduce,
        .axes = reduced,
        .reduction_op = op,
        .out = here_.with_unreduced(rest, rest.empty() ? ReductionOp::Sum : op)});
  }
  // The permute moves no data.
  const TensorSharding bare = without_units(here_);
  if (bare != here_) go({.kind = StepKind::CollectivePermute, .out = bare});
}

SHARDY_INLINE void ChangePlanner::gather_what_cannot_coexist(const TensorSharding& to) {
  if (all_coexist(here_, to)) return;
  AxisList wanted = to.dim_axes();
  append(wanted, to.unreduced_axes());
  const AxisLists begin = dim_axes(here_);
  AxisLists kept;
  for (const AxisList& list : begin) kept.push_back(coexisting_prefix(list, wanted));
  if (kept == begin) return;
  go({.kind = StepKind::AllGather,
      .dim_axes = rest_after(begin, kept),
      .out = here_.with_dims(closed_dims(kept))});
}

/// Returns the steps with adjacent steps of one kind joined. Steps stay separate if joining them
/// increases the bytes of halo exchanges.
SHARDY_INLINE std::vector<ReshardStep> ChangePlanner::cheaper_joined(std::vector<ReshardStep> steps,
                                                                     bool all_kinds) const {
  std::vector<ReshardStep> joint = search::joined(steps, all_kinds);
  if (joint.size() == steps.size()) return steps;
  const auto cost = [&](std::span<const ReshardStep> way) {
    return search::cost_of(plan_exchanges(tensor_, here_, way, options_.model));
  };
  return cost(steps) < cost(joint) ? steps : joint;
}

SHARDY_INLINE std::optional<DimChangePlan> ChangePlanner::plan(const DimChange& change) {
  const TensorSharding to = without_units(change.to);
  here_ = change.from;
  put_units_away(to);
  const std::size_t skipped = steps_.size();
  gather_what_cannot_coexist(to);
  const bool at_once = steps_.size() == skipped;
  if (!all_coexist(here_, to)) return std::nullopt;
  if (!set_difference(to.unreduced_axes(), here_.unreduced_axes()).empty()) return std::nullopt;
  const std::optional<search::SearchProblem> problem =
      search::make_problem(tensor_, here_, to, axes_);
  if (!problem || problem->dims.empty()) return std::nullopt;

  const links::Links links(here_.mesh(), options_.model);
  const links::Exchange before =
      plan_exchanges(tensor_, change.from.closed_like(), steps_, options_.model);
  const search::PathCost bound{bound_.time - before.time, bound_.bytes - before.bytes,
                               bound_.messages - before.messages, 0};
  search::Search search(*problem, links,
                        {.live_bytes = static_cast<double>(options_.max_live_bytes),
                         .max_ways = options_.max_ways / (problem->all_primes ? 1 : 50),
                         .work = limits_});
  search::FoundPath found = search.run(bound);
  ended_ = found.ended && problem->all_primes && at_once;
  if (!found.any) return std::nullopt;
  // Gathers along several dims are not joined under a memory limit, because a joined gather needs a
  // second buffer of the result.
  const bool joins = links.is_uniform() && options_.max_live_bytes == 0;
  for (ReshardStep& step : cheaper_joined(std::move(found.steps), joins)) go(std::move(step));
  const bool same_axes = dim_axes(here_) == dim_axes(change.to) &&
                         here_.unreduced_axes() == change.to.unreduced_axes();
  if (!same_axes) {
    go({.kind = StepKind::CollectivePermute, .out = change.to.with_mesh(here_.mesh_ref())});
  }
  return DimChangePlan{std::move(steps_), ended_};
}

SHARDY_INLINE bool is_less(const links::Exchange& a, const links::Exchange& b) {
  return search::cost_of(a) < search::cost_of(b);
}

/// Returns the plan of the search, followed by the introduction of unreduced axes; a plan with an
/// introduction is not proven optimal.
SHARDY_INLINE std::optional<DimChangePlan> find_way(ChangePlanner& planner, const DimChange& change,
                                                    const TensorSharding& from,
                                                    const TensorSharding& to) {
  std::optional<DimChangePlan> way = planner.plan(change);
  if (!way || !change.introduction) return way;
  const TensorSharding here = way->steps.empty() ? from : way->steps.back().out;
  introduce(here, *change.introduction, to, way->steps);
  way->is_proven = false;
  return way;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<BestPlan> plan_best_reshard(const TensorSize& tensor,
                                                 const TensorSharding& from,
                                                 const TensorSharding& to, const BoundAxes& bound,
                                                 const BestPlanOptions& options,
                                                 LimitChecker* limits) {
  SHARDY_TRY_STATUS(bound.expect_free(from));
  SHARDY_TRY_STATUS(bound.expect_free(to));
  SHARDY_TRY_STATUS(check_costs(options.model));
  SHARDY_TRY(std::vector<ReshardStep> reference, plan_reshard(tensor.shape, from, to));
  // Padding may double a dim for each of its axes, so the limit leaves room for that.
  const std::optional<int64_t> elements = checked_product(tensor.shape);
  const auto bytes = elements ? checked_mul(*elements, tensor.element_bytes) : std::nullopt;
  if (!bytes || tensor.element_bytes < 1) {
    return fail("the bytes of the tensor must be at least 1 per element and fit 64 bits");
  }
  const links::Links links(from.mesh(), options.model);
  links::Exchange cost = detail::plan_exchanges(tensor, from, reference, options.model);
  const bool fits =
      options.max_live_bytes == 0 ||
      plan_cost(tensor, from, reference, options.model).live_bytes <= options.max_live_bytes;
  if (!fits) cost.time = std::numeric_limits<double>::infinity();
  const auto least = static_cast<double>(least_bytes(tensor, from, to));
  const bool meets_bound = cost.bytes == least && cost.messages <= (least > 0 ? 1 : 0) &&
                           (links.is_uniform() || cost.bytes == 0);
  if (fits && meets_bound) return BestPlan{std::move(reference), true};

  const detail::DimChange change = detail::dim_change(from, to);
  detail::ChangePlanner planner(tensor, bound, options, cost, limits);
  const bool introduces = change.introduction.has_value();
  const std::optional<detail::DimChangePlan> way = detail::find_way(planner, change, from, to);
  if (limits != nullptr) SHARDY_TRY_STATUS(limits->status(kPlanningPhase));
  if (way) {
    const links::Exchange better = detail::plan_exchanges(tensor, from, way->steps, options.model);
    if (detail::is_less(better, cost)) return BestPlan{way->steps, way->is_proven};
  }
  if (fits) return BestPlan{std::move(reference), planner.ended() && !introduces};
  return fail("no plan holds at most " + std::to_string(options.max_live_bytes) +
              " bytes on a device");
}

SHARDY_INLINE Result<ReshardComparison> compare_reshards(const TensorSize& tensor,
                                                         const TensorSharding& from,
                                                         const TensorSharding& to,
                                                         const BoundAxes& bound,
                                                         const BestPlanOptions& options) {
  ReshardComparison both;
  SHARDY_TRY(both.reference, plan_reshard(tensor.shape, from, to));
  SHARDY_TRY(both.best, plan_best_reshard(tensor, from, to, bound, options));
  both.reference_cost = plan_cost(tensor, from, both.reference, options.model);
  both.best_cost = plan_cost(tensor, from, both.best.steps, options.model);
  both.least_bytes = least_bytes(tensor, from, to);
  const links::Links links(from.mesh(), options.model);
  if (both.least_bytes > 0) {
    both.least_seconds =
        (static_cast<double>(both.least_bytes) * links.least_byte_time() + links.least_latency()) /
        links::kFemtoseconds;
  }
  return both;
}

SHARDY_INLINE Result<std::vector<ReshardStep>> ReshardPlanner::plan(const TensorSize& tensor,
                                                                    const TensorSharding& from,
                                                                    const TensorSharding& to,
                                                                    const BoundAxes& bound) {
  PlanKey key{{tensor.shape.begin(), tensor.shape.end()}, tensor.element_bytes, from, to, bound};
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  if (limits_ != nullptr && !limits_->may_continue()) {
    return tl::unexpected(limits_->status(kPlanningPhase).error());
  }
  std::vector<ReshardStep> steps;
  if (maker_) {
    SHARDY_TRY(steps, maker_(tensor, from, to, bound));
  } else if (kind_ == PlanKind::Reference) {
    SHARDY_TRY(steps, plan_reshard(tensor.shape, from, to));
  } else {
    SHARDY_TRY(BestPlan best, plan_best_reshard(tensor, from, to, bound, options_, limits_));
    steps = std::move(best.steps);
  }
  return plans_.emplace(std::move(key), std::move(steps)).first->second;
}

}  // namespace shardy
#endif  // SHARDY_BODIES

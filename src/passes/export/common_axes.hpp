// Common axes for the tensors of an op: one axis list per factor of the op's rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/support/limits.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardy::passes {

// ---- Axes that Shardy chooses -------------------------------------------------------------------

/// The shardings of an op's tensors by factor. The tensors are the operands, then the results.
struct FactorAxes {
  Mesh mesh;
  OpShardingRule rule;
  std::vector<int64_t> tensor_sizes;  // number of elements of each global tensor; 0 if unknown
  std::vector<std::vector<std::optional<AxisList>>>
      lists;  // [tensor][factor]; std::nullopt if the tensor does not have the factor
  std::vector<std::vector<AxisList>> overflow;  // [tensor][factor]
  bool is_lowered =
      false;  // axes of need-replication factors may move to factors that they do not divide

  std::size_t num_tensors() const { return lists.size(); }
  std::size_t num_factors() const { return static_cast<std::size_t>(rule.num_factors()); }
  bool has_overflow() const;
};

/// Returns the axes if no tensor needs a reshard: each factor has equal axes in all tensors,
/// need-replication factors have no axes, and no two factors share an axis. Spec: resharding A.3.
std::optional<std::vector<AxisList>> compatible_axes(const FactorAxes& factors);

/// Returns the axes to which the tensors are resharded. Ties are broken as in Shardy. Spec:
/// resharding A.5.
std::vector<AxisList> common_axes(const FactorAxes& factors);

// ---- Axes of least cost. Spec: resharding C.7 ---------------------------------------------------

/// Returns a hash of the axes of the sharding's dims and of its unreduced axes, without its mesh.
std::size_t hash_of_axes(const TensorSharding& sharding);

/// A planner that also caches the costs of plans. Programs need them more often than the plans, and
/// repeated layers need equal ones.
class PricedPlanner : public ReshardPlanner {
 public:
  using ReshardPlanner::ReshardPlanner;

  /// Returns the cost of a plan. Without a plan, all members that choices compare have their
  /// largest value.
  const StepCost& cost(const TensorSize& tensor, const TensorSharding& from,
                       const TensorSharding& to, const BoundAxes& bound);
  /// Returns the cost of a plan; null if it was not computed yet.
  const StepCost* known_cost(const TensorSize& tensor, const TensorSharding& from,
                             const TensorSharding& to, const BoundAxes& bound) const;
  /// Returns the cost of the steps, of which the first one starts at `from`.
  const StepCost& cost(const TensorSize& tensor, const TensorSharding& from,
                       std::span<const ReshardStep> steps);

 private:
  struct PricedPlan {
    std::vector<int64_t> shape;
    int64_t element_bytes;
    TensorSharding from, to;
    BoundAxes bound;
    StepCost cost;
  };
  struct PricedSteps {
    std::vector<int64_t> shape;
    int64_t element_bytes;
    TensorSharding from;
    std::vector<ReshardStep> steps;
    StepCost cost;
  };

  static std::size_t hash_of(const TensorSize& tensor, const TensorSharding& from,
                             const TensorSharding& to);

  // By hash of their keys; never iterated. References to elements stay valid.
  std::unordered_multimap<std::size_t, PricedPlan> plan_costs_;
  std::unordered_multimap<std::size_t, PricedSteps> steps_costs_;
};

/// Returns the cost of a reshard of the query's tensor `tensor`. Without a plan, all members that
/// choices compare have their largest value.
StepCost reshard_cost(const CommonAxesQuery& query, std::size_t tensor, const TensorSharding& from,
                      const TensorSharding& to, PricedPlanner& planner);

/// Adds the cost of a reshard that runs before or after others.
void add_cost(StepCost& all, const StepCost& cost);

/// Returns the sharding with which the op uses the tensor if its factors have these axes. Requires:
/// can_price(query).
TensorSharding used_sharding(const CommonAxesQuery& query, std::size_t tensor,
                             std::span<const AxisList> common);

/// Per tensor of an op: true if the tensor can have any sharding, so that it is not resharded.
/// Empty: no tensor can.
using FreeTensors = std::vector<bool>;

/// Returns the cost of reductions and of reshards of results.
StepCost results_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                      PricedPlanner& planner, const FreeTensors& free = {});

/// Returns the cost of the axes: reshards of operands, reductions, and reshards of results.
StepCost common_axes_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                          PricedPlanner& planner, const FreeTensors& free = {});

/// Checks whether all costs can be computed. Each dim then has one factor whose op moves no data,
/// all tensors are on one mesh, and no tensor is partial.
bool can_price(const CommonAxesQuery& query);

/// Returns one axis list per factor. The cost is at most the cost of `reference`, and the total
/// number of shards is not smaller. The search is local for many axes and factors. Returns
/// `reference` if no choice costs less, for rules with permutation factors or dims of several
/// factors, for unreduced tensors and for tensors on different meshes.
std::vector<AxisList> best_common_axes(const CommonAxesQuery& query,
                                       std::vector<AxisList> reference, PricedPlanner& planner,
                                       const FreeTensors& free = {});

/// The axes of best_common_axes and their cost.
struct BestAxes {
  std::vector<AxisList> axes;  // one list per factor
  StepCost before = {};        // cost of the reference; set if the axes differ from it
  StepCost after = {};         // cost of the axes; set if they differ from the reference
};

/// The results of best_common_axes by query. Ops of repeated layers have equal queries.
/// Thread-safe.
class BestAxesCache {
 public:
  /// Returns the axes, and stores them unless `limits` (null: none) are exceeded. Requires: the
  /// plans of all planners are equal.
  BestAxes find(const CommonAxesQuery& query, const std::vector<AxisList>& reference,
                PricedPlanner& planner, LimitChecker* limits, const FreeTensors& free = {});

 private:
  struct AxesKey {
    CommonAxesQuery query;
    std::vector<AxisList> reference;
    FreeTensors free;
  };
  struct AxesKeyHash {
    std::size_t operator()(const AxesKey& key) const;
  };
  struct Equal {
    bool operator()(const AxesKey& a, const AxesKey& b) const;
  };

  std::mutex mutex_;                                                 // guards the map
  std::unordered_map<AxesKey, BestAxes, AxesKeyHash, Equal> known_;  // never iterated
};

}  // namespace shardy::passes

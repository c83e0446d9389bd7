// Common axes for the tensors of an op: one list per factor of its rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardy::passes {

// ---- Those that Shardy chooses ------------------------------------------------------------------

/// The shardings of an op's tensors by factor. Tensors are operands, then results.
struct FactorAxes {
  Mesh mesh;
  OpShardingRule rule;
  std::vector<int64_t> tensor_sizes;  // number of elements of the global tensor; 0 if unknown
  std::vector<std::vector<std::optional<AxisList>>>
      lists;  // [tensor][factor]; std::nullopt: the tensor does not have the factor
  std::vector<std::vector<AxisList>> overflow;  // [tensor][factor]
  bool is_lowered =
      false;  // axes of need-replication factors may move to factors they do not divide

  std::size_t num_tensors() const { return lists.size(); }
  std::size_t num_factors() const { return static_cast<std::size_t>(rule.num_factors()); }
  bool has_overflow() const;
};

/// Returns the axes if no tensor needs a reshard: each factor has equal axes in all tensors,
/// need-replication factors have none, and no two factors share an axis. Spec: resharding A.3.
std::optional<std::vector<AxisList>> compatible_axes(const FactorAxes& factors);

/// Returns the axes to reshard the tensors to. Ties are broken as in Shardy. Spec: resharding A.5.
std::vector<AxisList> common_axes(const FactorAxes& factors);

// ---- Those of least cost. Spec: resharding C.7 --------------------------------------------------

/// Returns the cost of these axes per factor: reshards of operands, reductions and reshards of
/// results.
StepCost common_axes_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                          ReshardPlanner& planner);

/// Checks whether all costs can be computed: each dim has one factor without traffic of its own,
/// all tensors are on one mesh, and none is partial.
bool can_price(const CommonAxesQuery& query);

/// Returns one list of axes per factor with a cost of at most that of `reference` and at least as
/// many shards in total. Searches locally if there are many axes and factors. Returns `reference`
/// if no choice is cheaper, and for rules with permutation factors or dims of several factors,
/// unreduced tensors and tensors on different meshes.
std::vector<AxisList> best_common_axes(const CommonAxesQuery& query,
                                       std::vector<AxisList> reference, ReshardPlanner& planner);

/// The axes of best_common_axes, and costs.
struct BestAxes {
  std::vector<AxisList> axes;  // one list per factor
  StepCost before = {};        // of the reference, if the axes differ from it
  StepCost after = {};         // of the axes, if they differ from the reference
};

/// Results of best_common_axes by query: the ops of repeated layers have equal ones.
class BestAxesCache {
 public:
  /// The planner must outlive the cache.
  const BestAxes& find(const CommonAxesQuery& query, const std::vector<AxisList>& reference,
                       ReshardPlanner& planner);

 private:
  struct Key {
    const ReshardPlanner* planner;  // one per mesh, with the costs of its axes
    CommonAxesQuery query;
    std::vector<AxisList> reference;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Equal {
    bool operator()(const Key& a, const Key& b) const;
  };

  std::unordered_map<Key, BestAxes, Hash, Equal> known_;  // for look-ups only
};

}  // namespace shardy::passes

// Plans of reshards on the meshes of a module, which may say what their axes cost.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/manual_scopes.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// One planner per mesh, by name. Plans keep off the axes that manual computations bind at the op
/// for which they are made.
class MeshPlanners {
 public:
  /// The cost of an axis in `options` replaces that of its mesh. `maker`: makes all plans;
  /// none: they are of that kind.
  MeshPlanners(const ir::Module& module, PlanKind kind, BestPlanOptions options,
               PlanMaker maker = nullptr);
  MeshPlanners(const MeshPlanners&) = delete;
  MeshPlanners& operator=(const MeshPlanners&) = delete;

  /// Attributes of meshes that cannot be read, and the first plan of the maker that was none.
  const Diagnostics& errors() const { return errors_; }

  PlanKind kind() const { return kind_; }
  ReshardPlanner& planner(const std::string& mesh);
  /// The axes that no plan for this op may use.
  BoundAxes bound_at(ir::OpId op) const { return scopes_.at(op); }
  /// Returns steps that run at the place of `at`.
  Result<std::vector<ReshardStep>> plan(ir::OpId at, const ir::Type& type,
                                        const TensorSharding& from, const TensorSharding& to);

 private:
  void read_costs(const ir::Module& module, ir::OpId mesh);
  Result<std::vector<ReshardStep>> checked(const TensorSize& tensor, const TensorSharding& from,
                                           const TensorSharding& to, const BoundAxes& bound);

  ir::ManualScopes scopes_;
  PlanKind kind_;
  BestPlanOptions options_;
  PlanMaker maker_;
  bool is_refused_ = false;  // a plan of the maker
  std::map<std::string, CostModel> costs_;
  std::map<std::string, ReshardPlanner> planners_;
  Diagnostics errors_;
};

}  // namespace shardy::passes

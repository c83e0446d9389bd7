// Plans of reshards on the meshes of a module, which may say what their axes cost.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/diagnostic.hpp"

namespace shardy::passes {

/// One planner per mesh, by name.
class MeshPlanners {
 public:
  /// What `options` say of an axis counts instead of what its mesh says.
  MeshPlanners(const ir::Module& module, PlanKind kind, BestPlanOptions options);

  /// Attributes of meshes that cannot be read.
  const Diagnostics& errors() const { return errors_; }

  PlanKind kind() const { return kind_; }
  ReshardPlanner& planner(const std::string& mesh);
  Result<std::vector<ReshardStep>> plan(const ir::Type& type, const TensorSharding& from,
                                        const TensorSharding& to);

 private:
  void read_costs(const ir::Module& module, ir::OpId mesh);

  PlanKind kind_;
  BestPlanOptions options_;
  std::map<std::string, CostModel> costs_;
  std::map<std::string, ReshardPlanner> planners_;
  Diagnostics errors_;
};

}  // namespace shardy::passes

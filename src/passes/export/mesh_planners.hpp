// Plans of reshards on the meshes of a module, with the axis costs of these meshes, results that
// compilations of one program share, and checks of plans that callbacks return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "passes/export/common_axes.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

// ---- Results of searches ------------------------------------------------------------------------
//
// Variants of a program need mostly equal plans and common axes.
//
//   variant 1   64x256xf32, from [{"x"}, {}] to [{}, {"x"}]   --search-->   all_to_all
//   variant 2   64x256xf32, from [{"x"}, {}] to [{}, {"x"}]   ---known-->   all_to_all

/// Plans of plan_best_reshard with equal options. Thread-safe.
class PlanCache {
 public:
  /// Returns the plan. Errors: those of plan_best_reshard, which are not stored.
  Result<std::vector<ReshardStep>> find(const TensorSize& tensor, const TensorSharding& from,
                                        const TensorSharding& to, const BoundAxes& bound,
                                        const BestPlanOptions& options, LimitChecker* limits);

 private:
  struct Key {
    std::vector<int64_t> shape;
    int64_t element_bytes;
    TensorSharding from, to;
    BoundAxes bound;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::mutex mutex_;                                               // guards the map
  std::unordered_map<Key, std::vector<ReshardStep>, Hash> known_;  // never iterated
};

/// Plans and common axes by the options of the search. Thread-safe.
class KnownPlans {
 public:
  /// The results of searches with equal options.
  struct Found {
    PlanCache plans;
    BestAxesCache axes;
  };
  /// Returns the results of searches with these options, which live as long as this object.
  Found& of(const BestPlanOptions& options);

 private:
  std::mutex mutex_;  // guards the list
  std::list<std::pair<BestPlanOptions, Found>> found_;
};

// ---- Planners -----------------------------------------------------------------------------------

/// One planner per mesh name. The plan for an op avoids the axes that the manual computations
/// around this op bind.
class MeshPlanners {
 public:
  /// Axis costs in `options` override those of the mesh. `maker` makes all plans; if it is null,
  /// plans are of kind `kind`. `limits` can end the search for a plan early, or is null. `known`
  /// has plans of kind Best that other planners found, or is null.
  MeshPlanners(const ir::Module& module, PlanKind kind, BestPlanOptions options,
               PlanMaker maker = nullptr, LimitChecker* limits = nullptr,
               KnownPlans* known = nullptr);
  MeshPlanners(const MeshPlanners&) = delete;
  MeshPlanners& operator=(const MeshPlanners&) = delete;

  /// Returns the errors of mesh attributes that cannot be parsed, and of the first invalid plan of
  /// the maker.
  const Diagnostics& errors() const { return errors_; }

  PlanKind kind() const { return kind_; }
  PricedPlanner& planner(const std::string& mesh);
  /// Returns the common axes that planners like this one of a mesh found.
  BestAxesCache& best_axes(const PricedPlanner& planner) {
    return known_of(planner.options()).axes;
  }
  /// Returns the axes that plans for this op must not use.
  BoundAxes bound_at(ir::OpId op) const { return scopes_.at(op); }
  /// Returns the steps of a reshard at the op `at`.
  Result<std::vector<ReshardStep>> plan(ir::OpId at, const ir::Type& type,
                                        const TensorSharding& from, const TensorSharding& to);

 private:
  KnownPlans::Found& known_of(const BestPlanOptions& options) {
    return (known_ != nullptr && !maker_ ? *known_ : own_).of(options);
  }
  void read_costs(const ir::Module& module, ir::OpId mesh);
  Result<std::vector<ReshardStep>> checked(const TensorSize& tensor, const TensorSharding& from,
                                           const TensorSharding& to, const BoundAxes& bound);

  ir::ManualScopes scopes_;
  PlanKind kind_;
  BestPlanOptions options_;
  PlanMaker maker_;
  LimitChecker* limits_;
  KnownPlans* known_;
  KnownPlans own_;           // without `known_`, and for plans of a maker
  bool is_refused_ = false;  // a plan of the maker was invalid
  std::map<std::string, CostModel> costs_;
  std::map<std::string, PricedPlanner> planners_;
  Diagnostics errors_;
};

// ---- Validation of the results of callbacks -----------------------------------------------------

/// Checks that the dialect allows the steps in sequence, that no step uses a bound axis, and that
/// the last step ends at `to`.
Status verify_plan(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
                   const BoundAxes& bound, std::span<const ReshardStep> steps);

/// Checks that the axis lists satisfy the contract of Extensions::common_axes.
Status verify_common_axes(const CommonAxesQuery& query, std::span<const AxisList> reference,
                          std::span<const AxisList> common);

}  // namespace shardy::passes

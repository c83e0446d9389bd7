// Plans of reshards and common axes that compilations of one program found. Variants of a program
// need mostly equal ones.
//
//   variant 1   64x256xf32, from [{"x"}, {}] to [{}, {"x"}]   --search-->   all_to_all
//   variant 2   64x256xf32, from [{"x"}, {}] to [{}, {"x"}]   ---known-->   all_to_all
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/export/common_axes.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

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

}  // namespace shardy::passes

// Stores plans of reshards by their shardings.
#include "passes/export/known_plans.hpp"

#include <algorithm>
#include <tuple>

#include "shardy/support/detail/hash.hpp"

namespace shardy::passes {

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  return hash_combine(hash_of(key.from, key.to, key.element_bytes), hash_range(key.shape));
}

Result<std::vector<ReshardStep>> PlanCache::find(const TensorSize& tensor,
                                                 const TensorSharding& from,
                                                 const TensorSharding& to, const BoundAxes& bound,
                                                 const BestPlanOptions& options,
                                                 LimitChecker* limits) {
  Key key{{tensor.shape.begin(), tensor.shape.end()}, tensor.element_bytes, from, to, bound};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  SHARDY_TRY(BestPlan plan, plan_best_reshard(tensor, from, to, bound, options, limits));
  const std::lock_guard lock(mutex_);
  return known_.emplace(std::move(key), std::move(plan.steps)).first->second;
}

KnownPlans::Found& KnownPlans::of(const BestPlanOptions& options) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::ranges::find_if(found_, [&](const auto& each) { return each.first == options; });
  if (known != found_.end()) return known->second;
  return found_.emplace_back(std::piecewise_construct, std::forward_as_tuple(options), std::tuple())
      .second;
}

}  // namespace shardy::passes

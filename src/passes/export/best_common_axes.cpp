// Common axes of least cost: Reference keeps the axes that Shardy chooses. Spec: resharding C.7.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = dot %a, %b : 1024x4096 [{"x"}, {}], 4096x1024 [{}, {"x"}] -> [{"x"}, {}]
//   Reference, i: {"x"}: all-gather of %b                                    12,582,912 bytes sent
//   Best, k: {"x"}: all-to-all of %a and %b, reduce-scatter of the result     9,437,184 bytes sent
#include "passes/export/best_common_axes.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "shardy/resharding/axis_lists.hpp"

namespace shardy::passes {

namespace {

constexpr std::size_t kMaxChoices = 2000;  // limit for exhaustive search

/// Sort key of plans: time in s, bytes, messages.
using MeetingPrice = std::tuple<double, int64_t, int64_t>;

MeetingPrice price_of(const StepCost& cost) { return {cost.seconds, cost.bytes, cost.messages}; }

/// Returns the sharding under which the op uses the tensor if its factors have these axes.
TensorSharding used_sharding(const CommonAxesQuery& query, std::size_t tensor,
                             std::span<const AxisList> common) {
  const TensorSharding& have = query.tensors[tensor].sharding;
  AxisLists lists;
  for (const DimMapping& dim : query.rule.tensor(tensor).dims) {
    lists.push_back(dim.empty() ? AxisList() : common[static_cast<std::size_t>(dim.front())]);
  }
  return TensorSharding::closed(have.mesh_ref(), std::move(lists));
}

void add(StepCost& all, const StepCost& cost) {
  all.bytes += cost.bytes;
  all.messages += cost.messages;
  all.seconds += cost.seconds;
  all.live_bytes = std::max(all.live_bytes, cost.live_bytes);
}

}  // namespace

StepCost common_axes_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                          ReshardPlanner& planner) {
  AxisList reduced;
  for (const int32_t factor : query.rule.reduction_factors()) {
    append(reduced, common[static_cast<std::size_t>(factor)]);
  }
  reduced = sort_and_merge(std::move(reduced));
  StepCost all;
  for (std::size_t tensor = 0; tensor < query.tensors.size(); ++tensor) {
    const QueryTensor& at = query.tensors[tensor];
    const TensorSize size{at.shape, at.element_bytes};
    const TensorSharding used = used_sharding(query, tensor, common);
    const bool is_result = tensor >= query.num_operands;
    const TensorSharding from = is_result ? used.with_unreduced(reduced) : at.sharding;
    const auto steps = planner.plan(size, from, is_result ? at.sharding : used, query.bound);
    if (steps) add(all, plan_cost(size, from, *steps, planner.options().model));
  }
  return all;
}

namespace {

int64_t parallelism(std::span<const AxisList> common) {
  int64_t shards = 1;
  for (const AxisList& list : common) shards *= sharding_size(list);
  return shards;
}

/// A search for the cheapest axes per factor: exhaustive if there are few choices, else local.
class Chooser {
 public:
  Chooser(const CommonAxesQuery& query, std::vector<AxisList> reference, ReshardPlanner& planner)
      : query_(query),
        planner_(planner),
        shards_(parallelism(reference)),
        best_(std::move(reference)),
        price_(price_of(common_axes_cost(query, best_, planner))) {
    for (std::size_t factor = 0; factor < best_.size(); ++factor) {
      const auto index = static_cast<int32_t>(factor);
      const bool is_free = query.rule.factor_kind(index) != FactorKind::NeedReplication;
      if (is_free && query.rule.factor_size(index) > 1) factors_.push_back(factor);
    }
    cut_axes();
  }

  std::vector<AxisList> run() {
    if (num_choices() <= kMaxChoices) {
      std::vector<AxisList> choice(best_.size());
      try_all(choice, std::vector<bool>(atoms_.size()), 0);
    } else {
      while (step()) {
      }
    }
    return std::move(best_);
  }

 private:
  /// Collects the disjoint axes and sub-axes (atoms) that the tensors use, without those of size 1
  /// and bound ones.
  void cut_axes() {
    AxisList refs;
    for (const QueryTensor& tensor : query_.tensors) append(refs, tensor.sharding.dim_axes());
    for (const AxisList& list : best_) append(refs, list);
    for (const AxisRef& atom : ordered_axis_refs(mesh(), refs)) {
      if (atom.size > 1 && !query_.bound.has(mesh(), atom)) atoms_.push_back(atom);
    }
  }
  const Mesh& mesh() const { return query_.tensors.front().sharding.mesh(); }

  /// Returns the number of assignments of ordered atoms to factors; stops counting above
  /// kMaxChoices.
  std::size_t num_choices() const {
    std::size_t all = 0;
    std::size_t orders = 1;
    std::size_t cuts = 1;  // ways to split r ordered atoms into one list per factor
    for (std::size_t r = 0; r <= atoms_.size(); ++r) {
      all += orders * cuts;
      if (all > kMaxChoices) break;
      orders *= atoms_.size() - r;
      cuts = cuts * (factors_.size() + r) / (r + 1);
    }
    return all;
  }

  /// Tries all lists of unused atoms for the factors from number `index` on.
  void try_all(std::vector<AxisList>& choice, std::vector<bool> used, std::size_t index) {
    if (index == factors_.size()) return consider(choice);
    try_all(choice, used, index + 1);
    const std::size_t factor = factors_[index];
    for (std::size_t atom = 0; atom < atoms_.size(); ++atom) {
      if (used[atom] || !fits(choice, factor, atoms_[atom])) continue;
      const AxisList before = choice[factor];
      append_or_merge(choice[factor], atoms_[atom]);
      used[atom] = true;
      try_all(choice, used, index);
      used[atom] = false;
      choice[factor] = before;
    }
  }

  /// Checks whether the factor size is divisible by its shards with one more atom.
  bool fits(std::span<const AxisList> choice, std::size_t factor, const AxisRef& atom) const {
    const int64_t size = query_.rule.factor_size(static_cast<int32_t>(factor));
    return size % (sharding_size(choice[factor]) * atom.size) == 0;
  }

  void consider(std::span<const AxisList> choice) {
    if (parallelism(choice) < shards_) return;
    const MeetingPrice price = price_of(common_axes_cost(query_, choice, planner_));
    if (!(price < price_)) return;
    price_ = price;
    best_.assign(choice.begin(), choice.end());
  }

  /// Improves the best choice by one change: an atom moves to the end of another factor's list, or
  /// two factors swap lists. Returns false if no change is cheaper.
  bool step() {
    const std::vector<AxisList> start = best_;
    for (const AxisRef& atom : atoms_) {
      std::vector<AxisList> without = start;
      for (AxisList& list : without) list = merged(set_difference(list, AxisSpan(&atom, 1)));
      consider(without);
      for (const std::size_t factor : factors_) {
        if (!fits(without, factor, atom)) continue;
        std::vector<AxisList> moved = without;
        append_or_merge(moved[factor], atom);
        consider(moved);
      }
    }
    for (const std::size_t a : factors_) {
      for (const std::size_t b : factors_) {
        if (a >= b || !swaps(start, a, b)) continue;
        std::vector<AxisList> swapped = start;
        std::swap(swapped[a], swapped[b]);
        consider(swapped);
      }
    }
    return best_ != start;
  }

  bool swaps(std::span<const AxisList> choice, std::size_t a, std::size_t b) const {
    const auto divides = [&](std::size_t factor, std::size_t list) {
      return query_.rule.factor_size(static_cast<int32_t>(factor)) % sharding_size(choice[list]) ==
             0;
    };
    return divides(a, b) && divides(b, a);
  }

  const CommonAxesQuery& query_;
  ReshardPlanner& planner_;
  int64_t shards_;
  std::vector<AxisList> best_;
  MeetingPrice price_;
  std::vector<std::size_t> factors_;
  AxisList atoms_;
};

}  // namespace

bool can_price(const CommonAxesQuery& query) {
  const OpShardingRule& rule = query.rule;
  if (rule.has_multi_factor_dims() || !rule.permutation_factors().empty()) return false;
  AxisList refs;
  for (const QueryTensor& tensor : query.tensors) {
    const TensorSharding& sharding = tensor.sharding;
    if (sharding.mesh() != query.tensors.front().sharding.mesh()) return false;
    if (!sharding.unreduced_axes().empty()) return false;
    for (const AxisRef& ref : sharding.dim_axes()) {
      const auto coexists = [&](const AxisRef& other) { return can_coexist(ref, other); };
      if (!std::ranges::all_of(refs, coexists)) return false;
    }
    append(refs, sharding.dim_axes());
  }
  return true;
}

std::vector<AxisList> best_common_axes(const CommonAxesQuery& query,
                                       std::vector<AxisList> reference, ReshardPlanner& planner) {
  if (query.tensors.empty() || !can_price(query)) return reference;
  return Chooser(query, std::move(reference), planner).run();
}

}  // namespace shardy::passes

// Chooses common axes for the tensors of an op: as Shardy does, or with the least cost.
#include "passes/export/common_axes.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/resharding/detail/links.hpp"
#include "shardy/support/detail/hash.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::passes {

// ---- Shardy's choice ----------------------------------------------------------------------------
// Finds axes per factor on which the tensors of an op agree, as Shardy does. Spec: resharding A.3,
// A.5.
//
//   sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>, rule ([i, j], [i, j])->([i, j]) {i=8, j=16}
//   operands [{"a"}, {}] and [{}, {"b"}], result [{"b"}, {}]   ->   i: {"a"}, j: {"b"}

bool FactorAxes::has_overflow() const {
  return std::ranges::any_of(overflow, [](const std::vector<AxisList>& tensor) {
    return std::ranges::any_of(tensor, [](const AxisList& axes) { return !axes.empty(); });
  });
}

namespace {

/// Returns the axes of the factor if all tensors with the factor have equal axes; empty if none is
/// sharded. Returns std::nullopt if they differ, or if a need-replication factor has axes.
std::optional<AxisList> list_of_all(const FactorAxes& factors, std::size_t factor) {
  const bool replicated =
      factors.rule.factor_kind(static_cast<int32_t>(factor)) == FactorKind::NeedReplication;
  const AxisList* first = nullptr;
  for (const auto& tensor : factors.lists) {
    if (!tensor[factor]) continue;
    if (first == nullptr) first = &*tensor[factor];
    if (*tensor[factor] != *first || (replicated && !first->empty())) return std::nullopt;
  }
  return first != nullptr ? *first : AxisList();
}

}  // namespace

std::optional<std::vector<AxisList>> compatible_axes(const FactorAxes& factors) {
  std::vector<AxisList> common(factors.num_factors());
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    std::optional<AxisList> list = list_of_all(factors, factor);
    if (!list) return std::nullopt;
    common[factor] = *std::move(list);
  }
  std::vector<const AxisList*>
      sharded;  // has at most one entry per mesh axis, so a linear search is fast
  for (const AxisList& list : common) {
    if (list.empty()) continue;
    const auto meets = [&](const AxisList* other) { return overlaps(*other, list); };
    if (std::ranges::any_of(sharded, meets)) return std::nullopt;
    sharded.push_back(&list);
  }
  return common;
}

namespace {

// ---- Two tensors (A.5.1) ---------------------------------------------------------------------

/// Returns the sort key of the tensor that keeps its sharding: first tensors without sharded
/// permutation factors, then larger tensors, then more shards, then earlier tensors.
std::tuple<bool, int64_t, int64_t> preference(const FactorAxes& factors, std::size_t tensor) {
  bool no_permutation = true;
  int64_t shards = 1;
  for (std::size_t factor = 0; factor < factors.num_factors(); ++factor) {
    const auto& list = factors.lists[tensor][factor];
    if (!list) continue;
    const bool permutation =
        factors.rule.factor_kind(static_cast<int32_t>(factor)) == FactorKind::Permutation;
    if (permutation && !list->empty()) no_permutation = false;
    shards *= sharding_size(*list) * sharding_size(factors.overflow[tensor][factor]);
  }
  return {no_permutation, factors.tensor_sizes[tensor], shards};
}

std::vector<AxisList> axes_of_two(const FactorAxes& factors, std::size_t first,
                                  std::size_t second) {
  if (preference(factors, second) > preference(factors, first)) std::swap(first, second);
  std::vector<AxisList> common(factors.num_factors());
  AxisList taken;
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    if (!factors.lists[first][factor]) continue;
    common[factor] = *factors.lists[first][factor];
    taken.insert(taken.end(), common[factor].begin(), common[factor].end());
  }
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    if (factors.lists[first][factor] || !factors.lists[second][factor]) continue;
    common[factor] = truncate_by_removing_overlaps(*factors.lists[second][factor], taken);
  }
  return common;
}

// ---- Greedy heuristic (A.5.2) ----------------------------------------------------------------

struct Candidate {
  std::size_t factor = 0;
  AxisList axes;
  int64_t total = 0;  // number of elements of the tensors that have these axes
  int64_t gain = 0;   // factor by which the number of shards increases
};

int precedence(FactorKind kind) {
  switch (kind) {
    case FactorKind::PassThrough:
      return 3;
    case FactorKind::Reduction:
      return 2;
    case FactorKind::Permutation:
      return 1;
    default:
      return 0;
  }
}

int64_t total_of(const FactorAxes& factors, std::size_t factor, const AxisList& axes) {
  int64_t total = 0;
  for (std::size_t tensor = 0; tensor < factors.num_tensors(); ++tensor) {
    const auto& list = factors.lists[tensor][factor];
    if (list && prefix_status(axes, *list) != PrefixStatus::NotAPrefix) {
      total = checked_add(total, factors.tensor_sizes[tensor]).value_or(INT64_MAX);
    }
  }
  return total;
}

/// Returns all non-empty prefixes of all axis lists. No prefix splits an axis ref.
std::vector<Candidate> all_candidates(const FactorAxes& factors) {
  std::vector<Candidate> candidates;
  for (std::size_t factor = 0; factor < factors.num_factors(); ++factor) {
    std::set<AxisList> seen;
    for (const auto& tensor : factors.lists) {
      if (!tensor[factor]) continue;
      AxisList prefix;
      for (const AxisRef& axis : *tensor[factor]) {
        prefix.push_back(axis);
        if (!seen.insert(prefix).second) continue;
        candidates.push_back(
            {factor, prefix, total_of(factors, factor, prefix), sharding_size(prefix)});
      }
    }
  }
  return candidates;
}

/// Returns for each factor the major neighbours that must be fully sharded before the factor gets
/// axes.
std::vector<std::set<std::size_t>> dependencies(const OpShardingRule& rule) {
  std::vector<std::set<std::size_t>> needs(static_cast<std::size_t>(rule.num_factors()));
  for (std::size_t tensor = 0; tensor < rule.num_tensors(); ++tensor) {
    for (const DimMapping& dim : rule.tensor(tensor).dims) {
      for (std::size_t index = 1; index < dim.size(); ++index) {
        needs[static_cast<std::size_t>(dim[index])].insert(
            static_cast<std::size_t>(dim[index - 1]));
      }
    }
  }
  return needs;
}

class Greedy {
 public:
  explicit Greedy(const FactorAxes& factors)
      : factors_(factors),
        candidates_(all_candidates(factors)),
        needs_(dependencies(factors.rule)),
        assigned_(factors.num_factors()) {}

  std::vector<AxisList> run() {
    while (const std::optional<std::size_t> best = best_valid()) {
      take(candidates_[*best]);
    }
    return std::move(assigned_);
  }

 private:
  bool less(const Candidate& a, const Candidate& b) const {
    const auto key = [&](const Candidate& candidate) {
      const FactorKind kind = factors_.rule.factor_kind(static_cast<int32_t>(candidate.factor));
      return std::tuple(candidate.total, precedence(kind), candidate.gain, candidate.factor);
    };
    if (key(a) != key(b)) return key(a) < key(b);
    return list_less(factors_.mesh, a.axes, b.axes);
  }

  std::optional<std::size_t> best_valid() const {
    std::optional<std::size_t> best;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      if (!needs_[candidates_[index].factor].empty()) continue;
      if (!best || less(candidates_[*best], candidates_[index])) best = index;
    }
    return best;
  }

  void take(Candidate chosen) {
    assigned_[chosen.factor] = chosen.axes;
    const auto factor = static_cast<int32_t>(chosen.factor);
    if (sharding_size(chosen.axes) == factors_.rule.factor_size(factor)) {
      for (std::set<std::size_t>& needs : needs_) needs.erase(chosen.factor);
    }
    std::erase_if(candidates_, [&](Candidate& other) { return !still_useful(chosen, other); });
  }

  /// Drops the axes of a candidate that `chosen` uses. Returns false if no axes remain.
  bool still_useful(const Candidate& chosen, Candidate& other) const {
    if (other.factor == chosen.factor) {
      if (!strict_prefix_of(chosen.axes, other.axes)) return false;
      other.gain = sharding_size(other.axes) / sharding_size(chosen.axes);
      return true;
    }
    if (!truncate_without_overlap(other.axes, chosen.axes)) {
      other.gain = sharding_size(other.axes);
      return true;
    }
    const AxisList& have = assigned_[other.factor];
    if (other.axes == have) return false;
    other.gain = sharding_size(other.axes) / sharding_size(have);
    return true;
  }

  const FactorAxes& factors_;
  std::vector<Candidate> candidates_;
  std::vector<std::set<std::size_t>> needs_;
  std::vector<AxisList> assigned_;
};

// ---- Need-replication factors (A.5.3) --------------------------------------------------------

/// Moves axes from the front of the list to batching factors while these are divisible. Returns the
/// remaining axes.
AxisList move_to_batching(const OpShardingRule& rule, AxisList axes,
                          std::vector<AxisList>& common) {
  std::size_t front = 0;
  for (const int32_t batch : rule.batching_factors()) {
    AxisList& list = common[static_cast<std::size_t>(batch)];
    const int64_t size = rule.factor_size(batch);
    if (size == 0 || size % sharding_size(list) != 0) continue;
    int64_t room = size / sharding_size(list);
    while (front < axes.size() && room % axes[front].size == 0) {
      room /= axes[front].size;
      append_or_merge(list, axes[front++]);
    }
    if (front == axes.size()) break;
  }
  axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(front));
  return axes;
}

/// A move of a need-replication factor's axes to a factor of size `size` that has `shards` shards.
struct Move {
  AxisSpan axes;
  std::size_t target;
  int64_t size;
  int64_t shards;

  int64_t tile() const { return ceil_div(size, shards); }
  int64_t piece() const { return ceil_div(size, shards * sharding_size(axes)); }
  /// Checks whether the new shards are nested in the old ones. Spec: partitioning 2.4.
  bool nests() const { return shards == 1 || size <= 1 || piece() * sharding_size(axes) == tile(); }
};

bool has_axes(const FactorAxes& factors, std::size_t tensor, AxisSpan axes) {
  return std::ranges::any_of(factors.lists[tensor], [&](const std::optional<AxisList>& list) {
    return list && overlaps(*list, axes);
  });
}

/// Checks that the move sends at most as many bytes as a gather of the operands. Tensors with the
/// axes need an all-to-all; results without the axes need an all-gather after the op.
bool is_cheaper_than_gather(const FactorAxes& factors, const Move& move) {
  if (move.tile() <= 1 || !move.nests()) return false;
  double gathered = 0;
  double moved = 0;
  for (std::size_t tensor = 0; tensor < factors.num_tensors(); ++tensor) {
    const auto size = static_cast<double>(factors.tensor_sizes[tensor]);
    const double whole = size * static_cast<double>(move.tile());
    const double exchanged = size * static_cast<double>(move.piece());
    const bool is_operand = tensor < factors.rule.operands().size();
    const bool has_moved_axes = has_axes(factors, tensor, move.axes);
    if (is_operand && has_moved_axes) gathered += whole;
    if (!factors.lists[tensor][move.target]) {
      if (is_operand && has_moved_axes) moved += whole;
    } else if (has_moved_axes) {
      moved += exchanged;
    } else if (!is_operand) {
      moved += whole;
    }
  }
  return moved <= gathered;
}

/// Moves axes to any pass-through factor, even if the axes do not divide it. Used for lowering.
void move_unevenly(const FactorAxes& factors, AxisList axes, std::vector<AxisList>& common) {
  for (std::size_t target = 0; target < common.size(); ++target) {
    const auto factor = static_cast<int32_t>(target);
    if (factors.rule.factor_kind(factor) != FactorKind::PassThrough) continue;
    for (std::size_t count = axes.size(); count > 0; --count) {
      const Move move{std::span(axes).first(count), target, factors.rule.factor_size(factor),
                      sharding_size(common[target])};
      if (!is_cheaper_than_gather(factors, move)) continue;
      for (const AxisRef& axis : move.axes) append_or_merge(common[target], axis);
      axes.erase(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(count));
      break;
    }
  }
}

void clear_need_replication(const FactorAxes& factors, std::vector<AxisList>& common) {
  for (const int32_t factor : factors.rule.need_replication_factors()) {
    const auto index = static_cast<std::size_t>(factor);
    AxisList axes = std::exchange(common[index], {});
    if (!axes.empty() && factors.rule.in_all_non_scalar_tensors(factor)) {
      axes = move_to_batching(factors.rule, std::move(axes), common);
    }
    if (factors.is_lowered) move_unevenly(factors, std::move(axes), common);
  }
}

}  // namespace

std::vector<AxisList> common_axes(const FactorAxes& factors) {
  if (auto compatible = compatible_axes(factors)) return *std::move(compatible);
  const std::vector<std::size_t> tensors = factors.rule.non_scalar_tensor_indices();
  const bool replicates = !factors.rule.need_replication_factors().empty();
  if (tensors.size() == 2 && !replicates && !factors.rule.has_multi_factor_dims()) {
    return axes_of_two(factors, tensors[0], tensors[1]);
  }
  std::vector<AxisList> common = Greedy(factors).run();
  if (replicates) clear_need_replication(factors, common);
  return common;
}

// ---- Least cost ---------------------------------------------------------------------------------
// Common axes with the least cost (Best). Reference means the axes that Shardy chooses. Spec:
// resharding C.7.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = dot %a, %b : 1024x4096 [{"x"}, {}], 4096x1024 [{}, {"x"}] -> [{"x"}, {}]
//   Reference, i: {"x"}: all-gather of %b                                    12,582,912 bytes sent
//   Best, k: {"x"}: all-to-all of %a and %b, reduce-scatter of the result     9,437,184 bytes sent

namespace {

constexpr std::size_t kMaxChoices = 2000;  // limit of an exhaustive search

/// Sort key of plans: time in s, bytes, messages.
using CommonAxesPrice = std::tuple<double, int64_t, int64_t>;

CommonAxesPrice price_of(const StepCost& cost) { return {cost.seconds, cost.bytes, cost.messages}; }

}  // namespace

TensorSharding used_sharding(const CommonAxesQuery& query, std::size_t tensor,
                             std::span<const AxisList> common) {
  const TensorSharding& have = query.tensors[tensor].sharding;
  AxisLists lists;
  for (const DimMapping& dim : query.rule.tensor(tensor).dims) {
    lists.push_back(dim.empty() ? AxisList() : common[static_cast<std::size_t>(dim.front())]);
  }
  return TensorSharding::closed(have.mesh_ref(), std::move(lists));
}

std::size_t hash_of_axes(const TensorSharding& sharding) {
  std::size_t seed = hash_range(sharding.unreduced_axes());
  for (const DimSharding& dim : sharding.dims()) seed = hash_combine(seed, hash_range(dim.axes));
  return seed;
}

namespace {

bool has_tensor_size(const auto& entry, const TensorSize& tensor) {
  return entry.element_bytes == tensor.element_bytes &&
         std::ranges::equal(entry.shape, tensor.shape);
}

/// Returns the cost of the entry with hash `hash` that `is_equal`; null if none is.
template <class Entries, class IsEqual>
const StepCost* find_cost(const Entries& entries, std::size_t hash, IsEqual is_equal) {
  const auto [begin, end] = entries.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return is_equal(entry.second); });
  return found != end ? &found->second.cost : nullptr;
}

}  // namespace

std::size_t PricedPlanner::hash_of(const TensorSize& tensor, const TensorSharding& from,
                                   const TensorSharding& to) {
  return hash_combine(hash_combine(hash_of_axes(from), hash_of_axes(to)), hash_range(tensor.shape));
}

const StepCost* PricedPlanner::known_cost(const TensorSize& tensor, const TensorSharding& from,
                                          const TensorSharding& to, const BoundAxes& bound) const {
  return find_cost(plan_costs_, hash_of(tensor, from, to), [&](const PricedPlan& entry) {
    return has_tensor_size(entry, tensor) && entry.from == from && entry.to == to &&
           entry.bound == bound;
  });
}

const StepCost& PricedPlanner::cost(const TensorSize& tensor, const TensorSharding& from,
                                    const TensorSharding& to, const BoundAxes& bound) {
  if (const StepCost* known = known_cost(tensor, from, to, bound)) return *known;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto steps = plan(tensor, from, to, bound);
  const StepCost priced = steps ? plan_cost(tensor, from, *steps, options().model)
                                : StepCost{.bytes = kMost,
                                           .messages = kMost,
                                           .seconds = std::numeric_limits<double>::infinity()};
  const PricedPlan entry{
      {tensor.shape.begin(), tensor.shape.end()}, tensor.element_bytes, from, to, bound, priced};
  return plan_costs_.emplace(hash_of(tensor, from, to), entry)->second.cost;
}

const StepCost& PricedPlanner::cost(const TensorSize& tensor, const TensorSharding& from,
                                    std::span<const ReshardStep> steps) {
  std::size_t hash = hash_combine(hash_of_axes(from), hash_range(tensor.shape));
  for (const ReshardStep& step : steps) {
    hash = hash_combine(hash_combine(hash, static_cast<std::size_t>(step.kind)),
                        hash_of_axes(step.out));
  }
  const auto is_equal = [&](const PricedSteps& entry) {
    return has_tensor_size(entry, tensor) && entry.from == from &&
           std::ranges::equal(entry.steps, steps);
  };
  if (const StepCost* known = find_cost(steps_costs_, hash, is_equal)) return *known;
  const PricedSteps entry{{tensor.shape.begin(), tensor.shape.end()},
                          tensor.element_bytes,
                          from,
                          {steps.begin(), steps.end()},
                          plan_cost(tensor, from, steps, options().model)};
  return steps_costs_.emplace(hash, entry)->second.cost;
}

StepCost reshard_cost(const CommonAxesQuery& query, std::size_t tensor, const TensorSharding& from,
                      const TensorSharding& to, PricedPlanner& planner) {
  const QueryTensor& at = query.tensors[tensor];
  return planner.cost({at.shape, at.element_bytes}, from, to, query.bound);
}

void add_cost(StepCost& all, const StepCost& cost) {
  all.bytes = saturating_add(all.bytes, cost.bytes);
  all.messages = saturating_add(all.messages, cost.messages);
  all.seconds += cost.seconds;
  all.live_bytes = std::max(all.live_bytes, cost.live_bytes);
}

namespace {

/// A reshard of the query's tensor `tensor`.
struct Reshard {
  std::size_t tensor;
  TensorSharding from;
  TensorSharding to;
};

bool is_free(const FreeTensors& free, std::size_t tensor) { return !free.empty() && free[tensor]; }

/// Returns the reshard of an operand, or the reduction and the reshard of a result.
Reshard reshard_of(const CommonAxesQuery& query, std::size_t tensor,
                   std::span<const AxisList> common, const FreeTensors& free) {
  const TensorSharding& have = query.tensors[tensor].sharding;
  TensorSharding used = used_sharding(query, tensor, common);
  if (tensor < query.num_operands) return {tensor, have, std::move(used)};
  AxisList reduced;
  for (const int32_t factor : query.rule.reduction_factors()) {
    append(reduced, common[static_cast<std::size_t>(factor)]);
  }
  TensorSharding partial = used.with_unreduced(sort_and_merge(std::move(reduced)));
  if (is_free(free, tensor)) return {tensor, std::move(partial), std::move(used)};
  return {tensor, std::move(partial), have};
}

/// Returns the reshards of the tensors from `first` on.
std::vector<Reshard> reshards_of(const CommonAxesQuery& query, std::span<const AxisList> common,
                                 const FreeTensors& free, std::size_t first = 0) {
  std::vector<Reshard> reshards;
  for (std::size_t tensor = first; tensor < query.tensors.size(); ++tensor) {
    if (tensor < query.num_operands && is_free(free, tensor)) continue;
    reshards.push_back(reshard_of(query, tensor, common, free));
  }
  return reshards;
}

/// Returns the cost of the reshards.
StepCost cost_of(const CommonAxesQuery& query, std::span<const Reshard> reshards,
                 PricedPlanner& planner) {
  StepCost all;
  StepCost results;  // summed first: the order of a sum determines its last digits
  for (const Reshard& each : reshards) {
    add_cost(each.tensor < query.num_operands ? all : results,
             reshard_cost(query, each.tensor, each.from, each.to, planner));
  }
  add_cost(all, results);
  return all;
}

/// Checks whether the bytes of each tensor fit 64 bits.
bool has_bytes(const CommonAxesQuery& query) {
  return std::ranges::all_of(query.tensors, [](const QueryTensor& tensor) {
    const auto elements = checked_product(tensor.shape);
    return tensor.element_bytes >= 1 && elements &&
           checked_mul(*elements, tensor.element_bytes).has_value();
  });
}

/// Lower bounds of the seconds of reshards, without plans and shardings. Spec: resharding C.3.
class ReshardBounds {
 public:
  ReshardBounds(const CommonAxesQuery& query, const FreeTensors& free, const CostModel& model)
      : query_(query),
        free_(free),
        links_(query.tensors.front().sharding.mesh(), model),
        has_bytes_(has_bytes(query)) {}

  /// Returns the bound of the reshard_of a tensor.
  double seconds(std::size_t tensor, std::span<const AxisList> common) const {
    if (!has_bytes_) return 0;
    const double bytes = least_bytes_of(tensor, common);
    if (bytes <= 0) return 0;
    return (bytes * links_.least_byte_time() + links_.least_latency()) / links::kFemtoseconds;
  }

 private:
  /// The sizes of a tensor in elements.
  struct Elements {
    double all = 1;
    double used = 1;  // of the shard that the op uses
    double have = 1;  // of the shard before or after the op
    double kept = 1;  // of the common part of both shards
    bool is_used_even = true;
    bool is_have_even = true;
    bool is_disjoint = false;  // some device has no part of its result
  };

  Elements elements(std::size_t tensor, std::span<const AxisList> common) const {
    const QueryTensor& at = query_.tensors[tensor];
    const auto& dims = query_.rule.tensor(tensor).dims;
    Elements found;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const int64_t size = at.shape[dim];
      const AxisSpan have = at.sharding.dim(dim).axes;
      const AxisSpan used = dims[dim].empty()
                                ? AxisSpan()
                                : AxisSpan(common[static_cast<std::size_t>(dims[dim].front())]);
      const int64_t used_size = ceil_div(size, sharding_size(used));
      const int64_t have_size = ceil_div(size, sharding_size(have));
      found.all *= static_cast<double>(size);
      found.used *= static_cast<double>(used_size);
      found.have *= static_cast<double>(have_size);
      found.kept *= static_cast<double>(std::min(used_size, have_size));
      found.is_used_even = found.is_used_even && size % sharding_size(used) == 0;
      found.is_have_even = found.is_have_even && size % sharding_size(have) == 0;
      found.is_disjoint = found.is_disjoint || detail::can_be_disjoint(have, used);
    }
    return found;
  }

  double least_bytes_of(std::size_t tensor, std::span<const AxisList> common) const {
    const bool is_operand = tensor < query_.num_operands;
    const Elements found = elements(tensor, common);
    const auto element_bytes = static_cast<double>(query_.tensors[tensor].element_bytes);
    const bool ends_used = is_operand || is_free(free_, tensor);
    const double wanted = ends_used ? found.used : found.have;
    const double groups = is_operand ? 1 : num_groups(common);
    if (groups > 1) {
      const bool is_even = ends_used ? found.is_used_even : found.is_have_even;
      return element_bytes * (wanted + (is_even ? least_parts(found.all, groups) : 0));
    }
    const bool is_sent = found.is_used_even && found.is_have_even && found.is_disjoint;
    if (is_free(free_, tensor)) return 0;
    return element_bytes * (wanted - (is_sent ? 0 : found.kept));
  }

  /// Returns the number of groups of devices with different parts of a result.
  double num_groups(std::span<const AxisList> common) const {
    double groups = 1;
    for (const int32_t factor : query_.rule.reduction_factors()) {
      groups *= static_cast<double>(sharding_size(common[static_cast<std::size_t>(factor)]));
    }
    return groups;
  }

  /// Returns a lower bound of the elements that a device sends on average to add `groups` parts, in
  /// addition to its result. The parts of all groups except one are sent before one device has the
  /// sum of an element. Each other device with this sum receives it later.
  double least_parts(double all, double groups) const {
    return all * (groups - 2) / static_cast<double>(mesh().num_devices());
  }

  const Mesh& mesh() const { return query_.tensors.front().sharding.mesh(); }

  const CommonAxesQuery& query_;
  const FreeTensors& free_;
  links::Links links_;
  bool has_bytes_;
};

}  // namespace

StepCost results_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                      PricedPlanner& planner, const FreeTensors& free) {
  return cost_of(query, reshards_of(query, common, free, query.num_operands), planner);
}

StepCost common_axes_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                          PricedPlanner& planner, const FreeTensors& free) {
  return cost_of(query, reshards_of(query, common, free), planner);
}

namespace {

int64_t parallelism(std::span<const AxisList> common) {
  int64_t shards = 1;
  for (const AxisList& list : common) shards *= sharding_size(list);
  return shards;
}

/// A choice of axes, one list per factor.
struct AxesChoice {
  double least_seconds;  // a lower bound
  std::size_t number;    // in the order of the search
  std::vector<AxisList> axes;
};

/// A search for the cheapest axes per factor. It is exhaustive for few choices, else local.
class Chooser {
 public:
  Chooser(const CommonAxesQuery& query, std::vector<AxisList> reference, PricedPlanner& planner,
          const FreeTensors& free)
      : query_(query),
        planner_(planner),
        free_(free),
        shards_(parallelism(reference)),
        bounds_(query, free, planner.options().model),
        best_(std::move(reference)),
        price_(price_of(common_axes_cost(query, best_, planner, free))) {
    for (std::size_t factor = 0; factor < best_.size(); ++factor) {
      const auto index = static_cast<int32_t>(factor);
      const bool is_free = query.rule.factor_kind(index) != FactorKind::NeedReplication;
      if (is_free && query.rule.factor_size(index) > 1) factors_.push_back(factor);
    }
    collect_atoms();
  }

  std::vector<AxisList> run() {
    if (num_choices() <= kMaxChoices) {
      std::vector<AxisList> choice(best_.size());
      try_all(choice, std::vector<bool>(atoms_.size()), 0);
      take_best();
    } else {
      while (step()) {
      }
    }
    return std::move(best_);
  }

 private:
  /// Collects the disjoint axes and sub-axes (atoms) that the tensors use, except atoms of size 1
  /// and bound ones.
  void collect_atoms() {
    AxisList refs;
    for (const QueryTensor& tensor : query_.tensors) append(refs, tensor.sharding.dim_axes());
    for (const AxisList& list : best_) append(refs, list);
    for (const AxisRef& atom : ordered_axis_refs(mesh(), refs)) {
      if (atom.size > 1 && !query_.bound.has(mesh(), atom)) atoms_.push_back(atom);
    }
  }
  const Mesh& mesh() const { return query_.tensors.front().sharding.mesh(); }

  /// Returns the number of assignments of ordered atoms to factors. Stops counting above
  /// kMaxChoices.
  std::size_t num_choices() const {
    std::size_t all = 0;
    std::size_t orders = 1;
    std::size_t splits = 1;  // number of ways to split r ordered atoms into one list per factor
    for (std::size_t r = 0; r <= atoms_.size(); ++r) {
      all += orders * splits;
      if (all > kMaxChoices) break;
      orders *= atoms_.size() - r;
      splits = splits * (factors_.size() + r) / (r + 1);
    }
    return all;
  }

  /// Tries all lists of unused atoms for the factors from `index` on.
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

  /// Checks whether the factor size stays divisible by the number of its shards with one more atom,
  /// or a tensor has these uneven shards.
  bool fits(std::span<const AxisList> choice, std::size_t factor, const AxisRef& atom) const {
    const auto index = static_cast<int32_t>(factor);
    const int64_t size = query_.rule.factor_size(index);
    if (size % (sharding_size(choice[factor]) * atom.size) == 0) return true;
    AxisList axes = choice[factor];
    append_or_merge(axes, atom);
    for (std::size_t tensor = 0; tensor < query_.tensors.size(); ++tensor) {
      const auto& dims = query_.rule.tensor(tensor).dims;
      for (std::size_t dim = 0; dim < dims.size(); ++dim) {
        const AxisList& have = query_.tensors[tensor].sharding.dim(dim).axes;
        const bool has_factor = !dims[dim].empty() && dims[dim].front() == index;
        if (has_factor && greatest_common_prefix(axes, have) == axes) return true;
      }
    }
    return false;
  }

  /// Adds the choice with a lower bound of its seconds, unless the bound exceeds the best price.
  void consider(std::span<const AxisList> choice) {
    if (parallelism(choice) < shards_) return;
    ++num_considered_;
    double seconds = 0;
    for (std::size_t tensor = 0; tensor < query_.tensors.size(); ++tensor) {
      seconds += bounds_.seconds(tensor, choice);
    }
    if (seconds > most_seconds()) return;
    choices_.push_back({seconds, num_considered_, {choice.begin(), choice.end()}});
  }

  /// Returns the seconds above which a choice cannot be the best one.
  double most_seconds() const {
    constexpr double kEqual = 1e-9;  // relative error of sums
    return std::get<double>(price_) * (1 + kEqual);
  }

  /// Returns the cost of a choice; std::nullopt if it takes more than most_seconds(). Known costs
  /// and lower bounds often show that without the plans of all reshards.
  std::optional<StepCost> cost_if_best(std::span<const AxisList> choice) {
    const std::vector<Reshard> reshards = reshards_of(query_, choice, free_);
    std::vector<std::pair<double, const Reshard*>> unknown;  // with lower bounds
    double seconds = 0;
    for (const Reshard& each : reshards) {
      const QueryTensor& at = query_.tensors[each.tensor];
      const StepCost* known =
          planner_.known_cost({at.shape, at.element_bytes}, each.from, each.to, query_.bound);
      if (known == nullptr) unknown.emplace_back(bounds_.seconds(each.tensor, choice), &each);
      seconds += known != nullptr ? known->seconds : unknown.back().first;
    }
    for (const auto& [least, each] : unknown) {
      if (seconds > most_seconds()) return std::nullopt;
      seconds += reshard_cost(query_, each->tensor, each->from, each->to, planner_).seconds - least;
    }
    if (seconds > most_seconds()) return std::nullopt;
    return cost_of(query_, reshards, planner_);
  }

  /// Keeps the cheapest choice, and the first one of those with equal prices. Choices with small
  /// bounds come first, so that most others need no plans.
  void take_best() {
    std::ranges::sort(choices_, {}, [](const AxesChoice& each) {
      return std::pair(each.least_seconds, each.number);
    });
    for (AxesChoice& each : choices_) {
      if (each.least_seconds > most_seconds()) break;
      const std::optional<StepCost> cost = cost_if_best(each.axes);
      if (!cost) continue;
      const CommonAxesPrice price = price_of(*cost);
      if (!(std::pair(price, each.number) < std::pair(price_, best_number_))) continue;
      price_ = price;
      best_number_ = each.number;
      best_ = std::move(each.axes);
    }
    choices_.clear();
    best_number_ = 0;
  }

  /// Improves the best choice by one change: an atom moves to the end of another factor's list, or
  /// two factors swap their lists. Returns false if no change costs less.
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
    take_best();
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
  PricedPlanner& planner_;
  const FreeTensors& free_;
  int64_t shards_;
  ReshardBounds bounds_;
  std::vector<AxisList> best_;
  CommonAxesPrice price_;
  std::size_t best_number_ = 0;  // 0: the choice before take_best
  std::size_t num_considered_ = 0;
  std::vector<AxesChoice> choices_;
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
                                       std::vector<AxisList> reference, PricedPlanner& planner,
                                       const FreeTensors& free) {
  if (query.tensors.empty() || !can_price(query)) return reference;
  return Chooser(query, std::move(reference), planner, free).run();
}

std::size_t BestAxesCache::AxesKeyHash::operator()(const AxesKey& key) const {
  std::size_t seed = key.query.num_operands;
  for (const QueryTensor& tensor : key.query.tensors) {
    seed = hash_combine(seed, hash_of_axes(tensor.sharding));
    seed = hash_combine(seed, hash_range(tensor.shape));
  }
  return seed;
}

bool BestAxesCache::Equal::operator()(const AxesKey& a, const AxesKey& b) const {
  const auto equal = [](const QueryTensor& x, const QueryTensor& y) {
    return x.element_bytes == y.element_bytes && x.shape == y.shape && x.sharding == y.sharding;
  };
  return a.query.num_operands == b.query.num_operands && a.query.rule == b.query.rule &&
         a.query.bound == b.query.bound && a.reference == b.reference && a.free == b.free &&
         std::ranges::equal(a.query.tensors, b.query.tensors, equal);
}

BestAxes BestAxesCache::find(const CommonAxesQuery& query, const std::vector<AxisList>& reference,
                             PricedPlanner& planner, LimitChecker* limits,
                             const FreeTensors& free) {
  AxesKey key{query, reference, free};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  BestAxes best{best_common_axes(query, reference, planner, free)};
  if (best.axes != reference) {
    best.before = common_axes_cost(query, reference, planner, free);
    best.after = common_axes_cost(query, best.axes, planner, free);
  }
  if (limits != nullptr && !limits->may_continue()) return best;  // the search may be incomplete
  const std::lock_guard lock(mutex_);
  return known_.emplace(std::move(key), std::move(best)).first->second;
}

}  // namespace shardy::passes

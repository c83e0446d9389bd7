// Axes per factor on which the tensors of an op agree, as Shardy chooses them.
// Spec: resharding A.3, A.5.
//
//   sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>, rule ([i, j], [i, j])->([i, j]) {i=8, j=16}
//   operands [{"a"}, {}] and [{}, {"b"}], result [{"b"}, {}]   ->   i: {"a"}, j: {"b"}
#include "passes/export/common_axes.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "shardy/support/math.hpp"

namespace shardy::passes {

bool FactorAxes::has_overflow() const {
  return std::ranges::any_of(overflow, [](const std::vector<AxisList>& tensor) {
    return std::ranges::any_of(tensor, [](const AxisList& axes) { return !axes.empty(); });
  });
}

namespace {

/// Returns the axes of the factor if all tensors with the factor agree; empty if none is sharded.
/// Returns std::nullopt if they differ, or if a need-replication factor has axes.
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
      sharded;  // at most one entry per mesh axis, so a linear search is fast
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

/// Ranks the tensor that keeps its sharding: without sharded permutation factors, larger, more
/// shards, earlier.
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
  int64_t total = 0;  // elements of the tensors that have these axes
  int64_t gain = 0;   // factor by which the number of shards grows
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

/// Returns every non-empty prefix of every list, in steps of whole axis refs.
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

/// Returns per factor the major neighbours that must be fully sharded before it gets axes.
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

  /// Trims a candidate to axes that `chosen` does not use. Returns false if none remain.
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

/// Moves axes from the front of the list to batching factors while they divide. Returns the rest.
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

/// A move of axes of a need-replication factor to a factor of size `size` with `shards` shards.
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

/// Checks that resharding sends at most as many bytes as gathering the operands: tensors with the
/// axes need an all-to-all, results without them an all-gather after the op.
bool is_cheaper_than_gather(const FactorAxes& factors, const Move& move) {
  if (move.tile() <= 1 || !move.nests()) return false;
  double gathered = 0;
  double moved = 0;
  for (std::size_t tensor = 0; tensor < factors.num_tensors(); ++tensor) {
    const auto size = static_cast<double>(factors.tensor_sizes[tensor]);
    const double whole = size * static_cast<double>(move.tile());
    const double exchanged = size * static_cast<double>(move.piece());
    const bool is_operand = tensor < factors.rule.operands().size();
    const bool is_cut = has_axes(factors, tensor, move.axes);
    if (is_operand && is_cut) gathered += whole;
    if (!factors.lists[tensor][move.target]) {
      if (is_operand && is_cut) moved += whole;
    } else if (is_cut) {
      moved += exchanged;
    } else if (!is_operand) {
      moved += whole;
    }
  }
  return moved <= gathered;
}

/// Variant for lowering: moves axes to any pass-through factor, even if they do not divide it.
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

}  // namespace shardy::passes

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <shardy/propagation/detail/slot_shardings.hpp>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// Hides dim shardings by user priority, and reveals the dims of one priority at a time. Priority 0
/// is the highest and the default. Spec: propagation 12.
class UserPriorities {
 public:
  /// Hides all dims of priority 1 and more: the dims become closed and empty, and their axes become
  /// replicated.
  UserPriorities(const Problem& problem, SlotShardings& shardings);

  /// Returns the distinct priorities above 0, ascending.
  std::span<const int64_t> priorities() const { return priorities_; }
  /// Restores the axes of the dims of `priority`.
  void reveal(int64_t priority);

 private:
  struct HiddenSharding {
    int64_t priority = 0;
    SlotId slot;
    ShardingId original;
  };

  void hide(SlotId slot);
  void reveal(const HiddenSharding& hidden);

  SlotShardings& shardings_;
  std::vector<HiddenSharding> hidden_;  // hidden dims, by ascending priority
  std::vector<int64_t> priorities_;
  FlatSharding next_;
  AxisList replicated_;
};

// -------------------------------------------------------------------------------------------------

inline UserPriorities::UserPriorities(const Problem& problem, SlotShardings& shardings)
    : shardings_(shardings) {
  for (uint32_t index = 0; index < problem.num_slots(); ++index) {
    const SlotId slot(index);
    if (problem.slot(slot).storage == slot && shardings.at(slot).valid()) hide(slot);
  }
  std::ranges::stable_sort(hidden_, {}, &HiddenSharding::priority);
  for (const HiddenSharding& hidden : hidden_) {
    if (priorities_.empty() || priorities_.back() != hidden.priority) {
      priorities_.push_back(hidden.priority);
    }
  }
}

inline void UserPriorities::hide(SlotId slot) {
  const ShardingId original = shardings_.at(slot);
  const FlatShardingView sharding = shardings_.table()[original];
  const bool has_priority = std::ranges::any_of(
      sharding.dims, [](const FlatDim& dim) { return dim.priority.has_value(); });
  if (!has_priority) return;

  const std::size_t first_hidden = hidden_.size();
  next_.clear();
  next_.mesh = sharding.mesh;
  next_.reduction_op = sharding.reduction_op;
  replicated_.assign(sharding.replicated().begin(), sharding.replicated().end());
  for_each_dim(sharding, [&](const FlatDim& dim, std::span<const AxisRef> axes) {
    const int64_t priority = dim.priority.value_or(0);
    if (priority == 0) return next_.add_dim({.is_closed = dim.is_closed}, axes);
    next_.add_dim({.is_closed = true}, {});
    replicated_.insert(replicated_.end(), axes.begin(), axes.end());
    const bool is_known =
        std::any_of(hidden_.begin() + static_cast<std::ptrdiff_t>(first_hidden), hidden_.end(),
                    [&](const HiddenSharding& hidden) { return hidden.priority == priority; });
    if (!is_known) hidden_.push_back({priority, slot, original});
  });
  std::ranges::sort(replicated_);  // mesh order; adjacent sub-axes are not merged
  next_.set_other_axes(replicated_, sharding.unreduced());
  shardings_.store(slot, shardings_.table().intern(next_.view()));
}

inline void UserPriorities::reveal(const HiddenSharding& hidden) {
  const ShardingTable& table = shardings_.table();
  const FlatShardingView original = table[hidden.original];
  const FlatShardingView current = table[shardings_.at(hidden.slot)];
  next_.clear();
  next_.mesh = current.mesh;
  next_.reduction_op = current.reduction_op;
  replicated_.assign(current.replicated().begin(), current.replicated().end());
  std::size_t dim = 0;
  std::size_t first_axis = 0;
  for_each_dim(original, [&](const FlatDim& was, std::span<const AxisRef> axes) {
    const FlatDim& now = current.dims[dim++];
    const auto current_axes = current.axes.subspan(first_axis, now.num_axes);
    first_axis += now.num_axes;
    // Axes that another member of the sharding group already gave to the dim are kept.
    const bool is_hidden = now.is_closed && current_axes.empty();
    if (was.priority.value_or(0) != hidden.priority || !is_hidden) {
      return next_.add_dim(now, current_axes);
    }
    next_.add_dim({.is_closed = was.is_closed}, axes);
    for (const AxisRef& axis : axes) std::erase(replicated_, axis);
  });
  next_.set_other_axes(replicated_, current.unreduced());
  shardings_.store(hidden.slot, shardings_.table().intern(next_.view()));
}

inline void UserPriorities::reveal(int64_t priority) {
  const auto first = std::ranges::lower_bound(hidden_, priority, {}, &HiddenSharding::priority);
  const auto last = std::ranges::upper_bound(hidden_, priority, {}, &HiddenSharding::priority);
  std::for_each(first, last, [this](const HiddenSharding& hidden) { reveal(hidden); });
}

}  // namespace shardy::propagation

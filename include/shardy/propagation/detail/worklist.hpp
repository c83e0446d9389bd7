// The nodes that a sweep visits, and the loop over their steps, which is compiled twice, with and
// without an observer. The user priorities in the order in which they are revealed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/detail/extension_results.hpp>
#include <shardy/propagation/detail/slot_shardings.hpp>
#include <shardy/propagation/detail/step.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/detail/number_set.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::propagation::detail {

/// An observer without functions, for runs without an observer.
struct NoObserver {
  static constexpr bool kEnabled = false;
  /// Conflicts are discarded, without code at run time.
  using Conflicts = NoConflicts;

  void begin_sweep(const SweepInfo& /*sweep*/) {}
  void on_step(const StepEvent& /*step*/) {}
  void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  void on_erase(NodeId /*node*/) {}
};

/// An observer that forwards all events to a StepObserver.
class AnyObserver {
 public:
  static constexpr bool kEnabled = true;
  using Conflicts = ConflictList;

  explicit AnyObserver(StepObserver& observer) : observer_(&observer) {}

  void begin_sweep(const SweepInfo& sweep) { observer_->begin_sweep(sweep); }
  void on_step(const StepEvent& step) { observer_->on_step(step); }
  void on_group_copy(SlotId from, SlotId member) { observer_->on_group_copy(from, member); }
  void on_erase(NodeId node) { observer_->on_erase(node); }

 private:
  StepObserver* observer_;
};

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

/// The nodes that are not erased, and the number of their uses of each slot. Spec: propagation 9.2
/// step 2.
class Liveness {
 public:
  explicit Liveness(const detail::ProblemTables& problem);

  bool is_erased(NodeId node) const { return is_erased_[node.index()] != 0; }
  std::size_t num_uses(SlotId slot) const { return uses_[slot.index()]; }
  const std::vector<NodeId>& erased() const { return erased_; }
  /// Returns the bytes of the tables.
  std::size_t num_bytes() const {
    return is_erased_.size() + (uses_.size() + users_.size()) * sizeof(uint32_t) +
           (last_eraser_.size() + erased_.size()) * sizeof(NodeId);
  }

  /// Checks that the node has no side effects and no used results.
  bool is_dead(NodeId node) const;
  /// Checks whether any operand that is not a scalar has a number of uses other than one. Spec:
  /// propagation 11.
  bool has_multi_use_operand(NodeId node) const;
  /// Erases a node and the nodes in its regions. Calls `wake(definer)`, in operand order, for each
  /// node that defines an operand: that node may be dead now, or its result may have a single use
  /// now.
  template <class Wake>
  void erase(NodeId node, Wake wake);

 private:
  template <class Wake>
  void erase_one(NodeId node, Wake& wake);

  const detail::ProblemTables& problem_;
  std::vector<uint8_t> is_erased_;   // per node
  std::vector<uint32_t> uses_;       // number of uses of each slot
  std::vector<uint32_t> users_;      // number of users of each slot
  std::vector<NodeId> last_eraser_;  // last node whose erasure removed a use of the slot
  std::vector<NodeId> erased_;
};

// -------------------------------------------------------------------------------------------------

inline Liveness::Liveness(const detail::ProblemTables& problem)
    : problem_(problem), is_erased_(problem.num_nodes(), 0), last_eraser_(problem.num_slots()) {
  uses_.reserve(problem.num_slots());
  users_.reserve(problem.num_slots());
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    uses_.push_back(problem.slot(SlotId(slot)).num_uses);
    users_.push_back(problem.slot(SlotId(slot)).num_users);
  }
}

inline bool Liveness::is_dead(NodeId node) const {
  if (!problem_.node(node).is_removable) return false;
  for (const TensorUse& result : problem_.results(node)) {
    if (num_uses(result.slot) > 0) return false;
  }
  return true;
}

inline bool Liveness::has_multi_use_operand(NodeId node) const {
  if (!problem_.node(node).operands_are_uses) return false;
  for (const TensorUse& operand : problem_.operands(node)) {
    if (problem_.slot(operand.slot).rank > 0 && num_uses(operand.slot) != 1) return true;
  }
  return false;
}

template <class Wake>
void Liveness::erase_one(NodeId node, Wake& wake) {
  const Node& of = problem_.node(node);
  if (is_erased(node) || of.is_function_result) return;
  is_erased_[node.index()] = 1;
  erased_.push_back(node);
  if (!of.operands_are_uses) return;
  for (const TensorUse& operand : problem_.operands(node)) {
    const std::size_t slot = operand.slot.index();
    --uses_[slot];
    if (last_eraser_[slot] != node) --users_[slot];
    last_eraser_[slot] = node;
  }
  for (const TensorUse& operand : problem_.operands(node)) {
    const Slot& slot = problem_.slot(operand.slot);
    if (users_[operand.slot.index()] <= 1 && slot.definer.valid()) wake(slot.definer);
  }
}

template <class Wake>
void Liveness::erase(NodeId node, Wake wake) {
  for (uint32_t inner = problem_.node(node).nested_end.value - 1; inner > node.value; --inner) {
    erase_one(NodeId(inner), wake);
  }
  erase_one(node, wake);
}

/// The nodes that a sweep may change, for each kind of sweep (level and strategy). A step depends
/// only on the shardings of its tensors, the level and the strategy. After a step without a change,
/// a node is settled for that kind until one of these shardings changes. Initially no node is
/// settled.
class Unsettled {
 public:
  explicit Unsettled(const detail::ProblemTables& problem);

  /// Sets the kind of sweep for `settle`, `unsettle` and `first_from`.
  void begin(const SweepInfo& sweep);
  /// Marks the node as settled. Call `touch` afterwards for the slots that the step wrote.
  void settle(NodeId node);
  void unsettle(NodeId node) { insert(node, sweep_); }
  /// Marks all nodes that use the slot as not at the fixed point, for all kinds of sweeps.
  void touch(SlotId slot);
  /// Returns the first node from `node` on that is not settled; std::nullopt if all are settled.
  std::optional<NodeId> first_from(uint32_t node) const;

 private:
  static constexpr std::size_t kNumKinds = std::size_t{2} * kMaxLevels;

  static std::size_t kind_of(const SweepInfo& sweep) {
    const bool is_basic = sweep.strategy == FactorStrategy::Basic;
    return 2 * static_cast<std::size_t>(sweep.level) + (is_basic ? 1 : 0);
  }
  SlotId storage(SlotId slot) const {
    const SlotId storage = problem_.slot(slot).storage;
    return storage.valid() ? storage : slot;
  }
  void insert(NodeId node, std::size_t kind);

  const detail::ProblemTables& problem_;
  detail::RowLists<NodeId> seen_by_;  // users of each storage slot and of each slot without storage
  // Nodes that are not settled, for each kind of sweep.
  std::array<std::optional<NumberSet>, kNumKinds> nodes_;
  std::vector<uint16_t> settled_;  // per node, one bit for each kind of sweep
  std::size_t sweep_ = 0;          // kind of the current sweep
};

// -------------------------------------------------------------------------------------------------

inline Unsettled::Unsettled(const detail::ProblemTables& problem)
    : problem_(problem),
      seen_by_(problem.num_slots(),
               [&](auto visit) {
                 for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
                   const NodeId node(index);
                   if (!problem.node(node).rule.valid()) continue;
                   for (const TensorUse& use : problem.tensors(node)) {
                     visit(storage(use.slot).index(), node);
                   }
                 }
               }),
      settled_(problem.num_nodes(), 0) {}

inline void Unsettled::begin(const SweepInfo& sweep) {
  sweep_ = kind_of(sweep);
  if (!nodes_[sweep_]) nodes_[sweep_].emplace(problem_.num_nodes());
}

inline void Unsettled::settle(NodeId node) {
  nodes_[sweep_]->erase(node.value);
  settled_[node.index()] |= static_cast<uint16_t>(1U << sweep_);
}

inline void Unsettled::insert(NodeId node, std::size_t kind) {
  nodes_[kind]->insert(node.value);
  settled_[node.index()] &= static_cast<uint16_t>(~(1U << kind));
}

inline void Unsettled::touch(SlotId slot) {
  for (const NodeId node : seen_by_[storage(slot).index()]) {
    for (std::size_t kind = 0; settled_[node.index()] != 0; ++kind) {
      if ((settled_[node.index()] >> kind & 1U) != 0) insert(node, kind);
    }
  }
}

inline std::optional<NodeId> Unsettled::first_from(uint32_t node) const {
  const std::optional<uint32_t> found = nodes_[sweep_]->first_from(node);
  return found ? std::optional(NodeId(*found)) : std::nullopt;
}

/// The order of visits in one sweep: nodes in program order, but nodes pushed again come first, the
/// last pushed one before the others. Pushing a node that is already pending or pushed has no
/// effect. Spec: propagation 9.2.
class Worklist {
 public:
  explicit Worklist(std::size_t num_nodes) : is_on_(num_nodes, 0) {}

  /// Starts a sweep: all nodes are pending.
  void begin() { num_passed_ = 0; }
  bool is_to_come(NodeId node) const { return node.value >= num_passed_; }
  /// Returns the next node to visit; std::nullopt at the end. `next(from)` returns the first node
  /// from `from` on that has to be visited, or an invalid id.
  template <class Next>
  std::optional<NodeId> pop(Next next);
  /// Pushes a node that has to be visited again. Requires: the node is not pending.
  void push_again(NodeId node) {
    if (std::exchange(is_on_[node.index()], uint8_t{1}) == 0) stack_.push_back(node);
  }

 private:
  std::vector<NodeId> stack_;
  std::vector<uint8_t> is_on_;  // per node: it was pushed again
  uint32_t num_passed_ = 0;     // nodes before this index were visited
};

/// A step that changed nothing. The same step has no effect while the shardings of its tensors stay
/// the same.
struct UnchangedStep {
  uint32_t at = 0;   // number of changes of shardings before the step
  uint8_t kind = 0;  // directions and strategy of the step; 0: no such step
};

/// Runs sweeps over one problem. A sweep visits function results, then the worklist to its fixed
/// point, then function results again. Spec: propagation 9.
template <class Observer>
class Sweeper {
 public:
  /// Makes a sweeper. `extensions` is null if no rule is replaced; `limits` is null without limits.
  Sweeper(const Problem& problem, SlotShardings& shardings, Observer& observer,
          detail::ExtensionResults* extensions = nullptr, LimitChecker* limits = nullptr)
      : whole_(problem),
        problem_(problem.tables()),
        extensions_(extensions),
        limits_(limits),
        observer_(observer),
        shardings_(shardings),
        runner_(problem.tables(), shardings, extensions),
        liveness_(problem.tables()),
        worklist_(problem.num_nodes()) {
    const bool may_repeat = !Observer::kEnabled && extensions == nullptr;
    if (may_repeat) unchanged_.resize(problem.num_nodes());
  }

  /// Runs one sweep. Stops early if a limit is exceeded.
  void run(const SweepInfo& sweep);
  /// Makes sweeps skip settled nodes. The last step of a settled node in a sweep of this kind
  /// changed nothing, and the inputs of the step have not changed since. Sweeps over all nodes
  /// yield equal shardings.
  void skip_settled() {
    unsettled_.emplace(problem_);
    shardings_.keep_changed(true);
  }
  /// Makes the next sweeps visit all nodes, so that an observer gets all remaining conflicts.
  void visit_all() {
    unsettled_.reset();
    shardings_.keep_changed(false);
  }

  const Liveness& liveness() const { return liveness_; }
  /// Returns the number of steps (num_steps), or of steps that changed a sharding (num_updates),
  /// over all sweeps.
  int64_t num_steps() const { return num_steps_; }
  int64_t num_updates() const { return num_updates_; }

 private:
  static uint8_t kind_of_step(const Node& node, const SweepInfo& sweep);
  bool repeats_unchanged_step(NodeId node, const SweepInfo& sweep) const;
  bool set_directions(NodeId node, int level);
  bool ask_for_directions(NodeId node, int level);
  bool step(NodeId node, const SweepInfo& sweep);
  void run_function_results(const SweepInfo& sweep);
  std::optional<NodeId> next_node(uint32_t from) const;
  void visit(NodeId node, const SweepInfo& sweep);
  void erase(NodeId node);
  void wake(NodeId node);
  void note_changes();
  /// Returns the bytes of all tables of propagation.
  int64_t num_bytes() const;
  bool may_go_on() {
    return limits_ == nullptr || limits_->may_continue([this] { return num_bytes(); });
  }

  const Problem& whole_;  // the full problem, for extensions
  const detail::ProblemTables& problem_;
  detail::ExtensionResults* extensions_;
  LimitChecker* limits_;
  Observer& observer_;
  SlotShardings& shardings_;
  StepRunner<Observer> runner_;
  Liveness liveness_;
  Worklist worklist_;
  std::optional<Unsettled> unsettled_;  // std::nullopt: sweeps visit all nodes
  // Per node: its last step, if that changed nothing. Empty with an observer or an extension.
  std::vector<UnchangedStep> unchanged_;
  std::vector<Direction> directions_;  // directions of the factors of one node
  int64_t num_steps_ = 0;
  int64_t num_updates_ = 0;
};

// -------------------------------------------------------------------------------------------------

template <class Next>
std::optional<NodeId> Worklist::pop(Next next) {
  if (!stack_.empty()) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    is_on_[node.index()] = 0;
    return node;
  }
  const std::optional<NodeId> node = next(num_passed_);
  num_passed_ = node ? node->value + 1 : static_cast<uint32_t>(is_on_.size());
  return node;
}

/// Computes the direction of each factor of a node at `level`. Returns false if all are None.
template <class Observer>
bool Sweeper<Observer>::set_directions(NodeId node, int level) {
  const Node& of = problem_.node(node);
  const FlatRule& layout = problem_.rule(of.rule);
  if (extensions_ != nullptr && extensions_->extensions().op_priorities.direction) [[unlikely]] {
    directions_.assign(layout.num_factors(), Direction::None);
    return ask_for_directions(node, level);
  }
  if (!may_propagate(of.priority, level)) return false;
  directions_.assign(layout.num_factors(), Direction::None);
  const bool waits = level == 0 && waits_for_single_use(of.priority);
  if (waits && liveness_.has_multi_use_operand(node)) return false;
  Direction any = Direction::None;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    if (layout.is_blocked(factor)) continue;
    directions_[factor] =
        of.direction & direction_at(of.priority, level, layout.factor_kind(factor));
    any = any | directions_[factor];
  }
  return any != Direction::None;
}

/// Computes the directions of set_directions with the extension `op_priorities`.
template <class Observer>
bool Sweeper<Observer>::ask_for_directions(NodeId node, int level) {
  const Node& of = problem_.node(node);
  const FlatRule& layout = problem_.rule(of.rule);
  const bool is_multi_use = liveness_.has_multi_use_operand(node);
  Direction any = Direction::None;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    if (layout.is_blocked(factor)) continue;
    directions_[factor] =
        of.direction & extensions_->direction({whole_, node, factor, level, is_multi_use});
    any = any | directions_[factor];
  }
  return any != Direction::None;
}

/// Returns a number above 0. Steps of one node with equal numbers have equal directions and
/// strategies, unless an extension sets directions.
template <class Observer>
uint8_t Sweeper<Observer>::kind_of_step(const Node& node, const SweepInfo& sweep) {
  const int strategy = sweep.strategy == FactorStrategy::Basic ? 1 : 2;
  return static_cast<uint8_t>(2 * first_level_like(node.priority, sweep.level) + strategy);
}

/// Checks whether the last step on the node was the same and changed nothing. Most steps of the
/// later levels are such steps.
template <class Observer>
bool Sweeper<Observer>::repeats_unchanged_step(NodeId node, const SweepInfo& sweep) const {
  const UnchangedStep& last = unchanged_[node.index()];
  const Node& of = problem_.node(node);
  if (last.kind != kind_of_step(of, sweep)) return false;
  const bool waits = sweep.level == 0 && waits_for_single_use(of.priority);
  if (waits && liveness_.has_multi_use_operand(node)) return false;
  return std::ranges::all_of(problem_.tensors(node), [&](const TensorUse& use) {
    return shardings_.is_unchanged_since(use.slot, last.at);
  });
}

template <class Observer>
bool Sweeper<Observer>::step(NodeId node, const SweepInfo& sweep) {
  const bool may_repeat = !unchanged_.empty();
  if (may_repeat && repeats_unchanged_step(node, sweep)) {
    ++num_steps_;
    return false;
  }
  if (!set_directions(node, sweep.level)) return false;
  ++num_steps_;
  const uint32_t before = shardings_.num_changes();
  const bool updated = runner_.run(node, sweep.strategy, directions_, observer_);
  num_updates_ += updated ? 1 : 0;
  if (may_repeat) {
    unchanged_[node.index()] =
        updated ? UnchangedStep() : UnchangedStep{before, kind_of_step(problem_.node(node), sweep)};
  }
  note_changes();
  return updated;
}

template <class Observer>
void Sweeper<Observer>::note_changes() {
  if (!unsettled_) return;
  for (const SlotId slot : shardings_.changed()) unsettled_->touch(slot);
  shardings_.clear_changed();
}

template <class Observer>
void Sweeper<Observer>::run_function_results(const SweepInfo& sweep) {
  if (!unsettled_) {
    for (const NodeId node : problem_.function_results()) step(node, sweep);
    return;
  }
  for (auto node = next_node(0); node; node = next_node(node->value + 1)) {
    if (!problem_.node(*node).is_function_result) continue;
    unsettled_->settle(*node);
    step(*node, sweep);
  }
}

template <class Observer>
std::optional<NodeId> Sweeper<Observer>::next_node(uint32_t from) const {
  if (unsettled_) return unsettled_->first_from(from);
  return from < problem_.num_nodes() ? std::optional(NodeId(from)) : std::nullopt;
}

template <class Observer>
void Sweeper<Observer>::wake(NodeId node) {
  if (liveness_.is_erased(node)) return;
  if (!worklist_.is_to_come(node)) return worklist_.push_again(node);
  if (unsettled_) unsettled_->unsettle(node);
}

/// Runs a step on a node and pushes the nodes that use the slots written by the step. Users of
/// the slot written last come first; users of one slot are in the order of Problem::wakes. A
/// step does not push its own node. Spec: propagation 9.3.
template <class Observer>
void Sweeper<Observer>::visit(NodeId node, const SweepInfo& sweep) {
  if (!problem_.node(node).rule.valid() || !step(node, sweep)) return;
  for (const SlotId slot : runner_.written()) {
    const auto nodes = problem_.wakes(problem_.slot(slot).storage);
    for (std::size_t index = nodes.size(); index-- > 0;) {
      if (nodes[index] != node) wake(nodes[index]);
    }
  }
}

/// The direction at level 0 depends on the number of uses of a value, so users of the operands are
/// no longer settled.
template <class Observer>
void Sweeper<Observer>::erase(NodeId node) {
  if constexpr (Observer::kEnabled) observer_.on_erase(node);
  const std::size_t num_erased = liveness_.erased().size();
  liveness_.erase(node, [this](NodeId definer) { wake(definer); });
  if (!unsettled_) return;
  for (std::size_t index = num_erased; index < liveness_.erased().size(); ++index) {
    for (const TensorUse& operand : problem_.operands(liveness_.erased()[index])) {
      if (liveness_.num_uses(operand.slot) == 1) unsettled_->touch(operand.slot);
    }
  }
}

template <class Observer>
int64_t Sweeper<Observer>::num_bytes() const {
  // Memory of Unsettled: a list of nodes per slot, and bits per node and kind of sweep.
  const std::size_t unsettled =
      unsettled_ ? problem_.num_slots() * sizeof(std::size_t) + 8 * problem_.num_nodes() : 0;
  return static_cast<int64_t>(shardings_.num_bytes() + runner_.num_bytes() + liveness_.num_bytes() +
                              2 * problem_.num_nodes() + unchanged_.size() * sizeof(UnchangedStep) +
                              unsettled);
}

template <class Observer>
void Sweeper<Observer>::run(const SweepInfo& sweep) {
  if (!may_go_on()) return;
  if constexpr (Observer::kEnabled) observer_.begin_sweep(sweep);
  note_changes();
  if (unsettled_) unsettled_->begin(sweep);
  run_function_results(sweep);
  worklist_.begin();
  const auto next = [this](uint32_t from) { return next_node(from); };
  while (const std::optional<NodeId> node = worklist_.pop(next)) {
    if (!may_go_on()) return;
    if (problem_.node(*node).is_function_result) continue;
    if (unsettled_) unsettled_->settle(*node);
    if (liveness_.is_erased(*node)) continue;
    if (liveness_.is_dead(*node)) {
      erase(*node);
    } else {
      visit(*node, sweep);
    }
  }
  run_function_results(sweep);
}

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

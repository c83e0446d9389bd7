#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/detail/nesting.hpp>
#include <shardy/resharding/detail/search_problem.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/limits.hpp>
#include <span>
#include <vector>

namespace shardy::search {

/// Cost of a path: time first, then bytes sent, then messages. Ties are broken by the number of
/// steps, including steps that send nothing.
struct PathCost {
  double time = 0;
  double bytes = 0;
  int64_t messages = 0;
  int64_t steps = 0;

  PathCost operator+(const PathCost& other) const {
    return {time + other.time, bytes + other.bytes, messages + other.messages, steps + other.steps};
  }
  friend std::partial_ordering operator<=>(const PathCost&, const PathCost&) = default;
  friend bool operator==(const PathCost&, const PathCost&) = default;
};

inline PathCost cost_of(const links::Exchange& exchange) {
  return {exchange.time, exchange.bytes, exchange.messages, 0};
}

struct SearchLimits {
  double live_bytes = 0;         // maximal bytes of a step's operand and result; 0: no limit
  int64_t max_ways = 100000;     // maximal number of transitions to examine
  LimitChecker* work = nullptr;  // can end the search early, or null
};

struct FoundPath {
  std::vector<ReshardStep> steps = {};
  bool ended = false;  // true if no better path exists
  bool any = false;    // true if a path was found
};

/// A hash table from search states to their numbers. The key is SearchState::places.
class StateIndex {
 public:
  /// Returns the number of the state `places`. A new state gets the number `next`.
  int32_t find_or_add(uint64_t places, int32_t next);
  std::optional<int32_t> find(uint64_t places) const;

 private:
  struct StateSlot {
    uint64_t places = 0;
    int32_t number = -1;
  };
  std::size_t slot_of(uint64_t places) const;
  void grow();

  std::vector<StateSlot> slots_ = std::vector<StateSlot>(64);
  std::size_t used_ = 0;
};

/// An A* search from the start of the problem to its goal. Spec: resharding C.2, C.3.
class Search {
 public:
  Search(const SearchProblem& problem, const links::Links& links, const SearchLimits& limits)
      : problem_(problem), links_(links), limits_(limits) {}

  /// Returns the best path that costs less than `bound`.
  FoundPath run(const PathCost& bound);

 private:
  struct SearchNode {
    SearchState state = {};
    int32_t hub = -1;  // hub to which a permute in progress has sent; -1: no permute in progress
    int32_t parent = -1;
    StepKind kind = StepKind::CollectivePermute;  // kind of the step that leads to this node
    PathCost cost = {};
    bool closed = false;
  };
  /// A hub: a set of states that permutes transform into each other. A permute to any state of the
  /// hub has the same cost.
  struct Hub {
    std::array<int64_t, kMaxDims> shards = {};
    uint32_t partial = 0;
    bool on_target = false;

    friend bool operator==(const Hub&, const Hub&) = default;
  };
  struct QueueEntry {
    PathCost estimate;
    int32_t node = 0;
    PathCost cost;

    /// Returns whether the queue returns `other` first: smaller estimates precede, then larger
    /// costs so far.
    bool operator<(const QueueEntry& other) const {
      if (estimate != other.estimate) return estimate > other.estimate;
      if (cost != other.cost) return cost < other.cost;
      return node > other.node;
    }
  };

  double bytes(const AtomLists& lists) const;
  double bytes_with(const AtomLists& lists, std::size_t dim, int64_t extent) const;
  PathCost estimate(const AtomLists& lists, bool on_target) const;
  PathCost estimate(const Hub& hub) const;
  PathCost remaining(double wanted, double kept) const;

  /// Returns false once a limit of the work is exceeded.
  bool may_continue() {
    if (limits_.work == nullptr) return true;
    const std::size_t bytes =
        nodes_.size() * sizeof(SearchNode) + queue_.size() * sizeof(QueueEntry);
    return limits_.work->may_continue() && limits_.work->may_hold(static_cast<int64_t>(bytes));
  }
  void expand(int32_t node);
  void gathers(const AtomLists& from);
  void slices(const AtomLists& from, std::size_t dim, AtomLists& sliced);
  void exchanges(const AtomLists& from, std::size_t source, std::size_t count);
  void exchange(const AtomLists& from, const AtomLists& rest, std::size_t source,
                std::size_t target, std::span<const uint8_t> moved);
  void reductions(const AtomLists& from);
  void scatters(const AtomLists& from, std::size_t dim, AtomLists& scattered);
  void permutes(const AtomLists& from);
  void send_to_hub(const AtomLists& from, bool on_target);
  template <class Visit>
  void arrangements(AtomLists& lists, const Hub& hub, std::size_t dim, int64_t rest, Visit visit);
  void leave_hub(int32_t node);

  /// Adds a transition from the current state to `to`. `live` is the bytes of the step's operand
  /// and result.
  void add(const AtomLists& to, bool on_target, StepKind kind, const links::Exchange& exchange,
           double live);
  void push(int32_t node, const PathCost& cost, const PathCost& left, StepKind kind);
  AxisList axes(std::span<const uint8_t> atoms) const;
  /// Returns axes for the cost of a step, which are valid until the next call. If links are
  /// uniform, the cost depends only on the product of sizes, so one axis of that size suffices.
  std::span<const AxisRef> axes_if_needed(std::span<const uint8_t> atoms) {
    if (links_.is_uniform()) {
      step_axes_.assign(1, {0, 1, product_of(atoms)});
    } else {
      step_axes_ = axes(atoms);
    }
    return step_axes_;
  }
  int64_t product_of(std::span<const uint8_t> atoms) const {
    int64_t size = 1;
    for (const uint8_t atom : atoms) size *= problem_.atoms[atom].size;
    return size;
  }
  bool is_exact(std::size_t dim, int64_t shards, int64_t factor) const;
  const Nesting& nesting(std::size_t dim, int64_t shards, int64_t factor);
  const Nesting& widening(std::size_t dim, int64_t shards, int64_t factor);
  links::Exchange fit(const AtomLists& from, std::size_t dim, const Nesting& nesting,
                      double row) const;
  links::Exchange gather_cost(const AtomLists& from, std::size_t dim, std::size_t count);
  links::Exchange exchange_cost(const AtomLists& from, std::size_t source, std::size_t target,
                                std::span<const uint8_t> moved);
  std::vector<ReshardStep> path(int32_t node) const;

  const SearchProblem& problem_;
  const links::Links& links_;
  SearchLimits limits_;
  PathCost bound_;
  double whole_ = 1;   // bytes of the tensor, with the dims outside of the search sharded
  double wanted_ = 0;  // bytes on a device at the goal
  bool is_even_ = true;
  std::array<int64_t, kMaxDims> goal_shards_ = {};
  std::vector<SearchNode> nodes_;
  StateIndex index_[2];  // one index per device order: of the start, of the end
  std::vector<Hub> hubs_;
  std::vector<int32_t> hub_nodes_;
  std::priority_queue<QueueEntry> queue_;
  AxisList step_axes_;  // result of axes_if_needed
  int32_t here_ = 0;
  int64_t ways_ = 0;                          // number of transitions examined so far
  using NestingKey = std::array<int64_t, 3>;  // dim, shards, factor
  std::map<NestingKey, Nesting> nestings_;
  std::map<NestingKey, Nesting> widenings_;
};

}  // namespace shardy::search

#ifdef SHARDY_BODIES
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace shardy::search {

SHARDY_INLINE double Search::bytes_with(const AtomLists& lists, std::size_t dim,
                                        int64_t extent) const {
  if (is_even_) {
    double shards = 1;
    for (std::size_t other = 0; other < problem_.dims.size(); ++other) {
      shards *= static_cast<double>(problem_.shards(lists, other));
    }
    return whole_ / shards;
  }
  auto all = static_cast<double>(problem_.other_bytes);
  for (std::size_t other = 0; other < problem_.dims.size(); ++other) {
    all *= static_cast<double>(
        other == dim ? extent : problem_.extent(other, problem_.shards(lists, other)));
  }
  return all;
}

SHARDY_INLINE double Search::bytes(const AtomLists& lists) const {
  return bytes_with(lists, kMaxDims, 0);
}

SHARDY_INLINE AxisList Search::axes(std::span<const uint8_t> atoms) const {
  AxisList list;
  for (const uint8_t atom : atoms) append_or_merge(list, problem_.atoms[atom]);
  return list;
}

/// Checks whether splitting each of `shards` shards of the dim into `factor` parts gives the shards
/// of the finer sharding, so that no exchange is needed before a step. Spec: resharding B.7.
SHARDY_INLINE bool Search::is_exact(std::size_t dim, int64_t shards, int64_t factor) const {
  return is_even_ || tiles_nest(problem_.dims[dim].size, shards, factor);
}

SHARDY_INLINE const Nesting& Search::nesting(std::size_t dim, int64_t shards, int64_t factor) {
  const auto [found, is_new] =
      nestings_.try_emplace({static_cast<int64_t>(dim), shards, factor}, Nesting());
  if (is_new) found->second = plan_nesting(problem_.dims[dim].size, shards, factor);
  return found->second;
}

SHARDY_INLINE const Nesting& Search::widening(std::size_t dim, int64_t shards, int64_t factor) {
  const auto [found, is_new] =
      widenings_.try_emplace({static_cast<int64_t>(dim), shards, factor}, Nesting());
  if (is_new) found->second = plan_widening(problem_.dims[dim].size, shards, factor);
  return found->second;
}

/// Returns the cost of the exchange `nesting` of a dim. `row` is the bytes of an element of the
/// dim.
SHARDY_INLINE links::Exchange Search::fit(const AtomLists& from, std::size_t dim,
                                          const Nesting& nesting, double row) const {
  if (nesting.kind == Nesting::Kind::Nested) return {};
  const int64_t shards = problem_.shards(from, dim);
  links::ShardedDim sharded{row, problem_.extent(dim, shards), {{0, 1, shards}}};
  if (!links_.is_uniform()) {
    sharded.axes = problem_.dims[dim].kept;
    for (const uint8_t atom : from.dim(dim)) append_or_merge(sharded.axes, problem_.atoms[atom]);
  }
  return links::nesting_cost(links_, problem_.from.mesh(), nesting, sharded);
}

// ---- States by number ---------------------------------------------------------------------------

SHARDY_INLINE std::size_t StateIndex::slot_of(uint64_t places) const {
  const std::size_t mask = slots_.size() - 1;  // size - 1, because the size is a power of two
  std::size_t slot = (places * 0x9e3779b97f4a7c15ULL >> 32) & mask;
  while (slots_[slot].number >= 0 && slots_[slot].places != places) slot = (slot + 1) & mask;
  return slot;
}

SHARDY_INLINE void StateIndex::grow() {
  std::vector<StateSlot> old = std::exchange(slots_, std::vector<StateSlot>(2 * slots_.size()));
  for (const StateSlot& slot : old) {
    if (slot.number >= 0) slots_[slot_of(slot.places)] = slot;
  }
}

SHARDY_INLINE int32_t StateIndex::find_or_add(uint64_t places, int32_t next) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  StateSlot& slot = slots_[slot_of(places)];
  if (slot.number < 0) {
    slot = {places, next};
    ++used_;
  }
  return slot.number;
}

SHARDY_INLINE std::optional<int32_t> StateIndex::find(uint64_t places) const {
  const StateSlot& slot = slots_[slot_of(places)];
  if (slot.number < 0) return std::nullopt;
  return slot.number;
}

// ---- Estimates: a device has to receive the missing part of its result -------------------------

SHARDY_INLINE PathCost Search::remaining(double wanted, double kept) const {
  const double missing = wanted - kept;
  if (missing <= 0) return {};
  return {missing * links_.least_byte_time() + links_.least_latency(), missing, 1, 1};
}

SHARDY_INLINE PathCost Search::estimate(const AtomLists& lists, bool on_target) const {
  if (lists.partial != 0) return remaining(wanted_, 0);
  auto kept = is_even_ ? whole_ : static_cast<double>(problem_.other_bytes);
  double split = 1;
  const bool same_devices = on_target || !problem_.needs_target_mesh;
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    const auto have = lists.dim(dim);
    const auto want = problem_.goal.dim(dim);
    const auto ends = std::mismatch(have.begin(), have.end(), want.begin(), want.end());
    const bool disjoint = ends.first != have.end() && ends.second != want.end();
    if (disjoint && is_even_ && same_devices) return remaining(wanted_, 0);
    const int64_t shards = std::max(problem_.shards(lists, dim), goal_shards_[dim]);
    if (is_even_) {
      split *= static_cast<double>(shards);
    } else {
      kept *= static_cast<double>(problem_.extent(dim, shards));
    }
  }
  return remaining(wanted_, kept / split);
}

SHARDY_INLINE PathCost Search::estimate(const Hub& hub) const {
  if (hub.partial != 0) return remaining(wanted_, 0);
  auto kept = static_cast<double>(problem_.other_bytes);
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    const int64_t shards = std::max(hub.shards[dim], goal_shards_[dim]);
    kept *= static_cast<double>(problem_.extent(dim, shards));
  }
  return remaining(wanted_, kept);
}

// ---- The queue ----------------------------------------------------------------------------------

SHARDY_INLINE void Search::push(int32_t node, const PathCost& cost, const PathCost& left,
                                StepKind kind) {
  SearchNode& entry = nodes_[static_cast<std::size_t>(node)];
  const PathCost estimate = cost + left;
  if (!(cost < entry.cost) || !(estimate < bound_)) return;
  entry.cost = cost;
  entry.parent = here_;
  entry.kind = kind;
  queue_.push({estimate, node, cost});
}

SHARDY_INLINE void Search::add(const AtomLists& to, bool on_target, StepKind kind,
                               const links::Exchange& exchange, double live) {
  ++ways_;
  if (limits_.live_bytes > 0 && live > limits_.live_bytes) return;
  const SearchNode& here = nodes_[static_cast<std::size_t>(here_)];
  PathCost cost = here.cost + cost_of(exchange);
  if (here.hub < 0) ++cost.steps;
  if (!(cost < bound_)) return;
  const PathCost left = estimate(to, on_target);
  if (!(cost + left < bound_)) return;
  const SearchState state = pack(problem_, to, on_target);
  const auto next = static_cast<int32_t>(nodes_.size());
  const int32_t number = index_[on_target ? 1 : 0].find_or_add(state.places, next);
  if (number == next) {
    SearchNode node{.state = state};
    node.cost.time = std::numeric_limits<double>::infinity();
    nodes_.push_back(node);
  }
  push(number, cost, left, kind);
}

// ---- Steps --------------------------------------------------------------------------------------

/// Returns the cost of an all-gather along the last `count` atoms of a dim.
SHARDY_INLINE links::Exchange Search::gather_cost(const AtomLists& from, std::size_t dim,
                                                  std::size_t count) {
  const std::span<const uint8_t> gathered = from.dim(dim).last(count);
  const int64_t factor = product_of(gathered);
  const int64_t shards = problem_.shards(from, dim) / factor;
  if (is_exact(dim, shards, factor)) {
    return links_.all_gather(bytes(from), axes_if_needed(gathered));
  }
  const Nesting& nested = nesting(dim, shards, factor);
  const double row = bytes_with(from, dim, 1);
  links::Exchange cost = fit(from, dim, nested, row);
  if (nested.kind == Nesting::Kind::Whole) return cost;
  cost.add(links_.all_gather(row * static_cast<double>(nested.length), axes_if_needed(gathered)));
  return cost;
}

SHARDY_INLINE void Search::gathers(const AtomLists& from) {
  const double before = bytes(from);
  const bool on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    AtomLists to = from;
    for (std::size_t count = 1; count <= from.sizes[dim]; ++count) {
      to.free |= uint32_t{1} << to.pop(dim);
      add(to, on_target, StepKind::AllGather, gather_cost(from, dim, count), before + bytes(to));
    }
  }
}

SHARDY_INLINE void Search::slices(const AtomLists& from, std::size_t dim, AtomLists& sliced) {
  const SearchNode& here = nodes_[static_cast<std::size_t>(here_)];
  const bool on_target = here.state.on_target;
  const int64_t shards = problem_.shards(from, dim);
  for (std::size_t atom = 0; atom < problem_.atoms.size(); ++atom) {
    const uint32_t bit = uint32_t{1} << atom;
    if ((sliced.free & bit) == 0) continue;
    sliced.push(dim, static_cast<uint8_t>(atom));
    sliced.free &= ~bit;
    const int64_t factor = problem_.shards(sliced, dim) / shards;
    links::Exchange cost;
    if (!is_exact(dim, shards, factor)) {
      cost = fit(from, dim, widening(dim, shards, factor), bytes_with(from, dim, 1));
    }
    add(sliced, on_target, StepKind::AllSlice, cost, bytes(from) + bytes(sliced));
    // Slicing by several axes at once may send fewer bytes if shards do not nest.
    if (!is_even_) slices(from, dim, sliced);
    sliced.pop(dim);
    sliced.free |= bit;
  }
}

/// Returns the cost of an all-to-all from the end of one dim to the end of another, if the shards
/// of at least one dim do not nest.
SHARDY_INLINE links::Exchange Search::exchange_cost(const AtomLists& from, std::size_t source,
                                                    std::size_t target,
                                                    std::span<const uint8_t> moved) {
  const int64_t factor = product_of(moved);
  const int64_t sources = problem_.shards(from, source);
  const int64_t targets = problem_.shards(from, target);
  const Nesting& nested = nesting(source, sources / factor, factor);
  links::Exchange cost = fit(from, source, nested, bytes_with(from, source, 1));
  const auto extent = static_cast<double>(std::max<int64_t>(problem_.extent(source, sources), 1));
  const double row = bytes_with(from, target, 1) / extent * static_cast<double>(nested.length);
  cost.add(fit(from, target, widening(target, targets, factor), row));
  const int64_t padded = factor * problem_.extent(target, targets * factor);
  cost.add(links_.all_to_all(row * static_cast<double>(padded), axes_if_needed(moved)));
  return cost;
}

SHARDY_INLINE void Search::exchange(const AtomLists& from, const AtomLists& rest,
                                    std::size_t source, std::size_t target,
                                    std::span<const uint8_t> moved) {
  const bool on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
  const int64_t factor = product_of(moved);
  const int64_t shards = problem_.shards(from, target);
  const bool nests = is_exact(target, shards, factor) &&
                     is_exact(source, problem_.shards(from, source) / factor, factor);
  links::Exchange cost;
  if (nests) {
    const int64_t padded = factor * problem_.extent(target, shards * factor);
    const double before =
        bytes_with(from, target, std::max(padded, problem_.extent(target, shards)));
    cost = links_.all_to_all(before, axes_if_needed(moved));
  } else {
    cost = exchange_cost(from, source, target, moved);
  }
  AtomLists to = rest;
  for (const uint8_t atom : moved) to.push(target, atom);
  const double before = bytes(from);
  const double after = bytes(to);  // in any order of the atoms
  std::array<uint8_t, kMaxAtoms> atoms = {};
  std::ranges::copy(moved, atoms.begin());
  const std::span<uint8_t> order = std::span(atoms).first(moved.size());
  std::ranges::sort(order);
  do {
    for (std::size_t i = 0; i < order.size(); ++i) to.pop(target);
    for (const uint8_t atom : order) to.push(target, atom);
    const bool permutes = !std::ranges::equal(order, moved);
    add(to, on_target, StepKind::AllToAll, cost, before + after * (permutes ? 2 : 1));
  } while (std::next_permutation(order.begin(), order.end()));
}

SHARDY_INLINE void Search::exchanges(const AtomLists& from, std::size_t source, std::size_t count) {
  const std::span<const uint8_t> moved = from.dim(source).last(count);
  const int64_t factor = product_of(moved);
  const int64_t shards = problem_.shards(from, source) / factor;
  // An all-gather of the full dim followed by a slice is covered by separate steps.
  const bool is_gathered = !is_exact(source, shards, factor) &&
                           nesting(source, shards, factor).kind == Nesting::Kind::Whole;
  if (is_gathered) return;
  AtomLists rest = from;
  for (std::size_t i = 0; i < count; ++i) rest.pop(source);
  for (std::size_t target = 0; target < problem_.dims.size(); ++target) {
    if (target != source) exchange(from, rest, source, target, moved);
  }
}

SHARDY_INLINE void Search::scatters(const AtomLists& from, std::size_t dim, AtomLists& scattered) {
  const bool on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
  const int64_t shards = problem_.shards(from, dim);
  for (std::size_t atom = 0; atom < problem_.atoms.size(); ++atom) {
    const uint32_t bit = uint32_t{1} << atom;
    if ((scattered.partial & bit) == 0) continue;
    scattered.push(dim, static_cast<uint8_t>(atom));
    scattered.partial &= ~bit;
    const std::span<const uint8_t> added = scattered.dim(dim).subspan(from.sizes[dim]);
    const int64_t factor = product_of(added);
    const bool nests = is_exact(dim, shards, factor);
    // Otherwise an all-reduce followed by a slice is covered by separate steps.
    if (nests || widening(dim, shards, factor).kind == Nesting::Kind::Halo) {
      const int64_t padded = factor * problem_.extent(dim, shards * factor);
      const double before = bytes_with(from, dim, std::max(padded, problem_.extent(dim, shards)));
      links::Exchange cost;
      if (!nests) {
        cost = fit(from, dim, widening(dim, shards, factor), bytes_with(from, dim, 1));
      }
      cost.add(links_.reduce_scatter(before, axes_if_needed(added)));
      add(scattered, on_target, StepKind::ReduceScatter, cost, bytes(from) + bytes(scattered));
    }
    scatters(from, dim, scattered);
    scattered.pop(dim);
    scattered.partial |= bit;
  }
}

SHARDY_INLINE void Search::reductions(const AtomLists& from) {
  const bool on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
  for (uint32_t set = from.partial; set != 0; set = (set - 1) & from.partial) {
    std::vector<uint8_t> reduced;
    for (uint32_t atom = 0; atom < problem_.atoms.size(); ++atom) {
      if ((set >> atom & 1) != 0) reduced.push_back(static_cast<uint8_t>(atom));
    }
    AtomLists to = from;
    to.partial &= ~set;
    to.free |= set;
    add(to, on_target, StepKind::AllReduce, links_.all_reduce(bytes(from), axes_if_needed(reduced)),
        bytes(from));
  }
  AtomLists scattered = from;
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) scatters(from, dim, scattered);
}

// ---- Permutes -----------------------------------------------------------------------------------

template <class Visit>
void Search::arrangements(AtomLists& lists, const Hub& hub, std::size_t dim, int64_t rest,
                          Visit visit) {
  while (rest == 1) {
    if (++dim >= problem_.dims.size()) {
      visit(lists);
      return;
    }
    rest = hub.shards[dim] / problem_.dims[dim].shards;
  }
  for (uint32_t atom = 0; atom < problem_.atoms.size(); ++atom) {
    const uint32_t bit = uint32_t{1} << atom;
    const int64_t size = problem_.atoms[atom].size;
    if ((lists.free & bit) == 0 || rest % size != 0) continue;
    lists.push(dim, static_cast<uint8_t>(atom));
    lists.free &= ~bit;
    arrangements(lists, hub, dim, rest / size, visit);
    lists.pop(dim);
    lists.free |= bit;
  }
}

SHARDY_INLINE void Search::send_to_hub(const AtomLists& from, bool on_target) {
  Hub hub{.partial = from.partial, .on_target = on_target};
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    hub.shards[dim] = problem_.shards(from, dim);
  }
  const double sent = bytes(from);
  if (limits_.live_bytes > 0 && 2 * sent > limits_.live_bytes) return;
  if (!links_.is_uniform()) {
    const bool was_on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
    const TensorSharding before = sharding(problem_, from, was_on_target);
    AtomLists lists;
    lists.partial = from.partial;
    lists.free = problem_.usable & ~from.partial;
    const PathCost least{sent * links_.least_byte_time() + links_.least_latency(), sent, 1, 0};
    const PathCost reached = nodes_[static_cast<std::size_t>(here_)].cost + least;
    arrangements(lists, hub, 0, hub.shards[0] / problem_.dims[0].shards, [&](const AtomLists& to) {
      if (!(reached + estimate(to, on_target) < bound_)) return;
      const TensorSharding after = sharding(problem_, to, on_target);
      add(to, on_target, StepKind::CollectivePermute, links_.permute(sent, before, after),
          2 * sent);
    });
    return;
  }
  const auto found = std::ranges::find(hubs_, hub);
  const auto index = static_cast<std::size_t>(found - hubs_.begin());
  if (found == hubs_.end()) {
    SearchNode node{.hub = static_cast<int32_t>(index)};
    node.cost.time = std::numeric_limits<double>::infinity();
    hubs_.push_back(hub);
    hub_nodes_.push_back(static_cast<int32_t>(nodes_.size()));
    nodes_.push_back(node);
  }
  PathCost cost = nodes_[static_cast<std::size_t>(here_)].cost;
  cost = cost + PathCost{sent * links_.byte_time() + links_.latency(), sent, 1, 1};
  push(hub_nodes_[index], cost, estimate(hub), StepKind::CollectivePermute);
}

SHARDY_INLINE void Search::permutes(const AtomLists& from) {
  const bool on_target = nodes_[static_cast<std::size_t>(here_)].state.on_target;
  send_to_hub(from, on_target);
  if (on_target || !problem_.needs_target_mesh) return;
  if (links::holds_all(sharding(problem_, from, false))) {
    add(from, true, StepKind::CollectivePermute, {}, 2 * bytes(from));
  } else {
    send_to_hub(from, true);
  }
}

SHARDY_INLINE void Search::leave_hub(int32_t node) {
  const Hub hub = hubs_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node)].hub)];
  AtomLists lists;
  lists.partial = hub.partial;
  lists.free = problem_.usable & ~hub.partial;
  arrangements(lists, hub, 0, hub.shards[0] / problem_.dims[0].shards, [&](const AtomLists& to) {
    add(to, hub.on_target, StepKind::CollectivePermute, {}, 0);
  });
}

// ---- The search ---------------------------------------------------------------------------------

SHARDY_INLINE void Search::expand(int32_t node) {
  here_ = node;
  if (nodes_[static_cast<std::size_t>(node)].hub >= 0) {
    leave_hub(node);
    return;
  }
  const AtomLists lists = unpack(problem_, nodes_[static_cast<std::size_t>(node)].state);
  if (lists.partial != 0) reductions(lists);
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    AtomLists sliced = lists;
    slices(lists, dim, sliced);
    for (std::size_t count = 1; count <= lists.sizes[dim]; ++count) exchanges(lists, dim, count);
  }
  gathers(lists);
  permutes(lists);
}

SHARDY_INLINE FoundPath Search::run(const PathCost& bound) {
  bound_ = bound;
  is_even_ = true;
  whole_ = static_cast<double>(problem_.other_bytes);
  for (std::size_t dim = 0; dim < problem_.dims.size(); ++dim) {
    int64_t most = problem_.dims[dim].shards;
    for (const AxisRef& atom : problem_.atoms) most *= atom.size;
    is_even_ = is_even_ && problem_.dims[dim].size % most == 0;
    whole_ *= static_cast<double>(problem_.dims[dim].size);
    goal_shards_[dim] = problem_.shards(problem_.goal, dim);
  }
  wanted_ = bytes(problem_.goal);
  const SearchState goal = pack(problem_, problem_.goal, problem_.needs_target_mesh);
  SearchNode start{.state = pack(problem_, problem_.start, false)};
  nodes_.push_back(start);
  index_[0].find_or_add(start.state.places, 0);
  queue_.push({estimate(problem_.start, false), 0, {}});
  while (!queue_.empty() && ways_ < limits_.max_ways && may_continue()) {
    const QueueEntry entry = queue_.top();
    queue_.pop();
    SearchNode& node = nodes_[static_cast<std::size_t>(entry.node)];
    if (node.closed || node.cost != entry.cost) continue;
    node.closed = true;
    if (node.hub < 0 && node.state == goal) return {path(entry.node), true, true};
    expand(entry.node);
  }
  FoundPath found{.ended = queue_.empty()};
  const std::optional<int32_t> last = index_[goal.on_target ? 1 : 0].find(goal.places);
  if (!last) return found;
  found.any = true;
  found.steps = path(*last);
  return found;
}

SHARDY_INLINE std::vector<ReshardStep> Search::path(int32_t node) const {
  std::vector<int32_t> way;
  for (int32_t at = node; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) {
    if (nodes_[static_cast<std::size_t>(at)].hub < 0) way.push_back(at);
  }
  std::vector<ReshardStep> steps;
  for (std::size_t i = way.size(); i-- > 1;) {
    const SearchNode& before = nodes_[static_cast<std::size_t>(way[i])];
    const SearchNode& after = nodes_[static_cast<std::size_t>(way[i - 1])];
    steps.push_back(make_step(problem_, unpack(problem_, before.state),
                              unpack(problem_, after.state), after.kind, after.state.on_target));
  }
  return steps;
}

}  // namespace shardy::search
#endif  // SHARDY_BODIES

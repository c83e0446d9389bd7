#include <algorithm>
#include <numeric>
#include <utility>

#include "autoshard/choice_search.hpp"

namespace shardy::autoshard {

namespace {

/// A choice of the node at a level of the search, and its bound.
struct OpenChoice {
  int64_t bound = 0;  // in scaled units; ScaledCosts::constant is not yet subtracted
  int32_t choice = 0;
};

/// A depth-first search with an explicit stack that has one level per node.
class ClosingSearch {
 public:
  ClosingSearch(const WorkNetwork& network, const ScaledCosts& costs, const EdgeMessages& messages,
                const ClosingGoal& goal)
      : network_(network),
        costs_(costs),
        messages_(messages),
        goal_(goal),
        rests_(chain_rests(network, costs, messages)),
        price_(goal.price),
        limit_(network.limit),
        choice_(at(network.num_nodes()), -1),
        levels_(at(network.num_nodes()) + 1) {
    group_usages();
  }

  ClosingResult run() {
    ClosingResult result;
    if (!rests_.known) return result;
    const int64_t bound = std::accumulate(rests_.start.begin(), rests_.start.end(), int64_t{0});
    const bool complete = explore(bound, result);
    result.complete = complete;
    return result;
  }

 private:
  struct Level {
    std::vector<OpenChoice> open;  // the best choice is the last one
    int64_t bound = 0;
  };

  void group_usages() {
    const auto nodes = at(network_.num_nodes());
    live_.assign(at(network_.num_points), 0);
    usages_of_.resize(nodes);
    for (const WorkUsage& usage : network_.node_usages) {
      const int64_t* bytes = network_.bytes.data() + usage.bytes;
      const int64_t least = *std::min_element(bytes, bytes + network_.size(usage.owner));
      usages_of_[at(usage.owner)].push_back({&usage, least, -1, false});
      fill(usage, least);
    }
    for (const WorkUsage& usage : network_.edge_usages) {
      const WorkEdge& edge = network_.edges[at(usage.owner)];
      const WorkTable& table = network_.tables[at(usage.bytes)];
      const int64_t* bytes = network_.cells.data() + table.begin;
      const int64_t least = *std::min_element(bytes, bytes + table.num_cells());
      usages_of_[at(edge.b)].push_back({&usage, least, edge.a, true});
      fill(usage, least);
    }
  }

  /// A usage of memory whose bytes are known once the node has a choice. `live_` already contains
  /// `least`; the choice adds the remaining bytes.
  struct UsageOfNode {
    const WorkUsage* usage = nullptr;
    int64_t least = 0;
    int32_t earlier = -1;  // for an edge: the node whose choices are the rows of the table
    bool is_edge = false;
  };

  int64_t added_bytes(const UsageOfNode& of, int32_t choice) const {
    const auto number = static_cast<int32_t>(of.usage->bytes);
    const int64_t bytes = of.is_edge
                              ? network_.table_cells(number).of(choice_[at(of.earlier)], choice)
                              : network_.bytes[at(of.usage->bytes + choice)];
    return bytes - of.least;
  }

  void fill(const WorkUsage& usage, int64_t bytes) {
    for (int32_t point = usage.begin; point < usage.end; ++point) {
      int64_t& live = live_[at(point)];
      num_over_ -= live > limit_ ? 1 : 0;
      live += bytes;
      num_over_ += live > limit_ ? 1 : 0;
    }
  }

  void decide(int32_t node, int32_t choice) {
    for (const UsageOfNode& of : usages_of_[at(node)]) {
      const int64_t bytes = added_bytes(of, choice);
      if (bytes != 0) fill(*of.usage, bytes);
    }
    choice_[at(node)] = choice;
  }
  void undo(int32_t node) {
    for (const UsageOfNode& of : usages_of_[at(node)]) {
      const int64_t bytes = added_bytes(of, choice_[at(node)]);
      if (bytes != 0) fill(*of.usage, -bytes);
    }
    choice_[at(node)] = -1;
  }

  bool is_too_dear(int64_t bound) const {
    if (price_ >= kInfinite) return false;
    const int64_t price = costs_.to_femtoseconds(bound - costs_.constant);
    return allows_equal() ? price > price_ : price >= price_;
  }
  bool allows_equal() const { return goal_.lower_peak || goal_.first_index; }

  /// Opens a level with the choices of the node; the best choice is the last one.
  void open_level(int32_t node) {
    Level& level = levels_[at(node)];
    level.open.clear();
    const int32_t size = network_.size(node);
    for (int32_t i = 0; i < size; ++i) {
      int64_t bound =
          level.bound - rests_.start[at(node)] + rests_.node[at(network_.first[at(node)] + i)];
      bool allowed = true;
      for (const WorkLink& link : network_.links_of(node)) {
        const int64_t of_a = messages_.first_a[at(link.edge)];
        if (link.is_first) {
          bound += rests_.rest[at(of_a + i)];
          continue;
        }
        const int32_t other = choice_[at(link.other)];
        const int64_t cell = costs_.cells_of(link.edge).of(other, i);
        if (cell >= kInfinite) {
          allowed = false;
          break;
        }
        bound += cell - rests_.to_a[at(of_a + other)] -
                 rests_.to_b[at(messages_.first_b[at(link.edge)] + i)] -
                 rests_.rest[at(of_a + other)];
      }
      if (allowed && !is_too_dear(bound)) level.open.push_back({bound, i});
    }
    std::ranges::sort(level.open, [&](const OpenChoice& left, const OpenChoice& right) {
      if (goal_.first_index) return left.choice > right.choice;
      return std::pair(left.bound, left.choice) > std::pair(right.bound, right.choice);
    });
  }

  /// Runs the search. Returns false if it exceeds the limit of steps.
  bool explore(int64_t bound, ClosingResult& result) {
    const int32_t nodes = network_.num_nodes();
    if (num_over_ > 0) return true;
    levels_[0].bound = bound;
    int32_t depth = 0;
    if (nodes > 0) open_level(0);
    for (;;) {
      if (depth == nodes) record(result);
      if (goal_.first_index && !result.choice.empty()) return true;
      const auto next = depth < nodes ? next_choice(depth) : std::nullopt;
      if (!next) {
        if (--depth < 0) return true;
        undo(depth);
        continue;
      }
      if (is_stopped()) return false;
      if (!enter(depth, *next)) continue;
      if (++depth < nodes) open_level(depth);
    }
  }

  /// Decides the node of a level. Returns false, without a change, if no choice of the later nodes
  /// would fit.
  bool enter(int32_t depth, const OpenChoice& choice) {
    decide(depth, choice.choice);
    if (num_over_ > 0) {
      undo(depth);
      return false;
    }
    levels_[at(depth) + 1].bound = choice.bound;
    return true;
  }

  /// Takes the cheapest open choice of a level that can still lead to a better result.
  std::optional<OpenChoice> next_choice(int32_t depth) {
    auto& open = levels_[at(depth)].open;
    while (!open.empty()) {
      const OpenChoice next = open.back();
      open.pop_back();
      if (!is_too_dear(next.bound)) return next;
    }
    return std::nullopt;
  }

  /// Counts a step. Returns whether it exceeds the limit, or the search is to stop.
  bool is_stopped() {
    if (++steps_ > goal_.most_steps) return true;
    return steps_ % 1024 == 0 && goal_.stop.stop_requested();
  }

  void record(ClosingResult& result) {
    const int64_t price = work_price(network_, choice_);
    if (allows_equal() ? price > price_ : price >= price_) return;
    price_ = price;
    result.price = price;
    result.choice = choice_;
    if (!goal_.lower_peak || live_.empty()) return;
    limit_ = *std::ranges::max_element(live_) - 1;
    num_over_ = static_cast<int32_t>(
        std::ranges::count_if(live_, [&](int64_t bytes) { return bytes > limit_; }));
  }

  const WorkNetwork& network_;
  const ScaledCosts& costs_;
  const EdgeMessages& messages_;
  const ClosingGoal& goal_;
  ChainRests rests_;
  int64_t price_;
  int64_t limit_;
  std::vector<int32_t> choice_;
  std::vector<Level> levels_;
  /// Bytes per time point: bytes of decided nodes and edges, plus the least bytes of the others.
  std::vector<int64_t> live_;
  int32_t num_over_ = 0;
  int64_t steps_ = 0;
  std::vector<std::vector<UsageOfNode>> usages_of_;
};

}  // namespace

ClosingResult search_all(const WorkNetwork& network, const ScaledCosts& costs,
                         const EdgeMessages& messages, const ClosingGoal& goal) {
  return ClosingSearch(network, costs, messages, goal).run();
}

}  // namespace shardy::autoshard

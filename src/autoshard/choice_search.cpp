#include "autoshard/choice_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace shardy::autoshard {

namespace {

std::vector<int32_t> firsts_of(const std::vector<WorkUsage>& usages, std::size_t owners) {
  std::vector<int32_t> first(owners + 1, 0);
  for (const WorkUsage& usage : usages) ++first[at(usage.owner) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

uint64_t mixed(uint64_t counter) {  // splitmix64
  counter += 0x9E3779B97F4A7C15ULL;
  counter = (counter ^ (counter >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  counter = (counter ^ (counter >> 27U)) * 0x94D049BB133111EBULL;
  return counter ^ (counter >> 31U);
}

}  // namespace

ChoiceState::ChoiceState(const WorkNetwork& network, std::vector<int32_t> choice)
    : network_(network),
      first_usage_(firsts_of(network.node_usages, at(network.num_nodes()))),
      first_of_edge_(firsts_of(network.edge_usages, network.edges.size())) {
  reset(std::move(choice));
}

void ChoiceState::reset(std::vector<int32_t> choice) {
  choice_ = std::move(choice);
  price_ = work_price(network_, choice_);
  live_ = live_bytes(network_, choice_);
  num_over_ = static_cast<int32_t>(
      std::ranges::count_if(live_, [&](int64_t bytes) { return bytes > network_.limit; }));
}

int64_t ChoiceState::price_change(int32_t node, int32_t to) const {
  const int32_t from = choice_[at(node)];
  const std::size_t first = at(network_.first[at(node)]);
  int64_t change = network_.unary[first + at(to)] - network_.unary[first + at(from)];
  for (const WorkLink& link : network_.links_of(node)) {
    const TableCells table = network_.table_cells(network_.edges[at(link.edge)].table);
    const int32_t other = choice_[at(link.other)];
    const int64_t price = table.of(link, to, other);
    if (price >= kInfinite) return kInfinite;
    change += price - table.of(link, from, other);
  }
  return change;
}

template <class Visit>
void ChoiceState::for_each_byte_change(int32_t node, int32_t to, Visit visit) const {
  const int32_t from = choice_[at(node)];
  for (int32_t i = first_usage_[at(node)]; i < first_usage_[at(node) + 1]; ++i) {
    const WorkUsage& usage = network_.node_usages[at(i)];
    const int64_t* bytes = network_.bytes.data() + usage.bytes;
    if (bytes[to] != bytes[from]) visit(usage, bytes[to] - bytes[from]);
  }
  if (network_.edge_usages.empty()) return;
  for (const WorkLink& link : network_.links_of(node)) {
    for (int32_t i = first_of_edge_[at(link.edge)]; i < first_of_edge_[at(link.edge) + 1]; ++i) {
      const WorkUsage& usage = network_.edge_usages[at(i)];
      const TableCells bytes = network_.table_cells(static_cast<int32_t>(usage.bytes));
      const int32_t other = choice_[at(link.other)];
      const int64_t change = bytes.of(link, to, other) - bytes.of(link, from, other);
      if (change != 0) visit(usage, change);
    }
  }
}

double ChoiceState::bytes_change(int32_t node, int32_t to) const {
  double sum = 0;
  for_each_byte_change(node, to, [&](const WorkUsage& usage, int64_t change) {
    sum += static_cast<double>(change) * (usage.end - usage.begin);
  });
  return sum;
}

void ChoiceState::add_bytes(const WorkUsage& usage, int64_t change) {
  for (int32_t point = usage.begin; point < usage.end; ++point) {
    int64_t& live = live_[at(point)];
    num_over_ -= live > network_.limit ? 1 : 0;
    live += change;
    num_over_ += live > network_.limit ? 1 : 0;
  }
}

void ChoiceState::move(int32_t node, int32_t to) {
  for_each_byte_change(node, to,
                       [&](const WorkUsage& usage, int64_t change) { add_bytes(usage, change); });
  const int64_t change = price_change(node, to);
  choice_[at(node)] = to;
  price_ =
      change >= kInfinite || price_ >= kInfinite ? work_price(network_, choice_) : price_ + change;
}

bool ChoiceState::move_within_limit(int32_t node, int32_t to) {
  bool fits = true;
  const int32_t before = num_over_;
  const int32_t from = choice_[at(node)];
  int64_t over_before = 0;
  if (before > 0) {
    for (const int64_t live : live_) over_before += std::max<int64_t>(0, live - network_.limit);
  }
  move(node, to);
  fits = num_over_ <= before;
  if (fits && before > 0) {
    int64_t over = 0;
    for (const int64_t live : live_) over += std::max<int64_t>(0, live - network_.limit);
    fits = over <= over_before;
  }
  if (!fits) move(node, from);
  return fits;
}

// ---- Descent ------------------------------------------------------------------------------------

namespace {

/// Returns the price of each choice of a node, given the choices of its neighbours.
void price_choices(const WorkNetwork& network, const ScaledCosts& costs, int32_t node,
                   std::span<const int32_t> choice, std::vector<int64_t>& price) {
  const int32_t size = network.size(node);
  const auto begin = costs.unary.begin() + network.first[at(node)];
  price.assign(begin, begin + size);
  for (const WorkLink& link : network.links_of(node)) {
    const TableCells table = costs.cells_of(link.edge);
    const int32_t other = choice[at(link.other)];
    for (int32_t i = 0; i < size; ++i) {
      price[at(i)] = add_capped(price[at(i)], table.of(link, i, other));
    }
  }
}

}  // namespace

std::vector<int32_t> descend(const WorkNetwork& network, const ScaledCosts& costs,
                             std::vector<int32_t> choice) {
  constexpr int kMostPasses = 10;
  std::vector<int64_t> price;
  bool changed = true;
  for (int pass = 0; pass < kMostPasses && changed; ++pass) {
    changed = false;
    for (int32_t node = 0; node < network.num_nodes(); ++node) {
      if (network.size(node) == 1) continue;
      price_choices(network, costs, node, choice, price);
      const auto least = std::ranges::min_element(price);
      if (*least >= price[at(choice[at(node)])]) continue;
      choice[at(node)] = static_cast<int32_t>(least - price.begin());
      changed = true;
    }
  }
  return choice;
}

namespace {

/// Moves each node to the choice within the limit with the least change below 0. Returns whether
/// any node was moved.
template <class ChangeOf>
bool move_nodes(const WorkNetwork& network, ChoiceState& state, ChangeOf change_of) {
  bool changed = false;
  std::vector<std::pair<decltype(change_of(0, 0)), int32_t>> moves;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    moves.clear();
    for (int32_t to = 0; to < network.size(node); ++to) {
      if (to == state.choice()[at(node)]) continue;
      const auto change = change_of(node, to);
      if (change < 0) moves.emplace_back(change, to);
    }
    std::ranges::sort(moves);
    for (const auto& [change, to] : moves) {
      if (!state.move_within_limit(node, to)) continue;
      changed = true;
      break;
    }
  }
  return changed;
}

/// Moves single nodes if this lowers the price. Returns whether any node was moved.
bool move_single_nodes(const WorkNetwork& network, ChoiceState& state) {
  return move_nodes(network, state,
                    [&](int32_t node, int32_t to) { return state.price_change(node, to); });
}

/// Moves two nodes. Moves them back and returns false if the limit forbids the move.
bool move_both(ChoiceState& state, std::pair<int32_t, int32_t> a, std::pair<int32_t, int32_t> b) {
  const int32_t from_a = state.choice()[at(a.first)];
  const int32_t from_b = state.choice()[at(b.first)];
  const int32_t over = state.num_over();
  state.move(a.first, a.second);
  state.move(b.first, b.second);
  if (state.num_over() <= over && (over == 0 || state.fits())) return true;
  state.move(b.first, from_b);
  state.move(a.first, from_a);
  return false;
}

/// Returns per row of a table the least sum of a cell and of the price of a choice in its column.
std::vector<int64_t> least_by_row(const TableCells& table, std::span<const int64_t> prices) {
  std::vector<int64_t> of_column(table.columns, kInfinite);
  for (std::size_t j = 0; j < prices.size(); ++j) {
    int64_t& least = of_column[at(table.column_of[j])];
    least = std::min(least, prices[j]);
  }
  std::vector<int64_t> of_row(table.rows, kInfinite);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t column = 0; column < table.columns; ++column) {
      const int64_t cell = table.cells[row * table.columns + column];
      if (cell >= kInfinite || of_column[column] >= kInfinite) continue;
      of_row[row] = std::min(of_row[row], of_column[column] + cell);
    }
  }
  return of_row;
}

/// Returns by how much each choice of the second node of an edge changes the price, without the
/// price of the edge with that choice.
std::vector<int64_t> changes_without_pair(const WorkNetwork& network, const WorkEdge& edge,
                                          const ChoiceState& state) {
  const int32_t at_a = state.choice()[at(edge.a)];
  const int64_t price_now = network.pair_price(edge, at_a, state.choice()[at(edge.b)]);
  std::vector<int64_t> changes;
  for (int32_t j = 0; j < network.size(edge.b); ++j) {
    const int64_t change = state.price_change(edge.b, j);
    const int64_t pair = network.pair_price(edge, at_a, j);
    changes.push_back(pair >= kInfinite ? kInfinite : change - pair + price_now);
  }
  return changes;
}

/// Moves a node to a choice and the other node of the edge to any choice with which both moves
/// lower the price. Without the price of the edge, the moves change it by `change_a` and
/// `change_b`.
bool move_with_other(const WorkNetwork& network, const WorkEdge& edge, int32_t choice_a,
                     int64_t change_a, std::span<const int64_t> change_b, ChoiceState& state) {
  const int32_t at_b = state.choice()[at(edge.b)];
  for (int32_t j = 0; j < network.size(edge.b); ++j) {
    const int64_t pair = network.pair_price(edge, choice_a, j);
    if (j == at_b || pair >= kInfinite || change_b[at(j)] >= kInfinite) continue;
    if (change_a + change_b[at(j)] + pair >= 0) continue;
    if (move_both(state, {edge.a, choice_a}, {edge.b, j})) return true;
  }
  return false;
}

/// Moves both nodes of an edge if this lowers the price. Cost: all cells of the edge.
bool move_pair(const WorkNetwork& network, const WorkEdge& edge, ChoiceState& state) {
  const int32_t at_a = state.choice()[at(edge.a)];
  const int32_t at_b = state.choice()[at(edge.b)];
  const std::vector<int64_t> change_b = changes_without_pair(network, edge, state);
  const TableCells table = network.table_cells(edge.table);
  const std::vector<int64_t> least_with = least_by_row(table, change_b);
  for (int32_t i = 0; i < network.size(edge.a); ++i) {
    if (i == at_a || least_with[at(table.row_of[i])] >= kInfinite) continue;
    const int64_t pair_a = network.pair_price(edge, i, at_b);
    const int64_t change = state.price_change(edge.a, i);
    if (change >= kInfinite || pair_a >= kInfinite) continue;
    const int64_t change_a = change - pair_a;
    if (change_a + least_with[at(table.row_of[i])] >= 0) continue;
    if (move_with_other(network, edge, i, change_a, change_b, state)) return true;
  }
  return false;
}

}  // namespace

void descend_within_limit(const WorkNetwork& network, ChoiceState& state) {
  constexpr int kMostPasses = 20;
  if (state.price() >= kInfinite) return;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    while (move_single_nodes(network, state)) {
    }
    bool changed = false;
    for (const WorkEdge& edge : network.edges) changed |= move_pair(network, edge, state);
    if (!changed) return;
  }
}

// ---- Repair -------------------------------------------------------------------------------------

namespace {

/// A move that lowers the live bytes at points above the limit.
struct RepairMove {
  int32_t node = -1;
  int32_t to = 0;
  double price_per_byte = std::numeric_limits<double>::infinity();
};

/// Returns the number of points above the limit before each point.
std::vector<int32_t> count_over(std::span<const int64_t> live, int64_t limit) {
  std::vector<int32_t> before(live.size() + 1, 0);
  for (std::size_t i = 0; i < live.size(); ++i) {
    before[i + 1] = before[i] + (live[i] > limit ? 1 : 0);
  }
  return before;
}

/// Considers the moves of a node at the fullest point.
void consider_moves(const WorkNetwork& network, const ChoiceState& state, int32_t node,
                    int32_t fullest, std::span<const int32_t> over_before, RepairMove& best) {
  const int64_t excess = state.live()[at(fullest)] - network.limit;
  for (int32_t to = 0; to < network.size(node); ++to) {
    if (to == state.choice()[at(node)]) continue;
    double gain = 0;  // bytes above the limit that the move saves, summed over points
    int64_t at_fullest = 0;
    state.for_each_byte_change(node, to, [&](const WorkUsage& usage, int64_t change) {
      const int32_t points = over_before[at(usage.end)] - over_before[at(usage.begin)];
      const int64_t counted = std::max(change, -excess);
      gain -= static_cast<double>(counted) * points;
      if (usage.begin <= fullest && fullest < usage.end) at_fullest += change;
    });
    if (at_fullest >= 0 || gain <= 0) continue;
    const int64_t change = state.price_change(node, to);
    if (change >= kInfinite) continue;
    // A move that lowers the price is better the more it saves. A move that raises the price is
    // better the less it costs per byte.
    const auto price = static_cast<double>(change);
    const double rate = change <= 0 ? (price - 1) * gain : price / gain;
    if (rate < best.price_per_byte) best = {node, to, rate};
  }
}

}  // namespace

namespace {

/// The nodes whose choices change the live bytes of a point, found by buckets of points.
class NodesOfPoints {
 public:
  explicit NodesOfPoints(const WorkNetwork& network)
      : network_(network),
        buckets_(at(network.num_points / kPoints + 1)),
        seen_(at(network.num_nodes())) {
    for (const WorkUsage& usage : network.node_usages) add({usage.owner, usage.begin, usage.end});
    for (const WorkUsage& usage : network.edge_usages) {
      const WorkEdge& edge = network.edges[at(usage.owner)];
      add({edge.a, usage.begin, usage.end});
      add({edge.b, usage.begin, usage.end});
    }
  }

  /// Calls `visit` once for each node.
  template <class Visit>
  void for_each(int32_t point, Visit visit) {
    ++round_;
    for (const Span& span : buckets_[at(point / kPoints)]) {
      if (point < span.begin || span.end <= point) continue;
      if (std::exchange(seen_[at(span.node)], round_) != round_) visit(span.node);
    }
  }

 private:
  static constexpr int32_t kPoints = 32;  // points per bucket
  struct Span {
    int32_t node = 0;
    int32_t begin = 0;
    int32_t end = 0;
  };

  void add(const Span& span) {
    if (span.begin == span.end || network_.size(span.node) == 1) return;
    for (int32_t bucket = span.begin / kPoints; bucket <= (span.end - 1) / kPoints; ++bucket) {
      buckets_[at(bucket)].push_back(span);
    }
  }

  const WorkNetwork& network_;
  std::vector<std::vector<Span>> buckets_;
  std::vector<int64_t> seen_;  // per node: number of the last visit
  int64_t round_ = 0;
};

}  // namespace

bool repair(const WorkNetwork& network, ChoiceState& state, int64_t most_futile) {
  if (state.price() >= kInfinite) return false;
  if (state.fits()) return true;
  const int64_t most_moves = 400 + 2 * int64_t{network.num_nodes()};
  NodesOfPoints nodes(network);
  int64_t least_peak = INT64_MAX;
  int64_t futile = 0;
  for (int64_t moves = 0; !state.fits() && moves < most_moves; ++moves) {
    const auto live = state.live();
    const auto fullest = static_cast<int32_t>(std::ranges::max_element(live) - live.begin());
    const int64_t peak = live[at(fullest)];
    futile = peak < least_peak ? 0 : futile + 1;
    if (futile > most_futile) return false;
    least_peak = std::min(least_peak, peak);
    const std::vector<int32_t> over_before = count_over(live, network.limit);
    RepairMove best;
    nodes.for_each(fullest, [&](int32_t node) {
      consider_moves(network, state, node, fullest, over_before, best);
    });
    if (best.node < 0) return false;
    state.move(best.node, best.to);
  }
  return state.fits();
}

void release_bytes(const WorkNetwork& network, ChoiceState& state) {
  constexpr int kMostPasses = 10;
  const auto bytes_change = [&](int32_t node, int32_t to) {
    return state.price_change(node, to) == 0 ? state.bytes_change(node, to) : 0.0;
  };
  bool changed = state.price() < kInfinite;
  for (int pass = 0; pass < kMostPasses && changed; ++pass) {
    changed = move_nodes(network, state, bytes_change);
  }
}

std::vector<int32_t> block_around(const WorkNetwork& network, uint64_t counter) {
  const uint64_t random = mixed(counter);
  const auto nodes = static_cast<uint64_t>(network.num_nodes());
  const std::size_t wanted = 20 + (random >> 32U) % 61;
  std::vector<int32_t> block{static_cast<int32_t>((random & 0xFFFFFFFFULL) % nodes)};
  std::vector<char> is_in(at(network.num_nodes()));
  is_in[at(block.front())] = 1;
  for (std::size_t i = 0; i < block.size() && block.size() < wanted; ++i) {
    for (const WorkLink& link : network.links_of(block[i])) {
      if (std::exchange(is_in[at(link.other)], 1) == 0) block.push_back(link.other);
    }
  }
  return block;
}

}  // namespace shardy::autoshard

#include "autoshard/work_network.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace shardy::autoshard {

namespace {

// ---- From the problem ---------------------------------------------------------------------------

/// Builds the tables of a work network's edges. A table is transposed if the edge goes backward;
/// tables are added if several edges join two nodes. Equal tables are built once.
class TableMaker {
 public:
  TableMaker(const CostNetwork& from, WorkNetwork& to) : from_(from), to_(to) {}

  /// A table of the problem, unchanged or transposed.
  struct SummedTable {
    int32_t table = 0;
    bool transposed = false;
    friend auto operator<=>(const SummedTable&, const SummedTable&) = default;
  };

  int32_t sum_of(std::vector<SummedTable> parts) {
    std::ranges::sort(parts);
    const auto [known, is_new] = made_.try_emplace(parts, 0);
    if (is_new) known->second = add(parts);
    return known->second;
  }

 private:
  int32_t add(const std::vector<SummedTable>& parts) {
    const CostTable& first = from_.tables[at(parts.front().table)];
    CostTable made{first.rows, first.columns, static_cast<int64_t>(to_.cells.size())};
    if (parts.front().transposed) std::swap(made.rows, made.columns);
    to_.cells.resize(to_.cells.size() + at(made.rows) * at(made.columns), 0);
    for (const SummedTable& part : parts) add_cells(made, part);
    to_.tables.push_back(made);
    return static_cast<int32_t>(to_.tables.size()) - 1;
  }

  void add_cells(const CostTable& made, const SummedTable& part) {
    const auto source = from_.table_cells(part.table);
    int64_t* cells = to_.cells.data() + made.begin;
    for (int64_t row = 0; row < made.rows; ++row) {
      for (int64_t column = 0; column < made.columns; ++column) {
        const int64_t cell =
            source[at(part.transposed ? column * made.rows + row : row * made.columns + column)];
        int64_t& sum = cells[row * made.columns + column];
        sum = cell >= kForbidden ? kInfinite : add_capped(sum, cell);
      }
    }
  }

  const CostNetwork& from_;
  WorkNetwork& to_;
  std::map<std::vector<SummedTable>, int32_t> made_;
};

}  // namespace

void link_edges(WorkNetwork& network) {
  const auto nodes = at(network.num_nodes());
  network.first_link.assign(nodes + 1, 0);
  for (const WorkEdge& edge : network.edges) {
    ++network.first_link[at(edge.a) + 1];
    ++network.first_link[at(edge.b) + 1];
  }
  std::partial_sum(network.first_link.begin(), network.first_link.end(),
                   network.first_link.begin());
  network.links.resize(network.edges.size() * 2);
  std::vector<int32_t> next(network.first_link.begin(), network.first_link.end() - 1);
  for (std::size_t i = 0; i < network.edges.size(); ++i) {
    const WorkEdge& edge = network.edges[i];
    const auto index = static_cast<int32_t>(i);
    network.links[at(next[at(edge.a)]++)] = {index, edge.b, true};
    network.links[at(next[at(edge.b)]++)] = {index, edge.a, false};
  }
}

namespace {

/// Adds the edges. Returns for each edge of the problem its index in the work network.
std::vector<int32_t> add_edges(const CostNetwork& from, WorkNetwork& to, TableMaker& maker) {
  const auto ends = [&](const CostEdge& edge) { return std::minmax(edge.from, edge.to); };
  std::vector<int32_t> order(from.edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t i) {
    const auto [a, b] = ends(from.edges[at(i)]);
    return std::pair(a, b);
  });
  std::vector<int32_t> edge_of(from.edges.size());
  for (std::size_t i = 0; i < order.size();) {
    const auto [a, b] = ends(from.edges[at(order[i])]);
    const std::pair<int32_t, int32_t> pair(a, b);
    std::vector<TableMaker::SummedTable> parts;
    for (; i < order.size(); ++i) {
      const CostEdge& edge = from.edges[at(order[i])];
      if (std::pair<int32_t, int32_t>(std::min(edge.from, edge.to), std::max(edge.from, edge.to)) !=
          pair) {
        break;
      }
      parts.push_back({edge.table, edge.from > edge.to});
      edge_of[at(order[i])] = static_cast<int32_t>(to.edges.size());
    }
    to.edges.push_back({pair.first, pair.second, maker.sum_of(std::move(parts))});
  }
  return edge_of;
}

// ---- Time points --------------------------------------------------------------------------------

/// Returns the points whose live values are not all live at another point. At such a
/// point, a value becomes live, and a value ends before the next one becomes live.
std::vector<int64_t> maximal_points(std::span<const std::pair<int64_t, int64_t>> intervals) {
  std::vector<std::pair<int64_t, int>> events;  // at equal times, ends come before begins
  for (const auto& [begin, end] : intervals) {
    if (begin == end) continue;
    events.emplace_back(begin, 1);
    events.emplace_back(end, 0);
  }
  std::ranges::sort(events);
  std::vector<int64_t> points;
  bool has_begun = false;
  int64_t last_begin = 0;
  for (const auto& [time, begins] : events) {
    if (begins == 0 && has_begun) points.push_back(last_begin);
    has_begun = begins != 0;
    if (has_begun) last_begin = time;
  }
  return points;
}

void add_usages(const CostNetwork& from, std::span<const int32_t> edge_of, WorkNetwork& to,
                TableMaker& maker) {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (const NodeUsage& usage : from.node_usages) intervals.emplace_back(usage.begin, usage.end);
  for (const EdgeUsage& usage : from.edge_usages) intervals.emplace_back(usage.begin, usage.end);
  to.times = maximal_points(intervals);
  to.num_points = static_cast<int32_t>(to.times.size());
  const auto point_at = [&](int64_t time) {
    return static_cast<int32_t>(std::ranges::lower_bound(to.times, time) - to.times.begin());
  };
  for (const NodeUsage& usage : from.node_usages) {
    to.node_usages.push_back({usage.node, point_at(usage.begin), point_at(usage.end),
                              static_cast<int64_t>(to.bytes.size())});
    const auto bytes = from.bytes_of(usage);
    to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.end());
  }
  for (const EdgeUsage& usage : from.edge_usages) {
    const CostEdge& edge = from.edges[at(usage.edge)];
    to.edge_usages.push_back({edge_of[at(usage.edge)], point_at(usage.begin), point_at(usage.end),
                              maker.sum_of({{usage.table, edge.from > edge.to}})});
  }
  std::ranges::stable_sort(to.node_usages, {}, &WorkUsage::owner);
  std::ranges::stable_sort(to.edge_usages, {}, &WorkUsage::owner);
}

// ---- Fewer choices ------------------------------------------------------------------------------

/// Clears the flags of choices that have only forbidden pairs with some neighbour, until nothing
/// changes.
class SupportFilter {
 public:
  SupportFilter(const WorkNetwork& network, std::vector<char>& keep)
      : network_(network), keep_(keep) {}

  bool run() {
    std::vector<int32_t> waiting(network_.edges.size());
    std::iota(waiting.begin(), waiting.end(), 0);
    std::vector<char> is_waiting(network_.edges.size(), 1);
    while (!waiting.empty()) {
      const int32_t index = waiting.back();
      waiting.pop_back();
      is_waiting[at(index)] = 0;
      const WorkEdge& edge = network_.edges[at(index)];
      for (const bool of_a : {true, false}) {
        if (!filter(edge, of_a)) continue;
        for (const WorkLink& link : network_.links_of(of_a ? edge.a : edge.b)) {
          if (std::exchange(is_waiting[at(link.edge)], 1) == 0) waiting.push_back(link.edge);
        }
      }
    }
    return every_node_has_a_choice();
  }

 private:
  bool has_support(const WorkEdge& edge, bool of_a, int32_t choice) const {
    const int32_t other = of_a ? edge.b : edge.a;
    for (int32_t i = 0; i < network_.size(other); ++i) {
      if (keep_[at(network_.first[at(other)] + i)] == 0) continue;
      const int64_t price =
          of_a ? network_.pair_price(edge, choice, i) : network_.pair_price(edge, i, choice);
      if (price < kInfinite) return true;
    }
    return false;
  }
  bool filter(const WorkEdge& edge, bool of_a) {
    const int32_t node = of_a ? edge.a : edge.b;
    bool removed = false;
    for (int32_t i = 0; i < network_.size(node); ++i) {
      char& flag = keep_[at(network_.first[at(node)] + i)];
      if (flag == 0 || has_support(edge, of_a, i)) continue;
      flag = 0;
      removed = true;
    }
    return removed;
  }
  bool every_node_has_a_choice() const {
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      const auto begin = keep_.begin() + network_.first[at(node)];
      if (std::find(begin, begin + network_.size(node), 1) == begin + network_.size(node)) {
        return false;
      }
    }
    return true;
  }

  const WorkNetwork& network_;
  std::vector<char>& keep_;
};

/// Copies the remaining choices to a new network.
class Shrinker {
 public:
  Shrinker(const WorkNetwork& from, const std::vector<char>& keep) : from_(from) {
    to_.limit = from.limit;
    to_.times = from.times;
    to_.num_points = from.num_points;
    for (int32_t node = 0; node < from.num_nodes(); ++node) add_node(node, keep);
    for (const WorkEdge& edge : from.edges) {
      to_.edges.push_back({edge.a, edge.b, table_of(edge.table, edge)});
    }
    link_edges(to_);
    add_usages();
  }

  WorkNetwork take() { return std::move(to_); }

 private:
  std::span<const int32_t> kept(int32_t node) const {
    return {kept_.data() + to_.first[at(node)], at(to_.size(node))};
  }

  void add_node(int32_t node, const std::vector<char>& keep) {
    for (int32_t i = 0; i < from_.size(node); ++i) {
      const std::size_t choice = at(from_.first[at(node)] + i);
      if (keep[choice] == 0) continue;
      kept_.push_back(i);
      to_.original.push_back(from_.original[choice]);
      to_.unary.push_back(from_.unary[choice]);
    }
    to_.first.push_back(static_cast<int32_t>(to_.unary.size()));
    const std::vector<int32_t> list(kept_.begin() + to_.first[at(node)], kept_.end());
    list_of_.push_back(lists_.try_emplace(list, static_cast<int32_t>(lists_.size())).first->second);
  }

  int32_t table_of(int32_t table, const WorkEdge& edge) {
    const auto key = std::tuple(table, list_of_[at(edge.a)], list_of_[at(edge.b)]);
    const auto [known, is_new] = tables_.try_emplace(key, static_cast<int32_t>(to_.tables.size()));
    if (!is_new) return known->second;
    const auto rows = kept(edge.a);
    const auto columns = kept(edge.b);
    to_.tables.push_back({static_cast<int32_t>(rows.size()), static_cast<int32_t>(columns.size()),
                          static_cast<int64_t>(to_.cells.size())});
    const int64_t* cells = from_.table_begin(table);
    const int64_t width = from_.tables[at(table)].columns;
    for (const int32_t row : rows) {
      for (const int32_t column : columns) to_.cells.push_back(cells[row * width + column]);
    }
    return known->second;
  }

  void add_usages() {
    for (const WorkUsage& usage : from_.node_usages) {
      if (usage.begin == usage.end) continue;
      to_.node_usages.push_back(
          {usage.owner, usage.begin, usage.end, static_cast<int64_t>(to_.bytes.size())});
      for (const int32_t i : kept(usage.owner))
        to_.bytes.push_back(from_.bytes[at(usage.bytes + i)]);
    }
    for (const WorkUsage& usage : from_.edge_usages) {
      if (usage.begin == usage.end) continue;
      const int32_t table = table_of(static_cast<int32_t>(usage.bytes), to_.edges[at(usage.owner)]);
      to_.edge_usages.push_back({usage.owner, usage.begin, usage.end, table});
    }
  }

  const WorkNetwork& from_;
  WorkNetwork to_;
  std::vector<int32_t> kept_;     // per choice: its number in from_
  std::vector<int32_t> list_of_;  // per node: equal for equal lists of remaining choices
  std::map<std::vector<int32_t>, int32_t> lists_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, int32_t> tables_;
};

}  // namespace

std::vector<int64_t> largest_live_bytes(const WorkNetwork& network) {
  std::vector<int64_t> change(at(network.num_points) + 1, 0);
  const auto add = [&](const WorkUsage& usage, const int64_t* begin, std::size_t count) {
    const int64_t largest = *std::max_element(begin, begin + count);
    change[at(usage.begin)] += largest;
    change[at(usage.end)] -= largest;
  };
  for (const WorkUsage& usage : network.node_usages) {
    add(usage, network.bytes.data() + usage.bytes, at(network.size(usage.owner)));
  }
  for (const WorkUsage& usage : network.edge_usages) {
    const CostTable& table = network.tables[at(usage.bytes)];
    add(usage, network.cells.data() + table.begin, at(table.rows) * at(table.columns));
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  change.pop_back();
  return change;
}

namespace {

/// Removes points that no choice can fill above the limit.
void drop_slack_points(WorkNetwork& network) {
  const std::vector<int64_t> largest = largest_live_bytes(network);
  std::vector<int32_t> kept_before(largest.size() + 1, 0);
  std::vector<int64_t> times;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const bool tight = largest[i] > network.limit;
    if (tight) times.push_back(network.times[i]);
    kept_before[i + 1] = kept_before[i] + (tight ? 1 : 0);
  }
  for (auto* usages : {&network.node_usages, &network.edge_usages}) {
    for (WorkUsage& usage : *usages) {
      usage.begin = kept_before[at(usage.begin)];
      usage.end = kept_before[at(usage.end)];
    }
    std::erase_if(*usages, [](const WorkUsage& usage) { return usage.begin == usage.end; });
  }
  network.times = std::move(times);
  network.num_points = static_cast<int32_t>(network.times.size());
}

}  // namespace

WorkNetwork make_work_network(const CostNetwork& network, int64_t limit) {
  WorkNetwork work;
  work.limit = limit;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    for (int32_t i = 0; i < network.num_choices(node); ++i) work.original.push_back(i);
    work.first.push_back(static_cast<int32_t>(network.first_choice[at(node) + 1]));
  }
  work.unary = network.unary;
  for (int64_t& price : work.unary) {
    if (price >= kForbidden) price = kInfinite;
  }
  TableMaker maker(network, work);
  const std::vector<int32_t> edge_of = add_edges(network, work, maker);
  link_edges(work);
  if (limit != kUnlimited) {
    add_usages(network, edge_of, work, maker);
    drop_slack_points(work);
  }
  return work;
}

bool restrict_choices(WorkNetwork& network, std::vector<char> keep) {
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (network.unary[i] >= kInfinite) keep[i] = 0;
  }
  if (!SupportFilter(network, keep).run()) return false;
  network = Shrinker(network, keep).take();
  drop_slack_points(network);
  return true;
}

int64_t least_live_bytes(const WorkNetwork& network) {
  std::vector<int64_t> live(at(network.num_points) + 1, 0);
  const auto add = [&](const WorkUsage& usage, int64_t least) {
    live[at(usage.begin)] += least;
    live[at(usage.end)] -= least;
  };
  for (const WorkUsage& usage : network.node_usages) {
    const auto begin = network.bytes.begin() + usage.bytes;
    add(usage, *std::min_element(begin, begin + network.size(usage.owner)));
  }
  for (const WorkUsage& usage : network.edge_usages) {
    const WorkEdge& edge = network.edges[at(usage.owner)];
    const WorkEdge bytes{edge.a, edge.b, static_cast<int32_t>(usage.bytes)};
    int64_t least = kInfinite;
    for (int32_t a = 0; a < network.size(edge.a); ++a) {
      for (int32_t b = 0; b < network.size(edge.b); ++b) {
        least = std::min(least, network.pair_price(bytes, a, b));
      }
    }
    add(usage, least);
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  return *std::ranges::max_element(live);
}

std::vector<int64_t> live_bytes(const WorkNetwork& network, std::span<const int32_t> choice) {
  std::vector<int64_t> live(at(network.num_points) + 1, 0);
  const auto add = [&](const WorkUsage& usage, int64_t bytes) {
    live[at(usage.begin)] += bytes;
    live[at(usage.end)] -= bytes;
  };
  for (const WorkUsage& usage : network.node_usages) {
    add(usage, network.bytes[at(usage.bytes + choice[at(usage.owner)])]);
  }
  for (const WorkUsage& usage : network.edge_usages) {
    const WorkEdge& edge = network.edges[at(usage.owner)];
    const WorkEdge bytes{edge.a, edge.b, static_cast<int32_t>(usage.bytes)};
    add(usage, network.pair_price(bytes, choice[at(edge.a)], choice[at(edge.b)]));
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  live.pop_back();
  return live;
}

int64_t work_price(const WorkNetwork& network, std::span<const int32_t> choice) {
  int64_t sum = 0;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    sum = add_capped(sum, network.unary[at(network.first[at(node)] + choice[at(node)])]);
  }
  for (const WorkEdge& edge : network.edges) {
    sum = add_capped(sum, network.pair_price(edge, choice[at(edge.a)], choice[at(edge.b)]));
  }
  return sum;
}

std::vector<int32_t> original_choice(const WorkNetwork& network, std::span<const int32_t> choice) {
  std::vector<int32_t> result(choice.size());
  for (std::size_t node = 0; node < choice.size(); ++node) {
    result[node] = network.original[at(network.first[node] + choice[node])];
  }
  return result;
}

}  // namespace shardy::autoshard

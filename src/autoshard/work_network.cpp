#include "autoshard/work_network.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace shardy::autoshard {

namespace {

// ---- From the problem ---------------------------------------------------------------------------

/// Adds lists of classes. Equal lists are stored once.
class ClassLists {
 public:
  explicit ClassLists(WorkNetwork& network) : network_(network) {}

  /// Returns the index of the first class of a list.
  int64_t add(std::vector<int32_t> list) {
    const auto begin = static_cast<int64_t>(network_.classes.size());
    const auto [known, is_new] = begins_.try_emplace(std::move(list), begin);
    if (is_new) {
      network_.classes.insert(network_.classes.end(), known->first.begin(), known->first.end());
    }
    return known->second;
  }

 private:
  WorkNetwork& network_;
  std::map<std::vector<int32_t>, int64_t> begins_;
};

/// Builds the tables of a work network's edges. A table is transposed if the edge goes backward;
/// tables are added if several edges join two nodes. Equal tables are built once.
class TableMaker {
 public:
  TableMaker(const CostNetwork& from, WorkNetwork& to) : from_(from), to_(to), lists_(to) {}

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
    JoinedClasses rows = classes_of(parts, true);
    JoinedClasses columns = classes_of(parts, false);
    WorkTable made{static_cast<int32_t>(rows.first.size()),
                   static_cast<int32_t>(columns.first.size()),
                   static_cast<int64_t>(to_.cells.size()), 0, 0};
    for (const int32_t row : rows.first) {
      for (const int32_t column : columns.first) to_.cells.push_back(sum_at(parts, row, column));
    }
    made.row_of = lists_.add(std::move(rows.class_of));
    made.column_of = lists_.add(std::move(columns.class_of));
    to_.tables.push_back(made);
    return static_cast<int32_t>(to_.tables.size()) - 1;
  }

  JoinedClasses classes_of(const std::vector<SummedTable>& parts, bool of_rows) {
    std::vector<std::vector<int32_t>> own;  // lists of tables in which each choice is a class
    own.reserve(parts.size());
    std::vector<std::span<const int32_t>> lists;
    for (const SummedTable& part : parts) {
      const CostTable& table = from_.tables[at(part.table)];
      const bool is_row = of_rows != part.transposed;
      const int32_t classes = is_row ? table.row_classes : table.column_classes;
      if (classes >= 0) {
        lists.emplace_back(from_.classes[at(classes)]);
        continue;
      }
      std::vector<int32_t>& all = own.emplace_back(at(is_row ? table.rows : table.columns));
      std::iota(all.begin(), all.end(), 0);
      lists.emplace_back(all);
    }
    return join_classes(lists);
  }

  int64_t sum_at(const std::vector<SummedTable>& parts, int32_t row, int32_t column) const {
    int64_t sum = 0;
    for (const SummedTable& part : parts) {
      const int64_t cell = part.transposed ? from_.cell(part.table, column, row)
                                           : from_.cell(part.table, row, column);
      sum = cell >= kForbidden ? kInfinite : add_capped(sum, cell);
    }
    return sum;
  }

  const CostNetwork& from_;
  WorkNetwork& to_;
  ClassLists lists_;
  std::map<std::vector<SummedTable>, int32_t> made_;
};

}  // namespace

JoinedClasses join_classes(std::span<const std::span<const int32_t>> lists) {
  JoinedClasses joined{std::vector<int32_t>(lists.front().size(), 0), {}};
  for (const std::span<const int32_t> list : lists) {
    std::unordered_map<int64_t, int32_t> numbers;  // by both classes; never iterated
    joined.first.clear();
    for (std::size_t choice = 0; choice < list.size(); ++choice) {
      const int64_t key = (int64_t{joined.class_of[choice]} << 32U) + list[choice];
      const auto next = static_cast<int32_t>(joined.first.size());
      const auto [number, is_new] = numbers.try_emplace(key, next);
      if (is_new) joined.first.push_back(static_cast<int32_t>(choice));
      joined.class_of[choice] = number->second;
    }
  }
  return joined;
}

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
  /// Returns the flags of the rows (or columns) that have an allowed cell in a column (or row) of a
  /// remaining choice.
  std::vector<char> supported_classes(const WorkEdge& edge, bool of_a) const {
    const TableCells table = network_.table_cells(edge.table);
    const int32_t other = of_a ? edge.b : edge.a;
    const int32_t* class_of = of_a ? table.column_of : table.row_of;
    std::vector<char> is_left(of_a ? table.columns : table.rows, 0);
    for (int32_t i = 0; i < network_.size(other); ++i) {
      if (keep_[at(network_.first[at(other)] + i)] != 0) is_left[at(class_of[i])] = 1;
    }
    std::vector<char> supported(of_a ? table.rows : table.columns, 0);
    const std::size_t num_cells = table.rows * table.columns;
    for (std::size_t cell = 0; cell < num_cells; ++cell) {
      const std::size_t row = cell / table.columns;
      const std::size_t column = cell % table.columns;
      if (table.cells[cell] >= kInfinite || is_left[of_a ? column : row] == 0) continue;
      supported[of_a ? row : column] = 1;
    }
    return supported;
  }
  bool filter(const WorkEdge& edge, bool of_a) {
    const int32_t node = of_a ? edge.a : edge.b;
    const TableCells table = network_.table_cells(edge.table);
    const int32_t* class_of = of_a ? table.row_of : table.column_of;
    const std::vector<char> supported = supported_classes(edge, of_a);
    bool removed = false;
    for (int32_t i = 0; i < network_.size(node); ++i) {
      char& flag = keep_[at(network_.first[at(node)] + i)];
      if (flag == 0 || supported[at(class_of[i])] != 0) continue;
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
  Shrinker(const WorkNetwork& from, const std::vector<char>& keep)
      : from_(from), class_lists_(to_) {
    to_.limit = from.limit;
    to_.times = from.times;
    to_.num_points = from.num_points;
    to_.cells.reserve(from.cells.size());  // large tables are not copied when the list grows
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
    const TableCells of = from_.table_cells(table);
    JoinedClasses rows = classes_of(of.row_of, kept(edge.a));
    JoinedClasses columns = classes_of(of.column_of, kept(edge.b));
    to_.tables.push_back({static_cast<int32_t>(rows.first.size()),
                          static_cast<int32_t>(columns.first.size()),
                          static_cast<int64_t>(to_.cells.size()), 0, 0});
    for (const int32_t row : rows.first) {
      for (const int32_t column : columns.first) {
        to_.cells.push_back(of.of(kept(edge.a)[at(row)], kept(edge.b)[at(column)]));
      }
    }
    to_.tables.back().row_of = class_lists_.add(std::move(rows.class_of));
    to_.tables.back().column_of = class_lists_.add(std::move(columns.class_of));
    return known->second;
  }

  /// Returns the classes of the remaining choices.
  static JoinedClasses classes_of(const int32_t* class_of, std::span<const int32_t> kept) {
    std::vector<int32_t> list;
    for (const int32_t choice : kept) list.push_back(class_of[choice]);
    const std::span<const int32_t> lists[] = {list};
    return join_classes(lists);
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
  ClassLists class_lists_;
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
    const WorkTable& table = network.tables[at(usage.bytes)];
    add(usage, network.cells.data() + table.begin, at(table.num_cells()));
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
  work.cells.reserve(network.cells.size());
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
    const WorkTable& table = network.tables[at(usage.bytes)];
    const auto begin = network.cells.begin() + table.begin;
    add(usage, *std::min_element(begin, begin + table.num_cells()));
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

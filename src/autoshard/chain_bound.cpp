#include "autoshard/chain_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace shardy::autoshard {

namespace {

__extension__ using Int128 = __int128;  // for products of prices and bytes, and for sums of chains

constexpr int64_t kMostScaled = int64_t{1} << 60U;
constexpr int kMostDigits = 20;

int64_t clamp_to_scaled(Int128 value) {
  return static_cast<int64_t>(std::clamp<Int128>(value, -Int128{kMostScaled}, kMostScaled));
}

int64_t shift(int64_t price, int scale) {
  if (price >= kInfinite) return kInfinite;
  return scale >= 0 ? price << scale : price >> -scale;
}

/// Adds the price of live bytes to scaled prices.
class ByteWeights {
 public:
  explicit ByteWeights(const BytePrices& prices) : digits_(prices.digits) {
    sums_.push_back(0);
    for (const int64_t price : prices.of_point) sums_.push_back(sums_.back() + price);
  }

  Int128 of(const WorkUsage& usage) const { return sums_[at(usage.end)] - sums_[at(usage.begin)]; }
  int64_t added(int64_t scaled, Int128 weight, int64_t bytes) const {
    if (scaled >= kInfinite) return scaled;
    return clamp_to_scaled(scaled + ((weight * bytes) >> digits_));
  }
  int64_t of_limit(int64_t limit) const {
    const Int128 most = Int128{1} << 120;
    if (sums_.back() > most / std::max<int64_t>(limit, 1)) return ScaledCosts::kUnbounded;
    const Int128 price = ((sums_.back() * limit) >> digits_) + 1;
    return price > kMostScaled ? ScaledCosts::kUnbounded : static_cast<int64_t>(price);
  }
  bool all_zero() const { return sums_.back() == 0; }

 private:
  int digits_;
  std::vector<Int128> sums_;  // sums of the prices of earlier points
};

void weigh_nodes(const WorkNetwork& network, const ByteWeights& weights, ScaledCosts& costs) {
  for (const WorkUsage& usage : network.node_usages) {
    const Int128 weight = weights.of(usage);
    if (weight == 0) continue;
    for (int32_t i = 0; i < network.size(usage.owner); ++i) {
      int64_t& price = costs.unary[at(network.first[at(usage.owner)] + i)];
      price = weights.added(price, weight, network.bytes[at(usage.bytes + i)]);
    }
  }
}

/// A table of bytes and the price of each of them.
struct WeighedBytes {
  int32_t table = 0;
  Int128 weight = 0;
  bool operator<(const WeighedBytes& other) const {
    return table != other.table ? table < other.table : weight < other.weight;
  }
};

/// Builds the sums of tables of prices and of weighed bytes of one edge.
class WeighedTables {
 public:
  WeighedTables(const WorkNetwork& network, const ByteWeights& weights, ScaledCosts& costs)
      : network_(network), weights_(weights), costs_(costs) {}

  WorkTable sum_of(const WorkEdge& edge, int32_t table, std::span<const WeighedBytes> list) {
    const JoinedClasses rows =
        classes_of(table, list, &WorkTable::row_of, at(network_.size(edge.a)));
    const JoinedClasses columns =
        classes_of(table, list, &WorkTable::column_of, at(network_.size(edge.b)));
    WorkTable sum = costs_.tables[at(table)];
    std::vector<int64_t> cells;
    cells.reserve(rows.first.size() * columns.first.size());
    const TableCells prices = view_of(sum, costs_.cells, costs_.classes);
    for (const int32_t row : rows.first) {
      for (const int32_t column : columns.first) cells.push_back(prices.of(row, column));
    }
    for (const WeighedBytes& each : list) {
      const TableCells bytes = network_.table_cells(each.table);
      std::size_t cell = 0;
      for (const int32_t row : rows.first) {
        for (const int32_t column : columns.first) {
          cells[cell] = weights_.added(cells[cell], each.weight, bytes.of(row, column));
          ++cell;
        }
      }
    }
    if (at(sum.rows) != rows.first.size()) sum.row_of = add_classes(rows.class_of);
    if (at(sum.columns) != columns.first.size()) sum.column_of = add_classes(columns.class_of);
    sum.rows = static_cast<int32_t>(rows.first.size());
    sum.columns = static_cast<int32_t>(columns.first.size());
    sum.begin = static_cast<int64_t>(costs_.cells.size());
    costs_.cells.insert(costs_.cells.end(), cells.begin(), cells.end());
    return sum;
  }

 private:
  /// Returns the classes in which choices have equal prices and bytes. Classes of a table are
  /// numbered by their first choices, too, so as many classes are the same classes.
  JoinedClasses classes_of(int32_t table, std::span<const WeighedBytes> list,
                           int64_t WorkTable::*begin, std::size_t count) const {
    std::vector<std::span<const int32_t>> lists;
    lists.emplace_back(costs_.classes.data() + costs_.tables[at(table)].*begin, count);
    for (const WeighedBytes& each : list) {
      lists.emplace_back(network_.classes.data() + network_.tables[at(each.table)].*begin, count);
    }
    return join_classes(lists);
  }
  int64_t add_classes(const std::vector<int32_t>& classes) {
    const auto begin = static_cast<int64_t>(costs_.classes.size());
    costs_.classes.insert(costs_.classes.end(), classes.begin(), classes.end());
    return begin;
  }

  const WorkNetwork& network_;
  const ByteWeights& weights_;
  ScaledCosts& costs_;
};

/// Gives edges whose bytes have a price a new table. Edges with equal prices and bytes share it.
void weigh_edges(const WorkNetwork& network, const ByteWeights& weights, ScaledCosts& costs) {
  std::map<std::pair<int32_t, std::vector<WeighedBytes>>, int32_t> made;
  WeighedTables sums(network, weights, costs);
  for (auto usage = network.edge_usages.begin(); usage != network.edge_usages.end();) {
    const int32_t edge = usage->owner;
    std::map<int32_t, Int128> weight_of;  // per table of bytes
    for (; usage != network.edge_usages.end() && usage->owner == edge; ++usage) {
      const Int128 weight = weights.of(*usage);
      if (weight != 0) weight_of[static_cast<int32_t>(usage->bytes)] += weight;
    }
    if (weight_of.empty()) continue;
    std::vector<WeighedBytes> list;
    list.reserve(weight_of.size());
    for (const auto& [table, weight] : weight_of) list.push_back({table, weight});
    int32_t& table = costs.table_of[at(edge)];
    const auto next = static_cast<int32_t>(costs.tables.size());
    const auto [known, is_new] = made.try_emplace(std::pair(table, std::move(list)), next);
    if (is_new) {
      costs.tables.push_back(sums.sum_of(network.edges[at(edge)], table, known->first.second));
    }
    table = known->second;
  }
}

/// Rounds messages to integers that are small enough for their sums.
std::vector<int64_t> rounded(const std::vector<double>& messages, int64_t largest) {
  const auto most = static_cast<double>(largest);
  std::vector<int64_t> result(messages.size());
  std::ranges::transform(messages, result.begin(), [&](double message) {
    return static_cast<int64_t>(std::nearbyint(std::clamp(message, -most, most)));
  });
  return result;
}

int64_t most_links(const WorkNetwork& network) {
  int64_t most = 0;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    most = std::max(most, static_cast<int64_t>(network.links_of(node).size()));
  }
  return most;
}

/// The dynamic programs over all chains. The chain of an edge continues, at the later node of the
/// edge, with the edge of equal rank: the third edge from earlier nodes continues with the third
/// edge to later nodes.
class ChainPrograms {
 public:
  ChainPrograms(const WorkNetwork& network, const ScaledCosts& costs, const EdgeMessages& messages)
      : network_(network), costs_(costs), messages_(messages) {
    const int64_t largest = (kMostScaled / 2) / (most_links(network) + 2);
    to_a_ = rounded(messages.to_a, largest);
    to_b_ = rounded(messages.to_b, largest);
    find_shares();
    suffix_.resize(to_a_.size());
    constant_of_.resize(network.edges.size());
    start_.resize(at(network.num_nodes()));
    pair_links();
  }

  /// Solves all chains from their ends. Returns the sum of their least prices.
  Int128 run_backward() {
    Int128 sum = 0;
    for (int32_t node = network_.num_nodes() - 1; node >= 0; --node) {
      for (const WorkLink& link : network_.links_of(node)) {
        if (!link.is_first) solve_edge_backward(link.edge);
      }
      for (int32_t slot = num_earlier_[at(node)]; slot < num_chains_[at(node)]; ++slot) {
        start_[at(node)] += start_price(node, slot);
      }
      sum += start_[at(node)];
    }
    for (const Int128 constant : constant_of_) sum += constant;
    return sum;
  }

  /// Solves all chains from their starts. Returns, per choice, `bound` plus the extra cost of the
  /// choice in each chain of its node.
  std::vector<int64_t> run_forward(Int128 bound) {
    ahead_.resize(to_b_.size());
    std::vector<int64_t> result(network_.unary.size());
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      const std::size_t size = at(network_.size(node));
      std::vector<Int128> more(size, 0);
      for (int32_t slot = 0; slot < num_chains_[at(node)]; ++slot) {
        enter(node, slot);
        add_excess(node, slot, more);
        const int32_t out = later_[at(first_slot_[at(node)] + slot)];
        if (out >= 0) solve_edge_forward(out);
      }
      for (std::size_t i = 0; i < size; ++i) {
        result[at(network_.first[at(node)]) + i] = clamp_to_scaled(bound + more[i]);
      }
    }
    return result;
  }

  /// Returns the tables of the programs. Requires: run_backward was called and returned `bound`.
  ChainRests take_rests(Int128 bound) {
    ChainRests result;
    result.known = true;
    result.bound = clamp_to_scaled(bound);
    add_later_constants(result);
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      Int128 start = start_[at(node)];
      for (int32_t slot = num_earlier_[at(node)]; slot < num_chains_[at(node)]; ++slot) {
        const int32_t out = later_[at(first_slot_[at(node)] + slot)];
        if (out >= 0) start += constant_of_[at(out)];
      }
      result.known &= fits(start);
      result.start.push_back(clamp_to_scaled(start));
    }
    result.node = std::move(total_);
    result.to_a = std::move(to_a_);
    result.to_b = std::move(to_b_);
    return result;
  }

 private:
  /// Computes the price of each choice in each chain of its node, rounded down.
  void find_shares() {
    const auto nodes = at(network_.num_nodes());
    num_earlier_.resize(nodes);
    num_chains_.resize(nodes);
    share_.assign(costs_.unary.begin(), costs_.unary.end());
    for (std::size_t node = 0; node < nodes; ++node) {
      int32_t later = 0;
      for (const WorkLink& link : network_.links_of(static_cast<int32_t>(node))) {
        ++(link.is_first ? later : num_earlier_[node]);
        const int64_t* message = link.is_first ? to_a_.data() + messages_.first_a[at(link.edge)]
                                               : to_b_.data() + messages_.first_b[at(link.edge)];
        for (int32_t i = 0; i < network_.size(static_cast<int32_t>(node)); ++i) {
          share_[at(network_.first[node] + i)] += message[i];
        }
      }
      num_chains_[node] = std::max({1, later, num_earlier_[node]});
    }
    total_ = share_;
    for (std::size_t node = 0; node < nodes; ++node) {
      for (int32_t i = network_.first[node]; i < network_.first[node + 1]; ++i) {
        share_[at(i)] = floor_share(share_[at(i)], num_chains_[node]);
      }
    }
  }
  static bool fits(Int128 value) { return value >= -kMostScaled && value <= kMostScaled; }

  /// Sums the constants of each edge and of all later edges in its chain, starting with the last
  /// edge.
  void add_later_constants(ChainRests& result) {
    std::vector<std::size_t> order(constant_of_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{},
                             [&](std::size_t edge) { return network_.edges[edge].a; });
    result.rest = suffix_;
    for (const std::size_t edge : order) {
      if (next_[edge] >= 0) constant_of_[edge] += constant_of_[at(next_[edge])];
      result.known &= fits(constant_of_[edge]);
      for (int64_t i = messages_.first_a[edge]; i < messages_.first_a[edge + 1]; ++i) {
        result.rest[at(i)] += clamp_to_scaled(constant_of_[edge]);
      }
    }
  }

  static int64_t floor_share(int64_t price, int64_t chains) {
    return price / chains - (price % chains < 0 ? 1 : 0);
  }

  void pair_links() {
    first_slot_.push_back(0);
    earlier_.reserve(network_.edges.size());
    next_.assign(network_.edges.size(), -1);
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      const auto begin = first_slot_.back();
      first_slot_.push_back(begin + num_chains_[at(node)]);
      earlier_.resize(at(first_slot_.back()), -1);
      later_.resize(at(first_slot_.back()), -1);
      int64_t in = begin;
      int64_t out = begin;
      for (const WorkLink& link : network_.links_of(node)) {
        (link.is_first ? later_[at(out++)] : earlier_[at(in++)]) = link.edge;
      }
      for (int64_t slot = begin; slot < first_slot_.back(); ++slot) {
        if (earlier_[at(slot)] >= 0) next_[at(earlier_[at(slot)])] = later_[at(slot)];
      }
    }
  }

  /// Computes the price of the rest of the chain by the choice of `a`, minus constant_of_.
  void solve_edge_backward(int32_t index) {
    const WorkEdge& edge = network_.edges[at(index)];
    const std::size_t size_a = at(network_.size(edge.a));
    const std::size_t size_b = at(network_.size(edge.b));
    const TableCells table = costs_.cells_of(index);
    const int64_t* share = share_.data() + network_.first[at(edge.b)];
    const int64_t* to_b = to_b_.data() + messages_.first_b[at(index)];
    const int32_t next = next_[at(index)];
    const int64_t* suffix = next < 0 ? nullptr : suffix_.data() + messages_.first_a[at(next)];
    class_price_.assign(table.columns, std::numeric_limits<int64_t>::max());
    for (std::size_t y = 0; y < size_b; ++y) {
      int64_t& least = class_price_[at(table.column_of[y])];
      least = std::min(least, share[y] + (suffix == nullptr ? 0 : suffix[y]) - to_b[y]);
    }
    class_result_.assign(table.rows, std::numeric_limits<int64_t>::max());
    const int64_t* row = table.cells;
    for (std::size_t x = 0; x < table.rows; ++x, row += table.columns) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (std::size_t y = 0; y < table.columns; ++y) {
        const int64_t price = row[y] >= kInfinite ? kInfinite : row[y] + class_price_[y];
        least = std::min(least, price);
      }
      class_result_[x] = least;
    }
    const int64_t* to_a = to_a_.data() + messages_.first_a[at(index)];
    int64_t* result = suffix_.data() + messages_.first_a[at(index)];
    for (std::size_t x = 0; x < size_a; ++x) {
      result[x] = class_result_[at(table.row_of[x])] - to_a[x];
    }
    constant_of_[at(index)] = take_least({result, size_a});
  }

  /// Subtracts the least price from all prices and returns it. Reduces large prices, so that sums
  /// fit.
  static int64_t take_least(std::span<int64_t> prices) {
    const int64_t least = *std::ranges::min_element(prices);
    for (int64_t& price : prices) price = std::min(price - least, kMostScaled);
    return least;
  }

  int64_t start_price(int32_t node, int32_t slot) const {
    const int32_t out = later_[at(first_slot_[at(node)] + slot)];
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int32_t i = 0; i < network_.size(node); ++i) {
      const int64_t suffix = out < 0 ? 0 : suffix_[at(messages_.first_a[at(out)] + i)];
      least = std::min(least, share_[at(network_.first[at(node)] + i)] + suffix);
    }
    return least;
  }

  /// Sets `front_` to the price of the chain up to the node, by the node's choice.
  void enter(int32_t node, int32_t slot) {
    const auto begin = share_.begin() + network_.first[at(node)];
    front_.assign(begin, begin + network_.size(node));
    const int32_t in = earlier_[at(first_slot_[at(node)] + slot)];
    if (in < 0) return;
    for (std::size_t i = 0; i < front_.size(); ++i) {
      front_[i] += ahead_[at(messages_.first_b[at(in)]) + i];
    }
  }

  void add_excess(int32_t node, int32_t slot, std::vector<Int128>& more) const {
    const int32_t out = later_[at(first_slot_[at(node)] + slot)];
    std::vector<int64_t> price(front_);
    for (std::size_t i = 0; i < price.size() && out >= 0; ++i) {
      price[i] += suffix_[at(messages_.first_a[at(out)]) + i];
    }
    const int64_t least = *std::ranges::min_element(price);
    for (std::size_t i = 0; i < price.size(); ++i) more[i] += price[i] - least;
  }

  /// Computes the price of the chain up to the choice of `b`, without the chain's share of b's
  /// prices. Requires: `front_` has the prices for the slot at a.
  void solve_edge_forward(int32_t index) {
    const WorkEdge& edge = network_.edges[at(index)];
    const std::size_t size_b = at(network_.size(edge.b));
    const TableCells table = costs_.cells_of(index);
    const int64_t* to_a = to_a_.data() + messages_.first_a[at(index)];
    class_price_.assign(table.rows, std::numeric_limits<int64_t>::max());
    for (std::size_t x = 0; x < front_.size(); ++x) {
      int64_t& least = class_price_[at(table.row_of[x])];
      least = std::min(least, front_[x] - to_a[x]);
    }
    class_result_.assign(table.columns, std::numeric_limits<int64_t>::max());
    const int64_t* row = table.cells;
    for (std::size_t x = 0; x < table.rows; ++x, row += table.columns) {
      for (std::size_t y = 0; y < table.columns; ++y) {
        const int64_t price = row[y] >= kInfinite ? kInfinite : row[y] + class_price_[x];
        class_result_[y] = std::min(class_result_[y], price);
      }
    }
    const int64_t* to_b = to_b_.data() + messages_.first_b[at(index)];
    int64_t* result = ahead_.data() + messages_.first_b[at(index)];
    for (std::size_t y = 0; y < size_b; ++y) {
      result[y] = class_result_[at(table.column_of[y])] - to_b[y];
    }
    take_least({result, size_b});
  }

  const WorkNetwork& network_;
  const ScaledCosts& costs_;
  const EdgeMessages& messages_;
  std::vector<int64_t> to_a_, to_b_;      // rounded messages
  std::vector<int64_t> total_;            // per choice: price with messages
  std::vector<int64_t> share_;            // per choice: price in one chain
  std::vector<int32_t> num_earlier_;      // per node: number of edges to earlier nodes
  std::vector<int32_t> num_chains_;       // per node: number of chains through it
  std::vector<int64_t> first_slot_;       // per node; a slot is a chain at a node
  std::vector<int32_t> earlier_, later_;  // edges of a slot; -1: the chain starts or ends here
  std::vector<int32_t> next_;             // per edge: next edge in its chain; -1: none
  std::vector<int64_t> suffix_;           // price of the rest, by edge, then choice of a
  std::vector<int64_t> ahead_;            // price so far, by edge, then choice of b
  std::vector<Int128> constant_of_;       // per edge
  std::vector<Int128> start_;             // per node: price of the chains that start there
  std::vector<int64_t> front_;            // scratch
  std::vector<int64_t> class_price_, class_result_;  // scratch, by class of choices
};

}  // namespace

int64_t ScaledCosts::to_femtoseconds(int64_t scaled) const {
  if (scale < 0) return clamp_to_scaled(Int128{scaled} << -scale);
  const int64_t unit = int64_t{1} << scale;
  return scaled / unit + (scaled % unit > 0 ? 1 : 0);
}

int64_t peak_bound_of(const BytePrices& bytes, int64_t scaled) {
  Int128 sum = 0;
  for (const int64_t price : bytes.of_point) sum += price;
  if (scaled <= 0 || sum == 0) return 0;
  return clamp_to_scaled(((Int128{scaled} << bytes.digits) + sum - 1) / sum);
}

int scale_for(const WorkNetwork& network) {
  std::vector<int64_t> largest_of;
  for (const WorkTable& table : network.tables) {
    int64_t largest = 0;
    const int64_t* cells = network.cells.data() + table.begin;
    for (std::size_t i = 0; i < at(table.num_cells()); ++i) {
      if (cells[i] < kInfinite) largest = std::max(largest, cells[i]);
    }
    largest_of.push_back(largest);
  }
  Int128 sum = 1;
  for (const WorkEdge& edge : network.edges) sum += largest_of[at(edge.table)];
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto begin = network.unary.begin() + network.first[at(node)];
    sum += *std::max_element(begin, begin + network.size(node));
  }
  int scale = kMostDigits;
  const Int128 most = Int128{1} << 59;
  while ((scale >= 0 ? sum << scale : sum >> -scale) > most) --scale;
  return scale;
}

ScaledCosts scale_costs(const WorkNetwork& network, int scale) {
  ScaledCosts costs;
  costs.scale = scale;
  costs.unary = network.unary;
  costs.tables = network.tables;
  costs.cells = network.cells;
  costs.classes = network.classes;
  for (int64_t& price : costs.unary) price = shift(price, scale);
  for (int64_t& price : costs.cells) price = shift(price, scale);
  for (const WorkEdge& edge : network.edges) costs.table_of.push_back(edge.table);
  return costs;
}

void price_bytes(const WorkNetwork& network, const BytePrices& bytes, ScaledCosts& costs) {
  costs.tables.resize(network.tables.size());
  costs.cells.resize(network.cells.size());
  costs.classes.resize(network.classes.size());
  for (std::size_t i = 0; i < network.unary.size(); ++i) {
    costs.unary[i] = shift(network.unary[i], costs.scale);
  }
  for (std::size_t i = 0; i < network.edges.size(); ++i) {
    costs.table_of[i] = network.edges[i].table;
  }
  costs.constant = 0;
  const ByteWeights weights(bytes);
  if (weights.all_zero()) return;
  weigh_nodes(network, weights, costs);
  weigh_edges(network, weights, costs);
  costs.constant = weights.of_limit(network.limit);
}

EdgeMessages zero_messages(const WorkNetwork& network) {
  EdgeMessages messages;
  messages.first_a.push_back(0);
  messages.first_b.push_back(0);
  for (const WorkEdge& edge : network.edges) {
    messages.first_a.push_back(messages.first_a.back() + network.size(edge.a));
    messages.first_b.push_back(messages.first_b.back() + network.size(edge.b));
  }
  messages.to_a.assign(at(messages.first_a.back()), 0.0);
  messages.to_b.assign(at(messages.first_b.back()), 0.0);
  return messages;
}

ChainBound chain_bound(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages, bool with_choice) {
  if (costs.constant == ScaledCosts::kUnbounded) {
    const std::vector<int64_t> unknown(with_choice ? network.unary.size() : 0, -kMostScaled);
    return {-kMostScaled, unknown};
  }
  ChainPrograms programs(network, costs, messages);
  const Int128 bound = programs.run_backward() - costs.constant;
  ChainBound result{clamp_to_scaled(bound), {}};
  if (with_choice) result.with_choice = programs.run_forward(bound);
  return result;
}

ChainRests chain_rests(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages) {
  if (costs.constant == ScaledCosts::kUnbounded) return {};
  ChainPrograms programs(network, costs, messages);
  const Int128 bound = programs.run_backward() - costs.constant;
  return programs.take_rests(bound);
}

}  // namespace shardy::autoshard

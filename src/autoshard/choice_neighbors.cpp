// Lists changes of one node by their price.
//
//   choice 0 0 1, node 1 has the choices 0 to 2   ->   0 1 1 (price + 3), 0 2 1 (price + 7)
#include "autoshard/choice_neighbors.hpp"

#include <algorithm>
#include <tuple>

namespace shardy::autoshard {

namespace {

/// A node and its other choice.
struct NodeChange {
  int64_t price = 0;  // of the node and its edges; kForbidden or more: not allowed
  int32_t node = 0;
  int32_t choice = 0;
};

/// Returns the prices of all choices of all nodes, each with the edges of the node to the choices
/// of the other nodes.
std::vector<int64_t> prices_of_changes(const CostNetwork& network,
                                       std::span<const int32_t> choice) {
  std::vector<int64_t> prices = network.unary;
  const auto add = [&](int32_t node, int32_t other, int64_t price) {
    int64_t& sum = prices[static_cast<std::size_t>(
        network.first_choice[static_cast<std::size_t>(node)] + other)];
    sum = price >= kForbidden ? kForbidden : std::min(kForbidden, sum + price);
  };
  for (const CostEdge& edge : network.edges) {
    const CostTable& table = network.tables[static_cast<std::size_t>(edge.table)];
    const auto cells = network.table_cells(edge.table);
    const int32_t from = choice[static_cast<std::size_t>(edge.from)];
    const int32_t to = choice[static_cast<std::size_t>(edge.to)];
    for (int32_t row = 0; row < table.rows; ++row) {
      add(edge.from, row,
          cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(table.columns) +
                static_cast<std::size_t>(to)]);
    }
    for (int32_t column = 0; column < table.columns; ++column) {
      add(edge.to, column,
          cells[static_cast<std::size_t>(from) * static_cast<std::size_t>(table.columns) +
                static_cast<std::size_t>(column)]);
    }
  }
  return prices;
}

}  // namespace

std::vector<std::vector<int32_t>> choice_neighbors(const CostNetwork& network,
                                                   std::span<const int32_t> choice,
                                                   std::size_t count) {
  const std::vector<int64_t> prices = prices_of_changes(network, choice);
  std::vector<NodeChange> changes;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto first =
        static_cast<std::size_t>(network.first_choice[static_cast<std::size_t>(node)]);
    const int32_t own = choice[static_cast<std::size_t>(node)];
    const int64_t before = prices[first + static_cast<std::size_t>(own)];
    for (int32_t other = 0; other < network.num_choices(node); ++other) {
      const int64_t price = prices[first + static_cast<std::size_t>(other)];
      if (other != own && price < kForbidden) changes.push_back({price - before, node, other});
    }
  }
  const std::size_t kept = std::min(count, changes.size());
  std::partial_sort(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(kept),
                    changes.end(), [](const NodeChange& a, const NodeChange& b) {
                      return std::tuple(a.price, a.node, a.choice) <
                             std::tuple(b.price, b.node, b.choice);
                    });
  changes.resize(kept);
  std::vector<std::vector<int32_t>> neighbors;
  for (const NodeChange& change : changes) {
    neighbors.emplace_back(choice.begin(), choice.end());
    neighbors.back()[static_cast<std::size_t>(change.node)] = change.choice;
  }
  return neighbors;
}

}  // namespace shardy::autoshard

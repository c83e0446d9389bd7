// Small random problems, and their cheapest choice by trying all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <shardy/autoshard/problem.hpp>
#include <tuple>
#include <vector>

namespace shardy_test {

/// Options of random_network.
struct NetworkSizes {
  int most_nodes = 7;
  int most_choices = 4;
  int most_price = 30;
  int forbidden_percent = 10;  // of cells
  int edges_percent = 45;      // of pairs of nodes
  bool bytes = true;
};

/// A number in [0, most], the same with every standard library.
inline int64_t draw(std::mt19937_64& random, int64_t most) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
}

inline std::vector<int64_t> draw_cells(std::mt19937_64& random, std::size_t count, int most,
                                       int forbidden_percent) {
  std::vector<int64_t> cells(count);
  for (int64_t& cell : cells) {
    const bool is_forbidden = draw(random, 99) < forbidden_percent;
    cell = is_forbidden ? shardy::autoshard::kForbidden : draw(random, most);
  }
  return cells;
}

/// Nodes with live ranges, edges in both directions, some of them twice, bytes of edges.
inline shardy::autoshard::CostNetwork random_network(std::mt19937_64& random,
                                                     const NetworkSizes& sizes) {
  shardy::autoshard::CostNetworkBuilder builder;
  const auto nodes = static_cast<int32_t>(1 + draw(random, sizes.most_nodes - 1));
  for (int32_t node = 0; node < nodes; ++node) {
    const auto choices = static_cast<std::size_t>(1 + draw(random, sizes.most_choices - 1));
    builder.add_node(draw_cells(random, choices, sizes.most_price, sizes.forbidden_percent / 3));
    for (int64_t i = sizes.bytes ? draw(random, 2) : 0; i > 0; --i) {
      const int64_t begin = draw(random, 9);
      builder.add_usage(node, begin, begin + draw(random, 6), draw_cells(random, choices, 20, 0));
    }
  }
  for (int32_t a = 0; a < nodes; ++a) {
    for (int32_t b = 0; b < nodes; ++b) {
      if (a == b || draw(random, 199) >= sizes.edges_percent) continue;
      const int32_t rows = builder.network().num_choices(a);
      const int32_t columns = builder.network().num_choices(b);
      const auto cells = static_cast<std::size_t>(int64_t{rows} * columns);
      const int32_t edge = builder.add_edge(
          a, b,
          builder.add_table(rows, columns,
                            draw_cells(random, cells, sizes.most_price, sizes.forbidden_percent)));
      if (!sizes.bytes || draw(random, 3) != 0) continue;
      const int64_t time = draw(random, 12);
      builder.add_edge_usage(edge, time, time + 1 + draw(random, 1),
                             builder.add_table(rows, columns, draw_cells(random, cells, 20, 0)));
    }
  }
  return builder.take();
}

/// The cheapest choice within a limit: the smallest peak among equal ones, then the first one by
/// its indices.
struct ExhaustiveBest {
  int64_t price = shardy::autoshard::kNoPrice;
  int64_t peak = 0;
  std::vector<int32_t> choice = {};
  int64_t least_peak = shardy::autoshard::kUnlimited;  // of choices without a forbidden price
  int64_t largest_peak = 0;
};

inline ExhaustiveBest try_all_choices(const shardy::autoshard::CostNetwork& network) {
  ExhaustiveBest best;
  std::vector<int32_t> choice(static_cast<std::size_t>(network.num_nodes()), 0);
  for (;;) {
    const int64_t price = price_of(network, choice);
    if (price != shardy::autoshard::kNoPrice) {
      const int64_t peak = peak_of(network, choice).bytes;
      best.least_peak = std::min(best.least_peak, peak);
      best.largest_peak = std::max(best.largest_peak, peak);
      const auto order = std::tie(best.price, best.peak, best.choice);
      const bool better = best.choice.empty() || std::tie(price, peak, choice) < order;
      if (peak <= network.limit && better) {
        best.price = price;
        best.peak = peak;
        best.choice = choice;
      }
    }
    std::size_t node = 0;
    while (node < choice.size() &&
           ++choice[node] == network.num_choices(static_cast<int32_t>(node))) {
      choice[node++] = 0;
    }
    if (node == choice.size()) return best;
  }
}

}  // namespace shardy_test

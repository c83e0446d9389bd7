// Writes random problems as linear programs, with the answers of the solver, for lp_test.py:
//   write_problems FOLDER SEED COUNT
// writes FOLDER/<number>.lp, and prints a line "number price bound status limit_percent" for each.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <shardy/autoshard/problem.hpp>
#include <string>

#include "autoshard/random_networks.hpp"

namespace {

using namespace shardy::autoshard;

/// A program-like network: a chain with some edges further back, live ranges that overlap.
CostNetwork program_like(std::mt19937_64& random, int32_t nodes) {
  using shardy_test::draw;
  using shardy_test::draw_cells;
  CostNetworkBuilder builder;
  for (int32_t node = 0; node < nodes; ++node) {
    const auto choices = static_cast<std::size_t>(2 + draw(random, 3));
    builder.add_node(draw_cells(random, choices, 1000, 0));
    builder.add_usage(node, node, node + 2 + draw(random, 6), draw_cells(random, choices, 100, 0));
    for (const int64_t back : {int64_t{1}, 2 + draw(random, 6)}) {
      if (back > node || (back > 1 && draw(random, 1) == 0)) continue;
      const auto from = static_cast<int32_t>(node - back);
      const int32_t rows = builder.network().num_choices(from);
      const int32_t columns = builder.network().num_choices(node);
      const auto cells = static_cast<std::size_t>(int64_t{rows} * columns);
      const int32_t edge = builder.add_edge(
          from, node, builder.add_table(rows, columns, draw_cells(random, cells, 1000, 3)));
      if (draw(random, 4) != 0) continue;
      builder.add_edge_usage(edge, node, node + 1,
                             builder.add_table(rows, columns, draw_cells(random, cells, 50, 0)));
    }
  }
  return builder.take();
}

bool write_case(const std::string& folder, int64_t number, CostNetwork& network, int64_t percent,
                int64_t free_peak) {
  network.limit = percent == 0 ? kUnlimited : free_peak * percent / 100;
  const auto solution = solve(network, {});
  const auto text = write_lp(network);
  if (!solution || !text) return false;
  std::ofstream file(folder + "/" + std::to_string(number) + ".lp");
  file << *text;
  if (!file) return false;
  fmt::print("{} {} {} {} {}\n", number, solution->choice.empty() ? -1 : solution->price_fs,
             solution->bound_fs, to_string(solution->status), percent);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const int64_t count = std::atoll(argv[3]);
  for (int64_t i = 0; i < count; ++i) {
    CostNetwork network = program_like(
        random, static_cast<int32_t>(20 + (230 * i) / std::max<int64_t>(count - 1, 1)));
    const auto free = solve(network, {});
    if (!free) return 1;
    for (const int64_t percent : {0, 100, 90, 80, 70}) {
      const int64_t number = i * 1000 + percent;
      if (!write_case(argv[1], number, network, percent, free->peak_bytes)) return 1;
    }
  }
  return 0;
}

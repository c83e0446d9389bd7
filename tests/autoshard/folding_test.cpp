// Repeated blocks: the folded network is part of the whole one, and its answer that of the whole.
#include <algorithm>
#include <random>
#include <shardy/autoshard/problem.hpp>
#include <vector>

#include "autoshard/block_folding.hpp"
#include "autoshard/random_networks.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::autoshard;
using shardy_test::draw;
using shardy_test::draw_cells;

namespace folding_test {
namespace {

/// Sizes of a network of equal blocks.
struct BlockSizes {
  int32_t blocks = 12;
  int32_t members = 4;
  int32_t choices = 4;
  bool has_backward = false;  // each block has members in reversed order of blocks, too
  bool has_shared = false;    // all blocks read one node outside
  bool has_bytes = false;     // nodes and edges have live bytes
};

/// An edge between members of one block, or to the next block.
struct Relation {
  int32_t from = 0;
  int32_t to = 0;
  int32_t step = 0;  // blocks from `from` to `to`
  std::vector<int64_t> cells;
};

/// A network of equal blocks whose first and last block have other prices.
CostNetwork repeated(std::mt19937_64& random, const BlockSizes& sizes) {
  const int32_t all = sizes.members * (sizes.has_backward ? 2 : 1);
  const auto size = static_cast<std::size_t>(sizes.choices);
  const auto cells = [&] { return draw_cells(random, size * size, 100, 3); };
  std::vector<std::vector<int64_t>> prices;
  for (int32_t member = 0; member < all; ++member) {
    prices.push_back(draw_cells(random, size, 100, 0));
  }
  std::vector<Relation> relations;
  for (int32_t member = 0; member < all; ++member) {
    const bool is_backward = member >= sizes.members;
    if (member % sizes.members > 0) relations.push_back({member - 1, member, 0, cells()});
    if (member % sizes.members > 1) relations.push_back({member - 2, member, 0, cells()});
    const int32_t last = is_backward ? all - 1 : sizes.members - 1;
    if (member % sizes.members == 0) {
      relations.push_back({last, member, is_backward ? -1 : 1, cells()});
    }
    if (is_backward && member % 2 == 0) {
      relations.push_back({member - sizes.members, member, 0, cells()});
    }
  }
  CostNetworkBuilder builder;
  const int32_t shared = builder.add_node(draw_cells(random, size, 100, 0));
  std::vector<std::vector<int32_t>> nodes(static_cast<std::size_t>(sizes.blocks),
                                          std::vector<int32_t>(static_cast<std::size_t>(all)));
  const auto add = [&](int32_t block, int32_t member) {
    std::vector<int64_t> own = prices[static_cast<std::size_t>(member)];
    if (block == 0 || block + 1 == sizes.blocks) own.front() += 50;
    const int32_t node = builder.add_node(own);
    nodes[static_cast<std::size_t>(block)][static_cast<std::size_t>(member)] = node;
    builder.set_block(node, {block, member});
  };
  for (int32_t block = 0; block < sizes.blocks; ++block) {
    for (int32_t member = 0; member < sizes.members; ++member) add(block, member);
  }
  for (int32_t block = sizes.blocks - 1; block >= 0; --block) {
    for (int32_t member = sizes.members; member < all; ++member) add(block, member);
  }
  std::vector<std::vector<int64_t>> bytes;
  for (int32_t member = 0; member < all && sizes.has_bytes; ++member) {
    bytes.push_back(draw_cells(random, size, 100, 0));
  }
  // A node is live for a few steps, and with a backward pass until its block comes again.
  for (int32_t block = 0; block < sizes.blocks && sizes.has_bytes; ++block) {
    for (int32_t member = 0; member < all; ++member) {
      const auto& own = nodes[static_cast<std::size_t>(block)];
      const int32_t node = own[static_cast<std::size_t>(member)];
      const bool is_stored = sizes.has_backward && member < sizes.members;
      const int32_t end =
          is_stored ? own[static_cast<std::size_t>(int64_t{member} + sizes.members)] : node + 3;
      builder.add_usage(node, node, end + 1, bytes[static_cast<std::size_t>(member)]);
    }
  }
  const auto shared_cells = cells();
  for (int32_t block = 0; block < sizes.blocks; ++block) {
    const auto& own = nodes[static_cast<std::size_t>(block)];
    for (const Relation& relation : relations) {
      const int32_t other = block + relation.step;
      if (other < 0 || other >= sizes.blocks) continue;
      const int32_t table = builder.add_table(sizes.choices, sizes.choices, relation.cells);
      const int32_t from = own[static_cast<std::size_t>(relation.from)];
      const int32_t to =
          nodes[static_cast<std::size_t>(other)][static_cast<std::size_t>(relation.to)];
      const int32_t edge = builder.add_edge(from, to, table);
      if (!sizes.has_bytes) continue;
      std::vector<int64_t> held;
      for (const int64_t cell : relation.cells) held.push_back(cell % 50);
      builder.add_edge_usage(edge, std::max(from, to), std::max(from, to) + 1,
                             builder.add_table(sizes.choices, sizes.choices, held));
    }
    if (!sizes.has_shared && block != 0) continue;
    builder.add_edge(shared, own.front(),
                     builder.add_table(sizes.choices, sizes.choices, shared_cells));
  }
  return builder.take();
}

NetworkSolution solved(const CostNetwork& network) {
  auto solution = solve(network, {});
  REQUIRE(solution);
  return *solution;
}

BlockSizes drawn_sizes(std::mt19937_64& random) {
  return {.blocks = static_cast<int32_t>(6 + draw(random, 12)),
          .members = static_cast<int32_t>(2 + draw(random, 3)),
          .choices = static_cast<int32_t>(2 + draw(random, 3)),
          .has_backward = draw(random, 1) == 1,
          .has_shared = draw(random, 3) == 0};
}

}  // namespace

TEST_CASE("fold_blocks removes equal blocks from the network", "[folding]") {
  std::mt19937_64 random(3);
  for (const bool has_backward : {false, true}) {
    const CostNetwork network = repeated(random, {.blocks = 20, .has_backward = has_backward});
    const WorkNetwork whole = make_work_network(network, kUnlimited);
    const auto folded = fold_blocks(whole, network.blocks);
    REQUIRE(folded);
    // Block 0, the last one, three equal blocks before those left out and two after them.
    const int32_t members = has_backward ? 8 : 4;
    CHECK(folded->network.num_nodes() == 1 + members * 7);
    REQUIRE(folded->edge_of.size() == whole.edges.size());
    for (std::size_t edge = 0; edge < whole.edges.size(); ++edge) {
      const auto few = static_cast<std::size_t>(folded->edge_of[edge]);
      CHECK(folded->network.edges[few].table == whole.edges[edge].table);
    }
  }
}

TEST_CASE("a folded choice costs the same in each of the equal blocks", "[folding]") {
  // The choice of a representative, twice: one block more costs the price of a block.
  const auto price_of_blocks = [](int32_t blocks, uint64_t seed) {
    std::mt19937_64 same(seed);
    const CostNetwork network = repeated(same, {.blocks = blocks, .choices = 3});
    const WorkNetwork whole = make_work_network(network, kUnlimited);
    const auto folded = fold_blocks(whole, network.blocks);
    REQUIRE(folded);
    const std::vector<int32_t> first(static_cast<std::size_t>(folded->network.num_nodes()), 1);
    return price_of(network, unfolded_choice(*folded, first));
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const int64_t eight = price_of_blocks(8, seed);
    if (eight == kNoPrice) continue;
    CHECK(price_of_blocks(10, seed) - price_of_blocks(9, seed) == price_of_blocks(9, seed) - eight);
  }
}

TEST_CASE("a choice of equal blocks has one price and the same live bytes after folding",
          "[folding]") {
  std::mt19937_64 random(5);
  int num_folded = 0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    BlockSizes sizes = drawn_sizes(random);
    sizes.has_bytes = true;
    const CostNetwork network = repeated(random, sizes);
    const WorkNetwork whole = make_work_network(network, 0);
    auto folded = fold_blocks(whole, network.blocks);
    if (!folded) continue;
    ++num_folded;
    count_removed(*folded);
    // All blocks have one choice per member.
    std::vector<int32_t> few(static_cast<std::size_t>(folded->network.num_nodes()), 0);
    for (std::size_t node = 0; node < folded->node_of.size(); ++node) {
      const int32_t member = std::max(0, network.blocks[node].member);
      few[static_cast<std::size_t>(folded->node_of[node])] =
          (attempt + member * member) % sizes.choices;
    }
    const std::vector<int32_t> all = unfolded_choice(*folded, few);
    CHECK(work_price(folded->network, few) == work_price(whole, all));
    CHECK(live_bytes(folded->network, few) == live_bytes(whole, all));
  }
  CHECK(num_folded > 20);
}

TEST_CASE("folding keeps the bound below each peak, and the price within a limit above the bound",
          "[folding]") {
  std::mt19937_64 random(17);
  int num_fitting = 0;
  int num_excluded = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    BlockSizes sizes = drawn_sizes(random);
    sizes.has_bytes = true;
    CostNetwork network = repeated(random, sizes);
    CostNetwork plain = network;
    plain.blocks.clear();
    const auto least = solve_least_peak(network, {.effort = 60});
    const auto least_plain = solve_least_peak(plain, {.effort = 60});
    REQUIRE((least && least_plain));
    if (least->choice.empty()) continue;
    CHECK(peak_of(network, least->choice).bytes == least->peak_bytes);
    CHECK(least->bound_fs <= least_plain->peak_bytes);
    CHECK(least_plain->bound_fs <= least->peak_bytes);
    CHECK(static_cast<double>(least->bound_fs) >= 0.8 * static_cast<double>(least->peak_bytes));
    network.limit = least->peak_bytes + least->peak_bytes / 10;
    plain.limit = network.limit;
    const NetworkSolution folded = *solve(network, {.effort = 60});
    const NetworkSolution unfolded = *solve(plain, {.effort = 60});
    REQUIRE_FALSE((folded.choice.empty() || unfolded.choice.empty()));
    ++num_fitting;
    CHECK(peak_of(network, folded.choice).bytes <= network.limit);
    CHECK(folded.bound_fs <= unfolded.price_fs);
    CHECK(unfolded.bound_fs <= folded.price_fs);
    network.limit = least->bound_fs - 1;
    num_excluded += solve(network, {.effort = 60})->status == SolveStatus::Infeasible ? 1 : 0;
  }
  CHECK(num_fitting > 6);
  CHECK(num_excluded == num_fitting);
}

TEST_CASE("edge messages of the folded network give a lower bound of the whole network",
          "[folding]") {
  std::mt19937_64 random(7);
  int num_folded = 0;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const CostNetwork network = repeated(random, drawn_sizes(random));
    const NetworkSolution best = solved(network);
    const WorkNetwork whole = make_work_network(network, kUnlimited);
    const auto folded = fold_blocks(whole, network.blocks);
    if (best.status != SolveStatus::Proven || !folded) continue;
    ++num_folded;
    EdgeMessages few = zero_messages(folded->network);
    for (double& message : few.to_a) message = static_cast<double>(draw(random, 400));
    const ScaledCosts costs = scale_costs(whole, 4);
    const EdgeMessages messages = unfolded_messages(whole, *folded, few);
    CHECK(costs.to_femtoseconds(chain_bound(whole, costs, messages, false).bound) <= best.price_fs);
  }
  CHECK(num_folded > 20);
}

TEST_CASE("folding changes neither the price nor the proof of a solution", "[folding]") {
  std::mt19937_64 random(11);
  int num_folded = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    const CostNetwork network = repeated(random, drawn_sizes(random));
    CostNetwork plain = network;
    plain.blocks.clear();
    const NetworkSolution with_blocks = solved(network);
    const NetworkSolution without = solved(plain);
    CHECK(with_blocks.status == SolveStatus::Proven);
    CHECK(without.status == SolveStatus::Proven);
    CHECK(with_blocks.price_fs == without.price_fs);
    if (with_blocks.status == SolveStatus::Infeasible) continue;
    CHECK(price_of(network, with_blocks.choice) == with_blocks.price_fs);
    num_folded += fold_blocks(make_work_network(network, kUnlimited), network.blocks) ? 1 : 0;
  }
  CHECK(num_folded > 100);
}

TEST_CASE("blocks with inconsistent places never change the price of the solution", "[folding]") {
  std::mt19937_64 random(13);
  for (int attempt = 0; attempt < 100; ++attempt) {
    CostNetwork network = repeated(random, drawn_sizes(random));
    const int64_t price = solved(network).price_fs;
    for (BlockPlace& place : network.blocks) {
      if (draw(random, 9) == 0) place.member = static_cast<int32_t>(draw(random, 5)) - 1;
      if (draw(random, 9) == 0) place.block = static_cast<int32_t>(draw(random, 2'000'000'000)) - 5;
      if (draw(random, 9) == 0) place.block = static_cast<int32_t>(draw(random, 10));
    }
    CHECK(solved(network).price_fs == price);
  }
}

}  // namespace folding_test

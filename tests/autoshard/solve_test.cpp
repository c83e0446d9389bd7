#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <shardy/autoshard/problem.hpp>
#include <string>

#include "autoshard/random_networks.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::autoshard;
using shardy_test::draw;
using shardy_test::NetworkSizes;
using shardy_test::random_network;
using shardy_test::try_all_choices;

namespace solve_test {
namespace {

int number_of_cases() {
  const char* cases = std::getenv("SHARDY_NETWORK_CASES");
  return cases != nullptr ? std::atoi(cases) : 2000;
}

NetworkSolution solved(const CostNetwork& network, const SolveOptions& options = {}) {
  auto solution = solve(network, options);
  REQUIRE(solution);
  return *solution;
}

/// A chain of nodes with random prices; each node is live from its number until `live` later.
CostNetwork random_chain(std::mt19937_64& random, int32_t nodes, int32_t choices, int64_t live) {
  CostNetworkBuilder builder;
  const auto size = static_cast<std::size_t>(choices);
  for (int32_t node = 0; node < nodes; ++node) {
    builder.add_node(shardy_test::draw_cells(random, size, 1000, 0));
    builder.add_usage(node, node, node + live, shardy_test::draw_cells(random, size, 100, 0));
    for (const int32_t back : {1, 2, 7}) {
      if (node < back) continue;
      const auto cells = shardy_test::draw_cells(random, size * size, 1000, 5);
      builder.add_edge(node - back, node, builder.add_table(choices, choices, cells));
    }
  }
  return builder.take();
}

/// A random problem in two forms: its tables have rows and columns for classes of choices, or for
/// all choices.
struct TwoForms {
  CostNetwork by_class;
  CostNetwork by_choice;
};

std::vector<int32_t> random_classes(std::mt19937_64& random, int32_t choices, int32_t count) {
  std::vector<int32_t> classes;
  for (int32_t choice = 0; choice < choices; ++choice) {
    classes.push_back(static_cast<int32_t>(draw(random, count - 1)));
  }
  return classes;
}

TwoForms random_forms(std::mt19937_64& random) {
  CostNetworkBuilder by_class;
  CostNetworkBuilder by_choice;
  const auto nodes = static_cast<int32_t>(2 + draw(random, 10));
  for (int32_t node = 0; node < nodes; ++node) {
    const auto prices =
        shardy_test::draw_cells(random, static_cast<std::size_t>(1 + draw(random, 7)), 100, 3);
    by_class.add_node(prices);
    by_choice.add_node(prices);
  }
  for (int32_t edge = 0; edge < 2 * nodes; ++edge) {
    const auto from = static_cast<int32_t>(draw(random, nodes - 1));
    const auto to = static_cast<int32_t>(draw(random, nodes - 1));
    if (from == to) continue;
    const auto rows = static_cast<int32_t>(1 + draw(random, 3));
    const auto columns = static_cast<int32_t>(1 + draw(random, 3));
    const auto row_of = random_classes(random, by_class.network().num_choices(from), rows);
    const auto column_of = random_classes(random, by_class.network().num_choices(to), columns);
    const auto add_table = [&](int most, int forbidden_percent) {
      const auto cells = shardy_test::draw_cells(
          random, static_cast<std::size_t>(int64_t{rows} * columns), most, forbidden_percent);
      const int32_t table = by_class.add_table(rows, columns, cells, row_of, column_of);
      const auto pairs = by_class.network().cells_of_pairs(table);
      return std::pair(table, by_choice.add_table(static_cast<int32_t>(row_of.size()),
                                                  static_cast<int32_t>(column_of.size()), pairs));
    };
    const auto [few, all] = add_table(100, 5);
    const int32_t number = by_class.add_edge(from, to, few);
    by_choice.add_edge(from, to, all);
    if (draw(random, 1) == 0) continue;
    const auto [few_bytes, all_bytes] = add_table(20, 0);
    by_class.add_edge_usage(number, edge, edge + 4, few_bytes);
    by_choice.add_edge_usage(number, edge, edge + 4, all_bytes);
  }
  return {by_class.take(), by_choice.take()};
}

/// The problem with its nodes in another order.
CostNetwork permuted(const CostNetwork& network, const std::vector<int32_t>& new_place) {
  CostNetworkBuilder builder;
  std::vector<int32_t> old_place(new_place.size());
  for (std::size_t i = 0; i < new_place.size(); ++i) {
    old_place[static_cast<std::size_t>(new_place[i])] = static_cast<int32_t>(i);
  }
  for (const int32_t old : old_place) builder.add_node(network.prices(old));
  const auto place = [&](int32_t node) { return new_place[static_cast<std::size_t>(node)]; };
  for (const CostEdge& edge : network.edges) {
    const CostTable& table = network.tables[static_cast<std::size_t>(edge.table)];
    builder.add_edge(place(edge.from), place(edge.to),
                     builder.add_table(table.rows, table.columns, network.table_cells(edge.table)));
  }
  for (const NodeUsage& usage : network.node_usages) {
    builder.add_usage(place(usage.node), usage.begin, usage.end, network.bytes_of(usage));
  }
  for (const EdgeUsage& usage : network.edge_usages) {
    const CostTable& table = network.tables[static_cast<std::size_t>(usage.table)];
    builder.add_edge_usage(
        usage.edge, usage.begin, usage.end,
        builder.add_table(table.rows, table.columns, network.table_cells(usage.table)));
  }
  builder.set_limit(network.limit);
  return builder.take();
}

}  // namespace

TEST_CASE("the cheapest choice of the contest's example within 50 bytes costs 445", "[hand]") {
  CostNetworkBuilder builder;
  const std::vector<std::vector<int64_t>> prices{{15}, {55, 65}, {25, 45, 35}, {85, 75}, {95}};
  const std::vector<std::vector<int64_t>> bytes{{10}, {25, 25}, {15, 20, 15}, {10, 10}, {15}};
  const std::vector<std::pair<int64_t, int64_t>> live{
      {30, 70}, {40, 70}, {50, 120}, {110, 140}, {110, 150}};
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const int32_t node = builder.add_node(prices[i]);
    builder.add_usage(node, live[i].first, live[i].second, bytes[i]);
  }
  const auto connect = [&](int32_t from, int32_t to, const std::vector<int64_t>& cells) {
    const CostNetwork& network = builder.network();
    builder.add_edge(from, to,
                     builder.add_table(network.num_choices(from), network.num_choices(to), cells));
  };
  connect(0, 1, {30, 40});
  connect(0, 2, {50, 10, 40});
  connect(1, 3, {90, 10, 20, 80});
  connect(2, 4, {60, 20, 30});
  connect(3, 4, {70, 60});
  builder.set_limit(50);
  const NetworkSolution solution = solved(builder.network());
  CHECK(solution.price_fs == 445);
  CHECK(solution.choice == std::vector<int32_t>{0, 0, 2, 1, 0});
  CHECK(solution.status == SolveStatus::Proven);
  CHECK(solution.peak_bytes == 50);
}

TEST_CASE("of two choices with equal prices, the solver returns the choice with fewer live bytes",
          "[hand]") {
  // As in `dot(x[8,16], w[16,4])` on four devices: sharding the batch takes as long as sharding the
  // columns, but holds 416 bytes of 608.
  CostNetworkBuilder builder;
  const int32_t dot = builder.add_node(std::vector<int64_t>{2560, 2560, 10240});
  builder.add_usage(dot, 0, 1, std::vector<int64_t>{608, 416, 896});
  builder.set_limit(10'000);
  NetworkSolution solution = solved(builder.network());
  CHECK(solution.choice == std::vector<int32_t>{1});
  CHECK(solution.peak_bytes == 416);
  builder.set_limit(500);
  CHECK(solved(builder.network()).choice == std::vector<int32_t>{1});
  builder.set_limit(300);
  CHECK(solved(builder.network()).status == SolveStatus::Infeasible);
  const auto least = solve_least_peak(builder.network(), {});
  REQUIRE(least);
  CHECK(least->peak_bytes == 416);
  CHECK(least->status == SolveStatus::Proven);
}

TEST_CASE("an empty problem costs nothing") {
  const NetworkSolution solution = solved(CostNetwork{});
  CHECK(solution.status == SolveStatus::Proven);
  CHECK(solution.price_fs == 0);
  CHECK(solution.choice.empty());
}

TEST_CASE("the solver finds the cheapest choice of random small problems", "[random]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < number_of_cases(); ++i) {
    CAPTURE(i);
    const NetworkSizes sizes{.forbidden_percent = static_cast<int>(draw(random, 30)),
                             .edges_percent = static_cast<int>(draw(random, 150))};
    const CostNetwork network = random_network(random, sizes);
    const auto best = try_all_choices(network);
    const NetworkSolution solution = solved(network);
    if (best.price == kNoPrice) {
      CHECK(solution.status == SolveStatus::Infeasible);
      continue;
    }
    REQUIRE(solution.status == SolveStatus::Proven);
    REQUIRE(solution.price_fs == best.price);
    REQUIRE(solution.bound_fs == best.price);
    REQUIRE(price_of(network, solution.choice) == best.price);
    REQUIRE(solution.peak_bytes == best.peak);
  }
}

TEST_CASE("tables by classes of choices have the solutions of tables by choices", "[random]") {
  for (int seed = 0; seed < number_of_cases() / 4; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    TwoForms forms = random_forms(random);
    CHECK(write_problem(forms.by_class) == write_problem(forms.by_choice));
    CHECK(num_pairs(forms.by_class) == static_cast<int64_t>(num_pairs(forms.by_choice)));
    for (const bool is_limited : {false, true}) {
      const NetworkSolution one = solved(forms.by_class);
      const NetworkSolution other = solved(forms.by_choice);
      CHECK(one.choice == other.choice);
      CHECK(one.price_fs == other.price_fs);
      CHECK(one.bound_fs == other.bound_fs);
      CHECK(one.sweeps == other.sweeps);
      if (is_limited || one.choice.empty()) break;
      CHECK(price_of(forms.by_class, one.choice) == price_of(forms.by_choice, one.choice));
      const int64_t peak = peak_of(forms.by_class, one.choice).bytes;
      CHECK(peak == peak_of(forms.by_choice, one.choice).bytes);
      forms.by_class.limit = peak * 9 / 10;
      forms.by_choice.limit = peak * 9 / 10;
    }
  }
}

TEST_CASE("classes of choices that a table does not have are errors") {
  CostNetworkBuilder builder;
  builder.add_node(std::vector<int64_t>{1, 2, 3});
  builder.add_node(std::vector<int64_t>{4, 5});
  const int32_t table = builder.add_table(
      2, 1, std::vector<int64_t>{6, 7}, std::vector<int32_t>{0, 1, 1}, std::vector<int32_t>{0, 0});
  builder.add_edge(0, 1, table);
  const CostNetwork good = builder.take();
  REQUIRE(check_problem(good).has_value());
  CHECK(solved(good).choice == std::vector<int32_t>{0, 0});
  CHECK(solved(good).price_fs == 1 + 4 + 6);
  CostNetwork bad = good;
  bad.classes.front().front() = 2;
  REQUIRE_FALSE(check_problem(bad).has_value());
  CHECK(check_problem(bad).error().message == "table 0: the classes of its choices are not 0 to 1");
  bad = good;
  bad.classes.front().pop_back();
  CHECK_FALSE(check_problem(bad).has_value());
  bad = good;
  bad.tables.front().row_classes = 5;
  CHECK_FALSE(check_problem(bad).has_value());
}

TEST_CASE("of equal solutions, the solver returns the one with the smallest indices", "[random]") {
  std::mt19937_64 random(9);
  for (int i = 0; i < number_of_cases(); ++i) {
    CAPTURE(i);
    const NetworkSizes sizes{.most_price = 2, .edges_percent = static_cast<int>(draw(random, 150))};
    CostNetwork network = random_network(random, sizes);
    const auto free = try_all_choices(network);
    if (free.price == kNoPrice) continue;
    if (draw(random, 1) == 0) network.limit = free.peak;
    INFO(write_problem(network));
    const NetworkSolution solution = solved(network, {.gap = 0});
    REQUIRE(solution.status == SolveStatus::Proven);
    REQUIRE(price_of(network, solution.choice) == free.price);
    REQUIRE(solution.peak_bytes == free.peak);
    REQUIRE(solution.choice == free.choice);
  }
}

TEST_CASE("the solver finds the cheapest choice within random memory limits", "[random]") {
  std::mt19937_64 random(2);
  int infeasible = 0;
  for (int i = 0; i < number_of_cases(); ++i) {
    CAPTURE(i);
    CostNetwork network = random_network(random, {});
    const auto free = try_all_choices(network);
    if (free.price == kNoPrice) continue;
    network.limit = free.least_peak + draw(random, free.largest_peak - free.least_peak + 2) - 2;
    if (network.limit < 0) continue;
    const auto best = try_all_choices(network);
    SolveOptions options;
    options.gap = 0;
    options.effort = 60;
    const NetworkSolution solution = solved(network, options);
    if (best.price == kNoPrice) {
      ++infeasible;
      REQUIRE(solution.status == SolveStatus::Infeasible);
      continue;
    }
    REQUIRE(solution.status == SolveStatus::Proven);
    REQUIRE(solution.price_fs == best.price);
    REQUIRE(peak_of(network, solution.choice).bytes <= network.limit);
    REQUIRE(price_of(network, solution.choice) == best.price);
  }
  CHECK((infeasible > 0 || number_of_cases() < 100));
}

TEST_CASE("the solver finds and proves the least peak memory of random small problems",
          "[random]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < number_of_cases() / 10; ++i) {
    CAPTURE(i);
    const CostNetwork network = random_network(random, {});
    const auto best = try_all_choices(network);
    const auto least = solve_least_peak(network, {.effort = 60});
    REQUIRE(least);
    if (best.price == kNoPrice) {
      REQUIRE(least->status == SolveStatus::Infeasible);
      continue;
    }
    REQUIRE(least->status == SolveStatus::Proven);
    REQUIRE(least->peak_bytes == best.least_peak);
  }
}

TEST_CASE("the choice of a large problem has no live bytes that save nothing") {
  CostNetworkBuilder builder;
  constexpr int32_t kNodes = 2000;
  const std::vector<int64_t> prices = {0, 0, 7};
  const std::vector<int64_t> bytes = {5, 2, 1};
  for (int32_t node = 0; node < kNodes; ++node) {
    builder.add_node(prices);
    builder.add_usage(node, node, node + 2, bytes);
  }
  const NetworkSolution solution = solved(builder.network());
  CHECK(solution.price_fs == 0);
  CHECK(solution.peak_bytes == 4);
}

// 30 tables of 90,000 cells: 40 units of effort are 2e8 cells, which 75 sweeps read. The steps have
// up to 480.
TEST_CASE("a search of large tables within a limit ends after few sweeps") {  // U.6.7
  std::mt19937_64 random(1);
  autoshard::CostNetworkBuilder builder;
  for (int32_t node = 0; node <= 30; ++node) {
    builder.add_node(shardy_test::draw_cells(random, 300, 1'000'000, 0));
    builder.add_usage(node, node, node + 8, shardy_test::draw_cells(random, 300, 1000, 0));
    if (node == 0) continue;
    const auto cells = shardy_test::draw_cells(random, 90'000, 1'000'000, 0);
    builder.add_edge(node - 1, node, builder.add_table(300, 300, cells));
  }
  builder.set_limit(1500);
  const auto found = autoshard::solve(builder.take(), {.effort = 40});
  REQUIRE(found.has_value());
  CHECK(found->status == autoshard::SolveStatus::Bounded);
  CHECK(found->bound_fs > 0);
  CHECK(found->bound_fs < found->price_fs);
  CHECK(found->sweeps <= 120);
}

TEST_CASE("a front goes from the cheapest choice to the choice of least peak memory") {
  std::mt19937_64 random(4);
  const CostNetwork network = random_chain(random, 20, 4, 6);
  const auto front = solve_front(network, 6, {});
  REQUIRE(front);
  REQUIRE(front->size() >= 3);
  CHECK(front->front().price_fs == solved(network).price_fs);
  for (std::size_t i = 1; i < front->size(); ++i) {
    CHECK((*front)[i].price_fs > (*front)[i - 1].price_fs);
    CHECK((*front)[i].peak_bytes < (*front)[i - 1].peak_bytes);
  }
  const auto least = solve_least_peak(network, {});
  REQUIRE(least);
  CHECK(front->back().peak_bytes == least->peak_bytes);
}

TEST_CASE("lower bounds are below all prices within the limit, and gaps are small", "[random]") {
  std::mt19937_64 random(5);
  for (const int64_t percent : {100, 90, 80, 70}) {
    CAPTURE(percent);
    CostNetwork network = random_chain(random, 60, 6, 8);
    const NetworkSolution free = solved(network);
    REQUIRE(free.status == SolveStatus::Proven);
    network.limit = free.peak_bytes * percent / 100;
    const NetworkSolution within = solved(network);
    REQUIRE(!within.choice.empty());
    CHECK(within.price_fs == price_of(network, within.choice));
    CHECK(within.peak_bytes <= network.limit);
    CHECK(within.bound_fs <= within.price_fs);
    CHECK(within.price_fs >= free.price_fs);
    CHECK(static_cast<double>(within.price_fs - within.bound_fs) <=
          0.05 * static_cast<double>(within.price_fs));
  }
}

// ---- Changes of a problem that do not change its answer -----------------------------------------

TEST_CASE("the order of nodes in a problem does not change its price", "[metamorphic]") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    CostNetwork network = random_network(random, {.most_nodes = 12, .forbidden_percent = 0});
    network.limit = kUnlimited;
    std::vector<int32_t> place(static_cast<std::size_t>(network.num_nodes()));
    std::iota(place.begin(), place.end(), 0);
    for (std::size_t k = place.size(); k > 1; --k) {
      std::swap(place[k - 1],
                place[static_cast<std::size_t>(draw(random, static_cast<int64_t>(k) - 1))]);
    }
    const NetworkSolution solution = solved(network);
    CHECK(solved(permuted(network, place)).price_fs == solution.price_fs);
  }
}

TEST_CASE("doubled prices double the solution, a free node with one choice changes nothing",
          "[metamorphic]") {
  std::mt19937_64 random(7);
  CostNetwork network = random_chain(random, 30, 4, 3);
  const NetworkSolution solution = solved(network);
  CostNetwork doubled = network;
  for (auto* prices : {&doubled.unary, &doubled.cells}) {
    for (int64_t& price : *prices) price = price >= kForbidden ? price : 2 * price;
  }
  CHECK(solved(doubled).price_fs == 2 * solution.price_fs);
  network.unary.push_back(0);
  network.first_choice.push_back(static_cast<int64_t>(network.unary.size()));
  CHECK(solved(network).price_fs == solution.price_fs);
}

TEST_CASE("a larger memory limit never increases the price", "[metamorphic]") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    CostNetwork network = random_network(random, {.most_nodes = 8, .forbidden_percent = 0});
    const int64_t peak = try_all_choices(network).largest_peak;
    int64_t before = kNoPrice;
    for (const int64_t percent : {50, 60, 70, 80, 90, 100}) {
      network.limit = peak * percent / 100;
      INFO(write_problem(network));
      const NetworkSolution solution = solved(network, {.gap = 0});
      CHECK(solution.price_fs <= before);
      before = solution.price_fs;
    }
  }
}

TEST_CASE("prices near the largest sum do not overflow") {
  CostNetworkBuilder builder;
  const int64_t large = kForbidden - 1;
  for (int i = 0; i < 10; ++i) {
    builder.add_node(std::vector<int64_t>{large, large - 5, large - 3});
    if (i > 0)
      builder.add_edge(
          i - 1, i,
          builder.add_table(3, 3, std::vector<int64_t>{large, 7, 9, 8, large, 6, 5, 4, large}));
  }
  const NetworkSolution solution = solved(builder.network());
  CHECK(solution.price_fs == price_of(builder.network(), solution.choice));
  CHECK(solution.bound_fs <= solution.price_fs);
  CHECK(solution.bound_fs > 0);
}

// ---- Stopping, wrong calls ---------------------------------------------------------

TEST_CASE("a stopped search returns its initial choice and its lower bound") {
  std::mt19937_64 random(10);
  CostNetwork network = random_chain(random, 50, 5, 5);
  const NetworkSolution best = solved(network);
  std::stop_source source;
  source.request_stop();
  const std::vector<int32_t> first(best.choice.size(), 0);
  const bool allowed = price_of(network, first) != kNoPrice;
  const NetworkSolution stopped =
      solved(network, {.stop = source.get_token(), .start = best.choice});
  CHECK(stopped.stopped);
  CHECK(stopped.price_fs == best.price_fs);
  CHECK(stopped.bound_fs <= best.price_fs);
  CHECK(stopped.status == SolveStatus::Bounded);
  const NetworkSolution none = solved(network, {.stop = source.get_token(), .start = first});
  CHECK(none.choice.empty() == !allowed);
}

TEST_CASE("progress reports lower bounds that rise and prices that fall") {
  std::mt19937_64 random(11);
  CostNetwork network = random_chain(random, 60, 6, 8);
  network.limit = solved(network).peak_bytes * 75 / 100;
  int64_t bound = 0;
  int64_t price = kNoPrice;
  int calls = 0;
  SolveOptions options;
  options.on_progress = [&](const SolveProgress& progress) {
    ++calls;
    CHECK(progress.bound_fs >= bound);
    CHECK(progress.price_fs <= price);
    if (!progress.choice.empty()) CHECK(price_of(network, progress.choice) == progress.price_fs);
    bound = progress.bound_fs;
    price = progress.price_fs;
  };
  const NetworkSolution solution = solved(network, options);
  CHECK(calls > 1);
  CHECK(solution.price_fs <= price);
}

TEST_CASE("options out of range and networks with wrong indices are errors") {
  CostNetworkBuilder builder;
  builder.add_node(std::vector<int64_t>{1, 2});
  builder.add_node(std::vector<int64_t>{1});
  const CostNetwork good = builder.network();
  CHECK(shardy_test::message_of(solve(good, {.effort = 0})) == "effort 0; allowed are 1 and more");
  CHECK(shardy_test::message_of(solve(good, {.gap = -1})) ==
        "gap -1.000000; allowed are 0 and more");
  const std::vector<int32_t> wrong{2, 0};
  CHECK(shardy_test::message_of(solve(good, {.start = wrong})) ==
        "start: node 0: choice 2; allowed are 0 to 1");
  CHECK(shardy_test::message_of(solve_front(good, 0, {})) ==
        "a front of 0 choices; allowed are 1 and more");
  CostNetwork bad = good;
  bad.edges.push_back({0, 5, 0});
  CHECK(shardy_test::message_of(solve(bad, {})) ==
        "edge 0: from node 0 to node 5; allowed are two different nodes of 2");
  bad = good;
  bad.unary[0] = -4;
  CHECK(shardy_test::message_of(solve(bad, {})) ==
        "node 0: negative price -4; allowed are 0 and more");
  bad = good;
  bad.limit = -1;
  CHECK(shardy_test::message_of(solve(bad, {})) == "limit of -1 bytes; allowed are 0 and more");
  bad = good;
  bad.node_usages.push_back({0, 3, 1, 0});
  bad.usage_bytes = {1, 2};
  CHECK(shardy_test::message_of(solve(bad, {})) ==
        "usage 0: live from 3 until 1; the end must not be before the begin, and both within 2^40 "
        "of 0");
}

}  // namespace solve_test

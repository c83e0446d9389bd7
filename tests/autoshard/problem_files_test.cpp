#include <shardy/autoshard/problem.hpp>
#include <string>

#include "autoshard/random_networks.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::autoshard;
using shardy_test::located_message_of;

namespace problem_files_test {
namespace {

const std::string kExample = R"({"problem": {"name": "example",
  "nodes": {"intervals": [[30, 70], [40, 70], [50, 120], [110, 140], [110, 150]],
            "costs": [[15], [55, 65], [25, 45, 35], [85, 75], [95]],
            "usages": [[10], [25, 25], [15, 20, 15], [10, 10], [15]]},
  "edges": {"nodes": [[0, 1], [0, 2], [1, 3], [2, 4], [3, 4]],
            "costs": [[30, 40], [50, 10, 40], [90, 10, 20, 80], [60, 20, 30], [70, 60]]},
  "usage_limit": 50}})";

std::string error_of(const std::string& json) { return located_message_of(read_problem(json)); }

/// A problem of two nodes, with more members.
std::string two_nodes(const std::string& more) {
  return R"({"problem": {"nodes": {"intervals": [[0, 4], [1, 3]], "costs": [[1, 2], [3, 4]],
      "usages": [[5, 6], [7, 8]]}, "edges": {"nodes": [[0, 1]], "costs": [[0, 9, 9, 0]]})" +
         more + "}}";
}

}  // namespace

TEST_CASE("the example of the contest is read and solved") {
  const auto network = read_problem(kExample);
  REQUIRE(network);
  CHECK(network->name == "example");
  CHECK(network->limit == 50);
  const auto solution = solve(*network, {});
  REQUIRE(solution);
  CHECK(solution->price_fs == 445);
  CHECK(write_choice(solution->choice) == "[0, 0, 2, 1, 0]\n");
}

TEST_CASE("written problems read back as equal problems", "[random]") {
  std::mt19937_64 random(21);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    CostNetwork network = shardy_test::random_network(random, {.most_nodes = 9});
    network.name = "a \"quoted\" name\n";
    if (i % 2 == 0) network.limit = 1000 + i;
    if (i % 3 == 0) network.labels.assign(static_cast<std::size_t>(network.num_nodes()), "%x");
    if (i % 5 == 0) network.blocks.assign(static_cast<std::size_t>(network.num_nodes()), {2, 1});
    const std::string text = write_problem(network);
    const auto again = read_problem(text);
    REQUIRE(again);
    CHECK(write_problem(*again) == text);
    CHECK(again->name == network.name);
    CHECK(again->labels == network.labels);
    CHECK(again->limit == network.limit);
    for (int k = 0; k < 20; ++k) {
      std::vector<int32_t> choice;
      for (int32_t node = 0; node < network.num_nodes(); ++node) {
        choice.push_back(
            static_cast<int32_t>(shardy_test::draw(random, network.num_choices(node) - 1)));
      }
      REQUIRE(price_of(*again, choice) == price_of(network, choice));
      REQUIRE(peak_of(*again, choice).bytes == peak_of(network, choice).bytes);
      REQUIRE(peak_of(*again, choice).time == peak_of(network, choice).time);
    }
  }
}

TEST_CASE("prices of an edge from a node to itself are node prices, unknown members are skipped") {
  const auto network = read_problem(
      R"({"version": {"deep": [[[{"a": [1.5, null, true, "x"]}]]]}, "problem": {"other": [1, {}],
      "nodes": {"costs": [[1, 2]], "colors": ["red"]},
      "edges": {"nodes": [[0, 0]], "costs": [[10, 99, 99, 20]]}}})");
  REQUIRE(network);
  CHECK(network->edges.empty());
  CHECK(price_of(*network, std::vector<int32_t>{1}) == 22);
}

TEST_CASE("large numbers and numbers with exponents are forbidden prices") {
  for (const std::string number : {"1e18", "100000000000000000", "99999999999999999999", "1e300"}) {
    CAPTURE(number);
    const auto network =
        read_problem(R"({"problem": {"nodes": {"costs": [[)" + number + ", 4.0]]}}}");
    REQUIRE(network);
    CHECK(price_of(*network, std::vector<int32_t>{0}) == kNoPrice);
    CHECK(price_of(*network, std::vector<int32_t>{1}) == 4);
  }
}

TEST_CASE("bytes of edges and of several live intervals are read") {
  const auto network = read_problem(two_nodes(
      R"(, "temps": {"nodes": [[0, 1, 2], [1, 0, 2, 4]], "usages": [[1, 2, 3, 4], [10, 20, 30, 40]]},
      "scatter": {"nodes": [[0, 9], [1, 20, 30]], "usages": [[100, 200], [300, 400]]})"));
  REQUIRE(network);
  const std::vector<int32_t> choice{0, 1};
  CHECK(price_of(*network, choice) == 1 + 4 + 9);
  // At 2: 5 of node 0, 8 of node 1, 2 and 30 of the pairs.
  CHECK(peak_of(*network, choice).bytes == 400);
  CHECK(peak_of(*network, choice).time == 20);
  CostNetwork early = *network;
  std::erase_if(early.node_usages, [](const NodeUsage& usage) { return usage.begin >= 9; });
  CHECK(peak_of(early, choice).bytes == 5 + 8 + 2 + 30);
  CHECK(peak_of(early, choice).time == 2);
}

TEST_CASE("invalid problems are errors with their location") {
  CHECK(error_of("[]") == ": a list; allowed is an object");
  CHECK(error_of("{}") == "/problem: the member is missing");
  CHECK(error_of(R"({"problem": 3})") == "/problem: a number; allowed is an object");
  CHECK(error_of(R"({"problem": {}})") == "/problem/nodes/costs: the member is missing");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], "x"]}}})") ==
        "/problem/nodes/costs/1: a string; allowed is a list");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], [2, null]]}}})") ==
        "/problem/nodes/costs/1/1: null; allowed is an integer");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], [0.5]]}}})") ==
        "/problem/nodes/costs/1/0: the number 0.5 is not an integer");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], []]}}})") ==
        "/problem/nodes/costs/1: no choice");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1]], "costs": [[1]]}}})") ==
        "/problem/nodes/costs: the member occurs twice");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[-1]]}}})") ==
        ": node 0: negative price -1; allowed are 0 and more");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1]], "usages": [[1]]}}})") ==
        "/problem/nodes/intervals: the member is missing");
  CHECK(error_of(R"({"problem": {"name": 7}})") == "/problem/name: a number; allowed is a string");
  CHECK(error_of(R"({"problem": {"usage_limit": "7"}})") ==
        "/problem/usage_limit: a string; allowed is an integer");
  CHECK(error_of(two_nodes(R"(, "labels": ["a"])")) == "/problem/labels: 1 labels for 2 nodes");
  CHECK(error_of(two_nodes(R"(, "usage_limit": -3)")) ==
        ": limit of -3 bytes; allowed are 0 and more");
  CHECK(error_of(two_nodes(R"(, "scatter": {"nodes": [[2, 1]], "usages": [[1]]})")) ==
        "/problem/scatter/nodes/0: node 2; allowed are 0 to 1");
  CHECK(error_of(two_nodes(R"(, "temps": {"nodes": [[0, 1, 5]], "usages": [[1]]})")) ==
        "/problem/temps/usages/0: 1 numbers; allowed are 4");
  CHECK(error_of(two_nodes(R"(, "temps": {"nodes": [[0, 1]], "usages": [[1]]})")) ==
        "/problem/temps/nodes/0: 2 numbers; allowed are 3 or 4");
  CHECK(error_of(two_nodes(R"(, "temps": {"nodes": [[0, 1, 5]]})")) ==
        "/problem/temps/usages: 0 lists, but /temps/nodes has 1");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], [2]]},
      "edges": {"nodes": [[0, 2]], "costs": [[1]]}}})") ==
        "/problem/edges/nodes/0: node 2; allowed are 0 to 1");
  CHECK(error_of(R"({"problem": {"nodes": {"costs": [[1], [2]]},
      "edges": {"nodes": [[0, 1]], "costs": [[1, 2]]}}})") ==
        "/problem/edges/costs/0: 2 numbers; allowed are 1");
  CHECK(
      error_of(
          R"({"problem": {"nodes": {"costs": [[1]], "intervals": [[5, 2]], "usages": [[1]]}}})") ==
      "/problem/nodes/intervals/0: live from 5 until 2; the end must not be before the begin, "
      "and both within 2^40 of 0");
}

TEST_CASE("truncated or changed text is an error or a problem, never a crash") {
  for (std::size_t length = 0; length < kExample.size(); ++length) {
    CHECK(!read_problem(kExample.substr(0, length)));
  }
  std::mt19937_64 random(22);
  for (int i = 0; i < 3000; ++i) {
    std::string text = kExample;
    for (int k = 0; k < 3; ++k) {
      const auto place = static_cast<std::size_t>(
          shardy_test::draw(random, static_cast<int64_t>(text.size()) - 1));
      constexpr std::string_view kBytes = "[]{},:\"0123456789-.e x";
      text[place] = kBytes[static_cast<std::size_t>(shardy_test::draw(random, 20))];
    }
    const auto network = read_problem(text);
    if (network) CHECK(check_problem(*network));
  }
  CHECK(!read_problem(std::string(1'000'000, '[')));
  CHECK(!read_problem(R"({"x": )" + std::string(1'000'000, '[')));
}

TEST_CASE("choices are read back, and invalid choices are errors") {
  const auto network = read_problem(kExample);
  REQUIRE(network);
  const std::vector<int32_t> choice{0, 1, 2, 1, 0};
  CHECK(read_choice(write_choice(choice), *network) == choice);
  const auto error = [&](const std::string& text) {
    return located_message_of(read_choice(text, *network));
  };
  CHECK(error("[0") == ": not valid JSON; allowed is a list such as [0, 2, 1]");
  CHECK(error("{}") == ": allowed is a list such as [0, 2, 1]");
  CHECK(error("[0, 1.5]") == "/1: allowed is the index of a choice");
  CHECK(error("[0, 99999999999999999999]") == "/1: allowed is the index of a choice");
  CHECK(error("[0, 1]") == ": 2 choices for 5 nodes");
  CHECK(error("[0, 1, 3, 0, 0]") == ": node 2: choice 3; allowed are 0 to 2");
}

TEST_CASE("a linear program has a row per node, per choice of a pair and per full time point") {
  const auto network = read_problem(two_nodes(R"(, "usage_limit": 12)"));
  REQUIRE(network);
  const auto text = write_lp(*network);
  REQUIRE(text);
  CHECK(*text ==
        "Minimize\n"
        " price: + s_0_0 + 2 s_0_1 + 3 s_1_0 + 4 s_1_1 + 9 e_0_1_0_1\n"
        "  + 9 e_0_1_1_0\n"
        "Subject To\n"
        " n_0: + s_0_0 + s_0_1 = 1\n"
        " n_1: + s_1_0 + s_1_1 = 1\n"
        " r_0_1_0: + e_0_1_0_0 + e_0_1_0_1 - s_0_0 = 0\n"
        " r_0_1_1: + e_0_1_1_0 + e_0_1_1_1 - s_0_1 = 0\n"
        " c_0_1_0: + e_0_1_0_0 + e_0_1_1_0 - s_1_0 = 0\n"
        " c_0_1_1: + e_0_1_0_1 + e_0_1_1_1 - s_1_1 = 0\n"
        " m_1: + 5 s_0_0 + 6 s_0_1 + 7 s_1_0 + 8 s_1_1 <= 12\n"
        "Bounds\n"
        "Binaries\n"
        " s_0_0\n"
        " s_0_1\n"
        " s_1_0\n"
        " s_1_1\n"
        "End\n");
}

}  // namespace problem_files_test

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/detail/reference.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "resharding/check_plan.hpp"
#include "resharding/plan_cost.hpp"
#include "resharding/reference_examples.hpp"
#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::reference_test {
namespace {

const std::map<char, std::vector<MeshAxis>> kMeshes = {
    {'A', {{"a", 2}, {"b", 4}, {"c", 2}}}, {'B', {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}}},
    {'P', {{"p", 4}, {"q", 4}}},           {'H', {{"u", 8}, {"v", 2}}},
    {'K', {{"m", 2}, {"n", 3}}},           {'W', {{"m", 2}, {"n", 3}, {"r", 2}}},
    {'V', {{"s", 6}, {"t", 4}}},
};

struct Example {
  std::string title;
  char mesh = 'A';
  std::vector<int64_t> shape;
  std::string from;
  std::string to;
  std::vector<std::string> steps;
};

Example read_title(const std::string& line) {
  std::istringstream words(line);
  Example example{line, 'A', {}, {}, {}, {}};
  std::string number;
  std::string sizes;
  words >> number >> example.mesh >> sizes;
  std::istringstream dims(sizes);
  for (std::string dim; std::getline(dims, dim, 'x');) example.shape.push_back(std::stoll(dim));
  const std::size_t begin = line.find('<');
  const std::size_t arrow = line.find(" -> ");
  example.from = line.substr(begin, arrow - begin);
  example.to = line.substr(arrow + 4);
  return example;
}

std::vector<Example> examples() {
  std::vector<Example> all;
  std::istringstream lines{std::string(kReferenceExamples)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() == ' ') {
      all.back().steps.push_back(line.substr(2));
    } else {
      all.push_back(read_title(line));
    }
  }
  return all;
}

TEST_CASE("the planner gives the sequences of the worked examples", "[resharding][reference]") {
  const std::vector<Example> all = examples();
  REQUIRE(all.size() == 42);
  for (const Example& example : all) {
    CAPTURE(example.title);
    const MeshTable meshes = mesh_and_reverse(kMeshes.at(example.mesh));
    const TensorSharding from = read_sharding(meshes, example.from);
    const TensorSharding to = read_sharding(meshes, example.to);
    CHECK(step_texts(plan_reshard(example.shape, from, to).value()) == example.steps);
    CHECK(check_plan(example.shape, from, to).empty());
  }
}

struct Counts {
  std::map<int, int> rounds;
  std::map<std::size_t, int> steps;
  int too_large = 0;  // plans with a buffer above those of both ends
  int out_of_order =
      0;  // plans that are not slice, permute, exchanges, gather, each but at most once
};

/// Slices before permutes before exchanges before gathers, and no two of a kind but exchanges.
bool is_in_order(const std::vector<ReshardStep>& steps) {
  const auto place = [](const ReshardStep& step) {
    const std::vector<StepKind> order = {StepKind::AllSlice, StepKind::CollectivePermute,
                                         StepKind::AllToAll, StepKind::AllGather};
    return std::find(order.begin(), order.end(), step.kind) - order.begin();
  };
  for (std::size_t next = 1; next < steps.size(); ++next) {
    const bool repeats = steps[next].kind == steps[next - 1].kind;
    if (repeats && steps[next].kind != StepKind::AllToAll) return false;
    if (place(steps[next]) < place(steps[next - 1])) return false;
  }
  return true;
}

Counts count_sequences(const std::vector<int64_t>& sizes, const std::vector<int64_t>& shape) {
  Counts counts;
  const std::vector<TensorSharding> all = all_shardings(make_mesh(sizes), shape.size(), false);
  for (const TensorSharding& from : all) {
    for (const TensorSharding& to : all) {
      const reference::Sequence sequence = reference::sequence(shape, from, to);
      ++counts.rounds[sequence.rounds];
      ++counts.steps[sequence.steps.size()];
      counts.out_of_order += is_in_order(sequence.steps) ? 0 : 1;
      const int64_t ends = std::max(local_elements(shape, from), local_elements(shape, to));
      counts.too_large += plan_cost(shape, from, sequence.steps).largest_elements > ends ? 1 : 0;
    }
  }
  return counts;
}

using StepCounts = std::map<std::size_t, int>;
using RoundCounts = std::map<int, int>;

// Spec: resharding B.8. Rounds of equal ends, which need none, are counted apart here.
TEST_CASE("one round is enough where all sizes are powers of one prime",
          "[resharding][reference]") {
  const Counts square = count_sequences({2, 2}, {8, 8});
  CHECK(square.steps == StepCounts{{0, 11}, {1, 62}, {2, 44}, {3, 4}});
  CHECK(square.rounds == RoundCounts{{0, 11}, {1, 110}});
  const Counts rank_3 = count_sequences({2, 2}, {8, 8, 8});
  CHECK(rank_3.steps == StepCounts{{0, 19}, {1, 150}, {2, 180}, {3, 12}});
  CHECK(rank_3.rounds == RoundCounts{{0, 19}, {1, 342}});
  const Counts cube = count_sequences({2, 2, 2}, {8, 8});
  CHECK(cube.steps == StepCounts{{0, 49}, {1, 624}, {2, 1248}, {3, 456}, {4, 24}});
  CHECK(cube.rounds == RoundCounts{{0, 49}, {1, 2352}});
  const Counts sub_axes = count_sequences({4, 2}, {8, 8, 8});
  CHECK(sub_axes.steps == StepCounts{{0, 106}, {1, 1770}, {2, 5580}, {3, 3510}, {4, 270}});
  CHECK(sub_axes.rounds == RoundCounts{{0, 106}, {1, 11130}});
  for (const Counts& counts : {square, rank_3, cube, sub_axes}) {
    CHECK(counts.too_large == 0);
    CHECK(counts.out_of_order == 0);
  }
}

TEST_CASE("sizes of several primes take up to three rounds", "[resharding][reference]") {
  const Counts pair = count_sequences({2, 3}, {12, 12});
  CHECK(pair.steps == StepCounts{{0, 11}, {1, 56}, {2, 32}, {3, 22}});
  CHECK(pair.rounds == RoundCounts{{0, 11}, {1, 100}, {2, 10}});
  // The four pairs of three rounds have a step less where one stops after two: 208 of 4, 36 of 5.
  const Counts three = count_sequences({2, 3, 2}, {12, 12});
  CHECK(three.steps == StepCounts{{0, 49}, {1, 528}, {2, 944}, {3, 636}, {4, 204}, {5, 40}});
  CHECK(three.rounds == RoundCounts{{0, 49}, {1, 1976}, {2, 372}, {3, 4}});
  CHECK(count_sequences({2, 3, 5}, {60, 60}).rounds ==
        RoundCounts{{0, 49}, {1, 1770}, {2, 564}, {3, 18}});
  CHECK(count_sequences({4, 3}, {24, 24, 24}).rounds ==
        RoundCounts{{0, 106}, {1, 9032}, {2, 2062}, {3, 36}});
}

// The reference as written leaves dims unfilled here and permutes to other shard counts: 37 pairs,
// in 14 of which a buffer grows.
TEST_CASE("a permutation fills all dims even if no size divides another size",
          "[resharding][reference]") {
  const Counts counts = count_sequences({4, 6}, {48, 48});
  CHECK(counts.rounds == RoundCounts{{0, 261}, {1, 53703}, {2, 13892}, {3, 265}});
  CHECK(counts.too_large == 0);

  const MeshTable meshes = mesh_and_reverse({{"x", 4}, {"y", 6}});
  const TensorSharding from = read_sharding(meshes, R"(<@m, [{"x", "y":(2)3}, {"y":(1)2}]>)");
  const TensorSharding to = read_sharding(meshes, R"(<@m, [{"y":(1)2, "x", "y":(2)3}, {}]>)");
  const std::vector<int64_t> shape = {48, 48};
  CHECK(check_plan(shape, from, to).empty());
}

// Spec: resharding B.4, distribute: what is left of a ref goes to the front.
TEST_CASE("the rest of a split ref is assigned before the next ref", "[resharding][reference]") {
  const MeshTable meshes = mesh_and_reverse({{"p", 8}, {"x", 4}, {"y", 2}});
  const std::vector<int64_t> shape = {8, 8, 8, 8};
  const TensorSharding from = read_sharding(meshes, R"(<@m, [{}, {}, {}, {"p"}]>)");
  const TensorSharding to =
      read_sharding(meshes, R"(<@m, [{"p":(1)2}, {"p":(2)2}, {"p":(4)2}, {"x", "y"}]>)");
  CHECK(step_texts(plan_reshard(shape, from, to).value()) ==
        std::vector<std::string>{
            R"(sdy.all_slice [{"x":(1)2}, {"x":(2)2}, {"y"}, {}] )"
            R"(out_sharding=<@m, [{"x":(1)2}, {"x":(2)2}, {"y"}, {"p"}]>)",
            R"(sdy.collective_permute )"
            R"(out_sharding=<@m, [{"p":(1)2}, {"p":(2)2}, {"p":(4)2}, {"x", "y"}]>)"});
}

TEST_CASE("a gather removes only axes after all refs to move", "[resharding][reference]") {
  const MeshTable meshes = mesh_and_reverse({{"x", 4}, {"y", 6}});
  const TensorSharding from = read_sharding(meshes, R"(<@m, [{"x"}, {"y":(2)3, "y":(1)2}]>)");
  const TensorSharding to = read_sharding(meshes, R"(<@m, [{"y":(2)3}, {"x":(1)2}]>)");
  const std::vector<int64_t> shape = {24, 24};
  CHECK(reference::sequence(shape, from, to).rounds <= 3);
  CHECK(check_plan(shape, from, to).empty());
}

}  // namespace
}  // namespace shardy::testing::reference_test

// The worked examples for windows, with their values and the bytes that they send. Spec:
// partitioning 7.3, 7.5.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;

namespace window_examples_test {
namespace {

std::vector<int64_t> counted(int64_t count) {
  std::vector<int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

/// A convolution of vectors.
struct Example {
  int64_t devices = 2;
  std::vector<int64_t> x;
  std::vector<int64_t> kernel;
  partitioning::Window window = {};  // the window, with the sizes of the vectors
  bool shards_taps = false;
};

std::string text_of(Example example) {
  partitioning::Window& window = example.window;
  window.base = std::ssize(example.x);
  window.size = std::ssize(example.kernel);
  const std::string windows = example.shards_taps ? "" : "\"x\"";
  const std::string taps = example.shards_taps ? "\"x\"" : "";
  const TestDims lhs = {{1}, {window.base, "\"x\""}, {1}};
  const TestDims rhs = {{window.size, taps}, {1}, {1}};
  const TestDims out = {{1}, {window.count(), windows}, {1}};
  return mesh_text(example.devices) + "func.func @main(%x: " + value_text(lhs) +
         ", %k: " + value_text(rhs) + ") -> (" + value_text(out) +
         ") {\n  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
         "window = {stride = [" +
         std::to_string(window.stride) + "], pad = [[" + list({window.low, window.high}) +
         "]], lhs_dilate = [" + std::to_string(window.base_dilation) + "], rhs_dilate = [" +
         std::to_string(window.window_dilation) +
         "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" + type_text(lhs) +
         ", " + type_text(rhs) + ") -> " + type_text(out) + "\n  return %0 : " + type_text(out) +
         "\n}\n";
}

void check_example(const Example& example, const std::vector<int64_t>& expected, const Sent& sent) {
  const simulation::Tensors inputs = {shaped(example.x, {1, std::ssize(example.x), 1}),
                                      shaped(example.kernel, {std::ssize(example.kernel), 1, 1})};
  const checking::CheckReport report = run_checked(text_of(example), &inputs);
  CHECK(report.sharded.outputs.front() == shaped(expected, {1, std::ssize(expected), 1}));
  CHECK(to_text(most_sent(report)) == to_text(sent));
}

}  // namespace

// Spec: partitioning 7.3, 7.5.
TEST_CASE("examples of windows give the listed values", "[checking][windows]") {
  SECTION("E1: a halo that differs from shard to shard: 2 elements up, 3 down") {
    check_example({.devices = 4,
                   .x = counted(12),
                   .kernel = {1, 1, 1, 1, 1},
                   .window = {{.low = 3, .high = 5}, 0}},
                  {3, 6, 10, 15, 20, 25, 30, 35, 40, 45, 50, 42, 33, 23, 12, 0},
                  {{kPermute, {2, 5 * 4}}});
  }
  SECTION("E2: base dilation, one phase") {
    check_example({.x = counted(4),
                   .kernel = {1, 1, 1},
                   .window = {{.base_dilation = 2, .low = 1, .high = 2}, 0}},
                  {1, 3, 2, 5, 3, 7, 4, 4}, {{kPermute, {1, 4}}});
  }
  SECTION("E3: two phases, windows are sliced") {
    check_example({.x = counted(4), .kernel = {1, 1, 1}, .window = {{.base_dilation = 3}, 0}},
                  {1, 2, 2, 2, 3, 3, 3, 4}, {});
  }
  SECTION("E4: two phases and a stride") {
    check_example({.x = counted(4),
                   .kernel = {1, 1, 1, 1, 1},
                   .window = {{.stride = 2, .base_dilation = 3, .low = 1}, 0}},
                  // One element from each side is half of all elements, so one gather brings them.
                  {3, 2, 5, 7}, {{kAllGather, {1, 8}}});
  }
  SECTION("7.5: taps are sharded") {
    check_example({.x = counted(8),
                   .kernel = {1, 10, 100, 1000},
                   .window = {{.window_dilation = 2, .low = 1}, 0},
                   .shards_taps = true},
                  {6420, 7531, 8642}, {{kPermute, {1, 4}}, {kAllReduce, {1, 12}}});
  }
}

}  // namespace window_examples_test

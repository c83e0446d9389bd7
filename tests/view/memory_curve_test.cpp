// The curve of live memory has the peak of the report, and the values that are live there.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "view/document_parts.hpp"
#include "view/viewed_program.hpp"

namespace shardy_test::memory_curve_test {
namespace {

using namespace shardy;

/// Bytes of the values that are live at a point.
std::vector<int64_t> live_at(const ir::Module& program, const view::MemoryCurve& curve,
                             int64_t point) {
  std::vector<int64_t> bytes;
  for (const view::LiveRange& range : curve.ranges) {
    const bool is_live = range.first <= point && point <= range.last;
    if (is_live) bytes.push_back(program.type(range.value).num_bytes());
  }
  std::ranges::sort(bytes, std::greater<>());
  return bytes;
}

void check_curve(const ir::Module& program) {
  const view::MemoryCurve curve = view::memory_curve(program);
  const report::MemoryPeak peak = report::memory_peak(program);
  int64_t most = 0;
  for (const view::MemoryPoint& point : curve.points) most = std::max(most, point.bytes);
  CHECK(most == peak.bytes);
  if (curve.points.empty()) return;
  CHECK(curve.points[curve.peak()].bytes == most);
  for (std::size_t point = 0; point < curve.points.size(); ++point) {
    int64_t sum = 0;
    for (const int64_t bytes : live_at(program, curve, static_cast<int64_t>(point))) sum += bytes;
    CHECK(sum == curve.points[point].bytes);
  }
  // The report lists the values at its peak; the curve has the same sizes at one of its highest
  // points.
  std::vector<int64_t> listed;
  for (const report::LiveValue& value : peak.live) listed.push_back(value.bytes);
  bool is_there = false;
  for (std::size_t point = 0; point < curve.points.size(); ++point) {
    is_there = is_there || (curve.points[point].bytes == most &&
                            live_at(program, curve, static_cast<int64_t>(point)) == listed);
  }
  CHECK(is_there);
}

TEST_CASE("the memory curve of a random program has the peak of its report", "[memory][random]") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const checking::RandomProgramOptions options{.max_ops = 16,
                                                 .max_depth = static_cast<int64_t>(seed % 3),
                                                 .barriers = seed % 5 == 0,
                                                 .collectives = seed % 4 == 0};
    const ir::Module module = checking::random_program(seed, options).module;
    const auto compiled = report::compile_for_report(module);
    if (!compiled) continue;
    INFO("seed " << seed << "\n" << text::to_mlir(compiled->program));
    check_curve(compiled->program);
  }
}

TEST_CASE("the memory curve of each example has the peak of its report", "[memory]") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SHARDY_ROOT "/examples")) {
    const std::string path = entry.path().string();
    const bool is_json = path.ends_with(".json");
    if (!is_json && !path.ends_with(".mlir")) continue;
    const std::string text = shardy_test::read_text(path);
    const auto module = is_json ? text::parse_json(text) : text::parse_mlir(text);
    if (!module) continue;
    const auto compiled = report::compile_for_report(*module);
    if (!compiled) continue;
    INFO(path);
    check_curve(compiled->program);
    ++count;
  }
  CHECK(count > 10);
}

TEST_CASE("carried values of a loop stay live, and captured values live to its end", "[memory]") {
  const auto module = text::parse_mlir(R"(
    func.func @main(%a: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
       cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %y = stablehlo.add %x, %w : tensor<4xf32>
        stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    })");
  REQUIRE(module);
  check_curve(*module);
  const view::MemoryCurve curve = view::memory_curve(*module);
  REQUIRE(curve.points.size() == 7);  // start, zero, n, c, one, j, y
  CHECK(curve.points[0].bytes == 32);
  CHECK(curve.points[6].bytes == 16 + 16 + 16 + 4);  // %w, %x, %y, %j
}

}  // namespace
}  // namespace shardy_test::memory_curve_test

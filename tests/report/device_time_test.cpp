// The modelled time of a device by its parts, against figures computed by hand.
#include <cmath>
#include <limits>
#include <string>

#include "report/program_analysis.hpp"
#include "shardy/report/report.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using report::DeviceRates;
using report::DeviceTime;

namespace {

/// Equal up to the rounding of sums.
bool is_near(double value, double expected) {
  return std::abs(value - expected) <= 1e-12 * std::abs(expected);
}

checking::CompiledProgram compiled(const std::string& body) {
  const auto module = text::parse_mlir("sdy.mesh @mesh = <[\"a\"=4]>\n" + body);
  REQUIRE(module.has_value());
  auto program = report::compile_for_report(*module);
  REQUIRE(program.has_value());
  return *std::move(program);
}

/// The weight is gathered for the dot, whose result is gathered, too; the gradient is reduced
/// before the update.
constexpr const char* kStep = R"(
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %g: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %c = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<8x4xf32>
  %y = stablehlo.dot %x, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %d = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %u = stablehlo.negate %d : tensor<8x4xf32>
  return %y, %u : tensor<16x4xf32>, tensor<8x4xf32>
})";

}  // namespace

TEST_CASE("device time with default rates equals the time of the report", "[device_time]") {
  const auto program = compiled(kStep);
  const DeviceTime time = report::device_time(program, {}, {});
  const report::Cost cost = report::cost_of(report::make_report(program));
  CHECK(is_near(time.total(), report::modelled_seconds(cost, 100e12)));
  CHECK(is_near(time.collectives, cost.seconds));
  CHECK(time.hidden == 0);
  CHECK(time.memory == 0);
}

TEST_CASE("the time of an op is the longer of its arithmetic and memory time", "[device_time]") {
  const auto program = compiled(kStep);
  // Bytes that a device reads and writes, all local: the first dot 128 + 128 + 64, the second
  // 128 + 64 + 128, the negation 128 + 128.
  const double rate = 1e9;
  const DeviceTime slow = report::device_time(program, {}, {.memory_bytes_per_second = rate});
  CHECK(is_near(slow.memory + slow.operations, (320 + 320 + 256) / rate));
  // Operations take longer than memory for the dots: 256 each against 320 bytes. The negation has
  // 32 operations and 256 bytes.
  const DeviceTime mixed = report::device_time(
      program, {}, {.operations_per_second = 1e9, .memory_bytes_per_second = 2e9});
  CHECK(is_near(mixed.operations, (256 + 256 + 32) / 1e9));
  CHECK(is_near(mixed.memory, 256 / 2e9 - 32 / 1e9));
}

TEST_CASE("collectives of weights and gradients overlap with compute", "[device_time]") {
  const auto program = compiled(kStep);
  const DeviceTime half = report::device_time(program, {}, {.hidden_share = 0.5});
  const DeviceTime all = report::device_time(program, {}, {.hidden_share = 1});
  CHECK(is_near(all.hidden, 2 * half.hidden));
  // Gathers of 32-byte shards of the weight to 3 others and the sum of 128 bytes; the gather of
  // the result is read by the function result alone.
  CHECK(is_near(all.hidden, all.collectives));
  CHECK(is_near(all.total(), all.operations));
}

TEST_CASE("collectives between dependent compute ops do not overlap", "[device_time]") {
  const auto program = compiled(R"(
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %y = stablehlo.dot %x, %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %v = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<8x8xf32>
  %z = stablehlo.dot %y, %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %z : tensor<16x8xf32>
})");
  const DeviceTime time = report::device_time(program, {}, {.hidden_share = 1});
  double gathers = 0;
  double reductions = 0;
  for (const report::Collective& row : report::make_report(program).collectives) {
    (row.kind == "spmd.all_gather" ? gathers : reductions) += row.seconds;
  }
  CHECK(gathers > 0);
  CHECK(reductions > 0);
  CHECK(is_near(time.hidden, gathers));
}

TEST_CASE("a barrier allows overlap only for collectives of the weights that it takes",
          "[device_time]") {
  const auto program = compiled(R"(
func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
        tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %y = stablehlo.tanh %x : tensor<16x8xf32>
  %b:2 = stablehlo.optimization_barrier %y, %w : tensor<16x8xf32>, tensor<8x8xf32>
  %v = sdy.sharding_constraint %b#1 <@mesh, [{}, {}]> : tensor<8x8xf32>
  %u = sdy.sharding_constraint %b#0 <@mesh, [{}, {}]> : tensor<16x8xf32>
  %z = stablehlo.dot %y, %v : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %t = stablehlo.dot_general %y, %u, contracting_dims = [1] x [1] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
  return %z, %t : tensor<16x8xf32>, tensor<16x16xf32>
})");
  const DeviceTime time = report::device_time(program, {}, {.hidden_share = 1});
  // Gathers of 64-byte shards of %w, and of 128-byte shards of %y, to 3 others at 100 GB/s.
  CHECK(is_near(time.collectives, 3 * (64 + 128) / 1e11));
  CHECK(is_near(time.hidden, 3 * 64 / 1e11));
}

TEST_CASE("rates out of range are errors", "[device_time]") {
  const auto message = [](const DeviceRates& rates) {
    const Status status = report::check_rates(rates);
    return status ? std::string() : status.error().message;
  };
  CHECK(message({}).empty());
  CHECK(message({.operations_per_second = 0}).starts_with("operations per second: "));
  CHECK(message({.memory_bytes_per_second = 0.5}).starts_with("memory bytes per second: "));
  CHECK(message({.memory_bytes_per_second = std::numeric_limits<double>::infinity()})
            .starts_with("memory bytes per second: "));
  CHECK(message({.hidden_share = 1.5}).starts_with("hidden share: "));
  CHECK(message({.hidden_share = -0.5}).starts_with("hidden share: "));
}

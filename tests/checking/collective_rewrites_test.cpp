// Rewrites of collectives must not change results, and must not add bytes sent or held. Spec:
// resharding C.8.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/collective_programs.hpp"
#include "checking/poisoned_run.hpp"
#include "checking/programs.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::CompileOptions;
using passes::CollectiveRewrite;
using shardy_test::CollectiveProgram;
using shardy_test::Load;
using shardy_test::load_of;
using shardy_test::run;
using shardy_test::text_of;

namespace collective_rewrites_test {
namespace {

/// Number of programs in which each rule must fit. SHARDY_REWRITE_CASES overrides the number.
int64_t num_cases() {
  const char* text = std::getenv("SHARDY_REWRITE_CASES");
  return text != nullptr ? std::strtoll(text, nullptr, 10) : 20;
}

ir::Module partitioned(const ir::Module& collectives) {
  auto result = partitioning::partition(
      collectives, {.io_padding = partitioning::IoPadding::Padded, .halo = {}});
  INFO((result ? std::string() : text_of(result.error())));
  REQUIRE(result.has_value());
  const Diagnostics wrong = ir::verify(result->module);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  return std::move(result->module);
}

CompileOptions without_rewrites() {
  CompileOptions options;
  options.collectives.rules = std::vector<std::string>();
  return options;
}

/// Returns the program after one rule is applied at each place that it fits, even if the rule does
/// not pay.
std::vector<CollectiveRewrite> rewrite(const std::string& rule, ir::Module& collectives,
                                       ir::Module& program) {
  if (rule == checking::kCombineReductions) {
    program = partitioned(collectives);
    return partitioning::combine_reductions(program, int64_t{1} << 16);
  }
  auto rewrites = passes::optimize_collectives(collectives, {.rules = {rule}});
  REQUIRE(rewrites.has_value());
  if (rewrites->empty()) return {};
  const Diagnostics wrong = ir::verify(collectives);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  program = partitioned(collectives);
  return *std::move(rewrites);
}

struct Sent {
  int64_t before = 0;
  int64_t after = 0;
};

/// Compares the bytes sent without the rule and with it, if the rule fits somewhere in the program.
/// The rule must not change results.
std::optional<Sent> check_rule(const std::string& rule, uint64_t seed) {
  const CollectiveProgram random(seed);
  auto compiled = checking::compile(random.module(), without_rewrites());
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  INFO(text::to_mlir(compiled->collectives));
  ir::Module collectives = compiled->collectives;
  ir::Module program;
  const std::vector<CollectiveRewrite> rewrites = rewrite(rule, collectives, program);
  if (rewrites.empty()) return std::nullopt;
  INFO(text::to_mlir(collectives));
  for (const CollectiveRewrite& each : rewrites) {
    REQUIRE(each.rule == rule);
    REQUIRE(each.bytes_after <= each.bytes_before);
    REQUIRE(each.messages_after <= each.messages_before);
    REQUIRE((each.bytes_after < each.bytes_before || each.messages_after < each.messages_before));
  }
  const simulation::Tensors inputs = shardy_test::small_integers(random.module(), seed);
  const auto wanted = run(random.module(), inputs);
  const auto before = run(compiled->program, inputs);
  const auto after = run(program, inputs);
  REQUIRE(before.outputs == wanted.outputs);
  REQUIRE(after.outputs == wanted.outputs);
  return Sent{load_of(before).bytes_sent, load_of(after).bytes_sent};
}

void check_rule(const std::string& rule) {
  const int64_t wanted = num_cases();
  int64_t fitted = 0;
  int64_t worse = 0;
  Sent all;
  for (uint64_t seed = 1; fitted < wanted; ++seed) {
    CAPTURE(rule, seed);
    REQUIRE(seed < static_cast<uint64_t>(1000 * wanted));
    const auto sent = check_rule(rule, seed);
    if (!sent) continue;
    ++fitted;
    worse += sent->after > sent->before ? 1 : 0;
    all.before += sent->before;
    all.after += sent->after;
  }
  // Partitioning may have shared a part of the ops that the rule rewrites. Whole programs are
  // compared below.
  CHECK(worse <= wanted / 100);
  CHECK(all.after <= all.before);
}

}  // namespace

TEST_CASE("rewrite join-collectives keeps all values", "[rewrites][differential]") {
  check_rule("join-collectives");
}

TEST_CASE("rewrite hoist-slices keeps all values", "[rewrites][differential]") {
  check_rule("hoist-slices");
}

TEST_CASE("rewrite sink-collectives keeps all values", "[rewrites][differential]") {
  check_rule("sink-collectives");
}

TEST_CASE("rewrite sink-reductions keeps all values", "[rewrites][differential]") {
  check_rule("sink-reductions");
}

TEST_CASE("rewrite convert-later keeps all values", "[rewrites][differential]") {
  check_rule("convert-later");
}

TEST_CASE("rewrite reassociate-reductions keeps all values", "[rewrites][differential]") {
  check_rule("reassociate-reductions");
}

TEST_CASE("rewrite reuse-reshard-prefix keeps all values", "[rewrites][differential]") {
  check_rule("reuse-reshard-prefix");
}

TEST_CASE("combining all-reduces into one op keeps all values", "[rewrites][differential]") {
  check_rule(std::string(checking::kCombineReductions));
}

TEST_CASE("rewrites never increase the traffic of a program, nor its memory if it must not grow",
          "[rewrites][differential]") {
  CompileOptions no_growth;
  no_growth.collectives.device_bytes = 0;
  int64_t rewritten = 0;
  for (uint64_t seed = 1; rewritten < 2 * num_cases(); ++seed) {
    CAPTURE(seed);
    const CollectiveProgram random(seed);
    const auto plain = checking::compile(random.module(), without_rewrites());
    const auto best = checking::compile(random.module(), no_growth);
    const auto free = checking::compile(random.module());
    INFO((best ? std::string() : text_of(best.error())));
    REQUIRE(plain.has_value());
    REQUIRE(best.has_value());
    REQUIRE(free.has_value());
    CHECK(partitioning::program_cost(free->program).bytes_sent <=
          partitioning::program_cost(best->program).bytes_sent);
    if (best->rewrites.empty()) {
      REQUIRE(text::to_mlir(best->program) == text::to_mlir(plain->program));
      continue;
    }
    ++rewritten;
    const simulation::Tensors inputs = shardy_test::small_integers(random.module(), seed);
    const auto wanted = run(random.module(), inputs);
    const auto before = run(plain->program, inputs);
    const auto after = run(best->program, inputs);
    REQUIRE(after.outputs == wanted.outputs);
    const Load most = load_of(before);
    const Load load = load_of(after);
    CHECK(load.bytes_sent <= most.bytes_sent);
    const bool sends_less = partitioning::program_cost(best->program).bytes_sent <
                            partitioning::program_cost(plain->program).bytes_sent;
    const bool holds_no_more = load.peak_bytes <= most.peak_bytes;
    CHECK((holds_no_more || (sends_less && partitioning::fused_peak_bytes(best->program) <=
                                               partitioning::fused_peak_bytes(plain->program))));
  }
}

// Rewrites three paths. One path begins at the end of another, and the third ends after it.
TEST_CASE("a reshard path may begin at the end of another path", "[rewrites]") {
  const checking::RandomProgram random =
      checking::random_program(500549, {.max_dim = 6, .max_depth = 1, .collectives = true});
  const auto compiled = checking::compile(random.module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  const auto wanted = run(random.module, random.inputs);
  CHECK(run(compiled->program, random.inputs).outputs == wanted.outputs);
}

TEST_CASE("the cost computed from the text of a program equals the cost of its run", "[rewrites]") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const CollectiveProgram random(seed);
    const auto compiled = checking::compile(random.module());
    REQUIRE(compiled.has_value());
    INFO(text::to_mlir(compiled->program));
    const auto result = run(compiled->program, shardy_test::small_integers(random.module(), seed));
    const partitioning::ProgramCost cost = partitioning::program_cost(compiled->program);
    CHECK(cost.peak_bytes == load_of(result).peak_bytes);
    CHECK(cost.bytes_sent >= load_of(result).bytes_sent);  // some permutes move nothing
  }
}

// ---- Traffic of whole programs ------------------------------------------------------------------

namespace {

/// Returns the traffic of a program that is given as text. Checks that its results equal those of
/// the unsharded program.
int64_t bytes_of_equal_run(const std::string& text) {
  INFO(text);
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  INFO(text::to_mlir(compiled->program));
  REQUIRE(ir::verify(compiled->program).empty());
  const simulation::Tensors inputs = shardy_test::small_integers(*module, 7);
  CHECK(run(compiled->program, inputs).outputs == run(*module, inputs).outputs);
  return partitioning::program_cost(compiled->program).bytes_sent;
}

/// A product of 24 by 24 numbers that is partial along the axis and is used under two shardings.
std::string partial_with_two_users(int64_t devices, const std::string& first,
                                   const std::string& second) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" + R"(
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [)" +
         first + R"(]>}, tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [)" + second +
         R"(]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
    : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [)" +
         first + R"(]> : tensor<24x24xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [)" +
         second + R"(]> : tensor<24x24xf32>
  return %1, %2 : tensor<24x24xf32>, tensor<24x24xf32>
})";
}

/// Looks up 6 rows of a product of 24 by 24 numbers that is partial along the axis. `between` makes
/// the table %1 of the product %0; `indices` and `result` are shardings.
std::string rows_of_partial(int64_t devices, const std::string& between, const std::string& indices,
                            const std::string& result) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" + R"(
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %i: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [)" +
         indices + R"(]>}) -> (tensor<6x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [)" + result +
         R"(]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %1 = )" +
         between + R"( : tensor<24x24xf32>
  %2 = "stablehlo.gather"(%1, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    indices_are_sorted = false, slice_sizes = array<i64: 1, 24>}>
    : (tensor<24x24xf32>, tensor<6x1xi32>) -> tensor<6x24xf32>
  return %2 : tensor<6x24xf32>
})";
}

/// Writes 24 updates, which are partial along the axis, at the rows of an index vector. `unique`:
/// whether the indices are distinct.
std::string written_partial(int64_t devices, const std::string& unique) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" + R"(
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %one = stablehlo.constant dense<1.0> : tensor<24x24xf32>
  %n = stablehlo.iota dim = 0 : tensor<24x1xi32>
  %m = stablehlo.constant dense<23> : tensor<24x1xi32>
  %i = stablehlo.subtract %m, %n : tensor<24x1xi32>
  %1 = "stablehlo.scatter"(%one, %i, %0) <{indices_are_sorted = false,
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    unique_indices = )" +
         unique + R"(}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %d : tensor<f32>
  }) : (tensor<24x24xf32>, tensor<24x1xi32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  return %1 : tensor<24x24xf32>
})";
}

/// Sums the rows of a product of 24 by 24 numbers that is partial along the axis and sharded by
/// rows.
std::string summed_partial(int64_t devices) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" + R"(
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<24xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<24x24xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<24x24xf32>, tensor<f32>) -> tensor<24xf32>
  return %2 : tensor<24xf32>
})";
}

/// 12 by 12 by 12 numbers whose axes move from two dims to the third.
std::string moved_to_one_dim(int64_t x, int64_t y) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(x) + ", \"y\"=" + std::to_string(y) + "]>\n" +
         R"(
func.func @main(%a: tensor<12x12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>})
    -> (tensor<12x12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
  %0 = stablehlo.negate %a : tensor<12x12x12xf32>
  return %0 : tensor<12x12x12xf32>
})";
}

}  // namespace

TEST_CASE("a partial value is reduced once for all of its users", "[rewrites][traffic]") {
  constexpr int64_t kBytes = 24 * 24 * 4;
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    CAPTURE(devices);
    const int64_t scatter = kBytes * (devices - 1) / devices;
    const std::string rows = R"({"x"}, {})";
    const std::string columns = R"({}, {"x"})";
    // The path is a reduce-scatter and a gather of its result.
    CHECK(bytes_of_equal_run(partial_with_two_users(devices, rows, "{}, {}")) == 2 * scatter);
    CHECK(bytes_of_equal_run(partial_with_two_users(devices, "{}, {}", columns)) == 2 * scatter);
    // The path is a reduce-scatter and an all-to-all of its result.
    CHECK(bytes_of_equal_run(partial_with_two_users(devices, rows, columns)) ==
          scatter + scatter / devices);
  }
}

TEST_CASE("a sum over devices sinks below lookups and writes of its rows", "[rewrites][traffic]") {
  constexpr int64_t kTable = 24 * 24 * 4;
  constexpr int64_t kFound = 6 * 24 * 4;
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    CAPTURE(devices);
    const auto scattered = [&](int64_t bytes) { return bytes * (devices - 1) / devices; };
    // A linear op is between the product and the lookup.
    const std::string twice = "stablehlo.add %0, %0";
    CHECK(bytes_of_equal_run(rows_of_partial(devices, twice, "{}, {}", "{}, {}")) ==
          2 * scattered(kFound));
    // The columns of the rows are needed sharded.
    CHECK(bytes_of_equal_run(rows_of_partial(devices, twice, "{}, {}", R"({}, {"x"})")) ==
          scattered(kFound));
    // An op that is not linear needs the sum.
    CHECK(bytes_of_equal_run(rows_of_partial(devices, "stablehlo.abs %0", "{}, {}", "{}, {}")) >=
          scattered(kTable));
    // The rows are scattered before they are summed over the same devices.
    CHECK(bytes_of_equal_run(summed_partial(devices)) == 2 * scattered(24 * 4));
    CHECK(bytes_of_equal_run(written_partial(devices, "true")) == scattered(kTable));
    // If two updates have one index, devices may keep different ones.
    CHECK(bytes_of_equal_run(written_partial(devices, "false")) == 2 * scattered(kTable));
  }
}

namespace {

/// Weights of `rows` by `columns` narrow elements. The weights are converted, shifted and scaled,
/// and then multiplied as a whole.
std::string narrow_weights(int64_t devices, int64_t rows, int64_t columns,
                           const std::string& narrow) {
  const std::string m = std::to_string(rows);
  const std::string n = std::to_string(columns);
  const std::string wide = "tensor<" + m + "x" + n + "xf32>";
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" +
         "func.func @main(%a: tensor<240x" + m +
         "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %w: tensor<" + m + "x" + n +
         "x" + narrow + "> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %s: tensor<" + n +
         "xf32>) -> (tensor<240x" + n +
         "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})" +
         " {\n  %0 = stablehlo.convert %w : (tensor<" + m + "x" + n + "x" + narrow + ">) -> " +
         wide + "\n  %one = stablehlo.constant dense<1.0> : " + wide +
         "\n  %1 = stablehlo.subtract %0, %one : " + wide +
         "\n  %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<" + n + "xf32>) -> " + wide +
         "\n  %3 = stablehlo.multiply %1, %2 : " + wide +
         "\n  %4 = stablehlo.dot_general %a, %3, contracting_dims = [1] x [0] : (tensor<240x" + m +
         "xf32>, " + wide + ") -> tensor<240x" + n + "xf32>\n  return %4 : tensor<240x" + n +
         "xf32>\n}\n";
}

}  // namespace

TEST_CASE("narrow weights are sent before they are converted to a wider type",
          "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t rows : {24, 25, 30}) {
      CAPTURE(devices, rows);
      const int64_t sent = ceil_div(rows, devices) * 16 * (devices - 1);
      const int64_t narrow = bytes_of_equal_run(narrow_weights(devices, rows, 16, "i8"));
      const int64_t two_bytes = bytes_of_equal_run(narrow_weights(devices, rows, 16, "ui16"));
      CHECK(two_bytes == 2 * narrow);
      CHECK(narrow <= sent);  // devices that hold less than a block may send less
      if (rows % devices == 0) CHECK(narrow == sent);
    }
  }
}

TEST_CASE("a fused elementwise value with only elementwise users takes no memory",
          "[rewrites][memory]") {
  const auto module = text::parse_mlir(R"(
func.func @main(%w: tensor<64xi8>, %s: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>) {
  %0 = stablehlo.convert %w : (tensor<64xi8>) -> tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  %2 = stablehlo.abs %0 : tensor<64xf32>
  %3 = stablehlo.add %1, %2 : tensor<64xf32>
  %4 = stablehlo.reshape %3 : (tensor<64xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.multiply %4, %5 : tensor<8x8xf32>
  return %6, %3 : tensor<8x8xf32>, tensor<64xf32>
})");
  REQUIRE(module.has_value());
  // The values are %3, %4, %5 and %6.
  CHECK(partitioning::program_cost(*module).peak_bytes == 4 * 256);
  // The values are %s, %3, %4 and %6. The elements of %5 are those of %s.
  CHECK(partitioning::fused_peak_bytes(*module) == 32 + 3 * 256);
}

TEST_CASE("operands of fused ops live until the last user of the fused op", "[rewrites][memory]") {
  const auto module = text::parse_mlir(R"(
func.func @main(%w: tensor<64xi8>) -> tensor<64xf32> {
  %0 = stablehlo.convert %w : (tensor<64xi8>) -> tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  %2 = stablehlo.add %1, %0 : tensor<64xf32>
  return %2 : tensor<64xf32>
})");
  REQUIRE(module.has_value());
  CHECK(partitioning::program_cost(*module).peak_bytes == 3 * 256);  // %0, %1 and %2
  CHECK(partitioning::fused_peak_bytes(*module) == 64 + 256);        // %w and %2
}

namespace {

/// GShard's dispatch and combine as products with masks. The operands are sharded by groups, and
/// the result is needed sharded by experts.
std::string dispatch_and_combine(int64_t devices, int64_t groups, int64_t experts) {
  const std::string g = std::to_string(groups);
  const std::string e = std::to_string(experts);
  const std::string mask = "tensor<" + g + "x6x" + e + "x4xf32>";
  const std::string tokens = "tensor<" + g + "x6x16xf32>";
  const std::string sent = "tensor<" + e + "x" + g + "x4x16xf32>";
  const std::string by_group = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, {}";
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n" +
         "func.func @main(%m: " + mask + by_group + ", {}]>}, %x: " + tokens + by_group +
         "]>}) -> (" + tokens + by_group + "]>}) {\n" +
         "  %0 = stablehlo.dot_general %m, %x, batching_dims = [0] x [0], contracting_dims = [1] x "
         "[1] : (" +
         mask + ", " + tokens + ") -> tensor<" + g + "x" + e + "x4x16xf32>\n" +
         "  %1 = stablehlo.transpose %0, dims = [1, 0, 2, 3] : (tensor<" + g + "x" + e +
         "x4x16xf32>) -> " + sent + "\n" +
         "  %2 = sdy.sharding_constraint %1 <@mesh, [{\"x\"}, {}, {}, {}]> : " + sent + "\n" +
         "  %3 = stablehlo.multiply %2, %2 : " + sent + "\n" +
         "  %4 = sdy.sharding_constraint %3 <@mesh, [{\"x\"}, {}, {}, {}]> : " + sent + "\n" +
         "  %5 = stablehlo.dot_general %m, %4, batching_dims = [0] x [1], contracting_dims = [2, "
         "3] x [0, 2] : (" +
         mask + ", " + sent + ") -> " + tokens + "\n  return %5 : " + tokens + "\n}\n";
}

}  // namespace

TEST_CASE("tokens are exchanged between experts, not gathered", "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t per_device : {1, 2}) {
      CAPTURE(devices, per_device);
      const int64_t count = devices * per_device;
      // A device sends its groups of tokens there and back, without the part for its own experts.
      const int64_t held = per_device * count * 4 * 16 * 4;
      const int64_t sent = bytes_of_equal_run(dispatch_and_combine(devices, count, count));
      CHECK(sent <= 2 * held * (devices - 1) / devices);
      if (per_device == 1) CHECK(sent == 2 * held * (devices - 1) / devices);
    }
  }
}

TEST_CASE("least-cost common axes are taken only if they reduce traffic", "[rewrites][traffic]") {
  const auto compiled = [](const std::string& text, std::optional<std::string> rule) {
    CompileOptions options;
    if (rule) options.collectives.rules = std::vector<std::string>{*rule};
    auto module = text::parse_mlir(text);
    REQUIRE(module.has_value());
    auto program = checking::compile(*module, options);
    REQUIRE(program.has_value());
    return *std::move(program);
  };
  const auto sent = [](const checking::CompiledProgram& program) {
    return partitioning::program_cost(program.program).bytes_sent;
  };
  const std::string uneven = dispatch_and_combine(4, 6, 5);
  const std::string even = dispatch_and_combine(4, 4, 4);
  for (const std::string& text : {uneven, even}) {
    const auto best = compiled(text, "best-common-axes");
    const auto reference = compiled(text, "combine-reductions");
    CHECK(sent(best) <= sent(reference));
    const bool is_other = sent(best) < sent(reference);
    CHECK(std::ranges::any_of(best.rewrites, [](const CollectiveRewrite& each) {
            return each.rule == "best-common-axes" && each.op == "stablehlo.dot_general" &&
                   each.bytes_after < each.bytes_before;
          }) == is_other);
  }
  CHECK(sent(compiled(even, "best-common-axes")) < sent(compiled(even, "combine-reductions")));
  CHECK(sent(compiled(even, std::nullopt)) == sent(compiled(even, "best-common-axes")));
}

TEST_CASE("least-cost common axes make no program slower where messages have latency",
          "[rewrites][traffic]") {
  CompileOptions best;
  best.pipeline.exporting.resharding.axis_costs = "*=full:100GB/s:1ms";
  CompileOptions without = best;
  without.collectives.rules = checking::all_collective_rules();
  std::erase(*without.collectives.rules, "best-common-axes");
  const CostModel model = parse_cost_model("*=full:100GB/s:1ms").value();
  int64_t programs = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const ir::Module module = checking::random_program(seed, {.max_dim = 8}).module;
    const auto chosen = checking::compile(module, best);
    const auto plain = checking::compile(module, without);
    if (!chosen || !plain) continue;
    ++programs;
    const double seconds = partitioning::program_cost(chosen->program, model).seconds;
    INFO("seed " << seed);
    CHECK(seconds <= partitioning::program_cost(plain->program, model).seconds);
  }
  CHECK(programs > 300);
}

namespace {

/// Returns the bytes that a device sends with this choice of common axes; std::nullopt if the
/// program cannot be partitioned.
std::optional<int64_t> bytes_with_axes(const ir::Module& module, PlanKind axes, bool rewrites) {
  CompileOptions options = rewrites ? CompileOptions() : without_rewrites();
  options.pipeline.exporting.resharding.common_axes = axes;
  const auto compiled = checking::compile(module, options);
  if (!compiled) return std::nullopt;
  return partitioning::program_cost(compiled->program, CostModel()).bytes_sent;
}

/// Returns the options of the random program of a seed.
checking::RandomProgramOptions options_of(uint64_t seed) {
  constexpr uint64_t kKinds = 4;
  switch (seed % kKinds) {
    case 0:
      return {.max_dim = 8};
    case 1:
      return {.max_dim = 8, .max_depth = 2};
    case 2:
      return {.max_dim = 24, .max_depth = 1, .indexed = true};
    default:
      return {.max_dim = 8, .windows = true, .whole_dims = true};
  }
}

}  // namespace

// SHARDY_REWRITE_CASES=2000 compares 20,000 programs. In the first three programs, the cheapest
// axes of each op send more in total than those of the reference.
TEST_CASE("least-cost common axes never send more than those of the reference",
          "[rewrites][traffic]") {
  std::vector<uint64_t> seeds = {330, 558, 1145};
  for (int64_t seed = 1; seed <= 10 * num_cases(); ++seed) {
    seeds.push_back(static_cast<uint64_t>(seed));
  }
  for (const uint64_t seed : seeds) {
    const ir::Module module = checking::random_program(seed, options_of(seed)).module;
    for (const bool rewrites : {true, false}) {
      CAPTURE(seed, rewrites);
      const auto reference = bytes_with_axes(module, PlanKind::Reference, rewrites);
      const auto best = bytes_with_axes(module, PlanKind::Best, rewrites);
      CHECK(best.has_value() == reference.has_value());
      if (best && reference) CHECK(*best <= *reference);
    }
  }
}

namespace {

/// A product whose result is needed with its axes swapped.
std::string swapped_product(int64_t x, int64_t y) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(x) + ", \"y\"=" + std::to_string(y) + "]>\n" +
         R"(
func.func @main(%a: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %b: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
})";
}

}  // namespace

TEST_CASE("a result that swaps its axes is sent once", "[rewrites][traffic]") {
  for (const auto& [x, y] :
       std::vector<std::pair<int64_t, int64_t>>{{2, 2}, {4, 2}, {2, 4}, {4, 4}}) {
    CAPTURE(x, y);
    CHECK(bytes_of_equal_run(swapped_product(x, y)) == 16 * 32 * 4 / (x * y));
  }
}

TEST_CASE("merging two sharded dims takes one exchange", "[rewrites][traffic]") {
  for (const auto& [x, y] :
       std::vector<std::pair<int64_t, int64_t>>{{2, 2}, {3, 2}, {2, 6}, {4, 3}}) {
    CAPTURE(x, y);
    const int64_t held = 12 * 12 * 12 * 4 / (x * y);
    CHECK(bytes_of_equal_run(moved_to_one_dim(x, y)) == held * (x * y - 1) / (x * y));
  }
}

namespace {

/// `steps` products with sharded weights of 16 by 16 floats. The loop carries or captures the
/// weights.
std::string weights_in_loop(int64_t steps, bool is_carried) {
  const std::string w = is_carried ? "%u" : "%w";
  const std::string carried = is_carried ? ", %u = %w" : "";
  const std::string type = is_carried ? ", tensor<16x16xf32>" : "";
  return R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:)" + std::string(is_carried ? "3" : "2") +
         R"( = stablehlo.while(%i = %zero, %v = %a)" + carried +
         ") : tensor<i32>, tensor<64x16xf32>" + type + R"(
  cond {
    %n = stablehlo.constant dense<)" +
         std::to_string(steps) + R"(> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = stablehlo.dot_general %v, )" +
         w + R"(, contracting_dims = [1] x [0]
      : (tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<64x16xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %p)" +
         std::string(is_carried ? ", %u" : "") + " : tensor<i32>, tensor<64x16xf32>" + type + R"(
  }
  return %r#1 : tensor<64x16xf32>
})";
}

/// Returns the bytes that device 0 sends when the program runs.
int64_t bytes_of_run(const std::string& text) {
  static_cast<void>(bytes_of_equal_run(text));
  const auto module = text::parse_mlir(text);
  const auto compiled = checking::compile(*module);
  return load_of(run(compiled->program, shardy_test::small_integers(*module, 7))).bytes_sent;
}

}  // namespace

TEST_CASE("a loop-invariant collective runs once, before the loop", "[rewrites][traffic]") {
  constexpr int64_t kGather = 16 * 16 * 4 * 3 / 4;
  for (const bool is_carried : {false, true}) {
    CAPTURE(is_carried);
    CHECK(bytes_of_run(weights_in_loop(3, is_carried)) == kGather);
    CHECK(bytes_of_run(weights_in_loop(1, is_carried)) == kGather);
  }
  CHECK(bytes_of_run(weights_in_loop(0, false)) == 0);
}

namespace {

/// Two products `first` and `second` with a weight of 16 by 16 floats on four devices, after the
/// ops in `made`.
std::string products_with(const std::string& made, const std::string& first,
                          const std::string& second) {
  return R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  )" + made +
         R"(
  %p = stablehlo.dot_general %a, )" +
         first + R"(, contracting_dims = [1] x [0]
    : (tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<64x16xf32>
  %q = stablehlo.dot_general %p, )" +
         second + R"(, contracting_dims = [1] x [0]
    : (tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<64x16xf32>
  return %q : tensor<64x16xf32>
})";
}

/// Two replicated copies of the weight, with different numbers in `shardy.copy`.
std::string numbered_copies(int64_t first, int64_t second) {
  const auto copy = [](const std::string& name, int64_t number) {
    return name + " = sdy.sharding_constraint %w <@mesh, [{}, {}]> {shardy.copy = " +
           std::to_string(number) + " : i64} : tensor<16x16xf32>\n  ";
  };
  return products_with(copy("%u", first) + copy("%v", second), "%u", "%v");
}

}  // namespace

TEST_CASE("equal gathers that the program keeps apart are not merged", "[rewrites][traffic]") {
  constexpr int64_t kGather = 16 * 16 * 4 * 3 / 4;
  const std::string barrier = "%v = stablehlo.optimization_barrier %w : tensor<16x16xf32>";
  CHECK(bytes_of_run(products_with("", "%w", "%w")) == kGather);
  CHECK(bytes_of_run(products_with(barrier, "%w", "%v")) == 2 * kGather);
  CHECK(bytes_of_run(numbered_copies(1, 1)) == kGather);
  CHECK(bytes_of_run(numbered_copies(1, 2)) == 2 * kGather);
  // Two barriers of one value make two values.
  CHECK(bytes_of_run(products_with(
            barrier + "\n  %u = stablehlo.optimization_barrier %w : tensor<16x16xf32>", "%u",
            "%v")) == 2 * kGather);
}

TEST_CASE("a barrier takes no memory, and unused results cause no traffic", "[rewrites][memory]") {
  const auto program = [](const std::string& ops) {
    return R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.tanh %a : tensor<64x16xf32>
  )" + ops +
           R"(
  %2 = stablehlo.tanh %1 : tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
})";
  };
  const auto load = [](const std::string& text) {
    const auto module = text::parse_mlir(text);
    INFO((module ? std::string() : text_of(module.error())));
    REQUIRE(module.has_value());
    const auto compiled = checking::compile(*module);
    REQUIRE(compiled.has_value());
    const Load counted = load_of(run(compiled->program, shardy_test::small_integers(*module, 7)));
    CHECK(partitioning::program_cost(compiled->program).peak_bytes == counted.peak_bytes);
    return counted;
  };
  constexpr int64_t kValue = 16 * 16 * 4;  // bytes per device
  CHECK(load(program("%1 = stablehlo.negate %0 : tensor<64x16xf32>")).peak_bytes == 2 * kValue);
  CHECK(load(program("%1 = stablehlo.optimization_barrier %0 : tensor<64x16xf32>")).peak_bytes ==
        2 * kValue);
  const Load shrunk = load(program(
      "%r = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<64x16xf32>\n"
      "  %1, %u = stablehlo.optimization_barrier %0, %r : tensor<64x16xf32>, tensor<64x16xf32>"));
  CHECK(shrunk.bytes_sent == 0);
}

TEST_CASE("a collective of a barrier in a loop stays in the loop", "[rewrites][traffic]") {
  constexpr int64_t kGather = 16 * 16 * 4 * 3 / 4;
  std::string text = weights_in_loop(3, false);
  const std::string product = "    %p = stablehlo.dot_general %v, %w";
  text.replace(text.find(product), product.size(),
               "    %b = stablehlo.optimization_barrier %w : tensor<16x16xf32>\n"
               "    %p = stablehlo.dot_general %v, %b");
  CHECK(bytes_of_run(text) == 3 * kGather);
}

TEST_CASE("a shardy.copy attribute that is not an integer is an error", "[rewrites]") {
  std::string text = numbered_copies(1, 2);
  text.replace(text.find("1 : i64"), 7, "\"one\"");
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE(!compiled.has_value());
  CHECK(text_of(compiled.error())
            .find("shardy.copy is not an integer; write shardy.copy = 1 : i64") !=
        std::string::npos);
}

namespace {

/// Each axis shards one dim or none.
std::string any_sharding(checking::Random& random, const std::vector<std::string>& axes) {
  std::vector<std::string> dims(3);
  for (const std::string& axis : axes) {
    const auto dim = static_cast<std::size_t>(random.between(0, 3));
    if (dim == 3) continue;
    const bool is_last = dims[dim].empty() || random.chance(2);
    dims[dim] =
        is_last ? dims[dim] + (dims[dim].empty() ? "" : ", ") + axis : axis + ", " + dims[dim];
  }
  const std::string halves = R"("x":(1)2, "x":(2)2)";
  for (std::string& dim : dims) {
    const std::size_t at = dim.find(halves);
    if (at != std::string::npos) dim.replace(at, halves.size(), R"("x")");
  }
  return "#sdy.sharding<@mesh, [{" + dims[0] + "}, {" + dims[1] + "}, {" + dims[2] + "}]>";
}

struct MeshAxes {
  std::string text;
  std::vector<std::string> axes;
};

/// A value that is needed under any two shardings.
std::string any_reshard(checking::Random& random) {
  static const std::vector<MeshAxes> meshes = {
      {R"("x"=2, "y"=2)", {R"("x")", R"("y")"}},
      {R"("x"=4, "y"=2)", {R"("x")", R"("y")"}},
      {R"("x"=4, "y"=2)", {R"("x":(1)2)", R"("x":(2)2)", R"("y")"}},
      {R"("x"=3, "y"=2)", {R"("x")", R"("y")"}},
      {R"("x"=2, "y"=2, "z"=3)", {R"("x")", R"("y")", R"("z")"}},
  };
  static const std::vector<std::string> types = {"tensor<12x12x12xf32>", "tensor<24x12x8xi16>",
                                                 "tensor<10x12x7xf32>"};
  const MeshAxes& mesh = random.pick(meshes);
  const std::string& type = random.pick(types);
  return "sdy.mesh @mesh = <[" + mesh.text + "]>\nfunc.func @main(%a: " + type +
         " {sdy.sharding = " + any_sharding(random, mesh.axes) + "}) -> (" + type +
         " {sdy.sharding = " + any_sharding(random, mesh.axes) +
         "}) {\n  %0 = stablehlo.negate %a : " + type + "\n  return %0 : " + type + "\n}\n";
}

}  // namespace

TEST_CASE("joined exchanges keep all values and reduce traffic", "[rewrites][differential]") {
  int64_t joined = 0;
  for (uint64_t seed = 0; joined < num_cases(); ++seed) {
    CAPTURE(seed);
    REQUIRE(seed < static_cast<uint64_t>(200 * num_cases()));
    checking::Random random(seed);
    const std::string text = any_reshard(random);
    const int64_t sent = bytes_of_equal_run(text);
    const auto module = text::parse_mlir(text);
    const auto compiled = checking::compile(*module);
    const auto is_joined = [](const CollectiveRewrite& each) {
      return each.rule == partitioning::kJoinExchanges;
    };
    if (std::ranges::none_of(compiled->rewrites, is_joined)) continue;
    ++joined;
    const auto plain = checking::compile(*module, without_rewrites());
    REQUIRE(plain.has_value());
    CHECK(sent < partitioning::program_cost(plain->program).bytes_sent);
  }
}

namespace {

/// Gathers 4 * width^2 bytes in each of four steps, while a value of 16 * rows * width bytes is
/// live.
ir::Module loop_beside(int64_t rows, int64_t width) {
  const std::string wide = "tensor<" + std::to_string(rows) + "x4xWIDTHxf32>";
  std::string text = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<4xWIDTHxf32>, %w: tensor<WIDTHxWIDTHxf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xWIDTHxf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xWIDTHxf32>
  cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %test : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %g = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<WIDTHxWIDTHxf32>
    %p = stablehlo.dot_general %x, %g, contracting_dims = [1] x [0] : (tensor<4xWIDTHxf32>, tensor<WIDTHxWIDTHxf32>) -> tensor<4xWIDTHxf32>
    %b = stablehlo.broadcast_in_dim %p, dims = [1, 2] : (tensor<4xWIDTHxf32>) -> )" +
                     wide + R"(
    %e = stablehlo.exponential %b : )" +
                     wide + R"(
    %m = stablehlo.reduce(%e init: %least) applies stablehlo.maximum across dimensions = [0] : ()" +
                     wide + R"(, tensor<f32>) -> tensor<4xWIDTHxf32>
    stablehlo.return %next, %m : tensor<i32>, tensor<4xWIDTHxf32>
  }
  return %0#1 : tensor<4xWIDTHxf32>
}
)";
  for (std::size_t at = 0; (at = text.find("WIDTH", at)) != std::string::npos;) {
    text.replace(at, 5, std::to_string(width));
  }
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  return *module;
}

ir::Module compiled_with(const ir::Module& module, std::vector<std::string> rules,
                         std::optional<int64_t> device_bytes = {}) {
  CompileOptions options;
  options.collectives.device_bytes = device_bytes;
  options.collectives.rules = std::move(rules);
  auto compiled = checking::compile(module, options);
  REQUIRE(compiled.has_value());
  return std::move(compiled->program);
}

constexpr int64_t kSmallPeak = int64_t{1} << 20;

/// A program before and after its gather is hoisted.
struct Hoisted {
  partitioning::ProgramCost before;
  partitioning::ProgramCost after;
  int64_t fused_before = 0;  // peak memory with fused elementwise ops
  int64_t fused_after = 0;
};

Hoisted hoisted(const ir::Module& module) {
  ir::Module program = compiled_with(module, {});
  Hoisted costs{partitioning::program_cost(program), {}, partitioning::fused_peak_bytes(program)};
  REQUIRE(partitioning::hoist_collectives(program).size() == 1);
  costs.after = partitioning::program_cost(program);
  costs.fused_after = partitioning::fused_peak_bytes(program);
  REQUIRE(costs.before.bytes_sent == 4 * costs.after.bytes_sent);
  return costs;
}

partitioning::ProgramCost cost_with_hoists(const ir::Module& module,
                                           std::optional<int64_t> device_bytes = {}) {
  return partitioning::program_cost(
      compiled_with(module, {std::string(partitioning::kHoistCollectives)}, device_bytes));
}

}  // namespace

TEST_CASE("a collective is hoisted from its loop if peak memory grows by at most a quarter",
          "[rewrites]") {
  int64_t num_hoisted = 0;
  int64_t kept = 0;
  int64_t larger = 0;  // cases in which the gather is hoisted and the peak grows
  for (int64_t rows = 64; rows <= 1280; rows += 64) {
    CAPTURE(rows);
    const ir::Module module = loop_beside(rows, 1024);
    const Hoisted costs = hoisted(module);
    REQUIRE(costs.fused_before > kSmallPeak);
    const bool fits = 4 * costs.after.peak_bytes <= 5 * costs.before.peak_bytes ||
                      4 * costs.fused_after <= 5 * costs.fused_before;
    CHECK(cost_with_hoists(module) == (fits ? costs.after : costs.before));
    num_hoisted += fits ? 1 : 0;
    kept += fits ? 0 : 1;
    larger += fits && costs.after.peak_bytes > costs.before.peak_bytes ? 1 : 0;
  }
  CHECK(num_hoisted > 0);
  CHECK(kept > 0);
  CHECK(larger > 0);
}

TEST_CASE("a collective is hoisted from its loop if peak memory stays below a small limit",
          "[rewrites]") {
  for (const int64_t rows : {1, 3, 20}) {
    CAPTURE(rows);
    const ir::Module module = loop_beside(rows, 16);
    CHECK(cost_with_hoists(module) == hoisted(module).after);
  }
}

TEST_CASE("a collective is hoisted from its loop if peak memory stays below that of the device",
          "[rewrites]") {
  for (const int64_t rows : {3, 64}) {
    for (const int64_t width : {16, 1024}) {
      CAPTURE(rows, width);
      const ir::Module module = loop_beside(rows, width);
      const Hoisted costs = hoisted(module);
      const int64_t least = std::min(costs.after.peak_bytes, costs.fused_after);
      if (costs.fused_after <= costs.fused_before) continue;
      if (costs.after.peak_bytes <= costs.before.peak_bytes) continue;
      CHECK(cost_with_hoists(module, least) == costs.after);
      CHECK(cost_with_hoists(module, least - 1) == costs.before);
    }
  }
}

}  // namespace collective_rewrites_test

// Smaller dims of exact runs: which dims become smaller, and that no fault is hidden by them.
#include "checking/smaller_dims.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/mutations.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::NumberDomain;
using checking::NumberRuns;
using checking::SmallerDimOptions;
using checking::SmallerProgram;
using ir::Module;
using simulation::Fill;
using simulation::Tensors;

namespace smaller_dims_test {
namespace {

Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

std::optional<SmallerProgram> smaller(const Module& module, const Module& program,
                                      const Tensors& inputs, int64_t block) {
  return checking::with_smaller_dims(module, program, inputs, {},
                                     {.block = block, .least_work = 0});
}

/// Returns the changed sizes of a program with blocks of 5; "none" if none changes.
std::string sizes_of(const std::string& text) {
  const Module module = parsed(text);
  const auto compiled = checking::compile(module);
  if (!compiled) return compiled.error().front().message;
  const auto found = smaller(module, compiled->program, *checking::random_inputs(module, 1), 5);
  return found ? found->sizes : "none";
}

/// Returns a program of one op on sharded rows: %x is tensor<64x96xf32>.
std::string with_op(const std::string& op, const std::string& type) {
  return "sdy.mesh @mesh = <[\"a\"=4]>\n"
         "func.func @main(%x: tensor<64x96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, "
         "{}]>}) -> " +
         type + " {\n  " + op + "\n  return %r : " + type + "\n}";
}

}  // namespace

TEST_CASE("dims whose elements all ops treat alike become smaller", "[smaller_dims]") {
  struct Row {
    const char* op;
    const char* type;
    const char* sizes;
  };
  const Row rows[] = {
      {"%r = stablehlo.tanh %x : tensor<64x96xf32>", "tensor<64x96xf32>", "96 to 5, 64 to 20"},
      {"%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>",
       "tensor<96x64xf32>", "96 to 5, 64 to 20"},
      {"%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<64x96xf32>, "
       "tensor<64x96xf32>) -> tensor<64x64xf32>",
       "tensor<64x64xf32>", "96 to 5, 64 to 20"},
      {"%r = stablehlo.reshape %x : (tensor<64x96xf32>) -> tensor<64x4x24xf32>",
       "tensor<64x4x24xf32>", "96 to 20, 64 to 20, 24 to 5"},
      {"%r = stablehlo.reshape %x : (tensor<64x96xf32>) -> tensor<6144xf32>", "tensor<6144xf32>",
       "6,144 to 320, 96 to 5"},
      {"%r = stablehlo.slice %x [0:64, 32:96] : (tensor<64x96xf32>) -> tensor<64x64xf32>",
       "tensor<64x64xf32>", "96 to 15, 64 to 20, 64 to 10"},
      {"%r = stablehlo.slice %x [0:64, 1:96] : (tensor<64x96xf32>) -> tensor<64x95xf32>",
       "tensor<64x95xf32>", "64 to 20"},
      {"%r = stablehlo.slice %x [0:64, 0:96:2] : (tensor<64x96xf32>) -> tensor<64x48xf32>",
       "tensor<64x48xf32>", "64 to 20"},
      {"%r = stablehlo.reverse %x, dims = [1] : tensor<64x96xf32>", "tensor<64x96xf32>", "none"},
      {"%i = stablehlo.iota dim = 1 : tensor<64x96xf32>\n  %r = stablehlo.add %x, %i : "
       "tensor<64x96xf32>",
       "tensor<64x96xf32>", "64 to 20"},
      {"%c = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.pad %x, %c, low = [0, "
       "1], high = [0, 0], interior = [0, 0] : (tensor<64x96xf32>, tensor<f32>) -> "
       "tensor<64x97xf32>",
       "tensor<64x97xf32>", "64 to 20"},
      {"%c = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.pad %x, %c, low = [0, "
       "32], high = [0, 0], interior = [0, 0] : (tensor<64x96xf32>, tensor<f32>) -> "
       "tensor<64x128xf32>",
       "tensor<64x128xf32>", "128 to 20, 96 to 15, 64 to 20"},
      {"%i = stablehlo.constant dense<8> : tensor<i32>\n  %z = stablehlo.constant dense<0> : "
       "tensor<i32>\n  %r = stablehlo.dynamic_slice %x, %z, %i, sizes = [64, 48] : "
       "(tensor<64x96xf32>, tensor<i32>, tensor<i32>) -> tensor<64x48xf32>",
       "tensor<64x48xf32>", "96 to 60, 64 to 20, 48 to 30"},
      {"%i = stablehlo.constant dense<7> : tensor<i32>\n  %z = stablehlo.constant dense<0> : "
       "tensor<i32>\n  %r = stablehlo.dynamic_slice %x, %z, %i, sizes = [64, 48] : "
       "(tensor<64x96xf32>, tensor<i32>, tensor<i32>) -> tensor<64x48xf32>",
       "tensor<64x48xf32>", "64 to 20"},
      {"%c = stablehlo.constant dense<1.0> : tensor<96x8xf32>\n  %r = stablehlo.dot_general %x, "
       "%c, "
       "contracting_dims = [1] x [0] : (tensor<64x96xf32>, tensor<96x8xf32>) -> tensor<64x8xf32>",
       "tensor<64x8xf32>", "96 to 5, 64 to 20, 8 to 5"},
      {"%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %b = stablehlo.compare LT, %x, %x : "
       "(tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xi1>\n  %f = stablehlo.convert %b : "
       "(tensor<64x96xi1>) -> tensor<64x96xf32>\n  %r = stablehlo.reduce(%f init: %z) applies "
       "stablehlo.add across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> "
       "tensor<64xf32>",
       "tensor<64xf32>", "none"},
      {"%r = \"stablehlo.cbrt\"(%x) : (tensor<64x96xf32>) -> tensor<64x96xf32>",
       "tensor<64x96xf32>", "96 to 5, 64 to 20"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.op);
    CHECK(sizes_of(with_op(row.op, row.type)) == row.sizes);
  }
}

namespace {

/// Returns the report of a check with exact runs of 16,777,216 products. `ops` reduce %l and %r
/// to %m.
checking::CheckReport report_of(const std::string& ops, bool smaller_dims) {
  const std::string text = R"(
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = "stablehlo.reduce"(%0, %z) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
)" + ops + R"(
    stablehlo.return %m : tensor<f32>
  }) : (tensor<256x256xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
})";
  const Module module = parsed(text);
  checking::CheckOptions options;
  options.exact = true;
  options.smaller_dims = smaller_dims;
  auto report = checking::check(module, *checking::random_inputs(module, 1), options);
  REQUIRE(report.has_value());
  return *std::move(report);
}

constexpr const char* kSum = "%m = stablehlo.add %l, %r : tensor<f32>";
constexpr const char* kMean = R"(
    %s = stablehlo.add %l, %r : tensor<f32>
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %m = stablehlo.multiply %s, %h : tensor<f32>)";

}  // namespace

TEST_CASE("a check of a large program uses smaller dims unless an option disables them",
          "[smaller_dims]") {
  const checking::CheckReport small = report_of(kSum, true);
  CHECK(small.exact.done);
  CHECK(small.exact.equal());
  CHECK(small.exact.smaller_sizes == "256 to 20, 256 to 5");
  CHECK(checking::comparison_text(small).find(
            "exactly, over a prime field: equal, with smaller dims: 256 to 20, 256 to 5\n") !=
        std::string::npos);
  const checking::CheckReport full = report_of(kSum, false);
  CHECK(full.exact.equal());
  CHECK(full.exact.smaller_sizes.empty());
}

TEST_CASE("if runs with smaller dims differ, the run at full sizes decides", "[smaller_dims]") {
  const checking::CheckReport report = report_of(kMean, true);
  CHECK(report.exact.done);
  CHECK_FALSE(report.exact.equal());
  CHECK(report.exact.smaller_sizes.empty());
  CHECK(report.exact.results[0].difference.mismatches == 1);
}

namespace {

constexpr const char* kAttention = R"(
func.func @main(%x: tensor<4x12x24xf32>, %wq: tensor<24x24xf32>, %wk: tensor<24x24xf32>, %wo: tensor<24x24xf32>) -> tensor<4x12x24xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<4x12x24xf32>, tensor<24x24xf32>) -> tensor<4x12x24xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x12x24xf32>) -> tensor<4x12x4x6xf32>
  %2 = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<4x12x24xf32>, tensor<24x24xf32>) -> tensor<4x12x24xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x12x24xf32>) -> tensor<4x12x4x6xf32>
  %4 = stablehlo.dot_general %1, %3, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x12x4x6xf32>, tensor<4x12x4x6xf32>) -> tensor<4x4x12x12xf32>
  %5 = stablehlo.reduce(%4 init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x12x12xf32>, tensor<f32>) -> tensor<4x4x12xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<4x4x12xf32>) -> tensor<4x4x12x12xf32>
  %7 = stablehlo.subtract %4, %6 : tensor<4x4x12x12xf32>
  %8 = stablehlo.exponential %7 : tensor<4x4x12x12xf32>
  %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<4x4x12x12xf32>, tensor<f32>) -> tensor<4x4x12xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<4x4x12xf32>) -> tensor<4x4x12x12xf32>
  %11 = stablehlo.divide %8, %10 : tensor<4x4x12x12xf32>
  %12 = stablehlo.dot_general %11, %3, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<4x4x12x12xf32>, tensor<4x12x4x6xf32>) -> tensor<4x4x12x6xf32>
  %13 = stablehlo.transpose %12, dims = [0, 2, 1, 3] : (tensor<4x4x12x6xf32>) -> tensor<4x12x4x6xf32>
  %14 = stablehlo.reshape %13 : (tensor<4x12x4x6xf32>) -> tensor<4x12x24xf32>
  %15 = stablehlo.dot_general %14, %wo, contracting_dims = [2] x [0] : (tensor<4x12x24xf32>, tensor<24x24xf32>) -> tensor<4x12x24xf32>
  %16 = stablehlo.add %x, %15 : tensor<4x12x24xf32>
  return %16 : tensor<4x12x24xf32>
}
)";

constexpr const char* kExperts = R"(
func.func @main(%x: tensor<24x12xf32>, %g: tensor<24x4x12xf32>, %w: tensor<4x12x24xf32>, %v: tensor<4x24x12xf32>) -> (tensor<24x12xf32>, tensor<24x24xf32>) {
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<24x4x12xf32>, tensor<24x12xf32>) -> tensor<4x12x12xf32>
  %1 = stablehlo.dot_general %0, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x12x12xf32>, tensor<4x12x24xf32>) -> tensor<4x12x24xf32>
  %2 = stablehlo.tanh %1 : tensor<4x12x24xf32>
  %3 = stablehlo.dot_general %2, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x12x24xf32>, tensor<4x24x12xf32>) -> tensor<4x12x12xf32>
  %4 = stablehlo.dot_general %g, %3, contracting_dims = [1, 2] x [0, 1] : (tensor<24x4x12xf32>, tensor<4x12x12xf32>) -> tensor<24x12xf32>
  %5 = stablehlo.concatenate %4, %x, dim = 1 : (tensor<24x12xf32>, tensor<24x12xf32>) -> tensor<24x24xf32>
  return %4, %5 : tensor<24x12xf32>, tensor<24x24xf32>
}
)";

constexpr const char* kEmbedding = R"(
func.func @main(%t: tensor<12x24xf32>, %i: tensor<12xi32>, %w: tensor<24x12xf32>) -> (tensor<12x12xf32>, tensor<12x24xf32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>}> : (tensor<12x24xf32>, tensor<12xi32>) -> tensor<12x24xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x12xf32>) -> tensor<12x12xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [1] : (tensor<12x12xf32>, tensor<24x12xf32>) -> tensor<12x24xf32>
  %3 = "stablehlo.scatter"(%t, %i, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %9 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<12x24xf32>, tensor<12xi32>, tensor<12x24xf32>) -> tensor<12x24xf32>
  return %1, %3 : tensor<12x12xf32>, tensor<12x24xf32>
}
)";

constexpr const char* kConvolution = R"(
func.func @main(%x: tensor<4x6x12xf32>, %k: tensor<3x12x24xf32>) -> tensor<4x6x24xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6x12xf32>, tensor<3x12x24xf32>) -> tensor<4x6x24xf32>
  return %0 : tensor<4x6x24xf32>
}
)";

constexpr const char* kLoop = R"(
func.func @main(%x: tensor<12x24xf32>, %w: tensor<24x24xf32>) -> tensor<12x24xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<12x24xf32>
  cond {
    %n = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x24xf32>) -> tensor<12x24xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<12x24xf32>
  }
  return %0#1 : tensor<12x24xf32>
}
)";

/// Returns whether exact runs of the two programs differ for one of the paddings; nothing if a loop
/// does not end.
std::optional<bool> differ(const Module& module, const Module& program, const Tensors& inputs,
                           uint64_t seed = 0) {
  checking::Context context;
  context.runs.limits.max_iterations = 200;
  checking::CheckOptions options;
  options.run.num_workers = 1;
  options.run.kernels.seed = seed;
  const NumberRuns runs(module, inputs, NumberDomain::Exact, options, context);
  bool any = false;
  for (const Fill fill : {Fill::Poison, Fill::OtherPoison}) {
    options.run.kernels.fill = fill;
    const checking::NumberCheck check = runs.compare(program, options);
    if (!check.done) return std::nullopt;
    any = any || !check.equal();
  }
  return any;
}

/// Checks whether one of the runs with smaller dims differs.
bool is_found(const SmallerProgram& small) {
  for (uint64_t run = 0; run < static_cast<uint64_t>(SmallerDimOptions{}.max_runs); ++run) {
    if (differ(small.module, small.program, small.inputs, run << 32U).value_or(true)) return true;
  }
  return false;
}

struct FaultCounts {
  int64_t programs = 0;                  // partitioned programs
  int64_t smaller_programs = 0;          // of these: some dim became smaller
  int64_t found = 0;                     // faults that change results of full sizes
  int64_t smaller = 0;                   // of these: some dim became smaller
  std::vector<std::string> hidden = {};  // of these: smaller dims have equal results
};

void plant(const Module& module, const Tensors& inputs, const std::string& name, int64_t block,
           checking::Random& random, int64_t one_in, FaultCounts& counts) {
  const auto compiled = checking::compile(module);
  if (!compiled) return;  // some random programs have no lowering
  ++counts.programs;
  if (const auto small = smaller(module, compiled->program, inputs, block)) {
    ++counts.smaller_programs;
    CAPTURE(name, small->sizes);
    CHECK(differ(small->module, small->program, small->inputs) == false);
  }
  for (const shardy_test::Mutation& mutation : shardy_test::mutations_of(compiled->program)) {
    if (!random.chance(one_in)) continue;
    Module mutant = compiled->program;
    mutation.apply(mutant);
    if (!ir::verify(mutant, 1).empty()) continue;
    if (!differ(module, mutant, inputs).value_or(false)) continue;
    ++counts.found;
    const auto small = smaller(module, mutant, inputs, block);
    if (!small) continue;
    ++counts.smaller;
    if (is_found(*small)) continue;
    counts.hidden.push_back(name + ": " + mutation.place + ": " + mutation.kind + ": " +
                            small->sizes);
  }
}

}  // namespace

namespace {

bool plants_all() {
  const char* setting = std::getenv("SHARDY_MUTANTS");
  return setting != nullptr && std::string_view(setting) == "all";
}

/// Fails if a fault was hidden, or if less than the given shares had smaller dims.
void check_counts(const FaultCounts& counts, double programs, double faults) {
  std::string text = std::to_string(counts.smaller_programs) + " of " +
                     std::to_string(counts.programs) + " programs have smaller dims; " +
                     std::to_string(counts.smaller) + " of " + std::to_string(counts.found) +
                     " faults have; hidden:";
  for (const std::string& each : counts.hidden) text += "\n" + each;
  INFO(text);
  if (plants_all()) WARN(text);
  CHECK(counts.hidden.empty());
  CHECK(static_cast<double>(counts.smaller_programs) >
        programs * static_cast<double>(counts.programs));
  CHECK(static_cast<double>(counts.smaller) > faults * static_cast<double>(counts.found));
}

Module example(const std::string& name) {
  std::ifstream file(std::string(SHARDY_EXAMPLES "/") + name + ".json");
  return *text::parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

TEST_CASE("smaller dims hide no fault that is planted in a partitioned program",
          "[smaller_dims][mutants]") {
  checking::Random random(7);
  FaultCounts counts;
  const std::pair<const char*, Module> programs[] = {
      {"attention", parsed(kAttention)}, {"experts", parsed(kExperts)},
      {"embedding", parsed(kEmbedding)}, {"convolution", parsed(kConvolution)},
      {"loop", parsed(kLoop)},           {"mlp", example("mlp")},
      {"moe", example("moe")},           {"transformer", example("transformer")}};
  for (const auto& [name, unsharded] : programs) {
    for (uint64_t seed = 1; seed <= (plants_all() ? 24U : 4U); ++seed) {
      const Module module = checking::shard_at_random(unsharded, seed, 8);
      plant(module, *checking::random_inputs(module, 3), name + (" " + std::to_string(seed)),
            seed % 2 == 0 ? 2 : 3, random, plants_all() ? 1 : 10, counts);
    }
  }
  check_counts(counts, 0.5, 0.5);
}

TEST_CASE("smaller dims hide no fault that is planted in a random program",
          "[smaller_dims][mutants]") {
  checking::Random random(8);
  FaultCounts counts;
  for (uint64_t seed = 1; seed <= (plants_all() ? 3000U : 60U); ++seed) {
    const checking::RandomProgram program =
        checking::random_program(seed, {.max_dim = 24,
                                        .max_devices = 8,
                                        .max_depth = 1,
                                        .indexed = seed % 3 == 0,
                                        .windows = seed % 5 == 0,
                                        .whole_dims = seed % 7 == 0});
    plant(program.module, program.inputs, "seed " + std::to_string(seed), 2, random, 8, counts);
  }
  check_counts(counts, 0.1, 0.1);
}

}  // namespace smaller_dims_test

// The power of checks: the checks must find faults that are planted in partitioned programs.
//
// SHARDY_MUTANTS=all plants every fault that mutations.cpp knows in every program below. With a
// number, about as many faults are drawn at random, including faults that the verifier refuses.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/mutations.hpp"
#include "checking/programs.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::NumberCheck;
using checking::NumberDomain;
using checking::NumberRuns;
using ir::Module;
using shardy_test::Mutation;
using shardy_test::text_of;
using simulation::Fill;
using simulation::Tensors;

namespace mutants_test {
namespace {

constexpr Fill kFills[] = {Fill::Poison, Fill::OtherPoison};

struct Program {
  const char* name;
  std::string text;
  uint64_t seed = 0;  // seed of random shardings; 0: shardings as written
};

std::vector<Program> programs();

/// Limits the run, so that a loop that a fault keeps from ending still ends.
checking::Context limited() {
  checking::Context context;
  context.runs.limits.max_iterations = 200;
  context.runs.limits.max_steps = 20000;
  return context;
}

/// The outcome of a mutant.
struct Fate {
  bool exact = false;    // other elements of the field, or a failed run
  bool numeric = false;  // floats beyond the tolerance, or a failed run
  bool other_value =
      false;                // some number, computed in f64, differs from the unsharded run by 2^-40
  bool other_bits = false;  // some float has other bits than before the fault
  bool unknown = false;     // a loop that does not end
};

/// Runs on one set of inputs: the program unsharded, and the partitioned program before faults.
class Trial {
 public:
  Trial(const Module& module, const Module& partitioned, uint64_t seed)
      : main_(module.symbol_name(*module.main_function())),
        inputs_(*checking::random_inputs(module, seed)),
        options_(seeded(seed)),
        exact_(module, inputs_, NumberDomain::Exact, options_, context_),
        wide_(module, inputs_, NumberDomain::Wide, options_, context_),
        reference_(checking::run_unsharded(module, inputs_, options_, context_)->outputs),
        tolerances_(checking::result_tolerances(module, *module.main_function())) {
    for (const Fill fill : kFills) {
      const NumberCheck exact = exact_.compare(partitioned, with(fill));
      INFO(exact.impossible << exact.failure);
      REQUIRE(exact.done);
      REQUIRE(exact.equal());
      REQUIRE(wide_.compare(partitioned, with(fill)).equal());
      const auto run = run_narrow(partitioned, fill);
      REQUIRE(run.has_value());
      REQUIRE(agrees(run->outputs));
      before_.push_back(run->outputs);
    }
  }

  void judge(const Module& mutant, Fate& fate) const {
    for (std::size_t index = 0; index < std::size(kFills); ++index) {
      const NumberCheck exact = exact_.compare(mutant, with(kFills[index]));
      fate.exact = fate.exact || !exact.equal();
      fate.unknown = fate.unknown || !exact.done;
      const auto run = run_narrow(mutant, kFills[index]);
      fate.other_bits = fate.other_bits || !run || run->outputs != before_[index];
      const NumberCheck wide = wide_.compare(mutant, with(kFills[index]));
      fate.numeric = fate.numeric || !run || !agrees(run->outputs) || !wide.equal();
      fate.other_value = fate.other_value || differs(wide);
    }
  }

 private:
  static checking::CheckOptions seeded(uint64_t seed) {
    checking::CheckOptions options;
    options.run.num_workers = 1;
    options.run.kernels.seed = seed;
    return options;
  }
  checking::CheckOptions with(Fill fill) const {
    checking::CheckOptions options = options_;
    options.run.kernels.fill = fill;
    return options;
  }
  Result<simulation::GlobalResult> run_narrow(const Module& program, Fill fill) const {
    return simulation::run_global(program, main_, inputs_, with(fill).run, context_.runs);
  }
  static bool differs(const NumberCheck& wide) {
    return !wide.failure.empty() || std::ranges::any_of(wide.results, [](const auto& result) {
      return !(result.difference.largest <= 0x1p-40 * result.difference.magnitude);
    });
  }
  bool agrees(const Tensors& outputs) const {
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      const auto difference =
          checking::compare(outputs[index], reference_[index], tolerances_[index]);
      if (difference.mismatches != 0) return false;
    }
    return true;
  }

  checking::Context context_ = limited();
  std::string main_;
  Tensors inputs_;
  checking::CheckOptions options_;
  NumberRuns exact_;
  NumberRuns wide_;
  Tensors reference_;
  std::vector<checking::Tolerance> tolerances_;
  std::vector<Tensors> before_;  // outputs before the fault for each fill
};

struct Tally {
  int64_t faults = 0;      // faults that mutations.cpp knows in the programs
  int64_t planted = 0;     // of these: planted
  int64_t refused = 0;     // refused by the verifier, so not mutants
  int64_t unknown = 0;     // with a loop that does not end
  int64_t equivalent = 0;  // the same field elements and the same bits of floats
  int64_t rounded = 0;     // the same field elements, but floats summed in another order
  int64_t found = 0;       // found by exact values
  int64_t in_floats = 0;   // found mutants whose floats are also beyond their tolerance
  int64_t same_value = 0;  // of these: the same function of real numbers, or of these inputs
  std::map<std::string, int64_t> equivalents = {};  // equivalent mutants by kind
  std::vector<std::string> missed = {};             // exact values are equal, but floats are not
  std::vector<std::string> missed_in_floats = {};

  int64_t changed() const { return found + std::ssize(missed); }
  /// Returns the number of planted faults with a known outcome.
  int64_t judged() const { return refused + unknown + equivalent + rounded + changed(); }
};

void count(const Fate& fate, const std::string& what, const Mutation& mutation, Tally& tally) {
  if (fate.unknown && !fate.exact) {
    ++tally.unknown;
  } else if (!fate.exact) {
    if (fate.numeric)
      tally.missed.push_back(what);
    else if (fate.other_bits)
      ++tally.rounded;
    else {
      ++tally.equivalent;
      ++tally
            .equivalents[mutation.place.substr(0, mutation.place.find(' ')) + ": " + mutation.kind];
    }
  } else {
    ++tally.found;
    if (fate.numeric)
      ++tally.in_floats;
    else if (!fate.other_value)
      ++tally.same_value;
    else
      tally.missed_in_floats.push_back(what);
  }
}

Module parsed(const Program& program) {
  const bool is_json = program.text.starts_with("{");
  auto module = is_json ? text::parse_json(program.text) : text::parse_mlir(program.text);
  if (!module) FAIL(text::error_text(program.name, program.text, module.error()));
  return program.seed == 0 ? *std::move(module)
                           : checking::shard_at_random(*module, program.seed, 8);
}

/// Plants one of every `one_in` faults.
void plant(const Program& program, checking::Random& random, int64_t one_in, Tally& tally) {
  CAPTURE(program.name, program.seed);
  const Module module = parsed(program);
  const auto compiled = checking::compile(module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  std::vector<Trial> trials;
  for (const uint64_t seed : {uint64_t{1}, uint64_t{2}})
    trials.emplace_back(module, compiled->program, seed);
  for (const Mutation& mutation : shardy_test::mutations_of(compiled->program)) {
    ++tally.faults;
    if (!random.chance(one_in)) continue;
    ++tally.planted;
    Module mutant = compiled->program;
    mutation.apply(mutant);
    if (!ir::verify(mutant, 1).empty()) {
      ++tally.refused;
      continue;
    }
    Fate fate;
    for (const Trial& trial : trials) trial.judge(mutant, fate);
    // Exact values of these inputs may be equal although floats differ; other random inputs may
    // differ.
    for (uint64_t seed = 3; fate.numeric && !fate.exact && seed < 20; ++seed) {
      Trial(module, compiled->program, seed).judge(mutant, fate);
    }
    count(fate,
          std::string(program.name) + " " + std::to_string(program.seed) + ": " + mutation.place +
              ": " + mutation.kind,
          mutation, tally);
  }
}

std::string text_of(const Tally& tally) {
  std::string text =
      "planted " + std::to_string(tally.planted) + " of " + std::to_string(tally.faults) +
      " faults; found " + std::to_string(tally.found) + " of " + std::to_string(tally.changed()) +
      "; of these in floats " + std::to_string(tally.in_floats) + ", the same real numbers " +
      std::to_string(tally.same_value) + ", missed in floats " +
      std::to_string(tally.missed_in_floats.size()) + "; apart: equivalent " +
      std::to_string(tally.equivalent) + ", other order of sums " + std::to_string(tally.rounded) +
      ", no end " + std::to_string(tally.unknown) + ", refused " + std::to_string(tally.refused);
  for (const auto& [kind, number] : tally.equivalents) {
    text += "\nequivalent " + std::to_string(number) + ": " + kind;
  }
  for (const std::string& each : tally.missed) text += "\nmissed: " + each;
  for (const std::string& each : tally.missed_in_floats) text += "\nmissed in floats: " + each;
  return text;
}

}  // namespace

TEST_CASE("faults planted in partitioned programs are found", "[mutants]") {
  constexpr int64_t kAll = 6000;          // approximate number of all faults
  constexpr int64_t kLeastFaults = 5000;  // a program or a kind of fault less has fewer
  const char* setting = std::getenv("SHARDY_MUTANTS");
  const bool all = setting != nullptr && std::string_view(setting) == "all";
  const int64_t wanted = setting == nullptr || all ? 600 : std::strtoll(setting, nullptr, 10);
  const int64_t one_in = all ? 1 : std::max<int64_t>(1, kAll / std::max<int64_t>(wanted, 1));
  checking::Random random(5);
  Tally tally;
  for (const Program& program : programs()) plant(program, random, one_in, tally);
  INFO(text_of(tally));
  if (setting != nullptr) WARN(text_of(tally));
  CHECK(tally.missed.empty());
  CHECK(tally.missed_in_floats.empty());
  CHECK(tally.found > 0);
  CHECK(tally.faults >= kLeastFaults);
  CHECK(tally.judged() == tally.planted);
  if (all) CHECK(tally.planted == tally.faults);
}

namespace {

constexpr const char* kDot = R"(
func.func @main(%x: tensor<6x10xELEM>, %w: tensor<10x7xELEM>) -> tensor<6x7xELEM> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x10xELEM>, tensor<10x7xELEM>) -> tensor<6x7xELEM>
  return %0 : tensor<6x7xELEM>
}
)";

constexpr const char* kChain = R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%x: tensor<5x7xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<7x7xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<5x7xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x7xELEM>, tensor<7x7xELEM>) -> tensor<5x7xELEM>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<5x7xELEM>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<5x7xELEM>, tensor<7x7xELEM>) -> tensor<5x7xELEM>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<5x7xELEM>, tensor<7x7xELEM>) -> tensor<5x7xELEM>
  return %3 : tensor<5x7xELEM>
}
)";

constexpr const char* kSoftmax = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<3x5xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<3x5xELEM> {
  %least = stablehlo.constant dense<-448.0> : tensor<ELEM>
  %zero = stablehlo.constant dense<0.0> : tensor<ELEM>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xELEM>, tensor<ELEM>) -> tensor<3xELEM>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xELEM>) -> tensor<3x5xELEM>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5xELEM>
  %3 = stablehlo.exponential %2 : tensor<3x5xELEM>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x5xELEM>, tensor<ELEM>) -> tensor<3xELEM>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xELEM>) -> tensor<3x5xELEM>
  %6 = stablehlo.divide %3, %5 : tensor<3x5xELEM>
  return %6 : tensor<3x5xELEM>
}
)";

constexpr const char* kConvolution = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<2x10x3xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<3x3x4xELEM>) -> (tensor<2x10x4xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x3xELEM>, tensor<3x3x4xELEM>) -> tensor<2x10x4xELEM>
  return %0 : tensor<2x10x4xELEM>
}
)";

constexpr const char* kWindows = R"(
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func @main(%x: tensor<7x8xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<7x8xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8xELEM>, tensor<7xELEM>) {
  %zero = stablehlo.constant dense<0.0> : tensor<ELEM>
  %one = stablehlo.constant dense<1.0> : tensor<ELEM>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<ELEM>, %b: tensor<ELEM>):
    %5 = stablehlo.add %a, %b : tensor<ELEM>
    stablehlo.return %5 : tensor<ELEM>
  }) : (tensor<7x8xELEM>, tensor<ELEM>) -> tensor<7x8xELEM>
  %1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<7x8xELEM>, tensor<ELEM>) -> tensor<8xELEM>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.minimum across dimensions = [1] : (tensor<7x8xELEM>, tensor<ELEM>) -> tensor<7xELEM>
  return %0, %1, %2 : tensor<7x8xELEM>, tensor<8xELEM>, tensor<7xELEM>
}
)";

constexpr const char* kMoves = R"(
func.func @main(%x: tensor<6x9xELEM>, %y: tensor<6x4xELEM>, %i: tensor<5xi32>, %u: tensor<5x9xELEM>) -> (tensor<6x13xELEM>, tensor<9x6xELEM>, tensor<5x9xELEM>, tensor<6x9xELEM>, tensor<6x9xELEM>) {
  %zero = stablehlo.constant dense<0.0> : tensor<ELEM>
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<6x9xELEM>, tensor<6x4xELEM>) -> tensor<6x13xELEM>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x9xELEM>) -> tensor<9x6xELEM>
  %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 9>}> : (tensor<6x9xELEM>, tensor<5xi32>) -> tensor<5x9xELEM>
  %3 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<ELEM>, %b: tensor<ELEM>):
    %9 = stablehlo.add %a, %b : tensor<ELEM>
    stablehlo.return %9 : tensor<ELEM>
  }) : (tensor<6x9xELEM>, tensor<5xi32>, tensor<5x9xELEM>) -> tensor<6x9xELEM>
  %4 = stablehlo.slice %x [1:6, 2:9] : (tensor<6x9xELEM>) -> tensor<5x7xELEM>
  %5 = stablehlo.pad %4, %zero, low = [1, 1], high = [0, 1], interior = [0, 0] : (tensor<5x7xELEM>, tensor<ELEM>) -> tensor<6x9xELEM>
  %6 = stablehlo.reverse %5, dims = [1] : tensor<6x9xELEM>
  return %0, %1, %2, %3, %6 : tensor<6x13xELEM>, tensor<9x6xELEM>, tensor<5x9xELEM>, tensor<6x9xELEM>, tensor<6x9xELEM>
}
)";

constexpr const char* kWhole = R"(
func.func @main(%x: tensor<5x6xELEM>, %n: tensor<5x6xi32>) -> (tensor<5x6xELEM>, tensor<5x6xELEM>, tensor<5x3xELEM>, tensor<5x3xi32>) {
  %0:2 = "stablehlo.sort"(%x, %n) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<ELEM>, %b: tensor<ELEM>, %c: tensor<i32>, %d: tensor<i32>):
    %9 = stablehlo.compare LT, %a, %b : (tensor<ELEM>, tensor<ELEM>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<5x6xELEM>, tensor<5x6xi32>) -> (tensor<5x6xELEM>, tensor<5x6xi32>)
  %zero = stablehlo.constant dense<0.0> : tensor<ELEM>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 6>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<ELEM>, %b: tensor<ELEM>):
    %9 = stablehlo.add %a, %b : tensor<ELEM>
    stablehlo.return %9 : tensor<ELEM>
  }) : (tensor<5x6xELEM>, tensor<ELEM>) -> tensor<5x6xELEM>
  %2:2 = chlo.top_k(%x, k = 3) : tensor<5x6xELEM> -> (tensor<5x3xELEM>, tensor<5x3xi32>)
  return %0#0, %1, %2#0, %2#1 : tensor<5x6xELEM>, tensor<5x6xELEM>, tensor<5x3xELEM>, tensor<5x3xi32>
}
)";

constexpr const char* kNorms = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<5x3xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %s: tensor<3xELEM>, %g: tensor<5x3xELEM>) -> (tensor<5x3xELEM>, tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>) {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>) -> (tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>)
  %3, %4, %5 = "stablehlo.batch_norm_grad"(%x, %s, %1, %2, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>, tensor<3xELEM>, tensor<5x3xELEM>) -> (tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>)
  return %0, %3, %4, %5 : tensor<5x3xELEM>, tensor<5x3xELEM>, tensor<3xELEM>, tensor<3xELEM>
}
)";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
}

std::string with_element(std::string text, const std::string& element) {
  replace_all(text, "ELEM", element);
  if (element.starts_with("complex")) replace_all(text, "dense<0.0>", "dense<(0.0, 0.0)>");
  return text;
}

/// Returns the programs. A text without a mesh gets two random meshes.
std::vector<Program> programs() {
  struct Row {
    const char* name;
    const char* text;
    std::vector<const char*> elements;
    std::vector<uint64_t> seeds;
  };
  const Row rows[] = {
      {"dot", kDot, {"f32", "bf16", "f8E4M3FN", "f64", "complex<f32>"}, {3, 4}},
      {"chain", kChain, {"f32", "bf16", "f16", "f8E5M2"}, {0, 7}},
      {"softmax", kSoftmax, {"f32", "bf16", "f8E4M3FN"}, {0, 2}},
      {"convolution", kConvolution, {"f32", "bf16", "f8E4M3FN"}, {0, 5}},
      {"windows", kWindows, {"f32", "bf16", "f8E5M2"}, {0, 6}},
      {"moves", kMoves, {"f32", "bf16", "f8E4M3FN", "complex<f64>"}, {1, 2, 9}},
      {"whole", kWhole, {"f32", "bf16"}, {1, 2}},
      {"norms", kNorms, {"f32", "bf16", "f8E5M2"}, {0, 4}},
  };
  std::vector<Program> all;
  for (const char* name : {"mlp", "moe"}) {
    std::ifstream file(std::string(SHARDY_EXAMPLES "/") + name + ".json");
    all.push_back({name, std::string(std::istreambuf_iterator<char>(file), {})});
  }
  for (const Row& row : rows) {
    for (const char* element : row.elements) {
      for (const uint64_t seed : row.seeds) {
        all.push_back({row.name, with_element(row.text, element), seed});
      }
    }
  }
  return all;
}

}  // namespace

}  // namespace mutants_test

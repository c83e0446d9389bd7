// Faults planted in large programs must be reduced to the ops that show the faults.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checking/mutations.hpp"
#include "checking/programs.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::NumberDomain;
using checking::NumberRuns;
using ir::Module;
using shardy_test::Mutation;
using shardy_test::text_of;
using simulation::Fill;

namespace reduction_test {
namespace {

/// A fault of a partitioner, inserted at each place that it fits.
struct Fault {
  const char* program;
  const char* op;
  const char* kind;
};

Module read(const std::string& name) {
  std::ifstream file(SHARDY_EXAMPLES "/" + name);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto module = text.starts_with("{") ? text::parse_json(text) : text::parse_mlir(text);
  if (!module) FAIL(text::error_text(name, text, module.error()));
  return *std::move(module);
}

checking::Context limited() {
  checking::Context context;
  context.runs.limits.max_iterations = 200;
  context.runs.limits.max_steps = 20000;
  return context;
}

int64_t num_ops(const Module& module) {
  const ir::OpId main = module.main_function().value();
  return std::ranges::distance(module.ops(module.entry(main))) - 1;  // without the return op
}

/// Checks whether exact runs find the fault in the partitioned program.
bool shows(const Fault& fault, const Module& program) {
  static const checking::Context kContext = limited();
  constexpr int kPlaces = 6;  // number of places to try
  const auto compiled = checking::compile(program);
  const auto inputs = checking::random_inputs(program, 1);
  if (!compiled || !inputs) return false;
  checking::CheckOptions options;
  options.run.num_workers = 1;
  std::optional<NumberRuns> exact;
  int places = 0;
  for (const Mutation& mutation : shardy_test::mutations_of(compiled->program)) {
    if (mutation.kind != fault.kind || !mutation.place.starts_with(fault.op)) continue;
    if (places++ == kPlaces) return false;
    Module mutant = compiled->program;
    mutation.apply(mutant);
    if (!ir::verify(mutant, 1).empty()) continue;
    if (!exact) exact.emplace(program, *inputs, NumberDomain::Exact, options, kContext);
    for (const Fill fill : {Fill::Poison, Fill::OtherPoison}) {
      options.run.kernels.fill = fill;
      const checking::NumberCheck check = exact->compare(mutant, options);
      if (check.done && !check.equal()) return true;
    }
  }
  return false;
}

/// Returns the program under the first random shardings that show the fault.
Module failing(const Fault& fault) {
  const Module program = read(fault.program);
  for (uint64_t seed = 1; seed < 60; ++seed) {
    Module sharded = checking::shard_at_random(program, seed, 8);
    if (shows(fault, sharded)) return sharded;
  }
  FAIL("no sharding shows the fault");
  return program;
}

}  // namespace

TEST_CASE("a planted fault is reduced to at most three ops", "[reduce]") {
  const Fault fault =
      GENERATE(Fault{"transformer.json", "spmd.all_reduce", "op left out, operand 0"},
               Fault{"moe.json", "spmd.all_reduce", "doubled result"},
               Fault{"transformer.json", "stablehlo.dot_general", "doubled result"},
               Fault{"moe.json", "spmd.all_to_all", "axes in another order"},
               Fault{"programs/mlp_gradients.mlir", "stablehlo.select", "op left out, operand 1"},
               Fault{"programs/mlp_gradients.mlir", "stablehlo.compare", "compares LE"},
               Fault{"programs/resnet_block.mlir", "spmd.permute", "op left out, operand 0"},
               Fault{"programs/game_of_life.mlir", "spmd.permute", "permute number 0"},
               Fault{"programs/lstm.mlir", "spmd.all_gather", "axes in another order"},
               Fault{"programs/runge_kutta.mlir", "spmd.all_reduce", "op left out, operand 0"});
  CAPTURE(fault.program, fault.op, fault.kind);
  const Module program = failing(fault);
  CHECK(std::ssize(ir::pre_order(program)) >= 20);
  checking::ReduceOptions options;
  int64_t runs = 0;
  options.progress = [&](const checking::ReduceProgress& so_far) {
    runs = so_far.runs;
    return true;
  };
  const Module small = checking::reduce_program(
      program, [&](const Module& part) { return shows(fault, part); }, options);
  const std::string text = text::to_mlir(small);
  INFO(text << runs << " runs");
  CHECK(num_ops(small) <= 3);
  CHECK(runs < options.max_runs);
  const auto again = text::parse_mlir(text);
  REQUIRE(again.has_value());
  CHECK(text_of(ir::verify(*again)) == "");
  CHECK(shows(fault, *again));
}

TEST_CASE("a reduction of a program ends with its budget, or when the caller stops it",
          "[reduce]") {
  const Fault fault{"moe.json", "spmd.all_reduce", "doubled result"};
  const Module program = failing(fault);
  int64_t runs = 0;
  const auto count = [&](const Module& part) {
    ++runs;
    return shows(fault, part);
  };
  const Module small = checking::reduce_program(program, count, {.max_runs = 7});
  CHECK(runs == 7);
  CHECK(shows(fault, small));
  runs = 0;
  checking::ReduceOptions stopped;
  stopped.progress = [&](const checking::ReduceProgress& so_far) { return so_far.runs < 3; };
  checking::reduce_program(program, count, stopped);
  CHECK(runs == 3);
}

TEST_CASE("a program is reduced to the smallest dims, axes, shardings and constants with the fault",
          "[reduce]") {
  const auto module = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=6, "y"=4, "z"=3], device_ids=[)" +
                                       [] {
                                         std::string ids;
                                         for (int id = 71; id >= 0; --id)
                                           ids += std::to_string(id) + (id == 0 ? "" : ", ");
                                         return ids;
                                       }() +
                                       R"(]>
func.func @main(%x: tensor<6x20x9x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y", ?}p1, {"z"}, {}], replicated={"x":(2)3}>}) -> tensor<20x9x5xf32> {
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5], [6.0, 7.0, 8.0, 9.0, 1.5]]> : tensor<9x5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [2, 3] : (tensor<9x5xf32>) -> tensor<6x20x9x5xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<6x20x9x5xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x20x9x5xf32>, tensor<f32>) -> tensor<20x9x5xf32>
  return %2 : tensor<20x9x5xf32>
}
)");
  REQUIRE(module.has_value());
  // The fault: a constant with at least two dims is multiplied, while at least two devices shard
  // some dim of size 3 or more.
  const auto fails = [](const Module& part) {
    bool has_product = false;
    bool is_sharded = false;
    for (const ir::OpId op : ir::pre_order(part)) {
      if (!part.is(op, ir::OpKind::Multiply)) continue;
      has_product = has_product || part.type(part.result(op)).rank() >= 2;
    }
    const ir::OpId main = part.main_function().value();
    for (std::size_t arg = 0; arg < part.args(part.entry(main)).size(); ++arg) {
      const auto sharding = ir::arg_sharding(part, main, arg);
      if (!sharding) continue;
      for (std::size_t dim = 0; dim < sharding->rank(); ++dim) {
        is_sharded = is_sharded || (sharding->dim(dim).sharded_size() >= 2 &&
                                    part.type(part.args(part.entry(main))[arg]).dim(dim) >= 3);
      }
    }
    return has_product && is_sharded;
  };
  REQUIRE(fails(*module));
  const Module small = checking::reduce_program(*module, fails);
  CHECK(text::to_mlir(small) == R"(module {
  sdy.mesh @mesh = <["z"=2]>
  func.func @main(%arg0: tensor<3x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, %arg1: tensor<3x1xf32>) -> tensor<3x1xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<3x1xf32>
    return %0 : tensor<3x1xf32>
  }
}
)");
}

}  // namespace reduction_test

// The sharded run of random programs must equal the unsharded run bit by bit.
#include <cstdint>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "checking/stablehlo_forms.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"
#include "support/settings.hpp"

using namespace shardy;
using checking::RandomProgram;
using shardy_test::setting;
using shardy_test::text_of;

namespace differential_test {
namespace {

/// Runs the program with W workers and checks every result against the reference.
simulation::GlobalResult run_with(const ir::Module& program, const RandomProgram& random,
                                  int64_t workers, simulation::Fill fill) {
  simulation::RunOptions options;
  options.num_workers = workers;
  options.kernels.fill = fill;
  auto result = simulation::run_global(program, "main", random.inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

void check_program(uint64_t seed, const checking::RandomProgramOptions& options = {},
                   const checking::CompileOptions& how = {}) {
  CAPTURE(seed);
  RandomProgram random = checking::random_program(seed, options);
  // Propagation requires sharding groups that share no value.
  static const passes::PassRegistry registry = passes::built_in_passes();
  const std::vector<passes::PassCall> import = {{"sdy-sharding-group-import"}};
  REQUIRE(passes::run_pipeline(random.module, registry, import).empty());
  const Diagnostics wrong = ir::verify(random.module);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  const auto compiled = checking::compile(random.module, how);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  const Diagnostics wrong_program = ir::verify(compiled->program);
  INFO(text_of(wrong_program));
  REQUIRE(wrong_program.empty());

  const auto reference = run_with(random.module, random, 1, simulation::Fill::Zero);
  const auto devices =
      ir::Module(compiled->program).main_function()
          ? simulation::num_devices(compiled->program, *compiled->program.main_function())
          : 1;
  const auto first = run_with(compiled->program, random, 1, simulation::Fill::Poison);
  for (std::size_t index = 0; index < reference.outputs.size(); ++index) {
    CAPTURE(index);
    const checking::TensorDifference difference =
        checking::compare(first.outputs[index], reference.outputs[index], {});
    CHECK(difference.mismatches == 0);
  }
  for (const int64_t workers : {int64_t{2}, devices}) {
    CAPTURE(workers);
    const auto again = run_with(compiled->program, random, workers, simulation::Fill::Poison);
    CHECK(again.outputs == first.outputs);
    CHECK(again.devices == first.devices);
  }
  // The values of padding must not reach results.
  const auto other = run_with(compiled->program, random, 1, simulation::Fill::OtherPoison);
  CHECK(other.outputs == first.outputs);
  shardy_test::check_stablehlo_form(compiled->program, random.inputs, first.outputs, seed);
}

}  // namespace

TEST_CASE("sharded runs of random programs equal unsharded ones", "[checking][differential]") {
  // SHARDY_DIFFERENTIAL_CASES overrides the number of cases, for long runs.
  // SHARDY_DIFFERENTIAL_SEED sets the first seed.
  const uint64_t first = setting("SHARDY_DIFFERENTIAL_SEED", 1);
  const uint64_t count = setting("SHARDY_DIFFERENTIAL_CASES", 2000);
  for (uint64_t seed = first; seed < first + count; ++seed) check_program(seed);
}

// Spec: partitioning 9.
TEST_CASE("sharded runs of random programs with loops, branches and calls equal unsharded ones",
          "[checking][differential]") {
  const uint64_t first = setting("SHARDY_DIFFERENTIAL_SEED", 1);
  const uint64_t count = setting("SHARDY_DIFFERENTIAL_CASES", 300);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    check_program(seed, {.max_dim = 6, .max_depth = 2});
  }
}

namespace {

/// Small dims, many of which the axes do not divide. At most 200 cases of a kind unless more are
/// asked for.
void check_kind(checking::RandomProgramOptions options) {
  options.max_dim = 6;
  const uint64_t first = setting("SHARDY_DIFFERENTIAL_SEED", 1);
  const uint64_t count = setting("SHARDY_DIFFERENTIAL_CASES", 200);
  for (uint64_t seed = first; seed < first + count; ++seed) check_program(seed, options);
}

}  // namespace

// Spec: the end of resharding C.7.
TEST_CASE("sharded runs equal unsharded runs for all planners and choices of common axes",
          "[checking][differential][resharding]") {
  const uint64_t first = setting("SHARDY_DIFFERENTIAL_SEED", 1);
  const uint64_t count = setting("SHARDY_DIFFERENTIAL_CASES", 300);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    for (const PlanKind plans : {PlanKind::Reference, PlanKind::Best}) {
      for (const PlanKind axes : {PlanKind::Reference, PlanKind::Best}) {
        CAPTURE(to_string(plans), to_string(axes));
        checking::CompileOptions how;
        how.pipeline.exporting.resharding = {.plans = plans, .common_axes = axes};
        check_program(seed, {.max_depth = 1}, how);
      }
    }
  }
}

TEST_CASE("sharded runs of random programs with barriers equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .barriers = true});
}

TEST_CASE("sharded runs of random programs with unreduced results equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .unreduced = true});
}

TEST_CASE("sharded runs of random programs with collectives equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .collectives = true});
}

TEST_CASE("sharded runs of random programs with two orders of devices equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .device_orders = true});
}

TEST_CASE("sharded runs of random programs with floats of 8 bits equal unsharded ones",
          "[checking][differential]") {
  check_kind({.transcendental = false, .small_floats = true});
}

// Spec: partitioning 7.
TEST_CASE("sharded runs of random programs with windows equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .windows = true});
}

TEST_CASE("sharded runs of random programs with windows and annotations equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1,
              .barriers = true,
              .unreduced = true,
              .collectives = true,
              .device_orders = true,
              .windows = true});
}

TEST_CASE("sharded runs of random programs with all kinds of annotations equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 2,
              .barriers = true,
              .unreduced = true,
              .collectives = true,
              .device_orders = true,
              .small_floats = true});
}

TEST_CASE("sharded runs of random programs with dynamic indices equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .indexed = true});
}

TEST_CASE("sharded runs of random programs with indices and partial values equal unsharded ones",
          "[checking][differential]") {
  check_kind({.barriers = true,
              .unreduced = true,
              .collectives = true,
              .device_orders = true,
              .small_floats = true,
              .indexed = true});
}

TEST_CASE("sharded runs of random programs with sorts, top_k and argmax equal unsharded ones",
          "[checking][differential]") {
  check_kind({.max_depth = 1, .unreduced = true, .device_orders = true, .whole_dims = true});
}

// Spec: resharding C.9.
TEST_CASE(
    "sharded runs of random programs with free axes in manual computations equal unsharded ones",
    "[checking][differential][manual]") {
  const uint64_t first = setting("SHARDY_DIFFERENTIAL_SEED", 1);
  const uint64_t count = setting("SHARDY_DIFFERENTIAL_CASES", 150);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    for (const PlanKind plans : {PlanKind::Reference, PlanKind::Best}) {
      checking::CompileOptions how;
      how.pipeline.exporting.resharding = {.plans = plans, .common_axes = plans};
      how.pipeline.importing.dedup_functions_fully = seed % 4 == 0;
      CAPTURE(to_string(plans));
      check_program(seed, {.max_depth = 3, .free_axes = true}, how);
    }
  }
}

TEST_CASE("sharded runs of programs with annotations in manual computations equal unsharded ones",
          "[checking][differential][manual]") {
  check_kind({.max_depth = 3,
              .barriers = true,
              .unreduced = true,
              .collectives = true,
              .free_axes = true});
}

// These seeds found two bugs. A concatenate read the operands of partial operands. A permute
// relabelled a value with its declared order of devices rather than its real order.
TEST_CASE("sharded runs of two programs that exposed bugs equal unsharded ones",
          "[checking][differential]") {
  check_program(70004137, {.max_dim = 6, .max_depth = 1, .unreduced = true});
  check_program(600262, {.max_dim = 6,
                         .max_depth = 1,
                         .barriers = true,
                         .unreduced = true,
                         .collectives = true,
                         .device_orders = true,
                         .windows = true});
}

}  // namespace differential_test

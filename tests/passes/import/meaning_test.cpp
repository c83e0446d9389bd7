// Passes keep what programs compute, and leave programs that verify. Spec: passes 9.6.
#include <cstdint>
#include <string>
#include <vector>

#include "passes/program.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "support/settings.hpp"

namespace shardy_test::meaning_test {
namespace {

using shardy::Diagnostics;
using shardy::checking::RandomProgram;
using shardy::ir::Module;
using shardy::passes::Pass;
using shardy::passes::PassCall;
using shardy::simulation::GlobalResult;
using Calls = std::vector<PassCall>;

/// On one device, shardings ignored.
GlobalResult run(const Module& module, const RandomProgram& random) {
  auto result = shardy::simulation::run_global(module, "main", random.inputs);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

void check_verifies(const Module& module) {
  std::string text;
  for (const shardy::Error& error : shardy::ir::verify(module)) {
    text += error.location.text() + ": " + error.message + "\n";
  }
  INFO(text << shardy::text::to_mlir(module));
  REQUIRE(text.empty());
}

/// Runs the passes on a copy, and compares what comes out at the end with what is expected.
Module check_meaning(const Module& before, const RandomProgram& random,
                     const GlobalResult& expected, const Calls& calls) {
  static const auto registry = shardy::passes::built_in_passes();
  Module module = before;
  shardy::passes::PipelineHooks hooks;
  hooks.after = [](const Pass& pass, const Module& changed) {
    INFO("after " << pass.name);
    check_verifies(changed);
    return Diagnostics();
  };
  const Diagnostics errors = shardy::passes::run_pipeline(module, registry, calls, hooks);
  INFO(calls.back().name << (errors.empty() ? "" : ": " + errors.front().message));
  REQUIRE(errors.empty());
  INFO(shardy::text::to_mlir(before) << shardy::text::to_mlir(module));
  CHECK(run(module, random).outputs == expected.outputs);
  return module;
}

const std::vector<Calls> kImportPasses = {
    {{"symbol-dce"}},
    {{"sdy-inline-meshes"}},
    {{"sdy-inline-meshes"}, {"sdy-lift-inlined-meshes"}},
    {{"sdy-remove-size-one-axes"}},
    {{"sdy-propagate-sharding-from-func-to-call"}},
    {{"sdy-propagate-unreduced-across-call-boundaries"}},
    {{"sdy-constant-or-scalar-splitter"}},
    {{"sdy-explicit-gather-scatter-batching"}},
    {{"sdy-manual-axes-cleanup"}},
    {{"sdy-add-data-flow-edges"}, {"sdy-apply-sharding-constraints"}},
    {{"sdy-apply-sharding-constraints"}},
    {{"sdy-flatten-call-graph"}},
    {{"sdy-import-func-calls"}},
    {{"sdy-add-func-data-flow-edges"}},
    {{"sdy-sharding-group-import"}},
    {{"sdy-pre-order-funcs"}},
    {{"sdy-import-pipeline"}},
    {{"sdy-import-pipeline", "dedup-functions-fully=true"}},
    {{"sdy-propagation-pipeline"}},
    {{"sdy-propagation-pipeline", "dedup-functions-fully=true"}},
};

/// The first stages of the export pipeline. Spec: passes 7.2, stages 1 to 4.
const Calls kUpToPropagation = {{"sdy-import-pipeline"},
                                {"sdy-flatten-call-graph"},
                                {"symbol-dce"},
                                {"sdy-import-func-calls"},
                                {"symbol-dce"},
                                {"sdy-apply-sharding-constraints"},
                                {"sdy-sharding-group-import"},
                                {"sdy-pre-order-funcs"},
                                {"sdy-user-priority-propagate", "keep-sharding-rules=true"}};

/// Each on what propagation left.
const std::vector<Calls> kExportPasses = {
    {{"sdy-constant-or-scalar-merger"}},
    {{"sdy-sink-data-flow-edges"}},
    {{"sdy-remove-sharding-groups"}},
    {{"sdy-sharding-constraint-to-reshard"}},
    {{"sdy-update-non-divisible-input-output-shardings"}},
    {{"sdy-remove-sub-axes-in-input-output-shardings"}},
    {{"sdy-close-shardings"}},
    {{"sdy-export-named-computations"}},
    {{"sdy-export-named-computations"},
     {"sdy-propagate-to-func-results"},
     {"sdy-unflatten-call-graph"},
     {"symbol-dce"},
     {"sdy-insert-func-call-reshards"}},
    // Explicitly replicated axes prevent collectives (resharding A.1).
    {{"sdy-close-shardings"}, {"sdy-insert-explicit-reshards"}},
    {{"sdy-close-shardings"}, {"sdy-insert-explicit-reshards", "enable-full-version=true"}},
    {{"sdy-drop-sharding-rules"}},
    {{"sdy-remove-propagation-debug-info"}},
    {{"canonicalize"}},
    {{"sdy-export-pipeline", "enable-insert-explicit-collectives=true"}},
    {{"sdy-export-pipeline", "avoid-export-for-partitioning=true"}},
};

/// Each on what the ones before it left.
const std::vector<Calls> kLoweringPasses = {
    {{"sdy-sink-data-flow-edges"}, {"sdy-sharding-constraint-to-reshard"}, {"sdy-close-shardings"}},
    {{"sdy-insert-explicit-reshards", "enable-full-version=true"}},
    {{"canonicalize"}},
    {{"sdy-reshard-to-collectives"}},
    {{"canonicalize"}},
    {{"sdy-remove-all-gather-reduce-scatter-for-cmv1"}},
    {{"sdy-remove-sharding-groups"}},
    {{"sdy-drop-sharding-rules"}},
};

template <class Check>
void for_random_programs(const Check& check) {
  // SHARDY_MEANING_CASES and SHARDY_MEANING_SEED are for long runs.
  const uint64_t first = setting("SHARDY_MEANING_SEED", 0);
  for (uint64_t seed = first; seed < first + setting("SHARDY_MEANING_CASES", 60); ++seed) {
    CAPTURE(seed);
    const RandomProgram random =
        shardy::checking::random_program(seed, {.max_dim = 6, .max_depth = 3});
    check_verifies(random.module);
    check(random, run(random.module, random));
  }
}

// A long run: SHARDY_MEANING_CASES=20000 passes_import_test '[meaning]'
TEST_CASE("import passes keep the results of random programs", "[passes][random][meaning]") {
  for_random_programs([](const RandomProgram& random, const GlobalResult& expected) {
    for (const Calls& calls : kImportPasses) {
      check_meaning(random.module, random, expected, calls);
    }
  });
}

TEST_CASE("export passes keep the results of random programs", "[passes][random][meaning]") {
  for_random_programs([](const RandomProgram& random, const GlobalResult& expected) {
    const Module propagated = check_meaning(random.module, random, expected, kUpToPropagation);
    for (const Calls& calls : kExportPasses) check_meaning(propagated, random, expected, calls);
    Module module = propagated;
    for (const Calls& calls : kLoweringPasses) {
      module = check_meaning(module, random, expected, calls);
    }
  });
}

/// Counts ops of the programs, so that the test above cannot pass without any.
TEST_CASE("random programs contain calls, regions and computations", "[passes][random][meaning]") {
  std::string all;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    all += shardy::text::to_mlir(
        shardy::checking::random_program(seed, {.max_dim = 6, .max_depth = 3}).module);
  }
  for (const char* op : {"call @f", "stablehlo.while", "stablehlo.case", "stablehlo.if",
                         "sdy.named_computation", "sdy.manual_computation", "sdy.sharding_group",
                         "sdy.sharding_constraint", "stablehlo.constant"}) {
    CAPTURE(op);
    CHECK(all.find(op) != std::string::npos);
  }
}

}  // namespace
}  // namespace shardy_test::meaning_test

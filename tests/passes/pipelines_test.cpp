// The pipelines as lists of passes. Spec: passes 7.
#include "shardy/passes/pipelines.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "passes/program.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {
namespace {

/// Position of the first call of the pass; the number of calls if there is none.
std::size_t place_of(const std::vector<PassCall>& calls, std::string_view pass) {
  return static_cast<std::size_t>(
      std::distance(calls.begin(), std::ranges::find(calls, pass, &PassCall::name)));
}

// Spec: passes 7.2, deviation 14.
TEST_CASE("the pipeline never asks to merge functions with other boundaries",
          "[passes][pipeline]") {
  for (const bool fully : {false, true}) {
    const std::vector<PassCall> calls = propagation_pipeline({.dedup_functions_fully = fully});
    const std::size_t place = place_of(calls, "sdy-unflatten-call-graph");
    REQUIRE(place < calls.size());
    CHECK(calls[place].options.empty());
  }
}

// Spec: passes 7.2 stage 7, propagation 17.
TEST_CASE("an auto-partitioner runs behind propagation and in front of call reshards",
          "[passes][pipeline]") {
  PipelineOptions options{.dump_directory = "d", .enable_auto_partitioning = true};
  options.auto_partitioner = [](const PipelineOptions& given) {
    return std::vector<PassCall>{{"mine", given.dump_directory}};
  };
  const std::vector<PassCall> calls = propagation_pipeline(options);
  const std::size_t mine = place_of(calls, "mine");
  REQUIRE(mine + 1 < calls.size());
  CHECK(calls[mine] == PassCall{"mine", "d"});
  CHECK(calls[mine - 1].options.find("name=propagation_before_auto_partitioning index=2") !=
        std::string::npos);
  CHECK(calls[mine - 2].name == "symbol-dce");
  CHECK(calls[mine + 1].name == "sdy-insert-func-call-reshards");

  options.enable_auto_partitioning = false;
  CHECK(place_of(propagation_pipeline(options), "mine") == propagation_pipeline(options).size());
}

TEST_CASE("an auto-partitioner that appends nothing is one, none at all is an error",
          "[passes][pipeline]") {
  PipelineOptions options{.enable_auto_partitioning = true};
  const PassRegistry registry = built_in_passes();
  ir::Module module = shardy_test::program("func.func @main() { return }");
  const PassErrors errors = run_pipeline(module, registry, propagation_pipeline(options));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "auto-partitioner callback wasn't registered");
  options.auto_partitioner = [](const PipelineOptions&) { return std::vector<PassCall>(); };
  CHECK(run_pipeline(module, registry, propagation_pipeline(options)).empty());
}

/// The files that a pipeline saves, in order.
std::vector<std::string> saved_files(const std::vector<PassCall>& calls, std::string_view program) {
  std::vector<std::string> files;
  PipelineHooks hooks;
  hooks.sinks.save = [&](const std::string& path, const ir::Module&) {
    files.push_back(path);
    return Status();
  };
  ir::Module module = shardy_test::program(program);
  CHECK(run_pipeline(module, built_in_passes(), calls, hooks).empty());
  return files;
}

// Spec: passes 3.2, 7.1 to 7.3.
TEST_CASE("pipelines save modules under running numbers", "[passes][pipeline]") {
  using Files = std::vector<std::string>;
  const std::string_view program =
      "sdy.mesh @mesh = <[\"x\"=2]>\n"
      "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}p1]>}) -> "
      "tensor<8xf32> { return %a : tensor<8xf32> }";
  CHECK(saved_files(propagation_pipeline({.dump_directory = "d"}), program) ==
        Files{"d/01.before_propagation.mlir", "d/02.propagation_after_user_priority_0.mlir",
              "d/02.after_propagation.mlir",
              "d/03.after_minimal_partitioner_with_global_shapes.mlir"});
  CHECK(saved_files(propagation_pipeline(
                        {.dump_directory = "d", .enable_insert_explicit_collectives = true}),
                    program)
            .back() == "d/04.after_partitioner_with_global_shapes.mlir");
  CHECK(saved_files(import_pipeline({.dump_directory = "d"}), program) ==
        Files{"d/00.before_propagation.mlir"});
  CHECK(saved_files(
            export_pipeline({.dump_directory = "d", .enable_insert_explicit_collectives = true}),
            program) == Files{"d/00.after_propagation.mlir", "d/01.after_explicit_reshards.mlir",
                              "d/02.after_partitioner_with_global_shapes.mlir"});
  CHECK(saved_files(export_pipeline({.dump_directory = "d", .avoid_export_for_partitioning = true}),
                    program) == Files{"d/00.after_propagation.mlir"});
}

}  // namespace
}  // namespace shardy::passes

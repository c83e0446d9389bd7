// The pipelines as lists of passes. Spec: passes 7.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "passes/program.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes::pipelines_test {
namespace {

/// Returns the position of the first call of the pass; the number of calls if the list has none.
std::size_t place_of(const std::vector<PassCall>& calls, std::string_view pass) {
  return static_cast<std::size_t>(
      std::distance(calls.begin(), std::ranges::find(calls, pass, &PassCall::name)));
}

// Spec: passes 7.2, deviation 14.
const DebugOptions kSaving{.dump_directory = "d"};

TEST_CASE("the pipeline never merges functions with different boundaries", "[passes][pipeline]") {
  for (const bool fully : {false, true}) {
    const std::vector<PassCall> calls =
        propagation_pipeline({.importing = {.dedup_functions_fully = fully}});
    const std::size_t place = place_of(calls, "sdy-unflatten-call-graph");
    REQUIRE(place < calls.size());
    CHECK(calls[place].options.empty());
  }
}

// Spec: passes 7.2 stage 7, propagation 17.
TEST_CASE("an auto-partitioner runs after propagation and before reshards of calls",
          "[passes][pipeline]") {
  PipelineOptions options{.debug = kSaving, .enable_auto_partitioning = true};
  options.auto_partitioner = [](const PipelineOptions& given) {
    return std::vector<PassCall>{{"mine", given.debug.dump_directory}};
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

TEST_CASE("an auto-partitioner may append no pass, and a missing auto-partitioner is an error",
          "[passes][pipeline]") {
  PipelineOptions options{.enable_auto_partitioning = true};
  const PassRegistry registry = built_in_passes();
  ir::Module module = shardy_test::program("func.func @main() { return }");
  const Diagnostics errors = run_pipeline(module, registry, propagation_pipeline(options));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "auto-partitioner callback wasn't registered");
  options.auto_partitioner = [](const PipelineOptions&) { return std::vector<PassCall>(); };
  CHECK(run_pipeline(module, registry, propagation_pipeline(options)).empty());
}

/// Returns the files that a pipeline saves, in order.
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
TEST_CASE("pipelines save modules under increasing numbers", "[passes][pipeline]") {
  using Files = std::vector<std::string>;
  const std::string_view program =
      "sdy.mesh @mesh = <[\"x\"=2]>\n"
      "func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}p1]>}) -> "
      "tensor<8xf32> { return %a : tensor<8xf32> }";
  CHECK(saved_files(propagation_pipeline({.debug = kSaving}), program) ==
        Files{"d/01.before_propagation.mlir", "d/02.propagation_after_user_priority_0.mlir",
              "d/02.after_propagation.mlir",
              "d/03.after_minimal_partitioner_with_global_shapes.mlir"});
  const ExportOptions collectives{.enable_insert_explicit_collectives = true};
  CHECK(saved_files(propagation_pipeline({.debug = kSaving, .exporting = collectives}), program)
            .back() == "d/04.after_partitioner_with_global_shapes.mlir");
  CHECK(saved_files(import_pipeline({.debug = kSaving}), program) ==
        Files{"d/00.before_propagation.mlir"});
  CHECK(saved_files(export_pipeline(collectives, kSaving), program) ==
        Files{"d/00.after_propagation.mlir", "d/01.after_explicit_reshards.mlir",
              "d/02.after_partitioner_with_global_shapes.mlir"});
  CHECK(saved_files(export_pipeline({.avoid_export_for_partitioning = true}, kSaving), program) ==
        Files{"d/00.after_propagation.mlir"});
}

// ---- Options ------------------------------------------------------------------------------------

/// Returns the passes of a pipeline with these options. `registry` must outlive the result.
std::vector<PlannedPass> planned(const PassRegistry& registry, const std::string& pipeline,
                                 const std::string& options) {
  const std::vector<PassCall> calls = {{pipeline, options}};
  auto passes = plan_passes(registry, calls);
  REQUIRE(passes);
  return *std::move(passes);
}

/// Returns the names of these passes without `sdy-`, in one line.
std::string stages(const std::string& pipeline, const std::string& options) {
  const PassRegistry registry = partitioning::all_passes();
  std::string line;
  for (const PlannedPass& each : planned(registry, pipeline, options)) {
    std::string_view name = each.pass->name;
    if (name.starts_with("sdy-")) name.remove_prefix(4);
    line += (line.empty() ? "" : " ") + std::string(name);
  }
  return line;
}

// Spec: passes 7.3.
TEST_CASE("each option of the export pipeline chooses its stages", "[passes][pipeline]") {
  const std::string begin =
      "constant-or-scalar-merger sink-data-flow-edges remove-sharding-groups "
      "sharding-constraint-to-reshard ";
  const std::string divide =
      "update-non-divisible-input-output-shardings "
      "remove-sub-axes-in-input-output-shardings ";
  const std::string insert = "close-shardings verify-unreduced-axes insert-explicit-reshards ";
  const std::string lower = "canonicalize reshard-to-collectives canonicalize ";
  const std::string end = "drop-sharding-rules inline-meshes";
  const std::string plain = begin + divide + insert + "canonicalize ";
  const auto [options, wanted] = GENERATE_COPY(table<std::string, std::string>({
      {"", plain + end},
      {"replica-count=2", plain + end},
      {"partition-count=2", plain + end},
      {"avoid-reshards-on-calls=true", plain + end},
      {"remove-all-gather-reduce-scatter-for-cmv1=true", plain + end},
      {"keep-sharding-rules=true", plain + "inline-meshes"},
      {"inline-meshes=false", plain + "drop-sharding-rules"},
      {"dump-sharding-origins=true", plain + "remove-propagation-debug-info " + end},
      {"dump-propagation-edges=true", plain + "remove-propagation-debug-info " + end},
      {"update-non-divisible-input-output-shardings=false", begin + insert + "canonicalize " + end},
      {"avoid-export-for-partitioning=true", "constant-or-scalar-merger sink-data-flow-edges " +
                                                 divide + "close-shardings drop-sharding-rules"},
      {"enable-insert-explicit-collectives=true", begin + divide + insert + lower + end},
      {"enable-insert-explicit-collectives=true remove-all-gather-reduce-scatter-for-cmv1=true",
       begin + divide + insert + lower + "remove-all-gather-reduce-scatter-for-cmv1 " + end},
      {"enable-per-instruction-partitioning=true",
       begin + divide + insert + "per-instruction-partitioning canonicalize " + end},
      {"enable-per-instruction-partitioning=true enable-insert-explicit-collectives=true",
       begin + divide + insert + "per-instruction-partitioning canonicalize " + end},
      {"dump-directory=d", begin + divide + "close-shardings save-module " +
                               insert.substr(insert.find(' ') + 1) + "canonicalize save-module " +
                               end},
  }));
  CAPTURE(options);
  CHECK(stages("sdy-export-pipeline", options) == wanted);
}

// Spec: passes 7.1, 7.2.
TEST_CASE("each option of the propagation pipeline chooses its stages", "[passes][pipeline]") {
  const std::string first =
      "symbol-dce import-func-result-shardings lift-inlined-meshes remove-size-one-axes "
      "propagate-sharding-from-func-to-call constant-or-scalar-splitter ";
  const std::string second = "symbol-dce manual-axes-cleanup add-data-flow-edges ";
  const std::string constraints = "apply-sharding-constraints sharding-group-import ";
  const std::string calls =
      "flatten-call-graph symbol-dce import-func-calls symbol-dce " + constraints;
  const std::string rest =
      "pre-order-funcs user-priority-propagate export-named-computations "
      "propagate-to-func-results unflatten-call-graph symbol-dce insert-func-call-reshards ";
  const auto exported = [](const std::string& options) {
    return stages("sdy-export-pipeline", "inline-meshes=false " + options);
  };
  const std::string plain = first + second + calls + rest;
  CHECK(stages("sdy-import-pipeline", "") + " " == first + second);
  CHECK(stages("sdy-import-pipeline", "dedup-functions-fully=true") + " " ==
        first + second + constraints);
  const auto run = [](const std::string& options) {
    return stages("sdy-propagation-pipeline", options);
  };
  CHECK(run("") == plain + exported(""));
  CHECK(run("inline-meshes=true") == plain + stages("sdy-export-pipeline", ""));
  CHECK(run("conservative-propagation=true") == plain + exported(""));
  CHECK(run("enable-explicit-gather-scatter-batching=true") ==
        first + "explicit-gather-scatter-batching " + second + calls + rest + exported(""));
  CHECK(run("dedup-functions-fully=true") ==
        first + second + constraints +
            "copy-for-manual-contexts add-func-data-flow-edges pre-order-funcs "
            "user-priority-propagate "
            "propagate-to-func-results sink-func-data-flow-edges unflatten-call-graph symbol-dce "
            "insert-func-call-reshards " +
            exported(""));
  CHECK(run("debug-sharding-origins=true") == plain + exported("dump-sharding-origins=true"));
  CHECK(run("debug-propagation-edge-sharding=true") ==
        plain + exported("dump-propagation-edges=true"));
  for (const char* option :
       {"keep-sharding-rules=true", "avoid-export-for-partitioning=true",
        "enable-insert-explicit-collectives=true", "avoid-reshards-on-calls=true",
        "enable-per-instruction-partitioning=true",
        "update-non-divisible-input-output-shardings=false"}) {
    CAPTURE(option);
    CHECK(run(option) == plain + exported(option));
  }
}

// Spec: passes 7.2 to 7.4.
TEST_CASE("pipelines pass options to their stages", "[passes][pipeline]") {
  const PassRegistry registry = partitioning::all_passes();
  const auto options_of = [&](const std::string& pipeline, const std::string& options,
                              std::string_view pass) {
    const auto passes = planned(registry, pipeline, options);
    const auto found = std::ranges::find(
        passes, pass, [](const PlannedPass& each) { return std::string_view(each.pass->name); });
    REQUIRE(found != passes.end());
    return found->options;
  };
  const auto one_by_one =
      options_of("sdy-export-pipeline",
                 "enable-per-instruction-partitioning=true replica-count=2 partition-count=3 "
                 "per-instruction-partitioning-filter='dot,selectLow=1'",
                 "sdy-per-instruction-partitioning");
  CHECK(one_by_one.number("replica-count") == 2);
  CHECK(one_by_one.number("partition-count") == 3);
  CHECK(one_by_one.text("filter") == "dot,selectLow=1");
  for (const bool full : {false, true}) {
    const std::string value = full ? "true" : "false";
    CHECK(options_of("sdy-export-pipeline", "enable-insert-explicit-collectives=" + value,
                     "sdy-insert-explicit-reshards")
              .flag("enable-full-version") == full);
    CHECK(options_of("sdy-export-pipeline", "enable-per-instruction-partitioning=" + value,
                     "sdy-insert-explicit-reshards")
              .flag("enable-full-version") == full);
    CHECK(options_of("sdy-export-pipeline", "mark-partial-result-with-unreduced-axes=" + value,
                     "sdy-insert-explicit-reshards")
              .flag("mark-partial-result-with-unreduced-axes") == full);
    const auto propagate =
        options_of("sdy-propagation-pipeline", "conservative-propagation=" + value,
                   "sdy-user-priority-propagate");
    CHECK(propagate.flag("conservative-propagation") == full);
    CHECK(propagate.flag("keep-sharding-rules"));
  }
  const std::string debug = "debug-sharding-origins=true debug-propagation-edge-sharding=true";
  for (const char* pass : {"sdy-apply-sharding-constraints", "sdy-user-priority-propagate"}) {
    CAPTURE(pass);
    CHECK(options_of("sdy-propagation-pipeline", debug, pass).flag("debug-sharding-origins"));
    CHECK(options_of("sdy-propagation-pipeline", debug, pass)
              .flag("debug-propagation-edge-sharding"));
  }
  const auto sink = options_of("sdy-propagation-pipeline", debug, "sdy-sink-data-flow-edges");
  CHECK(sink.flag("sink-debug-sharding-origins"));
  CHECK(sink.flag("sink-debug-propagation-edge-sharding"));
}

}  // namespace
}  // namespace shardy::passes::pipelines_test

// Pipelines: running passes in sequence, their text form, the built-in passes and pipelines; import
// and export of other forms of shardings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::passes {

// ---- Running passes in sequence -----------------------------------------------------------------

/// A pass with the values of its options.
struct PlannedPass {
  const Pass* pass = nullptr;  // owned by the registry, which must outlive this
  OptionValues options;        // with defaults
};

/// Resolves calls to passes and expands pipelines. Errors: unknown passes and options, pipelines
/// that contain themselves.
Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls);

/// Hooks of a run of passes.
struct PipelineHooks {
  PassSinks sinks = {};  // receivers of the output of passes
  /// Sharding rules of ops for all passes; null: the built-in ones. Must outlive the run.
  const rules::Registry* rules = nullptr;
  /// The caller's replacements for all passes; null: none. Must outlive the run.
  const Extensions* extensions = nullptr;
  /// Checked between passes and between the ops of long ones; null: nothing ends the run early.
  /// Must outlive the run.
  LimitChecker* limits = nullptr;
  /// Called before each pass.
  std::function<void(const Pass&, const ir::Module&)> before = {};
  /// Called after each pass. Its errors end the run like those of a pass.
  std::function<Diagnostics(const Pass&, const ir::Module&)> after = {};
};

/// Runs the passes in order and stops after the first one with errors. An exceeded limit is an
/// error that names the phase and replaces those of the pass. Requires: passes, none of which is a
/// pipeline.
Diagnostics run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                       const PipelineHooks& hooks = {});

/// Resolves the calls and runs the passes. Errors: those of plan_passes, those of the first failing
/// pass.
Diagnostics run_pipeline(ir::Module& module, const PassRegistry& registry,
                         std::span<const PassCall> calls, const PipelineHooks& hooks = {});

/// Parses `builtin.module(sdy-a{x=1 y=2},func.func(sdy-b))` to the passes in order. Errors: invalid
/// syntax, unknown passes, module passes in `func.func`.
Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text);

// ---- Registration of the built-in passes, one function per phase --------------------------------

/// Adds the common passes. Adding them twice changes nothing.
void register_common_passes(PassRegistry& registry);
/// Adds the passes of Shardy's import phase. Requires: none of them is registered.
void register_import_passes(PassRegistry& registry);
/// Adds the propagation passes. Requires: none of them is registered.
void register_propagation_passes(PassRegistry& registry);
/// Adds the passes of Shardy's export phase. Requires: none of them is registered.
void register_export_passes(PassRegistry& registry);
/// Adds the passes of docs/spec/interop.md. Requires: none of them is registered.
void register_interop_passes(PassRegistry& registry);

/// Returns a registry with all of them, in that order.
PassRegistry built_in_passes();

// ---- Pipelines as lists of pass calls. Spec: passes 7 -------------------------------------------

/// Debug output of a pipeline.
struct DebugOptions {
  std::string dump_directory = {};  // for modules between passes; empty: none
  /// Record in `sdy.sharding_origins` the annotation that each axis came from.
  bool sharding_origins = false;
  bool propagation_edges =
      false;  // record in `sdy.propagation_edges` the ops that each axis passed
};

/// Options of the import phase. Spec: passes 7.1.
struct ImportOptions {
  bool dedup_functions_fully = false;  // also merge copies of a function with different shardings
  /// Make batch dims of gathers and scatters explicit that are encoded as iota in the indices.
  bool enable_explicit_gather_scatter_batching = false;
  bool composites_to_calls = false;  // for partitioning, which lowers calls
};

/// Options for the planning of reshards.
struct ReshardChoice {
  PlanKind plans = PlanKind::Reference;        // plan of each reshard
  PlanKind common_axes = PlanKind::Reference;  // common axes of the tensors of an op
  std::string axis_costs = {};  // text for parse_cost_model; empty: costs of the meshes
};

/// Options of the export phase. Spec: passes 7.3.
struct ExportOptions {
  /// Number of replicas if devices are replicas of one program; at most one of the two is more than
  /// 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions if devices are partitions of one program
  /// Keep constraints and groups for a later propagation.
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives =
      false;  // make reshards explicit and lower them to collectives
  /// Use the rules by which partitioning lowers ops, for explicit reshards and for propagation.
  bool lowering_rules = false;
  /// Leave all-gathers before and reduce-scatters after dots to the backend.
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  /// Partition ops one by one instead of whole functions.
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};  // filter of ops; empty: all
  bool keep_sharding_rules = false;                      // keep `sdy.sharding_rule` attributes
  /// Drop axes that do not divide arguments and results.
  bool update_non_divisible_input_output_shardings = true;
  bool inline_meshes = true;      // inline meshes into shardings
  ReshardChoice resharding = {};  // planning of reshards
};

/// Returns the pipeline from propagated shardings to a program that can be partitioned.
/// `dump_index`: number of the first saved module.
std::vector<PassCall> export_pipeline(const ExportOptions& options = {},
                                      const DebugOptions& debug = {}, int64_t dump_index = 0);

/// Options of all phases. Spec: passes 7.4, without the options that it ignores.
struct PipelineOptions {
  DebugOptions debug = {};                // debug output
  ImportOptions importing = {};           // of the phase before propagation
  bool conservative_propagation = false;  // only axes that fit without sub-axes and conflicts
  ExportOptions exporting = {};           // of the phase after propagation
  bool enable_auto_partitioning = false;  // run auto_partitioner
  /// Returns the passes that choose shardings after propagation. The pipeline fails without it if
  /// auto-partitioning is enabled. Spec: propagation 17.
  std::function<std::vector<PassCall>(const PipelineOptions&)> auto_partitioner = {};
};

/// Returns the pipeline from the source program to propagation. `dump_index`: number of the saved
/// module. Spec: passes 7.1.
std::vector<PassCall> import_pipeline(const PipelineOptions& options = {}, int64_t dump_index = 0);

/// Returns the pipeline of import, propagation and export. Spec: passes 7.2.
std::vector<PassCall> propagation_pipeline(const PipelineOptions& options = {});

/// Registers `sdy-import-pipeline`, `sdy-propagation-pipeline` and `sdy-export-pipeline` if they do
/// not exist; register_export_passes calls it.
void register_export_pipelines(PassRegistry& registry);

// ---- Other forms of shardings: GSPMD's, and XLA's round trip of sdy. Spec: interop -------------

/// Forms of shardings that an import reads.
enum class ImportForm : uint8_t { Auto, Gspmd, RoundTrip, None };

/// Counts of an import.
struct ImportedShardings {
  int64_t arguments = 0, results = 0, ops = 0;  // with mhlo.sharding
  int64_t keys = 0;                             // xla.sdy.sharding, and those of function results
  int64_t constraints = 0, groups = 0, barriers = 0, shard_maps = 0;  // custom calls
  int64_t placeholders = 0;   // `{replicated}` of values without sharding
  int64_t likes = 0;          // `shard_like` annotations, which sdy does not have
  int64_t reconstructed = 0;  // in_shardings derived from shapes
  int64_t left = 0;           // annotations that the requested form excludes
  std::string mesh = {};      // `@mesh = <["_axis_0"=4]>`: the mesh of mhlo.sharding

  /// Returns `imported 7 mhlo.sharding on @mesh = <["_axis_0"=8]>: 4 arguments, ...`; empty if
  /// nothing was imported.
  std::string note() const;
};

/// Replaces a module without functions by its first nested module with a function, for files with
/// nested or several modules. Call it before import_shardings. Returns a note that names the nested
/// module; std::nullopt without a change. Cost: linear in the module.
std::optional<Diagnostic> enter_module(ir::Module& module);

/// Converts `mhlo.sharding`, custom calls of GSPMD, and XLA's `xla.sdy` attributes, bodies and
/// custom calls to sdy. Modules without these stay unchanged. Errors: invalid or misspelled
/// shardings, at their location; the module is then partly changed. Spec: interop 5, 6.
DiagnosedResult<ImportedShardings> import_shardings(ir::Module& module,
                                                    ImportForm form = ImportForm::Auto);

/// Form of exported shardings; `Named`: with axis names.
enum class ExportForm : uint8_t { Sdy, Gspmd, GspmdNamed, RoundTrip, RoundTripNamed };

/// Writes the shardings of an sdy module in another form, as XLA's export pipelines do. Returns
/// warnings about features that the form does not have. Errors: ops that the form does not have.
/// Spec: interop 7.
DiagnosedResult<Diagnostics> export_shardings(ir::Module& module, ExportForm form);

/// Attributes and ops that pipelines add for other compilers.
struct ProgramMarks {
  bool constants = false;    // `sdy.constant`, which is not merged, instead of `stablehlo.constant`
  bool mesh_copies = false;  // `stablehlo.mesh` attributes of mesh ops
};

/// Returns the marks that the module has. Cost: linear in the program.
ProgramMarks marks_of(const ir::Module& module);
/// Removes the marks, except the kinds in `kept`, which the source program had. Cost: linear in the
/// program.
void drop_marks(ir::Module& module, const ProgramMarks& kept);

}  // namespace shardy::passes

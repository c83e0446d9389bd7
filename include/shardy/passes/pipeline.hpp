// Passes, their options and registry. Pipelines: sequences of passes, their text form, the built-in
// passes and pipelines. Import and export of other forms of shardings. The export pipeline, and
// callbacks that replace its decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/propagation/detail/extensions.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace shardy::passes {

// ---- Options: declarations and values -----------------------------------------------------------

/// Type of an option's values.
enum class OptionType : uint8_t { Bool, Int, String, Enum };

/// Declaration of an option.
struct PassOption {
  std::string name;                       // name in `name=value`
  OptionType type = OptionType::Bool;     // type of the value
  std::string default_value;              // text form of the default; empty: false, 0 or empty text
  std::string help;                       // help text, one sentence
  std::vector<std::string> choices = {};  // allowed values of an Enum
};

/// Values of all options of a pass, including defaults.
class OptionValues {
 public:
  /// Returns the value of a Bool option. Requires: an option of that name and type.
  bool flag(std::string_view name) const;
  /// Returns the value of an Int option. Requires: an option of that name and type.
  int64_t number(std::string_view name) const;
  /// Returns the value of a String or Enum option. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const;
  /// Returns the items of a String option that is a comma-separated list. Requires: an option of
  /// that name and type.
  std::vector<std::string> list(std::string_view name) const;

  using OptionValue = std::variant<bool, int64_t, std::string>;  // value of an option
  /// Sets or replaces the value of an option.
  void set(std::string name, OptionValue value);

 private:
  template <typename T>
  const T& get(std::string_view name) const;

  std::map<std::string, OptionValue, std::less<>> values_;
};

/// Parses `a=b c='two words' d={x=1} flag`, the syntax of MLIR's pass options. An option without a
/// value is true. Errors: an undeclared option; a value of another type.
Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text);

/// Returns the text of the option's type: `bool`, `int`, `string`, or the choices `a|b|c`.
std::string type_text(const PassOption& option);

// ---- The context of a pass ----------------------------------------------------------------------

struct Extensions;
struct CollectiveRewrite;
class KnownPlans;

/// Receivers of the output of passes. Each receiver may be empty.
struct PassSinks {
  /// Called with each diagnostic of passes that succeeded.
  std::function<void(const Diagnostic&)> diagnose;
  /// Called to write a module as text to the file `path`.
  std::function<Status(const std::string& path, const ir::Module&)> save;
  /// Called for each decision of a pass that costs less than the reference decision.
  std::function<void(const CollectiveRewrite&)> rewrite;
};

/// The context of a pass, valid only during the call of the pass.
class PassContext {
 public:
  /// Makes a context. All arguments must outlive the context. `extensions` has replacements by the
  /// caller, or is null. `limits` can end the pass early, or is null. `plans` has results of
  /// earlier searches, or is null.
  PassContext(const OptionValues& options, const PassSinks& sinks, const rules::Registry& rules,
              const Extensions* extensions = nullptr, LimitChecker* limits = nullptr,
              KnownPlans* plans = nullptr)
      : options_(options),
        sinks_(sinks),
        rules_(rules),
        extensions_(extensions),
        limits_(limits),
        plans_(plans) {}

  /// Returns the sharding rules of ops.
  const rules::Registry& rules() const { return rules_; }
  /// Returns the replacements by the caller, or null.
  const Extensions* extensions() const { return extensions_; }
  /// Returns the limits of the run of passes; null: none. A pass whose checks fail returns early,
  /// with or without errors; run_passes adds the error.
  LimitChecker* limits() const { return limits_; }
  /// Returns results of searches for plans that earlier passes and runs stored, or null.
  KnownPlans* plans() const { return plans_; }
  /// Returns the receivers of diagnostics, modules and rewrites.
  const PassSinks& sinks() const { return sinks_; }
  /// Returns the values of the pass's options.
  const OptionValues& options() const { return options_; }
  /// Returns the value of a Bool option. Requires: an option of that name and type.
  bool flag(std::string_view name) const { return options_.flag(name); }
  /// Returns the value of an Int option. Requires: an option of that name and type.
  int64_t number(std::string_view name) const { return options_.number(name); }
  /// Returns the value of a String or Enum option. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const { return options_.text(name); }

  /// Reports a warning at an op. `remedy` is a note that explains how to fix the program.
  void warn(const ir::Module& module, ir::OpId op, std::string message, std::string remedy);
  /// Reports a warning without a location.
  void warn(std::string message, std::string remedy);
  /// Reports a remark at an op.
  void remark(const ir::Module& module, ir::OpId op, std::string message);
  /// Passes a diagnostic to the receiver, if one is set.
  void diagnose(const Diagnostic& diagnostic);

  /// Saves the module as DIRECTORY/II.NAME.mlir, where II is `index`; without an index as
  /// DIRECTORY/NAME.mlir. Does nothing if `directory` is empty. Failures are reported as warnings.
  /// Spec: passes 3.2.
  void save_module(const ir::Module& module, const std::string& directory, const std::string& name,
                   std::optional<int64_t> index);

 private:
  const OptionValues& options_;
  const PassSinks& sinks_;
  const rules::Registry& rules_;
  const Extensions* extensions_;
  LimitChecker* limits_;
  KnownPlans* plans_;
};

/// Returns an error at the location of an op.
inline Error error_at(const ir::Module& module, ir::OpId op, std::string message) {
  return {std::move(message), module.source_location(op), {}};
}

// ---- Passes and their registry ------------------------------------------------------------------

/// Kind of a pass. Function passes may occur in `func.func(...)` of a pipeline.
enum class PassKind : uint8_t { Module, Function };
/// Phase to which a pass belongs in tables and help texts.
enum class PassPhase : uint8_t { Common, Import, Propagation, Export, Pipeline };

/// Returns "module" or "function".
std::string_view to_string(PassKind kind);
/// Returns "common", "import", "propagation", "export" or "pipeline".
std::string_view to_string(PassPhase phase);

/// A call of a pass: its name and its options as text.
struct PassCall {
  std::string name;          // name or alias of the pass
  std::string options = {};  // options as `x=1 y=2`; empty: defaults

  friend bool operator==(const PassCall&, const PassCall&) = default;
};

/// Implementation of a pass, which transforms all functions of a module. Returns errors in program
/// order; empty on success.
using PassBody = std::function<Diagnostics(ir::Module&, PassContext&)>;

/// A transformation of a module. If Shardy has a pass of this name, options and behaviour are those
/// of Shardy.
struct Pass {
  std::string name;                       // name, such as `sdy-close-shardings`
  std::vector<std::string> aliases = {};  // alternative names
  std::string summary = {};               // one sentence, in lower case, without full stop
  PassPhase phase = PassPhase::Common;    // phase in tables and help texts
  PassKind kind = PassKind::Module;       // whether the pass may run in `func.func(...)`
  std::vector<PassOption> options = {};   // options in the order of help texts
  /// Runs a pass. Exactly one of `run` and `expand` is set: passes run, pipelines expand to passes.
  PassBody run = {};
  /// Returns the passes of a pipeline for the values of its options.
  std::function<std::vector<PassCall>(const OptionValues&)> expand = {};
  /// True for pipelines that the command line and tables do not list.
  bool is_hidden = false;
  /// Preconditions, which are checked before the pass runs. Their errors are errors of the pass.
  std::vector<Diagnostics (*)(const ir::Module&)> wants = {};
};

/// Returns a PassBody that calls a function without options.
PassBody body(Diagnostics (*run)(ir::Module&));

/// A registry of passes by name. A registry is a value; nothing is registered globally.
class PassRegistry {
 public:
  /// Adds a pass. Errors: a name or alias that is already registered; none or both of `run` and
  /// `expand`; an invalid default of an option.
  Status add(Pass pass);
  /// Returns the pass with this name or alias, or null.
  const Pass* find(std::string_view name) const;
  /// Returns all passes in the order of registration.
  std::span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

// ---- Running passes in sequence -----------------------------------------------------------------

/// A pass with the values of its options.
struct PlannedPass {
  const Pass* pass = nullptr;  // the pass, which the registry owns
  OptionValues options;        // values of all options, including defaults
};

/// Resolves calls to passes, and expands pipelines. The registry must outlive the result. Errors:
/// unknown passes and options; pipelines that contain themselves.
Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls);

/// Hooks of a run of passes.
struct PipelineHooks {
  PassSinks sinks = {};  // receivers of the output of passes
  /// Sharding rules for all passes; null: the built-in rules. Must outlive the run.
  const rules::Registry* rules = nullptr;
  /// Replacements by the caller for all passes, or null. Must outlive the run.
  const Extensions* extensions = nullptr;
  /// Limits that are checked between passes and between the ops of long passes; null: nothing ends
  /// the run early. Must outlive the run.
  LimitChecker* limits = nullptr;
  /// Results of earlier searches for plans, or null. Must outlive the run.
  KnownPlans* plans = nullptr;
  /// Called before each pass.
  std::function<void(const Pass&, const ir::Module&)> before = {};
  /// Called after each pass. Errors that it returns end the run, as errors of a pass do.
  std::function<Diagnostics(const Pass&, const ir::Module&)> after = {};
};

/// Runs the passes in order, and stops after the first pass with errors. An exceeded limit is an
/// error that names the phase, and replaces the errors of the pass. Requires: no pass is a
/// pipeline.
Diagnostics run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                       const PipelineHooks& hooks = {});

/// Resolves the calls and runs the passes. Errors: those of plan_passes; those of the first pass
/// that fails.
Diagnostics run_pipeline(ir::Module& module, const PassRegistry& registry,
                         std::span<const PassCall> calls, const PipelineHooks& hooks = {});

/// Parses `builtin.module(sdy-a{x=1 y=2},func.func(sdy-b))` and returns the passes in order.
/// Errors: invalid syntax; unknown passes; module passes in `func.func`.
Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text);

// ---- Registration of the built-in passes, one function per phase --------------------------------

/// Adds the common passes. A second call changes nothing.
void register_common_passes(PassRegistry& registry);
/// Adds the passes of Shardy's import phase. Requires: none of these passes is registered.
void register_import_passes(PassRegistry& registry);
/// Adds the propagation passes. Requires: none of these passes is registered.
void register_propagation_passes(PassRegistry& registry);
/// Adds the passes of Shardy's export phase. Requires: none of these passes is registered.
void register_export_passes(PassRegistry& registry);
/// Adds the passes of docs/spec/interop.md. Requires: none of these passes is registered.
void register_interop_passes(PassRegistry& registry);

/// Returns a registry with all passes of the functions above, in that order.
PassRegistry built_in_passes();

// ---- Pipelines as lists of pass calls. Spec: passes 7 -------------------------------------------

/// Debug output of a pipeline.
struct DebugOptions {
  /// Directory for modules between passes; empty: modules are not saved.
  std::string dump_directory = {};
  /// Record in `sdy.sharding_origins` the annotation from which each axis came.
  bool sharding_origins = false;
  bool propagation_edges =
      false;  // record in `sdy.propagation_edges` the ops through which each axis propagated
};

/// Options of the import phase. Spec: passes 7.1.
struct ImportOptions {
  /// Also merge copies of a function that differ only in shardings.
  bool dedup_functions_fully = false;
  /// Make batch dims of gathers and scatters explicit if the indices encode them as iotas.
  bool enable_explicit_gather_scatter_batching = false;
  bool composites_to_calls = false;  // turn composites into calls, which partitioning lowers
};

/// Options for the planning of reshards.
struct ReshardChoice {
  PlanKind plans = PlanKind::Reference;        // planner of reshards
  PlanKind common_axes = PlanKind::Reference;  // planner of the common axes of an op's tensors
  /// With common_axes = Best: change shardings that propagation chose, if reshards then cost less.
  bool move_shardings = false;
  /// Cost model, parsed by parse_cost_model; empty: costs of the meshes.
  std::string axis_costs = {};
};

/// Options of the export phase. Spec: passes 7.3.
struct ExportOptions {
  /// Number of replicas, if devices are replicas of one program. At most one of replica_count and
  /// partition_count exceeds 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions, if devices are partitions of one program
  /// Keep sharding constraints and groups for a later propagation.
  bool avoid_export_for_partitioning = false;
  bool enable_insert_explicit_collectives =
      false;                          // insert explicit reshards and lower them to collectives
  bool mark_partial_results = false;  // as InsertExplicitReshardsOptions
  /// Use the sharding rules of partitioning, for explicit reshards and for propagation.
  bool lowering_rules = false;
  /// Leave all-gathers before dots and reduce-scatters after dots to the backend.
  bool remove_all_gather_reduce_scatter_for_cmv1 = false;
  /// Partition ops one by one instead of functions at once.
  bool enable_per_instruction_partitioning = false;
  std::string per_instruction_partitioning_filter = {};  // filter of ops; empty: all
  bool keep_sharding_rules = false;                      // keep `sdy.sharding_rule` attributes
  /// Remove axes that do not divide dims of arguments and results.
  bool update_non_divisible_input_output_shardings = true;
  bool inline_meshes = true;      // inline meshes into shardings
  ReshardChoice resharding = {};  // planning of reshards
};

/// Returns the pipeline from propagated shardings to a program that can be partitioned.
/// `dump_index` is the number of the first saved module.
std::vector<PassCall> export_pipeline(const ExportOptions& options = {},
                                      const DebugOptions& debug = {}, int64_t dump_index = 0);

/// Options of all phases, without options that the pipeline ignores. Spec: passes 7.4.
struct PipelineOptions {
  DebugOptions debug = {};       // debug output
  ImportOptions importing = {};  // options of the phase before propagation
  /// Propagate only axes that fit without sub-axes and conflicts.
  bool conservative_propagation = false;
  ExportOptions exporting = {};           // options of the phase after propagation
  bool enable_auto_partitioning = false;  // run auto_partitioner after propagation
  /// Returns the passes that choose shardings after propagation. If auto-partitioning is enabled
  /// and this callback is empty, the pipeline fails. Spec: propagation 17.
  std::function<std::vector<PassCall>(const PipelineOptions&)> auto_partitioner = {};
};

/// Returns the pipeline from the source program to propagation. `dump_index` is the number of the
/// saved module. Spec: passes 7.1.
std::vector<PassCall> import_pipeline(const PipelineOptions& options = {}, int64_t dump_index = 0);

/// Returns the pipeline of import, propagation and export. Spec: passes 7.2.
std::vector<PassCall> propagation_pipeline(const PipelineOptions& options = {});

/// Registers `sdy-import-pipeline`, `sdy-propagation-pipeline` and `sdy-export-pipeline` if they
/// are not registered. register_export_passes calls this function.
void register_export_pipelines(PassRegistry& registry);

// ---- Other forms of shardings: GSPMD's, and XLA's round trip of sdy. Spec: interop -------------

/// Form of shardings that an import reads.
enum class ImportForm : uint8_t { Auto, Gspmd, RoundTrip, None };

/// Numbers of imported shardings, by kind.
struct ImportedShardings {
  int64_t arguments = 0, results = 0, ops = 0;  // numbers of values and ops with mhlo.sharding
  int64_t keys = 0;  // number of xla.sdy.sharding attributes, including function results
  int64_t constraints = 0, groups = 0, barriers = 0, shard_maps = 0;  // custom calls
  int64_t placeholders = 0;   // `{replicated}` shardings of values without a sharding
  int64_t likes = 0;          // `shard_like` annotations, which sdy does not have
  int64_t reconstructed = 0;  // in_shardings that were derived from shapes
  int64_t left = 0;           // annotations that the requested form excludes
  std::string mesh = {};      // mesh of mhlo.sharding: `@mesh = <["_axis_0"=4]>`

  /// Returns a summary such as `imported 7 mhlo.sharding on @mesh = <["_axis_0"=8]>: 4 arguments,
  /// ...`; empty if nothing was imported.
  std::string note() const;
};

/// Replaces a module without functions by its first nested module that has functions. Call this
/// function before import_shardings, for files with nested or several modules. Returns a note that
/// names the nested module; std::nullopt if nothing changed. Cost: linear in the module.
std::optional<Diagnostic> enter_module(ir::Module& module);

/// Converts `mhlo.sharding`, GSPMD custom calls, and XLA's `xla.sdy` attributes, bodies and custom
/// calls to sdy. Modules without any of these stay unchanged. Errors: invalid or misspelled
/// shardings, at their location; the module is then partly converted. Spec: interop 5, 6.
DiagnosedResult<ImportedShardings> import_shardings(ir::Module& module,
                                                    ImportForm form = ImportForm::Auto);

/// Form in which shardings are exported. The forms `Named` use axis names.
enum class ExportForm : uint8_t { Sdy, Gspmd, GspmdNamed, RoundTrip, RoundTripNamed };

/// Writes the shardings of an sdy module in another form, as XLA's export pipelines do. Returns
/// warnings about features that the form cannot express. Errors: ops that the form cannot express.
/// Spec: interop 7.
DiagnosedResult<Diagnostics> export_shardings(ir::Module& module, ExportForm form);

/// Attributes and ops that pipelines add for other compilers.
struct ProgramMarks {
  /// Has `sdy.constant`, which CSE does not merge, instead of `stablehlo.constant`.
  bool constants = false;
  bool mesh_copies = false;  // has `stablehlo.mesh` attributes of mesh ops
};

/// Returns the marks that the module has. Cost: linear in the program.
ProgramMarks marks_of(const ir::Module& module);
/// Removes the marks, except those kinds of `kept` that the source program had. Cost: linear in the
/// program.
void drop_marks(ir::Module& module, const ProgramMarks& kept);

// ---- Replacements of decisions in propagation, reshards and plans -------------------------------

/// A tensor of an op. For an operand, the sharding is the one before the op; for a result, the
/// sharding is the required one after the op.
struct QueryTensor {
  TensorSharding sharding;     // sharding with all dims closed
  std::vector<int64_t> shape;  // global shape
  int64_t element_bytes = 1;   // bytes of one element
};

/// An op that needs reshards, because its tensors have different axes for some factor of its rule.
struct CommonAxesQuery {
  OpShardingRule rule;               // sharding rule of the op
  std::vector<QueryTensor> tensors;  // operands, then results, all on one mesh
  std::size_t num_operands = 0;      // number of operands, which are the first tensors
  BoundAxes bound;                   // axes that no factor may use
};

/// Callbacks that replace decisions of passes. If a callback is empty, the pass decides by its
/// options. Extensions are a value; nothing is registered globally. Threads: as
/// propagation::PropagationExtensions.
struct Extensions {
  /// Callbacks of all passes that propagate.
  propagation::PropagationExtensions propagation = {};
  /// Plans each distinct reshard. Errors of the callback become errors of the pass. A plan is also
  /// an error if a step is not allowed by resharding B, or if the plan ends at another sharding.
  /// The pass sdy-optimize-collectives may rewrite the planned collectives. Spec: resharding B.
  PlanMaker plan_reshard = nullptr;
  /// Chooses the common axes of an op's tensors, one list per factor. `reference` is the choice
  /// that the options of the pass imply. The axes must be axes of the mesh that are not bound and
  /// do not overlap. A factor may have the axes of `reference`, or axes whose product divides the
  /// factor size; factors that need replication must have none. The callback is not called for ops
  /// with permutation factors or dims of several factors, for partial tensors, and for reductions
  /// other than sums. Spec: resharding A.5, C.7.
  std::function<std::vector<AxisList>(const CommonAxesQuery& query,
                                      std::span<const AxisList> reference)>
      common_axes = nullptr;
};

// ---- Rewrites that reduce the traffic of collectives --------------------------------------------

/// A rewrite, with the costs per device of the removed and the added collectives, by the cost
/// model.
struct CollectiveRewrite {
  std::string rule;             // name of the rule: "hoist-slices"
  std::string op;               // op to which the rule was applied: "sdy.all_slice"
  Location location;            // location of that op; empty if unknown
  int64_t bytes_before = 0;     // bytes that a device sends, before the rewrite
  int64_t bytes_after = 0;      // bytes that a device sends, after the rewrite
  int64_t messages_before = 0;  // messages in sequence, before the rewrite
  int64_t messages_after = 0;   // messages in sequence, after the rewrite
  bool operator==(const CollectiveRewrite&) const = default;
};

/// Returns a remark about the rewrite, at its location.
Diagnostic diagnostic_of(const CollectiveRewrite& rewrite);
/// Returns one remark per rewrite.
Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites);

/// Options of optimize_collectives.
struct OptimizeCollectivesOptions {
  std::vector<std::string> rules = {};  // names of the rules to apply; empty: all
  CostModel model = {};                 // costs that override the costs of meshes
  LimitChecker* limits = nullptr;       // checked between ops; null: none
  KnownPlans* plans = nullptr;          // results of earlier searches, or null
};

/// Returns the names of all rules, in the order in which they are applied. Spec: resharding C.8.
std::span<const std::string_view> collective_rules();

/// Rewrites collectives if this reduces time, bytes or messages and increases none of them. Results
/// of the program are equal except for the order of float additions. Returns the rewrites in the
/// order in which they were applied. Errors: unknown rules; invalid axis costs of a mesh.
///
/// Cost: linear in the program. Chains of ops are followed for at most 16 or 64 steps.
DiagnosedResult<std::vector<CollectiveRewrite>> optimize_collectives(
    ir::Module& module, const OptimizeCollectivesOptions& options = {});

// ---- From reshards to collectives ---------------------------------------------------------------

/// Rule name with which InsertExplicitReshardsOptions::chosen is called for other common axes.
inline constexpr std::string_view kBestCommonAxes = "best-common-axes";
/// Rule name with which InsertExplicitReshardsOptions::chosen is called for changed shardings.
inline constexpr std::string_view kMoveShardings = "move-shardings";

/// Options of insert_explicit_reshards.
struct InsertExplicitReshardsOptions {
  bool enable_full_version = false;   // false: insert only reshards for unreduced axes and dots
  bool mark_partial_results = false;  // results that are reduced are unreduced along these axes
  /// Use the sharding rules of partitioning instead of the rules of propagation, and treat branches
  /// of `stablehlo.if` as data flow. Spec: partitioning 1.2 (I4).
  bool lowering_rules = false;
  /// Best: choose common axes of an op's tensors with the cheapest reshards. Spec: resharding C.7.
  PlanKind common_axes = PlanKind::Reference;
  /// With Best and lowering_rules: change shardings of values that propagation chose, if the
  /// reshards of the ops around them then cost less. Spec: resharding C.7.
  bool move_shardings = false;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // replacements by the caller, or null
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
  KnownPlans* plans = nullptr;             // results of earlier searches, or null
  /// Called for each op for which Best and Reference differ, and for each change of shardings, with
  /// the costs before and after.
  std::function<void(const CollectiveRewrite&)> chosen = {};
};

/// Inserts reshards so that the operands and results of each op fit its sharding rule, and
/// all-reduces after ops that contract a sharded dim. Spec: resharding A.
Diagnostics insert_explicit_reshards(ir::Module& module,
                                     const InsertExplicitReshardsOptions& options = {},
                                     const rules::Registry& rules = {});

/// Options of reshard_to_collectives.
struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // keep reshards that move no data
  /// Best: use the cheapest plan, by the axis costs of the mesh or of `best`.
  PlanKind resharding = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // replacements by the caller, or null
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
  KnownPlans* plans = nullptr;             // results of earlier searches, or null
};

/// Replaces every reshard by a sequence of collectives. Reshards from or to a single device and
/// between meshes with different axes are kept. Spec: resharding B.
Diagnostics reshard_to_collectives(ir::Module& module,
                                   const ReshardToCollectivesOptions& options = {});

/// Returns the last passes of export_pipeline, which prepare a propagated module for partitioning.
/// Spec: partitioning 1.1.
std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice = {});

}  // namespace shardy::passes

// Runs passes in sequence, parses the text form of pipelines, and defines the built-in pipelines.
//
//   text     builtin.module(sdy-import-pipeline,func.func(sdy-close-shardings))
//   calls    sdy-import-pipeline, sdy-close-shardings
//   passes   the passes of sdy-import-pipeline, one by one; then sdy-close-shardings
#include "shardy/passes/pipeline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "ir/program_facts.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Running passes in sequence -----------------------------------------------------------------

namespace {

Error unknown_pass(const PassRegistry& registry, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Pass& pass : registry.passes()) {
    if (!pass.is_hidden) names.emplace_back(pass.name);
  }
  Error error{"unknown pass: " + std::string(name)};
  if (const auto meant = closest(name, names))
    error.notes.push_back("did you mean " + *meant + "?");
  return error;
}

Error named(const PassCall& call, Error error) {
  return with_prefix(call.name + ": ", std::move(error));
}

}  // namespace

Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls) {
  // If calls are nested deeper than the number of passes, a pipeline contains itself.
  const std::size_t max_depth = registry.passes().size();
  struct Pending {
    PassCall call;
    std::size_t depth;
  };
  std::vector<Pending> pending;  // the next call is the last element
  const auto push = [&](std::span<const PassCall> inner, std::size_t depth) {
    for (auto call = inner.rbegin(); call != inner.rend(); ++call) {
      pending.push_back({*call, depth});
    }
  };
  push(calls, 0);
  std::vector<PlannedPass> planned;
  while (!pending.empty()) {
    const Pending next = std::move(pending.back());
    pending.pop_back();
    const Pass* pass = registry.find(next.call.name);
    if (pass == nullptr) return tl::unexpected(unknown_pass(registry, next.call.name));
    Result<OptionValues> options = parse_options(pass->options, next.call.options);
    if (!options) return tl::unexpected(named(next.call, options.error()));
    if (pass->expand && next.depth > max_depth)
      return fail("a pipeline contains itself: " + pass->name);
    if (pass->expand) {
      push(pass->expand(*options), next.depth + 1);
    } else {
      planned.push_back({pass, *std::move(options)});
    }
  }
  return planned;
}

namespace {

/// Returns the errors of the pass's preconditions.
Diagnostics refusal_of(const Pass& pass, const ir::Module& module) {
  for (const auto want : pass.wants) {
    Diagnostics errors = want(module);
    for (Error& error : errors) error.notes.push_back("before the pass " + pass.name);
    if (!errors.empty()) return errors;
  }
  return {};
}

std::string_view phase_text(const Pass& pass) {
  if (pass.phase == PassPhase::Export) return kPlanningPhase;
  return pass.phase == PassPhase::Common ? std::string_view(pass.name) : to_string(pass.phase);
}

/// Returns the error of the limit that the run of passes exceeds after that pass, if any.
std::optional<Error> exceeded_limit(const Pass& pass, const ir::Module& module,
                                    LimitChecker* limits) {
  if (limits == nullptr) return std::nullopt;
  if (limits->may_continue() && limits->may_hold(ir::program_bytes(module))) return std::nullopt;
  Error error = limits->status(phase_text(pass)).error();
  error.notes.push_back("in the pass " + pass.name);
  return error;
}

}  // namespace

Diagnostics run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                       const PipelineHooks& hooks) {
  const rules::Registry built_in;
  const rules::Registry& rules = hooks.rules != nullptr ? *hooks.rules : built_in;
  for (const PlannedPass& planned : passes) {
    SHARDY_EXPECTS(planned.pass != nullptr && planned.pass->run != nullptr);
    if (hooks.before) hooks.before(*planned.pass, module);
    PassContext context(planned.options, hooks.sinks, rules, hooks.extensions, hooks.limits,
                        hooks.plans);
    Diagnostics errors = refusal_of(*planned.pass, module);
    if (errors.empty()) errors = planned.pass->run(module, context);
    if (auto exceeded = exceeded_limit(*planned.pass, module, hooks.limits)) return {*exceeded};
    if (!errors.empty()) return errors;
    if (hooks.after) errors = hooks.after(*planned.pass, module);
    if (!errors.empty()) return errors;
  }
  return {};
}

Diagnostics run_pipeline(ir::Module& module, const PassRegistry& registry,
                         std::span<const PassCall> calls, const PipelineHooks& hooks) {
  const Result<std::vector<PlannedPass>> planned = plan_passes(registry, calls);
  if (!planned) return {planned.error()};
  return run_passes(module, *planned, hooks);
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kModuleAnchor = "builtin.module";
constexpr std::string_view kFunctionAnchor = "func.func";

/// Reads a pipeline from left to right; `anchors` has the ops whose parentheses are open.
class PipelineReader {
 public:
  PipelineReader(const PassRegistry& registry, std::string_view text)
      : registry_(registry), rest_(text) {}

  Result<std::vector<PassCall>> read();

 private:
  Status read_element();
  Status add_pass(std::string_view name);
  Result<std::string_view> take_options();
  bool take(char c);
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  const PassRegistry& registry_;
  std::string_view rest_;
  std::vector<std::string_view> anchors_;
  std::vector<PassCall> calls_;
};

bool PipelineReader::take(char c) {
  skip_blanks();
  if (!rest_.starts_with(c)) return false;
  rest_.remove_prefix(1);
  return true;
}

Result<std::string_view> PipelineReader::take_options() {
  int64_t depth = 0;
  for (std::size_t at = 0; at < rest_.size(); ++at) {
    if (rest_[at] == '{') ++depth;
    if (rest_[at] == '}' && --depth == 0) {
      const std::string_view inner = rest_.substr(1, at - 1);
      rest_.remove_prefix(at + 1);
      return inner;
    }
  }
  return fail("missing closing '}' while processing pass options");
}

Status PipelineReader::add_pass(std::string_view name) {
  const Pass* pass = registry_.find(name);
  if (pass == nullptr || pass->is_hidden) {
    Error error = unknown_pass(registry_, name);
    error.message = fmt::format("'{}' does not refer to a registered pass or pass pipeline", name);
    return tl::unexpected(std::move(error));
  }
  if (pass->kind == PassKind::Module && anchors_.back() == kFunctionAnchor) {
    return fail(
        fmt::format("can't add pass '{}' restricted to '{}' on a PassManager intended to "
                    "run on '{}', did you intend to nest?",
                    name, kModuleAnchor, kFunctionAnchor));
  }
  PassCall call{std::string(name)};
  if (rest_.starts_with('{')) {
    SHARDY_TRY(call.options, take_options());
  }
  calls_.push_back(std::move(call));
  return {};
}

Status PipelineReader::read_element() {
  skip_blanks();
  const std::string_view name = rest_.substr(0, rest_.find_first_of("(){}, \t\n"));
  rest_.remove_prefix(name.size());
  if (!rest_.starts_with('(')) return add_pass(name);
  const bool fits =
      name == kFunctionAnchor || name == "any" || (name == kModuleAnchor && anchors_.empty());
  if (!fits) return fail(fmt::format("passes cannot be nested in '{}'", name));
  rest_.remove_prefix(1);
  anchors_.push_back(name);
  return {};
}

Result<std::vector<PassCall>> PipelineReader::read() {
  skip_blanks();
  if (!rest_.starts_with("builtin.module(") && !rest_.starts_with("any(")) {
    return fail(
        "expected pass pipeline to be wrapped with the anchor operation type, e.g. "
        "'builtin.module(...)'");
  }
  bool is_start = true;  // an element, or the end of an empty list, may follow
  do {
    if (is_start && !anchors_.empty() && take(')')) {
      anchors_.pop_back();
      is_start = false;
    } else {
      const std::size_t depth = anchors_.size();
      SHARDY_TRY_STATUS(read_element());
      is_start = anchors_.size() > depth;
    }
    while (!is_start && !anchors_.empty() && take(')')) anchors_.pop_back();
    if (!is_start && !anchors_.empty() && !take(',')) {
      return fail("expected ',' after parsing pipeline");
    }
  } while (!anchors_.empty());
  skip_blanks();
  if (!rest_.empty()) return fail("encountered extra closing ')' creating unbalanced parentheses");
  return std::move(calls_);
}

}  // namespace

Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text) {
  return PipelineReader(registry, text).read();
}

// ---- Pipelines as lists of passes. Spec: passes 7 -----------------------------------------------

namespace {

constexpr const char* kNoAutoPartitioner = "sdy-no-auto-partitioner";

/// The list of a pipeline's pass calls.
class Calls {
 public:
  Calls(std::string dump_directory, int64_t dump_index)
      : directory_(std::move(dump_directory)), index_(dump_index) {}

  void add(std::string name, std::string options = {}) {
    calls_.push_back({std::move(name), std::move(options)});
  }
  void add_if(bool wanted, std::string name, std::string options = {}) {
    if (wanted) add(std::move(name), std::move(options));
  }
  /// Adds a save-module pass with the next number.
  void dump(std::string_view name) {
    const int64_t index = index_;
    index_ = saturating_add(index, 1);
    if (directory_.empty()) return;
    add("sdy-save-module", "directory='" + directory_ + "' name=" + std::string(name) +
                               " index=" + std::to_string(index));
  }
  void append(std::vector<PassCall> calls) {
    calls_.insert(calls_.end(), std::make_move_iterator(calls.begin()),
                  std::make_move_iterator(calls.end()));
  }
  int64_t index() const { return index_; }

  std::vector<PassCall> take() { return std::move(calls_); }

 private:
  std::string directory_;
  int64_t index_;
  std::vector<PassCall> calls_;
};

std::string flag(std::string_view name, bool value) {
  return " " + std::string(name) + (value ? "=true" : "=false");
}

std::string number(std::string_view name, int64_t value) {
  return " " + std::string(name) + "=" + std::to_string(value);
}

/// Returns ` name='value'`; empty if the value is empty, which is the default.
std::string quoted(std::string_view name, const std::string& value) {
  return value.empty() ? value : " " + std::string(name) + "='" + value + "'";
}

std::string lowering_flag(bool value) {
  return value ? flag("lowering-rules", true) : std::string();
}

// ---- Export (7.3) -------------------------------------------------------------------------------

void add_collectives(Calls& calls, const ReshardChoice& choice) {
  calls.add("canonicalize", "enable-patterns=sdy-reshard");
  const bool is_default = choice.plans == PlanKind::Reference;
  calls.add("sdy-reshard-to-collectives",
            (is_default ? "" : "resharding=" + std::string(to_string(choice.plans))) +
                quoted("axis-costs", choice.axis_costs));
}
constexpr const char* kTidyCollectives = "enable-patterns=sdy-collective";

void add_explicit_reshards(Calls& calls, bool full, bool marks, bool lowering_rules,
                           const ReshardChoice& choice) {
  std::string options = flag("enable-full-version", full) + lowering_flag(lowering_rules);
  if (marks) options += flag("mark-partial-result-with-unreduced-axes", true);
  if (choice.common_axes == PlanKind::Best) {
    options += " common-axes=best" + quoted("axis-costs", choice.axis_costs);
    if (choice.move_shardings) options += flag("move-shardings", true);
  }
  calls.add("sdy-insert-explicit-reshards", std::move(options));
}

void add_partitioning(Calls& calls, const ExportOptions& options) {
  calls.add("sdy-verify-unreduced-axes");
  const bool full =
      options.enable_insert_explicit_collectives || options.enable_per_instruction_partitioning;
  add_explicit_reshards(calls, full, options.mark_partial_results, options.lowering_rules,
                        options.resharding);
  if (options.enable_per_instruction_partitioning) {
    calls.dump("before_per_instruction_partitioning");
    calls.add("sdy-per-instruction-partitioning",
              quoted("filter", options.per_instruction_partitioning_filter) +
                  number("replica-count", options.replica_count) +
                  number("partition-count", options.partition_count));
    calls.dump("after_per_instruction_partitioning");
  } else if (options.enable_insert_explicit_collectives) {
    calls.add_if(options.lowering_rules, "sdy-recompute-constants");
    calls.dump("after_explicit_reshards");
    add_collectives(calls, options.resharding);
  }
  calls.add("canonicalize", kTidyCollectives);
  calls.add_if(options.enable_insert_explicit_collectives && options.lowering_rules,
               "sdy-sink-loop-sums");
  calls.add_if(options.enable_insert_explicit_collectives &&
                   options.remove_all_gather_reduce_scatter_for_cmv1,
               "sdy-remove-all-gather-reduce-scatter-for-cmv1");
  calls.dump(options.enable_insert_explicit_collectives
                 ? "after_partitioner_with_global_shapes"
                 : "after_minimal_partitioner_with_global_shapes");
}

}  // namespace

std::vector<PassCall> export_pipeline(const ExportOptions& options, const DebugOptions& debug,
                                      int64_t dump_index) {
  const bool full = !options.avoid_export_for_partitioning;
  Calls calls(debug.dump_directory, dump_index);
  calls.add("sdy-constant-or-scalar-merger");
  calls.add("sdy-sink-data-flow-edges",
            flag("sink-debug-sharding-origins", debug.sharding_origins) +
                flag("sink-debug-propagation-edge-sharding", debug.propagation_edges));
  calls.add_if(full, "sdy-remove-sharding-groups");
  calls.add_if(full, "sdy-sharding-constraint-to-reshard");
  if (options.update_non_divisible_input_output_shardings) {
    calls.add("sdy-update-non-divisible-input-output-shardings");
    calls.add("sdy-remove-sub-axes-in-input-output-shardings");
  }
  calls.add("sdy-close-shardings");
  calls.dump("after_propagation");
  if (full) add_partitioning(calls, options);
  calls.add_if(debug.propagation_edges || debug.sharding_origins,
               "sdy-remove-propagation-debug-info");
  calls.add_if(!options.keep_sharding_rules, "sdy-drop-sharding-rules");
  calls.add_if(full && options.inline_meshes, "sdy-inline-meshes");
  return calls.take();
}

std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice) {
  Calls calls({}, 0);
  calls.add("sdy-remove-sharding-groups");
  calls.add("sdy-sharding-constraint-to-reshard");
  calls.add("sdy-close-shardings");
  add_explicit_reshards(calls, true, false, true, choice);
  calls.add("sdy-recompute-constants");
  add_collectives(calls, choice);
  calls.add("canonicalize", kTidyCollectives);
  calls.add("sdy-sink-loop-sums");
  return calls.take();
}

// ---- Propagation (7.2) --------------------------------------------------------------------------

namespace {

std::string debug_flags(const PipelineOptions& options) {
  return flag("debug-sharding-origins", options.debug.sharding_origins) +
         flag("debug-propagation-edge-sharding", options.debug.propagation_edges);
}

void add_constraints(Calls& calls, const PipelineOptions& options) {
  calls.add("sdy-apply-sharding-constraints", debug_flags(options));
  calls.add("sdy-sharding-group-import");
}

void add_import(Calls& calls, const PipelineOptions& options) {
  calls.add_if(options.importing.composites_to_calls, "sdy-composites-to-calls");
  calls.add_if(options.importing.composites_to_calls, "sdy-ifs-to-cases");
  calls.add_if(options.importing.composites_to_calls, "sdy-whole-windows-to-reductions");
  calls.add_if(options.importing.composites_to_calls, "sdy-constant-windows-to-slices");
  calls.add_if(options.importing.composites_to_calls, "sdy-keep-merged-dims-apart");
  calls.add("symbol-dce");
  calls.add("sdy-import-func-result-shardings");  // uses mesh names of the source program
  calls.add("sdy-lift-inlined-meshes");
  calls.add("sdy-remove-size-one-axes");
  calls.add("sdy-propagate-sharding-from-func-to-call");
  calls.add("sdy-constant-or-scalar-splitter");
  calls.add_if(options.importing.enable_explicit_gather_scatter_batching,
               "sdy-explicit-gather-scatter-batching");
  calls.add("symbol-dce");
  calls.add("sdy-manual-axes-cleanup");
  calls.dump("before_propagation");
  calls.add("sdy-add-data-flow-edges");
  // Without full deduplication, constraints are applied after calls become named computations.
  if (options.importing.dedup_functions_fully) add_constraints(calls, options);
}

/// Adds the passes by which propagation crosses calls.
void add_calls(Calls& calls, const PipelineOptions& options) {
  if (options.importing.dedup_functions_fully) {
    calls.add("sdy-copy-for-manual-contexts");
    return calls.add("sdy-add-func-data-flow-edges");
  }
  calls.add("sdy-flatten-call-graph");
  calls.add("symbol-dce");
  calls.add("sdy-import-func-calls");
  calls.add("symbol-dce");
  add_constraints(calls, options);
}

void add_auto_partitioning(Calls& calls, const PipelineOptions& options) {
  calls.dump("propagation_before_auto_partitioning");
  if (!options.auto_partitioner) return calls.add(kNoAutoPartitioner);
  calls.append(options.auto_partitioner(options));
}

}  // namespace

std::vector<PassCall> import_pipeline(const PipelineOptions& options, int64_t dump_index) {
  Calls calls(options.debug.dump_directory, dump_index);
  add_import(calls, options);
  return calls.take();
}

std::vector<PassCall> propagation_pipeline(const PipelineOptions& options) {
  Calls calls(options.debug.dump_directory, 1);
  add_import(calls, options);
  add_calls(calls, options);
  calls.add("sdy-pre-order-funcs");
  // Keeps the rules, which explicit reshards use. The export pipeline drops them.
  calls.add("sdy-user-priority-propagate",
            flag("keep-sharding-rules", true) +
                flag("conservative-propagation", options.conservative_propagation) +
                lowering_flag(options.exporting.lowering_rules) + debug_flags(options) +
                quoted("module-dump-directory", options.debug.dump_directory) +
                number("module-dump-index", calls.index()));
  calls.add_if(options.importing.composites_to_calls, "sdy-composites-to-calls", "with-rules=true");
  calls.add_if(!options.importing.dedup_functions_fully, "sdy-export-named-computations");
  calls.add("sdy-propagate-to-func-results");
  calls.add_if(options.importing.dedup_functions_fully, "sdy-sink-func-data-flow-edges");
  calls.add("sdy-unflatten-call-graph");
  calls.add("symbol-dce");
  if (options.enable_auto_partitioning) add_auto_partitioning(calls, options);
  calls.add("sdy-insert-func-call-reshards");
  calls.append(export_pipeline(options.exporting, options.debug, calls.index()));
  return calls.take();
}

// ---- Registration -------------------------------------------------------------------------------

namespace {

PassOption off(std::string name, std::string help) {
  return {std::move(name), OptionType::Bool, "false", std::move(help)};
}

std::vector<PassOption> common_options() {
  return {
      {"replica-count", OptionType::Int, "1", "number of replicas"},
      {"partition-count", OptionType::Int, "1", "number of partitions"},
      {"dump-directory", OptionType::String, "", "folder for modules, for debugging"},
      off("avoid-export-for-partitioning", "leave constraints and groups for another propagation"),
      off("enable-insert-explicit-collectives", "make all reshards explicit, then collectives"),
      off("mark-partial-result-with-unreduced-axes",
          "results that an all-reduce completes are unreduced along its axes"),
      off("remove-all-gather-reduce-scatter-for-cmv1", "leave collectives next to dots implicit"),
      off("enable-per-instruction-partitioning", "partition ops one by one"),
      {"per-instruction-partitioning-filter", OptionType::String, "",
       "ops to partition; empty: all"},
      off("keep-sharding-rules", "leave sharding rules attached to ops"),
      off("avoid-reshards-on-calls", "accepted, no effect"),
      {"update-non-divisible-input-output-shardings", OptionType::Bool, "true",
       "drop axes that do not divide arguments and results"},
      plan_option("resharding",
                  "collectives of reshards: as in Shardy (reference), or the cheapest (best)"),
      common_axes_option(),
      {"axis-costs", OptionType::String, "",
       "links, bandwidth and latency of mesh axes, for the choice best: x=ring:100GB/s:1us"},
  };
}

ExportOptions read_export_options(const OptionValues& values) {
  return {.replica_count = values.number("replica-count"),
          .partition_count = values.number("partition-count"),
          .avoid_export_for_partitioning = values.flag("avoid-export-for-partitioning"),
          .enable_insert_explicit_collectives = values.flag("enable-insert-explicit-collectives"),
          .mark_partial_results = values.flag("mark-partial-result-with-unreduced-axes"),
          .remove_all_gather_reduce_scatter_for_cmv1 =
              values.flag("remove-all-gather-reduce-scatter-for-cmv1"),
          .enable_per_instruction_partitioning = values.flag("enable-per-instruction-partitioning"),
          .per_instruction_partitioning_filter = values.text("per-instruction-partitioning-filter"),
          .keep_sharding_rules = values.flag("keep-sharding-rules"),
          .update_non_divisible_input_output_shardings =
              values.flag("update-non-divisible-input-output-shardings"),
          .inline_meshes = values.flag("inline-meshes"),
          .resharding = {plan_kind(values, "resharding"), plan_kind(values, "common-axes"), false,
                         values.text("axis-costs")}};
}

DebugOptions read_debug_options(const OptionValues& values, std::string_view origins,
                                std::string_view edges) {
  return {.dump_directory = values.text("dump-directory"),
          .sharding_origins = values.flag(origins),
          .propagation_edges = values.flag(edges)};
}

PipelineOptions read_pipeline_options(const OptionValues& values) {
  PipelineOptions options;
  options.debug =
      read_debug_options(values, "debug-sharding-origins", "debug-propagation-edge-sharding");
  options.importing = {.dedup_functions_fully = values.flag("dedup-functions-fully"),
                       .enable_explicit_gather_scatter_batching =
                           values.flag("enable-explicit-gather-scatter-batching")};
  options.conservative_propagation = values.flag("conservative-propagation");
  options.exporting = read_export_options(values);
  return options;
}

Pass import_pass() {
  return {.name = "sdy-import-pipeline",
          .summary = "imports a program, up to propagation",
          .phase = PassPhase::Pipeline,
          .options = {off("dedup-functions-fully",
                          "one sharding assignment per function, shared by all its calls")},
          .expand = [](const OptionValues& values) {
            PipelineOptions options;
            options.importing.dedup_functions_fully = values.flag("dedup-functions-fully");
            return import_pipeline(options);
          }};
}

/// Returns a pipeline with the common options and the options in `own`.
Pass long_pipeline(std::string name, std::string summary, std::vector<PassOption> own,
                   std::function<std::vector<PassCall>(const OptionValues&)> expand) {
  std::vector<PassOption> options = common_options();
  for (PassOption& option : own) options.push_back(std::move(option));
  return {.name = std::move(name),
          .summary = std::move(summary),
          .phase = PassPhase::Pipeline,
          .options = std::move(options),
          .expand = std::move(expand)};
}

Pass export_pass() {
  return long_pipeline(
      "sdy-export-pipeline", "exports propagated shardings, up to partitioning",
      {
          off("dump-sharding-origins", "keep the origins of axes up to the end"),
          off("dump-propagation-edges", "keep the propagation steps of axes up to the end"),
          {"inline-meshes", OptionType::Bool, "true", "put meshes into the shardings"},
      },
      [](const OptionValues& values) {
        return export_pipeline(
            read_export_options(values),
            read_debug_options(values, "dump-sharding-origins", "dump-propagation-edges"));
      });
}

/// Returns the propagation pipeline as a pass. Mesh names are kept on the command line and inlined
/// by default in C++.
Pass propagation_pass() {
  return long_pipeline(
      "sdy-propagation-pipeline", "import, propagation and export",
      {
          off("dedup-functions-fully",
              "one sharding assignment per function, shared by all its calls"),
          off("conservative-propagation", "conservative sharding rules and no new sub-axes"),
          off("debug-sharding-origins", "record the annotation from which each axis comes"),
          off("debug-propagation-edge-sharding",
              "record the op and the value through which each axis comes"),
          off("enable-explicit-gather-scatter-batching",
              "make batch dims of gathers and scatters explicit"),
          off("inline-meshes", "put meshes into the shardings"),
      },
      [](const OptionValues& values) {
        return propagation_pipeline(read_pipeline_options(values));
      });
}

// ---- Auto-partitioner (7.2 stage 7) -------------------------------------------------------------

/// Returns a pass that fails, for pipelines that enable auto-partitioning without an
/// auto-partitioner.
Pass no_auto_partitioner_pass() {
  return {.name = kNoAutoPartitioner,
          .summary = "fails",
          .phase = PassPhase::Pipeline,
          .run =
              [](ir::Module&, PassContext&) {
                return Diagnostics{Error{"auto-partitioner callback wasn't registered", {}, {}}};
              },
          .is_hidden = true};
}

}  // namespace

void register_export_pipelines(PassRegistry& registry) {
  static_cast<void>(registry.add(import_pass()));
  static_cast<void>(registry.add(export_pass()));
  static_cast<void>(registry.add(propagation_pass()));
  static_cast<void>(registry.add(no_auto_partitioner_pass()));
}

}  // namespace shardy::passes

// Automatic sharding: the annotations of a program with which a device needs the least modelled
// time within a limit of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/autoshard/problem.hpp>
#include <shardy/autoshard/solve.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/device_time.hpp>
#include <shardy/report/hints.hpp>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

// Spec: autoshard.

namespace shardy::autoshard {

/// Progress of a search, for display.
struct AutoshardProgress {
  std::string stage;              // "solving", "compiling candidates", "dropping annotations"
  int64_t bound_fs = 0;           // lower bound of the model so far; 0: unknown
  int64_t price_fs = kForbidden;  // price of the best choice so far; kForbidden: none
  std::size_t programs = 0;       // compiled so far
};

/// Options of autoshard.
struct AutoshardOptions {
  checking::CompileOptions compile = {};  // compilation of each candidate
  CostModel model = {};                   // axis costs, as for make_report
  /// Rates of a device. Hidden collectives are not supported: hidden_share must be 0.
  report::DeviceRates rates = {};
  std::optional<int64_t> memory = {};     // limit of the peak memory of a device
  std::vector<report::Setting> fix = {};  // annotations that the result must have
  std::vector<std::string> free = {};     // values whose annotations may change
  bool ignore_annotations = false;        // all annotations may change
  bool all_orders = true;                 // any order of axes in a dim, or that of the mesh
  int64_t effort = 400;                   // most sweeps of the solver
  std::size_t candidates = 24;            // most choices to compile; at least 1
  std::stop_token stop = {};              // ends the search; the best program so far is returned
  /// Receives the state of the search, on the thread of the caller.
  std::function<void(const AutoshardProgress& progress)> on_progress = {};
};

/// Time and memory of a compiled program.
struct ProgramPrice {
  report::Cost cost;   // as its report has it
  double seconds = 0;  // modelled time, as report::device_time counts it
};

/// An annotation of the found program that the source does not have.
struct AnnotationEdit {
  report::HintEdit edit;  // place and shardings, in the source
  /// The annotation is a new constraint before an op, `stablehlo.dot at 12:5`; its users are that
  /// op or, with `is_shared`, all users of the value. Empty: an attribute or an existing
  /// constraint.
  std::string before_op = {};
  bool is_shared = false;        // all users of the value use the new constraint
  bool is_op_attribute = false;  // the annotation is `sdy.sharding` of the op
};

/// Result of a search.
struct FoundSharding {
  ProgramPrice before;                // of the program with its own annotations
  ProgramPrice after;                 // of `program`; never slower than `before` if that fits
  bool is_changed = false;            // false: the annotations of the source are the best found
  bool fits = true;                   // `after` is within the limit of memory
  NetworkSolution model;              // choice of the model, with its bound
  bool is_complete = true;            // false: the bound is of the strategies that were kept
  std::size_t num_nodes = 0;          // of the model
  std::size_t num_programs = 0;       // compiled
  std::size_t num_refused = 0;        // compiled with errors
  std::vector<AnnotationEdit> edits;  // annotations to write; no further one can be left out
  ir::Module program;                 // annotated source program
  Diagnostics diagnostics = {};       // of the compilation of the source program
};

/// Returns the annotated program with the least modelled time of its report among the candidates of
/// the model and the program as it is. Spec: autoshard U.7. With a limit that no candidate meets,
/// `fits` is false and the program is the one with the least peak found. Errors: those of compile;
/// options out of range; an unknown value or an annotation that does not fit; programs that the
/// model does not have (make_network).
DiagnosedResult<FoundSharding> autoshard(const ir::Module& module,
                                         const AutoshardOptions& options = {},
                                         const checking::Context& context = {});

/// Returns the problem of the search without solving it. Errors: as autoshard; ops with control
/// flow, calls, barriers and manual computations; values that are not static tensors; a mesh that
/// is missing or not the only one; annotations that divide no dim.
Result<CostNetwork> make_network(const ir::Module& module, const AutoshardOptions& options = {},
                                 const checking::Context& context = {});

/// Returns the price of a program under its annotations, as its report has it. Errors: those of
/// compile.
DiagnosedResult<ProgramPrice> price_of_program(const ir::Module& module,
                                               const AutoshardOptions& options = {},
                                               const checking::Context& context = {});

/// Returns the program with all annotations of a choice of its network. Errors: those of
/// make_network and check_choice; a forbidden choice.
Result<ir::Module> annotated_program(const ir::Module& module, std::span<const int32_t> choice,
                                     const AutoshardOptions& options = {},
                                     const checking::Context& context = {});

}  // namespace shardy::autoshard

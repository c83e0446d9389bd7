// Automatic sharding: the annotations of a program with which a device needs the least modelled
// time within a limit of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/mesh.hpp>
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

/// A result that gets the sharding of an argument, as one in its buffer.
struct ResultTie {
  std::string result;    // `result 0`
  std::string argument;  // `%arg0`
};

/// Options of autoshard.
struct AutoshardOptions {
  checking::CompileOptions compile = {};  // compilation of each candidate
  CostModel model = {};                   // axis costs, as for make_report
  report::DeviceRates rates = {};         // of a device
  /// Bytes per second at which the host gives each device its part of the arguments that no result
  /// is tied to; 0: free.
  double feed_bytes_per_second = 0;
  std::optional<int64_t> memory = {};     // limit of the peak memory of a device
  std::vector<report::Setting> fix = {};  // annotations that the result must have
  std::vector<std::string> free = {};     // values whose annotations may change
  bool ignore_annotations = false;        // all annotations may change
  /// Results with the sharding of an argument, besides those in its buffer by `tf.aliasing_output`
  /// and `jax.buffer_donor`.
  std::vector<ResultTie> ties = {};
  std::vector<std::string> untie = {};  // results that get a sharding of their own all the same
  bool reasons = false;                 // find AnnotationEdit::next_best
  bool all_orders = true;               // any order of axes in a dim, or that of the mesh
  int64_t effort = 400;                 // most sweeps of the solver
  std::size_t candidates = 24;          // most choices to compile; at least 1
  int64_t num_threads = 0;    // that compile; 0: one per core; results do not depend on it
  std::stop_token stop = {};  // ends the search; the best program so far is returned
  /// Receives the state of the search, on the thread of the caller.
  std::function<void(const AutoshardProgress& progress)> on_progress = {};
};

/// Time and memory of a compiled program.
struct ProgramPrice {
  report::Cost cost;        // as its report has it
  double seconds = 0;       // modelled time, as report::device_time counts it, and feed_seconds
  double feed_seconds = 0;  // of arguments from the host; 0 unless they have a rate
};

/// The cheapest choice of the model with another sharding of a value.
struct NextBest {
  std::string sharding;   // `<@mesh, [{}, {"x"}]>`; empty: no choice has another one
  double seconds = 0;     // it takes longer by this; at least this if not is_exact
  bool is_exact = true;   // false: a lower bound
  std::string cause;      // op or reshard with most of the difference; empty: none
  std::string unlimited;  // its sharding in the best choice without a limit, if another one
};

/// An annotation of the found program that the source does not have.
struct AnnotationEdit {
  report::HintEdit edit;  // place and shardings, in the source
  /// The annotation is a new constraint before an op, `stablehlo.dot at 12:5`; its users are that
  /// op or, with `is_shared`, all users of the value. Empty: an attribute or an existing
  /// constraint.
  std::string before_op = {};
  bool is_shared = false;                  // all users of the value use the new constraint
  bool is_op_attribute = false;            // the annotation is `sdy.sharding` of the op
  std::optional<NextBest> next_best = {};  // with AutoshardOptions::reasons
};

/// Dims that a mesh axis shards, joined by the rules of the ops between them.
struct ShardedDims {
  std::string name;          // of the largest argument, result or op with such a dim, `%w1 dim 1`
  int64_t size = 0;          // of that dim
  std::size_t num_dims = 0;  // of values in all
};

/// All that a mesh axis shards in a program.
struct AxisRole {
  std::string axis;               // name of the mesh axis
  std::vector<ShardedDims> dims;  // those of most values first
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
  std::vector<AxisRole> axes;         // of the mesh, in its order
  std::vector<std::string> whole;     // arguments, tied to no result, that each device holds whole
  ir::Module program;                 // annotated source program
  Diagnostics diagnostics = {};       // of the compilation of the source program
};

/// Returns the program on another mesh, which gets the name of the present one, or `mesh`. With
/// `ignore_annotations` shardings are removed. Errors: shardings, or ops with axes, on the present
/// meshes.
Result<ir::Module> program_on_mesh(const ir::Module& module, const Mesh& mesh,
                                   bool ignore_annotations);

/// Returns the annotated program with the least modelled time of its report among the candidates of
/// the model and the program as it is. Spec: autoshard U.7. With a limit that no candidate meets,
/// `fits` is false and the program is the one with the least peak found. Errors: those of compile;
/// options out of range; an unknown value or an annotation that does not fit; programs that the
/// model does not have (make_network).
DiagnosedResult<FoundSharding> autoshard(const ir::Module& module,
                                         const AutoshardOptions& options = {},
                                         const checking::Context& context = {});

/// Returns at most `count` programs that no other one of them dominates in time and peak, the
/// fastest first: the result of autoshard, then those within limits down to the least peak of the
/// model in geometric steps. Spec: autoshard U.7.3. Errors: as autoshard; count < 1.
DiagnosedResult<std::vector<FoundSharding>> front(const ir::Module& module, std::size_t count,
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

// Automatic sharding: a search for the annotations with which a program takes the least modelled
// time within a memory limit.
//
// The model of a program is a CostNetwork (problem.hpp). Its nodes are the ops, arguments and
// results of the program, and a few of its other values. The strategies of a node are the possible
// shardings of its operands and results. A choice consists of one strategy per node. The search
// solves the model, compiles the programs of several good choices and returns the best program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/autoshard/problem.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
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
  std::string stage;     // current stage: "solving", "compiling candidates", "dropping annotations"
  int64_t bound_fs = 0;  // no choice of the model has a lower price than this; 0: unknown
  int64_t price_fs = kForbidden;  // price of the best choice so far; kForbidden: none
  std::size_t programs = 0;       // number of programs compiled so far
};

/// A function result that gets the sharding of an argument, for example because both share a
/// buffer.
struct ResultTie {
  std::string result;    // name of the result: `result 0`
  std::string argument;  // name of the argument: `%arg0`
};

/// Options of autoshard.
struct AutoshardOptions {
  checking::CompileOptions compile = {};  // compilation of each candidate
  CostModel model = {};                   // costs of mesh axes, as for make_report
  report::DeviceRates rates = {};         // rates of a device
  /// Bytes per second at which the host sends each device its shards of the arguments that no
  /// result is tied to; 0: this takes no time.
  double feed_bytes_per_second = 0;
  std::optional<int64_t> memory = {};     // limit of the peak memory of a device
  std::vector<report::Setting> fix = {};  // annotations that the result must have
  std::vector<std::string> free = {};     // values whose annotations may change
  bool ignore_annotations = false;        // all annotations may change
  /// Additional ties. A result that reuses the buffer of an argument (`tf.aliasing_output`,
  /// `jax.buffer_donor`) is tied to it without this option.
  std::vector<ResultTie> ties = {};
  /// Results that are not tied, even if they are in the buffer of an argument.
  std::vector<std::string> untie = {};
  bool reasons = false;    // whether to compute AnnotationEdit::next_best and without
  bool all_orders = true;  // whether a dim may have axes in any order; false: only in mesh order
  /// Largest share of a dim that may be padding if axes do not divide the dim; 0: axes divide all
  /// dims. Meshes with more than three axes, or parts of axes, have no padding.
  double uneven = 0.125;
  int64_t effort = 400;         // maximal number of sweeps of the solver
  std::size_t candidates = 24;  // maximal number of choices to compile; at least 1
  /// Number of threads that compile; 0: one per core; results do not depend on it.
  int64_t num_threads = 0;
  std::stop_token stop = {};  // ends the search; the best program so far is returned
  /// Called with the progress of the search, on the thread of the caller.
  std::function<void(const AutoshardProgress& progress)> on_progress = {};
};

/// Modelled time and memory of a compiled program.
struct ProgramPrice {
  report::Cost cost;   // cost as in the report of the program
  double seconds = 0;  // modelled time: report::device_time and feed_seconds
  /// Time for sending arguments from the host; 0 without feed_bytes_per_second.
  double feed_seconds = 0;
};

/// The cheapest of the model's choices that give a value another sharding.
struct NextBest {
  /// The other sharding: `<@mesh, [{}, {"x"}]>`; empty: all choices have the chosen sharding.
  std::string sharding;
  double seconds = 0;    // additional time; a lower bound unless is_exact
  bool is_exact = true;  // false: `seconds` is a lower bound
  std::string cause;     // op or reshard with the largest part of the difference; empty: none
  /// The value's sharding in the best choice without a memory limit. Empty: it is the found one.
  std::string unlimited;
};

/// The found program without one of its annotations, compared with the found program.
struct PriceWithout {
  bool is_allowed = true;  // false: does not compile, or does not keep the ties; no price
  double seconds = 0;      // additional time; negative if less memory is the only gain
  int64_t peak_bytes = 0;  // additional peak memory; negative: the program needs less
};

/// An annotation of the found program that the source program does not have.
struct AnnotationEdit {
  report::HintEdit edit;  // place and shardings in the source program
  /// The op before which the annotation is inserted as a new constraint: `stablehlo.dot at 12:5`.
  /// This op uses the constraint. Empty: the annotation is an attribute or an existing constraint.
  std::string before_op = {};
  bool is_shared = false;     // all users of the value use the new constraint
  std::size_t num_users = 0;  // number of users of the new constraint
  /// For a new constraint: its attribute `shardy.copy`, with which equal reshards are not merged;
  /// 0: none.
  int64_t copy = 0;
  bool is_op_attribute = false;  // true if the annotation is the attribute `sdy.sharding` of an op
  std::optional<NextBest> next_best = {};  // the next best choice, with AutoshardOptions::reasons
  /// The program without this annotation, with AutoshardOptions::reasons; not in a program of equal
  /// layers, where equal annotations of the layers are needed together.
  std::optional<PriceWithout> without = {};
};

/// Dims that a mesh axis shards together, because sharding rules of ops relate them.
struct ShardedDims {
  std::string name;          // largest argument, or else largest op result: `%w1 dim 1`
  int64_t size = 0;          // size of that dim
  std::size_t num_dims = 0;  // number of related dims of all values
};

/// All dims that a mesh axis shards in a program.
struct AxisRole {
  std::string axis;               // name of the mesh axis
  std::vector<ShardedDims> dims;  // groups of related dims; largest number of dims first
};

/// Result of autoshard.
struct FoundSharding {
  ProgramPrice before;  // price with the annotations of the source program
  ProgramPrice after;   // price of `program`; not slower than a `before` within the memory limit
  bool is_changed = false;             // false: the annotations of the source are the best found
  std::optional<int64_t> memory = {};  // memory limit of the search, in bytes per device
  bool fits = true;                    // whether `after` is within the memory limit
  bool is_stopped = false;             // whether AutoshardOptions::stop ended the search early
  NetworkSolution model;               // choice of the model, with its lower bound
  /// False: some ops have so many strategies that the model dropped some. The lower bound does not
  /// cover choices with dropped strategies.
  bool is_complete = true;
  std::size_t num_nodes = 0;          // number of nodes of the model
  std::size_t num_programs = 0;       // number of compiled programs
  std::size_t num_refused = 0;        // number of programs that did not compile
  std::vector<AnnotationEdit> edits;  // annotations to write; each of them is needed
  std::vector<AxisRole> axes;         // role of each mesh axis, in mesh order
  /// Arguments without a tied result that each device holds unsharded.
  std::vector<std::string> whole;
  ir::Module program;            // annotated source program
  Diagnostics diagnostics = {};  // diagnostics of the compilation of the source program
};

/// Returns the program on another mesh. The new mesh has the name of the program's first mesh, or
/// `mesh` if the program has none. With `ignore_annotations`, shardings are removed. Error: a
/// remaining sharding or op refers to one of the old meshes.
Result<ir::Module> program_on_mesh(const ir::Module& module, const Mesh& mesh,
                                   bool ignore_annotations);

/// Returns the program with the annotations with which it is fastest, by the time in its report.
/// The search compares the candidates of the model and the source program. If none of them is
/// within the memory limit, `fits` is false and the program has the least peak memory found.
/// Errors: those of compile; options out of range; an unknown value; an annotation that does not
/// fit; programs that the model does not support (see make_network). Spec: autoshard U.7.
DiagnosedResult<FoundSharding> autoshard(const ir::Module& module,
                                         const AutoshardOptions& options = {},
                                         const checking::Context& context = {});

/// Returns at most `count` programs, fastest first. No returned program is worse than another in
/// both time and peak memory. The first is the result of autoshard. The others are results of
/// searches with memory limits that decrease in geometric steps, from the peak of the first program
/// to the least peak that the model allows. Errors: as autoshard; count < 1. Spec: autoshard U.7.3.
DiagnosedResult<std::vector<FoundSharding>> front(const ir::Module& module, std::size_t count,
                                                  const AutoshardOptions& options = {},
                                                  const checking::Context& context = {});

/// Returns the optimization problem of the search, without solving it. Errors: as autoshard;
/// control flow other than while, case, if, barriers, manual computations, and calls that can be
/// inlined; collectives and other unsupported ops; values that are not static tensors; a program
/// without a mesh or with several; annotations that do not divide a dim.
Result<CostNetwork> make_network(const ir::Module& module, const AutoshardOptions& options = {},
                                 const checking::Context& context = {});

/// Returns the price of a program with its annotations, as in its report. Errors: those of compile.
DiagnosedResult<ProgramPrice> price_of_program(const ir::Module& module,
                                               const AutoshardOptions& options = {},
                                               const checking::Context& context = {});

/// Returns the program with all annotations that a choice of its network implies. Errors: those of
/// make_network and check_choice; a forbidden choice.
Result<ir::Module> annotated_program(const ir::Module& module, std::span<const int32_t> choice,
                                     const AutoshardOptions& options = {},
                                     const checking::Context& context = {});

}  // namespace shardy::autoshard

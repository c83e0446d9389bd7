// Hints: changes of single annotations that make a program cheaper, found by compiling them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/annotation.hpp>
#include <shardy/report/report.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <stop_token>
#include <string>
#include <vector>

namespace shardy::report {

/// An annotation to add, change or remove.
struct AnnotationChange {
  AnnotationPlace place;                        // place of the annotation
  std::optional<TensorSharding> sharding = {};  // std::nullopt: no annotation
  std::vector<AnnotationPlace> tied =
      {};  // places that get the same sharding: results in the same buffer
  friend bool operator==(const AnnotationChange&, const AnnotationChange&) = default;
};

/// Applies the change to its place and to tied places. Errors: those of annotate. Requires: places
/// of the module.
Status annotate(ir::Module& module, const AnnotationChange& change);

/// Returns changes that may reduce one of the `kinds` costliest kinds of collectives: at the
/// tensors of the op that it serves, at the annotations its axes come from, and at annotations near
/// them. A change opens a dim, or adds, removes, replaces or moves one axis, or removes the
/// annotation; a place without one gets a closed sharding with such a difference. The likeliest
/// first, in turn per kind; no duplicates. Cost: linear in the program per kind.
std::vector<AnnotationChange> hint_candidates(const Report& report, const Reasons& reasons,
                                              std::size_t kinds);
/// Returns closed shardings for arguments of main that are neither annotated nor sharded, the
/// largest first: one axis, or all axes of the mesh, on one dim. `propagated`: the propagated
/// program.
std::vector<AnnotationChange> argument_candidates(const ir::Module& module,
                                                  const ir::Module& propagated);

/// Options of find_hints.
struct HintOptions {
  checking::CompileOptions compile = {};  // compilation of each change
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device; > 0
  std::size_t kinds = 10;                 // costliest kinds of collectives to reduce
  std::size_t top = 10;                   // limit of returned hints; does not limit the search
  std::size_t max_tries = 400;            // limit of compiled changes
  /// Results keep the sharding of the argument whose buffer they take: by `tf.aliasing_output` or
  /// `jax.buffer_donor`; with `tie` also of the first argument of equal type.
  bool tie = false;
  std::optional<int64_t> max_peak_bytes = {};  // limit of the peak memory of a hint
  int64_t num_threads = 0;                     // 0: one per core
  std::function<void(std::size_t)> on_try =
      {};  // receives the number of completed tries; called by one thread at a time
  std::stop_token cancel = {};  // ends the search; hints of completed tries are returned
};

/// A change of one annotation by a hint.
struct HintEdit {
  AnnotationPlace place;              // in the unchanged program
  std::string value;                  // `%arg0`, `result 0`
  std::string constrained;            // operand of an existing constraint: `%0`
  std::string location;               // of the function or op
  std::optional<std::string> before;  // `<@mesh, [{"x"}, {}]>`
  std::optional<std::string> after;   // sharding to write; std::nullopt: remove the annotation
};

/// A tried change and the cost of the changed program.
struct Hint {
  AnnotationChange change;                    // what to change
  std::vector<HintEdit> edits;                // at its place, then at tied places
  Cost cost;                                  // of the changed program, as its report has it
  double seconds = 0;                         // modelled: collectives and operations
  std::vector<CollectiveChange> collectives;  // that differ; largest saving first
};

/// Hints, best first.
struct Hints {
  Cost before;              // of the unchanged program
  double seconds = 0;       // modelled: collectives and operations
  std::vector<Hint> hints;  // fastest program first, then lowest peak memory
  std::size_t tried = 0;    // number of compiled changes
  std::size_t refused = 0;  // number of tried changes with errors
  std::size_t parted =
      0;  // number of tried changes that shard a result differently from its argument
  std::size_t left_out = 0;  // candidates beyond max_tries
  Diagnostics diagnostics;   // of the compilation of the unchanged program
};

/// Compiles the program once per candidate, on several threads. For each of the costliest kinds of
/// collectives it returns the change that reduces it and makes the program fastest, if faster than
/// before; then the best change overall. Programs without collectives get the best change of each
/// argument. Results do not depend on the number of threads. Errors: those of compile for the
/// unchanged program; operations_per_second or num_threads out of range.
DiagnosedResult<Hints> find_hints(const ir::Module& module, const HintOptions& options = {},
                                  const checking::Context& context = {});

}  // namespace shardy::report

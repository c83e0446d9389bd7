// Changes of one annotation that make a program cheaper: compiled and priced.
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
#include <tl/expected.hpp>
#include <vector>

namespace shardy::report {

/// One annotation that is written, changed, or taken away.
struct AnnotationChange {
  AnnotationPlace place;                        // the value whose annotation changes
  std::optional<TensorSharding> sharding = {};  // nothing: there is none any more
  std::vector<AnnotationPlace> tied = {};       // places that get the same: results in its buffer
  friend bool operator==(const AnnotationChange&, const AnnotationChange&) = default;
};

/// Makes the change at its place and at those tied to it. Errors: those of annotate. Requires:
/// places of the module.
Status annotate(ir::Module& module, const AnnotationChange& change);

/// Changes that may make one of the `kinds` costliest kinds of collectives smaller: of the tensors
/// of the op that it serves, of the annotations from which their axes came, and of those near to it
/// in the program. Each opens a dim, or adds, removes, replaces or moves one axis, or takes the
/// annotation away; a value without one gets a closed one that differs so from what it has. The
/// likeliest first, in turn for each kind; each once. Cost: linear in the program for each kind.
std::vector<AnnotationChange> hint_candidates(const Report& report, const Reasons& reasons,
                                              std::size_t kinds);
/// Closed shardings of those arguments of main that nothing annotates and nothing shards, the
/// largest first: one axis, or all axes of the mesh, on one dim. `propagated`: the same program.
std::vector<AnnotationChange> argument_candidates(const ir::Module& module,
                                                  const ir::Module& propagated);

/// Options of the search for hints.
struct HintOptions {
  checking::CompileOptions compile = {};  // how each change is compiled and priced
  CostModel model = {};                   // of axes, as make_report takes it
  double operations_per_second = 100e12;  // of a device; > 0
  std::size_t kinds = 10;                 // costliest kinds of collectives to reduce
  std::size_t top = 10;                   // hints to return; the search is the same
  std::size_t max_tries = 400;            // changes that are compiled
  /// Results keep the sharding of the argument whose buffer they take: by `tf.aliasing_output`, by
  /// `jax.buffer_donor`, and with `tie` of the first argument of equal type.
  bool tie = false;
  std::optional<int64_t> max_peak_bytes = {};    // hints with which a device holds more are none
  int64_t num_threads = 0;                       // 0: one per core
  std::function<void(std::size_t)> on_try = {};  // how many are done; by one thread at a time
  std::stop_token cancel = {};  // ends the tries: hints are those of the changes done until then
};

/// One annotation that a hint changes.
struct HintEdit {
  AnnotationPlace place;              // in the program as it is
  std::string value;                  // `%arg0`, `result 0`
  std::string constrained;            // what a constraint that is there constrains: `%0`
  std::string location;               // of the function or op; as the program gives it
  std::optional<std::string> before;  // `<@mesh, [{"x"}, {}]>`
  std::optional<std::string> after;   // the sharding to write there; null: take the annotation out
};

/// A change that was tried, and what the changed program costs.
struct Hint {
  AnnotationChange change;                    // what to change
  std::vector<HintEdit> edits;                // at its place, then at those tied to it
  Cost cost;                                  // a report of the changed program has the same
  double seconds = 0;                         // modelled: of collectives and of operations
  std::vector<CollectiveChange> collectives;  // that differ; what is saved first
};

/// Changes of one annotation that make the program cheaper, best first.
struct Hints {
  Cost before;               // the program as it is
  double seconds = 0;        // modelled: of collectives and of operations
  std::vector<Hint> hints;   // the fastest program first, then the one that holds least
  std::size_t tried = 0;     // how many changes were compiled and priced
  std::size_t refused = 0;   // of them: with errors, as annotations that do not fit an op
  std::size_t parted = 0;    // of them: part the shardings of a result and of its argument
  std::size_t left_out = 0;  // candidates beyond max_tries
  Diagnostics diagnostics;   // what compile said of the program as it is
};

/// Compiles the program once for each candidate, on several threads, and keeps for each of the
/// costliest kinds of collectives the change after which less of it is sent and the whole program
/// takes least, if that is less than before; then also the best of all. Of a program without
/// collectives the best change of each argument. Results do not depend on the number of threads.
/// Errors: those of compile, for the program as it is; no operations a second; a negative number of
/// threads.
tl::expected<Hints, Diagnostics> find_hints(const ir::Module& module,
                                            const HintOptions& options = {},
                                            const checking::Context& context = {});

}  // namespace shardy::report

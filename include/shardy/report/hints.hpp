// Annotations: shardings in a source program, and functions that find, change and remove them.
// Hints: changes of single annotations that make a program cheaper, found by compiling the changed
// programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/report.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::report {

/// A place for an annotation: an argument or a result of a function, another value, the attribute
/// of an op, or a use of a value. A place is valid for one module and for modules with the same
/// ids.
struct AnnotationPlace {
  /// Role of the annotated value in its function.
  enum class Kind : uint8_t {
    Argument,   // argument of a function
    Result,     // result of a function
    Value,      // another value
    Attribute,  // `sdy.sharding` of the op that defines the value
    Use,        // new constraint of the value for one operand, or for all its users
  };

  Kind kind = Kind::Value;  // role of the value in its function
  /// Argument, Result: the function. Use: the op with the operand; invalid for all users.
  ir::OpId function = {};
  uint32_t index = 0;      // Argument, Result: index of the argument or result. Use: of the operand
  ir::ValueId value = {};  // all kinds but Result: the value

  friend bool operator==(const AnnotationPlace&, const AnnotationPlace&) = default;
};

/// Returns the AnnotationPlace of a value. Errors: a value that is not a tensor; a value in a
/// region without shardings, such as a reduction body.
Result<AnnotationPlace> annotation_place(const ir::Module& module, ir::ValueId value);

/// Returns the AnnotationPlace for a name: the name of a value as for explain (`%arg0`, `%16`,
/// `%4#0`,
/// `@f:%x`, `model.py:31`), or a function result (`result 0`, `@main result 0` or `@main:result
/// 0`). Of a value, `%x before %y` is the operand of the op that defines `%y`, `%x before
/// func.return operand 1` one of several operands of an op, `%x before users` the operands of all
/// users, and `%x attribute` the attribute of the op that defines the value. Errors: an unknown
/// name, with the known ones; an ambiguous name; an op that does not use the value; those of
/// annotation_place.
Result<AnnotationPlace> find_annotation_place(const text::WrittenValues& names,
                                              std::string_view name);

/// Returns the name of the place: `%arg0`, `result 0`. The name includes the function unless it is
/// main. Requires: a place of the module.
std::string place_name(const text::WrittenValues& names, const AnnotationPlace& place);

/// Returns the type of the annotated value. Requires: a place of the module.
const ir::Type& type_of(const ir::Module& module, const AnnotationPlace& place);

/// The attribute or op that stores the annotation of a place.
struct AnnotationSite {
  /// Storage of the annotation in the program.
  enum class Kind : uint8_t {
    Argument,  // attribute of a function argument
    Result,    // attribute of a function result
    /// An `sdy.sharding_constraint` or `sdy.reshard`, which is the value or its only user.
    Constraint,
    Op,    // `sdy.sharding` of the defining op
    None,  // no annotation; `annotate` would insert a constraint after the value
  };
  Kind kind = Kind::None;  // kind of the site
  ir::OpId op = {};  // the function, the constraint or the defining op; invalid for block arguments
};
/// Returns the site of the existing annotation, or of a new one. Requires: a place of the module.
AnnotationSite site_of(const ir::Module& module, const AnnotationPlace& place);

/// Returns the sharding of a place, if it has one. Requires: a place of the module.
std::optional<TensorSharding> annotation(const ir::Module& module, const AnnotationPlace& place);

/// Parses a sharding for a place, or `none`: `<@mesh, [{"x"}, {}]>`, `#sdy.sharding<..>`, or
/// `[{"x"}, {}]` if the program has one mesh. Errors: syntax errors, unknown meshes and axes with
/// the closest known name, another rank. Requires: a place of the module.
Result<std::optional<TensorSharding>> parse_annotation(const ir::Module& module,
                                                       const AnnotationPlace& place,
                                                       std::string_view text);

/// Sets or removes the sharding of a place. Without an existing site, inserts a constraint after
/// the value and makes all other users use the constraint. A place of kind Use always inserts a
/// constraint, directly before the op or the first user. Values keep their ids, and places stay
/// valid, except those of a removed constraint. Errors: a sharding that does not fit the type; the
/// module is then unchanged. Requires: a place of the module.
Status annotate(ir::Module& module, const AnnotationPlace& place,
                const std::optional<TensorSharding>& sharding);

// ---- Changes of annotations ---------------------------------------------------------------------

/// An annotation to add, change or remove.
struct AnnotationChange {
  AnnotationPlace place;                        // place of the annotation
  std::optional<TensorSharding> sharding = {};  // std::nullopt: no annotation
  std::vector<AnnotationPlace> tied =
      {};  // other places that get this sharding, such as results in the same buffer
  friend bool operator==(const AnnotationChange&, const AnnotationChange&) = default;
};

/// Applies the change to its place and to its tied places. Errors: those of annotate. Requires:
/// places of the module.
Status annotate(ir::Module& module, const AnnotationChange& change);

/// Returns changes that may reduce one of the `kinds` costliest kinds of collectives. Changed
/// annotations are at the tensors of the op that needs the collective, at the origins of the
/// collective's axes, or near these places. A change opens a dim; adds, removes, replaces or moves
/// one axis; or removes the annotation. A place without an annotation gets a closed sharding with
/// such a change. Most promising changes come first, alternating between kinds, without duplicates.
/// Cost: linear in the program per kind.
std::vector<AnnotationChange> hint_candidates(const Report& report, const Reasons& reasons,
                                              std::size_t kinds);
/// Returns closed shardings for arguments of main that are neither annotated nor sharded, the
/// largest arguments first. Each sharding shards one dim along one axis or along all axes of the
/// mesh. `propagated` is `module` after propagation.
std::vector<AnnotationChange> argument_candidates(const ir::Module& module,
                                                  const ir::Module& propagated);

/// Options of find_hints.
struct HintOptions {
  checking::CompileOptions compile = {};  // compilation of each change
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device; > 0
  std::size_t kinds = 10;                 // number of costliest kinds of collectives to reduce
  std::size_t top = 10;         // maximal number of returned hints; does not limit the search
  std::size_t max_tries = 400;  // maximal number of changes to price
  /// Programs with at least this number of ops and with equal layers are folded: changes are ranked
  /// by their prices in a program of few layers, and only the best are compiled in the whole
  /// program.
  std::size_t least_folded_ops = 1000;
  /// Results keep the sharding of the argument whose buffer they reuse, by `tf.aliasing_output` or
  /// `jax.buffer_donor`. With `tie`, also by equal type: a result reuses the first argument of its
  /// type.
  bool tie = false;
  std::optional<int64_t> max_peak_bytes = {};  // hints must not exceed this peak memory
  int64_t num_threads = 0;                     // 0: one per core
  std::function<void(std::size_t)> on_try =
      {};  // called with the number of completed tries, by one thread at a time
  std::stop_token cancel = {};  // ends the search; hints of completed tries are returned
};

/// A change of one annotation by a hint.
struct HintEdit {
  AnnotationPlace place;              // place in the unchanged program
  std::string value;                  // name of the value: `%arg0`, `result 0`
  std::string constrained;            // operand of an existing constraint: `%0`; empty without one
  Location location;                  // location of the function or op
  std::optional<std::string> before;  // sharding in the unchanged program: `<@mesh, [{"x"}, {}]>`
  std::optional<std::string> after;   // sharding to write; std::nullopt: remove the annotation
};

/// A tried change and the cost of the changed program.
struct Hint {
  AnnotationChange change;      // the changed annotation
  std::vector<HintEdit> edits;  // the edit of the change, then the edits at tied places
  Cost cost;                    // cost of the changed program, as in its report
  double seconds = 0;           // modelled time of collectives and operations
  std::vector<CollectiveChange> collectives;  // collectives that change; largest saving first
};

/// Result of find_hints.
struct Hints {
  Cost before;               // cost of the unchanged program
  double seconds = 0;        // modelled time of the unchanged program: collectives and operations
  std::vector<Hint> hints;   // hints; fastest program first, then lowest peak memory
  std::size_t tried = 0;     // number of priced changes
  std::size_t refused = 0;   // number of tried changes that do not compile
  std::size_t parted = 0;    // number of tried changes that shard a result unlike its argument
  std::size_t left_out = 0;  // number of candidates beyond max_tries
  std::size_t layers = 0;    // equal layers of the program, if changes were ranked without most
  std::size_t kept_layers = 0;  // layers of the program in which the changes were ranked
  std::size_t compiled_whole =
      0;                    // with layers > 0: number of changes compiled in the whole program
  Diagnostics diagnostics;  // diagnostics of the unchanged program
};

/// Compiles the program once per candidate, on several threads. For a folded program (see
/// least_folded_ops) compiles few of its layers once per candidate, without best-common-axes and
/// move-shardings. Of the best candidates it compiles few layers with all rules, then the program,
/// until two different ones are confirmed for each kind of collectives; all prices in the result
/// are of the whole program. For each of the costliest kinds of collectives, the result has one
/// change: among the changes that reduce this kind, the one with the fastest program, if this
/// program is faster than the unchanged one. The best change overall follows. For programs without
/// collectives, the result has the best change of each argument. Results do not depend on the
/// number of threads. Errors: those of compile for the unchanged program; operations_per_second or
/// num_threads out of range.
DiagnosedResult<Hints> find_hints(const ir::Module& module, const HintOptions& options = {},
                                  const checking::Context& context = {});

}  // namespace shardy::report

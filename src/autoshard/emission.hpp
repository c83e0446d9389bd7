// The annotations for the choice of a network, as changes of the source program: the fewest of
// them, their edits, and the dims that mesh axes shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autoshard/program_model.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

// Spec: autoshard U.8.1.

namespace shardy::autoshard {

/// An annotation to be written.
struct SourceChange {
  /// The kind of op or attribute that has the annotation.
  enum class Kind : uint8_t {
    Argument,    // attribute of an argument of main, or of the function `op`
    Result,      // attribute of a result of main
    Constraint,  // sharding of an existing constraint
    OpResults,   // `sdy.sharding` of an op
    Manual,      // shardings of the operands, then of the results, of a manual computation
    Copy,        // a new constraint before its first use
  };
  Kind kind = Kind::OpResults;
  uint32_t index = 0;                          // for Argument and Result
  ir::OpId op = {};                            // for Constraint, OpResults, Manual, Argument
  ir::ValueId value = {};                      // for Copy: its operand
  std::vector<ir::Use> uses = {};              // for Copy, in program order
  std::vector<TensorSharding> shardings = {};  // one sharding; for OpResults one per result
  bool is_shared = false;                      // for Copy: not the private copy of one user
  int32_t node = -1;                           // node of the network that determines the sharding
  uint32_t port = 0;                           // output of the node, or its input with `is_input`
  bool is_input = false;                       // for Copy with one user: `node` is the user
  int64_t copy = 0;       // for Copy: value of `shardy.copy`; 0: without the attribute
  bool is_group = false;  // for Copy with is_shared: a part of the users use it
  friend bool operator==(const SourceChange&, const SourceChange&) = default;
};

/// Returns the annotations of a choice that the module does not have. The order is: ops from last
/// to first, copies, constraints, results, arguments.
std::vector<SourceChange> changes_of(const ProgramModel& model, std::span<const int32_t> choice,
                                     const ir::Module& module);

/// Applies changes to a copy of the module for which they were made. Inserts the copies for all
/// users of a value before copies for groups of them, and these before copies for one user, for any
/// order of the list.
void apply_changes(ir::Module& module, std::span<const SourceChange> changes);

// Fewest changes. Spec: autoshard U.8.2.

/// The outcome of a test of a list of changes.
struct ChangeAnswer {
  bool is_good = false;  // the program is as good with only these changes
  /// Hashes of the shardings of the program. Equal indices are equal values, except for the last.
  std::vector<std::size_t> digest = {};
};

/// Tests lists of changes.
using ChangeTest =
    std::function<std::vector<ChangeAnswer>(std::span<const std::vector<SourceChange>> lists)>;

/// Changes in groups, such as the corresponding changes of equal layers.
struct ChangeGroups {
  std::vector<SourceChange> changes;
  std::vector<std::size_t> groups;  // group of each change; the changes of a group are consecutive
  /// Family of each change, of whole groups; empty: each group is a family.
  std::vector<std::size_t> families = {};
};

/// Drops changes, as long as the program stays as good: all changes; halves, if there are many
/// families; single families, then single groups, until none can be dropped. A group that could not
/// be dropped is tried again if a later drop changed one of the shardings that it changes. A fixed
/// number of lists is tested in one call, for any number of threads, so that the result depends
/// only on the test.
ChangeGroups fewest_changes(ChangeGroups changes, const ChangeTest& test);

// Edits.

/// An edit, and the change that causes it. For a change of the results of an op, the port of the
/// change is the index of the edited result.
struct ChangedEdit {
  AnnotationEdit edit;
  std::optional<SourceChange> change;  // std::nullopt: the options of the search cause the edit
};

/// Returns the edits from `source` to `program`, to which `changes` were applied. The order is:
/// arguments, results, ops, new constraints.
std::vector<ChangedEdit> annotation_edits(const ir::Module& source, const ir::Module& program,
                                          std::span<const SourceChange> changes);

// Mesh axes. Spec: autoshard U.8.4.

/// Returns the dims that each mesh axis shards in main of a propagated program. The sharding rules
/// of ops join dims to classes. Cost: linear in the program times the number of axes.
std::vector<AxisRole> axis_roles(const ir::Module& propagated, const rules::Registry& rules);

/// Returns the names of main's arguments that have at least two elements and that no axis shards.
/// Omits the arguments that `is_tied` flags.
std::vector<std::string> whole_arguments(const ir::Module& propagated,
                                         const std::vector<bool>& is_tied);

}  // namespace shardy::autoshard

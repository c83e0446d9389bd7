// The annotations for the choice of a network, as changes of the source program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autoshard/program_model.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

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

}  // namespace shardy::autoshard

// Annotations for the choice of a network, as changes of the source program.
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

/// An annotation to write.
struct SourceChange {
  /// Place of the annotation.
  enum class Kind : uint8_t {
    Argument,    // attribute of an argument of main
    Result,      // attribute of a result of main
    Constraint,  // sharding of an existing constraint
    OpResults,   // `sdy.sharding` of an op
    Copy,        // a new constraint before its first use
  };
  Kind kind = Kind::OpResults;
  uint32_t index = 0;                          // of Argument and Result
  ir::OpId op = {};                            // of Constraint and OpResults
  ir::ValueId value = {};                      // of Copy: its operand
  std::vector<ir::Use> uses = {};              // of Copy: in program order
  std::vector<TensorSharding> shardings = {};  // one; of OpResults one per result
  bool is_shared = false;                      // of Copy: all readers of the value read it
  int32_t node = -1;                           // of the network, which chose the sharding
  uint32_t port = 0;                           // its output, or its input with `is_input`
  bool is_input = false;                       // of a Copy for one reader: the node is the reader
  friend bool operator==(const SourceChange&, const SourceChange&) = default;
};

/// Returns all annotations of a choice that the module does not have: those of ops first, from last
/// to first, then copies, constraints, results and arguments.
std::vector<SourceChange> changes_of(const ProgramModel& model, std::span<const int32_t> choice,
                                     const ir::Module& module);

/// Applies changes to a copy of the module that they were made for. Copies of all readers of a
/// value come before those of one reader, in any order of the list.
void apply_changes(ir::Module& module, std::span<const SourceChange> changes);

}  // namespace shardy::autoshard

// The ops of a program for which a search chooses strategies, including ops in loops and
// branches.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2.

namespace shardy::autoshard {

/// Returns true for constraints and reshards of the source program.
inline bool is_annotation(const ir::Module& module, ir::OpId op) {
  return module.is(op, ir::OpKind::SdyShardingConstraint) || module.is(op, ir::OpKind::SdyReshard);
}

/// Returns true for calls, and for returns of functions other than main.
inline bool passes_value(const ir::Module& module, ir::OpId op) {
  if (module.is(op, ir::OpKind::FuncCall)) return true;
  return module.is(op, ir::OpKind::FuncReturn) &&
         module.parent_op(module.parent_block(op)) != module.main_function();
}

/// Returns true for ops whose regions belong to the search: loops and branches.
inline bool has_searched_regions(const ir::Module& module, ir::OpId op) {
  return module.is(op, ir::OpKind::While) || module.is(op, ir::OpKind::Case) ||
         module.is(op, ir::OpKind::If);
}

/// Returns the ops of a block and of the loops and branches in it, in program order.
std::vector<ir::OpId> searched_ops(const ir::Module& module, ir::BlockId block);

/// Returns the ops whose annotations the search writes, in the order of execution: searched_ops of
/// main and of the functions with one call (passes::single_calls), which precede their calls. Ops
/// of functions with several calls have a sharding per call.
std::vector<ir::OpId> written_ops(const ir::Module& module);

/// The ops of main on which its results depend, and the constants among them.
class ProgramOps {
 public:
  /// Errors: ops that the search does not support, values that are not static tensors. Requires: a
  /// main function with a body; `module` outlives this object.
  static Result<ProgramOps> make(const ir::Module& module);

  /// Returns the live ops without constant expressions, in program order.
  const std::vector<ir::OpId>& ops() const { return ops_; }
  /// Checks whether an annotation of the arguments or results of main, or of one of the ops, has a
  /// sub-axis of the mesh.
  bool is_annotated_with_parts(const Mesh& mesh) const;
  bool is_live(ir::OpId op) const { return live_.contains(op); }
  bool is_constant(ir::ValueId value) const { return constant_flops_.contains(value); }
  /// Returns the number of operations of a constant's expression; 0 for other values.
  double constant_flops(ir::ValueId value) const {
    const auto found = constant_flops_.find(value);
    return found == constant_flops_.end() ? 0 : found->second;
  }

 private:
  explicit ProgramOps(const ir::Module& module) : module_(module) {}
  Status check(const std::vector<ir::OpId>& all) const;
  void find_live(const std::vector<ir::OpId>& all);
  std::vector<ir::OpId> needed_by(ir::OpId op) const;
  void find_constants();

  const ir::Module& module_;
  std::vector<ir::OpId> ops_;
  std::unordered_set<ir::OpId> live_;                       // never iterated
  std::unordered_map<ir::ValueId, double> constant_flops_;  // never iterated
};

}  // namespace shardy::autoshard

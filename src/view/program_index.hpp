// The numbers of a source program's ops and values on pages, and the cost of each op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/view/page.hpp"

namespace shardy::view {

/// The costs of an op of the source program: costs of the per-device ops that it became.
struct OpCost {
  int64_t bytes = 0;           // bytes sent per device, in all runs
  int64_t collectives = 0;     // number of runs of collectives
  double seconds = 0;          // time of collectives
  double compute_seconds = 0;  // time of operations
  int64_t peak_bytes = 0;      // bytes of its values that are live at the peak

  OpCost& operator+=(const OpCost& other);
};

/// The value of the source program that a collective moves.
struct MovedValue {
  ir::ValueId value = {};  // invalid if unknown
  bool is_result = false;  // the value is a result of the op for which the collective runs
};

/// The numbers of a source program's values, and the source ops of per-device ops.
class ProgramIndex {
 public:
  explicit ProgramIndex(const ProgramData& data);

  const ir::Module& module() const { return module_; }
  /// Returns all ops in program order.
  const std::vector<ir::OpId>& ops() const { return ops_; }
  /// Returns the values in program order: results of an op, then arguments of its regions.
  const std::vector<ir::ValueId>& values() const { return values_; }
  /// Returns the number of a value; -1 for an invalid id.
  int64_t number_of(ir::ValueId value) const;

  /// Returns the op of the source program; invalid if it is unknown.
  ir::OpId origin(ir::OpId per_device) const;
  /// Returns the first op of the source program at a location; invalid if none exists.
  ir::OpId op_at(const std::string& location) const;
  /// Returns the op with a location of the numbered program; invalid for other locations.
  ir::OpId numbered_op(const std::string& place) const;
  /// Returns the value that a collective of the report moves.
  MovedValue moved_by(const report::Collective& row) const;
  /// Returns the costs of ops by op id.
  std::vector<OpCost> costs() const;

 private:
  void find_origins();
  void find_origins_of_copies();
  ir::ValueId source_argument(ir::ValueId per_device) const;

  const ProgramData& data_;
  const ir::Module& module_;
  std::vector<ir::OpId> all_ops_;  // includes meshes
  std::vector<ir::OpId> ops_;
  std::vector<ir::ValueId> values_;
  std::vector<int64_t> numbers_;                      // by value id
  std::vector<ir::OpId> origins_;                     // by id of the per-device op
  std::unordered_map<std::string, ir::OpId> places_;  // first op at a location; never iterated
};

// -------------------------------------------------------------------------------------------------

// The outline of a program: functions, name scopes, regions and ops, with repeated layers folded.

/// A node of an outline.
struct OutlineNode {
  /// The kind of a node. The document contains these numbers.
  enum class Kind : uint8_t { Function, Scope, Repeat, Op, Region };

  Kind kind = Kind::Op;
  std::string label = {};
  int64_t parent = -1;
  int64_t end = 0;      // number after the last descendant
  ir::OpId op = {};     // for Op and Function: the op; for Region: the op around it
  uint32_t region = 0;  // for Region: its index in the op
  int64_t times = 1;    // for Repeat: number of its equal children
  int64_t ops = 0;      // number of ops in the node
  OpCost cost = {};     // including all descendants
};

/// An outline as a list of nodes in pre-order.
struct Outline {
  std::vector<OutlineNode> nodes;
  std::vector<int64_t> node_of_op;  // by op id; -1: none

  /// Returns the node of an op; -1 for an invalid id.
  int64_t node_of(ir::OpId op) const {
    return op.valid() && op.index() < node_of_op.size() ? node_of_op[op.index()] : -1;
  }
};

/// Returns the parts of an op's name scope: `jit(step)`, `layer_3` and `attn` for the location
/// `loc("jit(step)/layer_3/attn/dot_general"(...))`.
std::vector<std::string> scope_of(const std::string& location);

/// Returns the outline of the program of an index; `costs` is by op id.
Outline outline_of(const ProgramIndex& index, const std::vector<OpCost>& costs);

}  // namespace shardy::view

// The outline of a program: functions, name scopes, regions and ops, with repeated layers folded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

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

// Copies of ops, with all that their regions hold.
#pragma once

#include <shardy/ir/module.hpp>
#include <unordered_map>

namespace shardy::passes {

/// Map from values to those of a copy. For look-ups only: it is never iterated.
using ValueMap = std::unordered_map<ir::ValueId, ir::ValueId>;

inline ir::ValueId mapped(const ValueMap& map, ir::ValueId value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

/// Clones the op outside of all blocks. Operands in `map` are replaced, others
/// stay; results and block arguments of the copy are added to `map`.
ir::OpId clone_op(ir::Module& module, ir::OpId op, ValueMap& map);

/// Copies the ops of `from` to the end of `to`. Requires: `map` names the arguments of `from`.
void clone_ops(ir::Module& module, ir::BlockId from, ir::BlockId to, ValueMap& map);

/// Clones an op of another module into `module`, outside of all blocks. `map` leads from the
/// values of that module to those of this one. Requires: it names all values that the op uses from
/// outside, and regions have one block.
ir::OpId clone_op_into(ir::Module& module, const ir::Module& from, ir::OpId op, ValueMap& map);

}  // namespace shardy::passes

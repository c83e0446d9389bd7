// Copies of ops with their regions.
#pragma once

#include <shardy/ir/module.hpp>
#include <unordered_map>

namespace shardy::passes {

/// Map from original values to copied ones. Its order is unspecified: never iterate it.
using ValueMap = std::unordered_map<ir::ValueId, ir::ValueId>;

inline ir::ValueId mapped(const ValueMap& map, ir::ValueId value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

/// Clones the op without inserting it into a block. Operands in `map` are replaced, others stay;
/// results and block arguments of the copy are added to `map`.
ir::OpId clone_op(ir::Module& module, ir::OpId op, ValueMap& map);

/// Copies the ops of `from` to the end of `to`. Requires: `map` contains the arguments of `from`.
void clone_ops(ir::Module& module, ir::BlockId from, ir::BlockId to, ValueMap& map);

/// Clones an op of another module into `module` without inserting it into a block. `map` maps
/// values of that module to values of this one. Requires: it contains all values that the op uses
/// from outside, and regions have one block.
ir::OpId clone_op_into(ir::Module& module, const ir::Module& from, ir::OpId op, ValueMap& map);

}  // namespace shardy::passes

// What must hold of an op before its types are looked at.
#pragma once

#include <string_view>

#include "op_facts.hpp"
#include "shardy/ir/op_definition.hpp"

namespace shardy::ir {

/// Whether a region of such an op may end in this terminator: that of a function in any that
/// returns.
bool may_end_region(OpKind owner, OpKind terminator);

/// Operand and region counts, one block per region that ends in the right terminator.
Status check_structure(const OpFacts& op);
/// Checks the number of results against the row of the op.
Status check_num_results(const OpFacts& op);
/// Adds `'stablehlo.add' op ` in front.
Error named(std::string_view op_name, Error error);

}  // namespace shardy::ir

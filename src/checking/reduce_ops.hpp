// Single changes that make a program smaller; false where there is nothing to change.
#pragma once

#include <cstddef>
#include <vector>

#include "checking/smaller_meshes.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::checking {

/// The ops with results of a function, in its body and in those of its loops and branches.
std::vector<ir::OpId> ops_of(const ir::Module& module, ir::OpId function);

/// Results of ops and arguments of blocks.
std::vector<ir::ValueId> values_of(const ir::Module& module);

/// Keeps only this result of the function.
bool keep_result(ir::Module& module, ir::OpId function, std::size_t kept);

/// Result `index` is another value, with a sharding or without.
bool return_value(ir::Module& module, ir::OpId function, std::size_t index, ir::ValueId value);

/// The function returns this value and does nothing else.
bool return_only(ir::Module& module, ir::OpId function, ir::ValueId value);

/// Ops of the body without results: checks, groups.
std::vector<ir::OpId> effects_of(const ir::Module& module, ir::OpId function);

/// Results of the op become arguments of the function.
void cut_op(ir::Module& module, ir::OpId function, ir::OpId op);

/// Each result becomes the operand at its place; all types must agree.
bool pass_by_all(ir::Module& module, ir::OpId op);

/// Returns the number of bodies that can replace an op: of a loop, branches, a function, a
/// computation.
std::size_t num_bodies(const ir::Module& module, ir::OpId op);
bool inline_body(ir::Module& module, ir::OpId op, std::size_t body);

/// The attribute goes that holds a sharding, or all that stand with it.
bool drop_sharding_at(ir::Module& module, const ShardingPlace& place);

/// Zero, one, and the first element everywhere, if the literal is none of these.
std::vector<ir::Literal> simpler_literals(const ir::Literal& literal);

/// Arguments of the function become constants. Requires: one literal for each.
void fix_arguments(ir::Module& module, ir::OpId function, const std::vector<ir::Literal>& literals);

}  // namespace shardy::checking

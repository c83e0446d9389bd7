// Steps that make programs a little smaller: fewer shardings, smaller meshes, fewer ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::checking {

// Fewer annotations and fewer devices.

/// The attribute that stores one sharding of a program.
struct ShardingPlace {
  enum class ShardingOwner : uint8_t { Op, Argument, Result };
  ir::OpId op;
  ShardingOwner side = ShardingOwner::Op;
  std::size_t index = 0;  // index of an argument or result of a function
  std::string name;       // name of the attribute
  std::size_t entry = 0;  // index in a list
};

/// Returns the locations of all shardings in program order.
std::vector<ShardingPlace> sharding_places(const ir::Module& module);
/// Returns the sharding at the location; null if it was removed.
const TensorSharding* sharding_at(const ir::Module& module, const ShardingPlace& place);
void set_sharding_at(ir::Module& module, const ShardingPlace& place, TensorSharding sharding);

/// Returns simpler shardings: without unreduced or replicated axes, without some or all axes of a
/// dim, with closed dims, without a priority. The simplest come first.
std::vector<TensorSharding> smaller_shardings(const TensorSharding& sharding);

/// Returns the axes of all meshes, each name once with its largest size.
std::vector<MeshAxis> mesh_axes(const ir::Module& module);

/// Removes an axis from all meshes and shardings, or changes its size. Drops sub-axes that do not
/// fit the size. Returns false if that is impossible; the module is then partly changed.
bool resize_axis(ir::Module& module, std::string_view name, int64_t size);
inline bool drop_axis(ir::Module& module, std::string_view name) {
  return resize_axis(module, name, 0);
}

/// Replaces the device order of each mesh by 0, 1, 2, ... Returns false if all meshes have this
/// order already.
bool drop_device_ids(ir::Module& module);

// Single changes that make a program smaller. They return false if nothing changes.

/// Returns the ops with results in a function's body and in its loops and branches.
std::vector<ir::OpId> ops_of(const ir::Module& module, ir::OpId function);

/// Returns the results of ops and the arguments of blocks.
std::vector<ir::ValueId> values_of(const ir::Module& module);

/// Makes the function return only this result.
bool keep_result(ir::Module& module, ir::OpId function, std::size_t kept);

/// Makes the function return another value as result `index`, with or without a sharding.
bool return_value(ir::Module& module, ir::OpId function, std::size_t index, ir::ValueId value);

/// Makes the function return only this value.
bool return_only(ir::Module& module, ir::OpId function, ir::ValueId value);

/// Returns the ops of the body without results: checks and sharding groups.
std::vector<ir::OpId> effects_of(const ir::Module& module, ir::OpId function);

/// Replaces the results of the op by new arguments of the function.
void replace_by_arguments(ir::Module& module, ir::OpId function, ir::OpId op);

/// Replaces each result by the operand with the same index. All types must be equal.
bool pass_by_all(ir::Module& module, ir::OpId op);

/// Returns the number of bodies that can replace an op: bodies of a loop, of branches, of a
/// function or of a computation.
std::size_t num_bodies(const ir::Module& module, ir::OpId op);
bool inline_body(ir::Module& module, ir::OpId op, std::size_t body);

/// Erases the attribute with the sharding, or its whole list.
bool drop_sharding_at(ir::Module& module, const ShardingPlace& place);

/// Returns the literals zero, one, and the first element everywhere, except if the literal is one
/// of these.
std::vector<ir::Literal> simpler_literals(const ir::Literal& literal);

/// Replaces arguments of the function by constants. Requires: one literal per argument.
void fix_arguments(ir::Module& module, ir::OpId function, const std::vector<ir::Literal>& literals);

}  // namespace shardy::checking

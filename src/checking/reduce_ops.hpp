// Steps that make programs a little smaller: fewer shardings, smaller meshes, fewer ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::checking {

// Programs with fewer annotations, and for fewer devices.

/// An annotation in the text: the place of one sharding.
struct ShardingPlace {
  enum class Side : uint8_t { Op, Argument, Result };
  ir::OpId op;
  Side side = Side::Op;
  std::size_t index = 0;  // of an argument or result of a function
  std::string name;       // of the attribute
  std::size_t entry = 0;  // of a list
};

/// In program order.
std::vector<ShardingPlace> sharding_places(const ir::Module& module);
/// Returns null if the sharding was removed.
const TensorSharding* sharding_at(const ir::Module& module, const ShardingPlace& place);
void set_sharding_at(ir::Module& module, const ShardingPlace& place, TensorSharding sharding);

/// Returns simpler shardings: without unreduced or replicated axes, without the axes of a dim or
/// one of them, with closed dims, without a priority. The most simplified come first.
std::vector<TensorSharding> smaller_shardings(const TensorSharding& sharding);

/// The axes of all meshes, each name once, with its largest size.
std::vector<MeshAxis> mesh_axes(const ir::Module& module);

/// Removes an axis from all meshes and shardings, or changes its size; sub-axes that do not fit the
/// size are dropped. Returns false, and leaves the module partly changed, if that is impossible.
bool resize_axis(ir::Module& module, std::string_view name, int64_t size);
inline bool drop_axis(ir::Module& module, std::string_view name) {
  return resize_axis(module, name, 0);
}

/// Replaces the device order of each mesh by 0, 1, 2, ... Returns false if all have it already.
bool drop_device_ids(ir::Module& module);

// Single changes that make a program smaller; they return false if nothing changes.

/// The ops with results of a function, in its body and in those of its loops and branches.
std::vector<ir::OpId> ops_of(const ir::Module& module, ir::OpId function);

/// Results of ops and arguments of blocks.
std::vector<ir::ValueId> values_of(const ir::Module& module);

/// Keeps only this result of the function.
bool keep_result(ir::Module& module, ir::OpId function, std::size_t kept);

/// Replaces result `index` by another value, with a sharding or without.
bool return_value(ir::Module& module, ir::OpId function, std::size_t index, ir::ValueId value);

/// Reduces the function to this value.
bool return_only(ir::Module& module, ir::OpId function, ir::ValueId value);

/// Ops of the body without results: checks, groups.
std::vector<ir::OpId> effects_of(const ir::Module& module, ir::OpId function);

/// Replaces results of the op by new arguments of the function.
void replace_by_arguments(ir::Module& module, ir::OpId function, ir::OpId op);

/// Replaces each result by the operand at its position; all types must agree.
bool pass_by_all(ir::Module& module, ir::OpId op);

/// Returns the number of bodies that can replace an op: of a loop, branches, a function, a
/// computation.
std::size_t num_bodies(const ir::Module& module, ir::OpId op);
bool inline_body(ir::Module& module, ir::OpId op, std::size_t body);

/// Erases the attribute with the sharding, or all shardings of its list.
bool drop_sharding_at(ir::Module& module, const ShardingPlace& place);

/// Zero, one, and the first element everywhere, unless the literal is one of these.
std::vector<ir::Literal> simpler_literals(const ir::Literal& literal);

/// Replaces arguments of the function by constants. Requires: one literal for each.
void fix_arguments(ir::Module& module, ir::OpId function, const std::vector<ir::Literal>& literals);

}  // namespace shardy::checking

// Steps that make programs a little smaller: smaller dims, fewer shardings, smaller meshes, fewer
// ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::checking {

struct ValueDim {
  ir::ValueId value;
  std::size_t dim = 0;
};

/// Classes of dims with equal sizes: dims that consist of one factor of a sharding rule, dims of
/// one value that is passed through regions and calls, and dims of the members of a sharding group.
class DimClasses {
 public:
  DimClasses(const ir::Module& module, const rules::Registry& rules);

  std::size_t size() const { return members_.size(); }
  const std::vector<ValueDim>& members(std::size_t index) const { return members_[index]; }
  /// Returns the class of a dim of a value with a static shape.
  std::size_t class_of(ir::ValueId value, std::size_t dim) const {
    return class_of_[first_[value.index()] + dim];
  }

 private:
  void join(const ir::Module& module, ir::ValueId a, ir::ValueId b);
  void join(const ir::Module& module, ValueDim a, ValueDim b);
  void join_by_rule(const ir::Module& module, ir::OpId op, const OpShardingRule& rule);
  void join_call(const ir::Module& module, ir::OpId op);
  void join_edges(const ir::Module& module, ir::OpId op);
  void join_groups(const ir::Module& module);
  void number_classes(const ir::Module& module);
  std::size_t find(std::size_t at);

  std::vector<std::size_t> first_;  // index of dim 0 of each value in parent_
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> class_of_;
  std::vector<std::vector<ValueDim>> members_;
};

/// Reduces all dims of a class to `size`, which is at most their current size, and resizes dims of
/// other classes that depend on them. Returns false if that is not possible; the module is then
/// partly changed.
bool resize_dims(ir::Module& module, const DimClasses& classes, std::size_t which, int64_t size);

/// Removes all dims of a class. Returns false if an op needs one of them; the module is then partly
/// changed.
bool drop_dims(ir::Module& module, const DimClasses& classes, std::size_t which);

/// Returns the first elements along each dim. Requires: equal ranks, and no dim of `type` is
/// larger.
ir::Literal first_elements(const ir::Literal& literal, const ir::Type& type);

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

// Programs that say less of their shardings, and that are for fewer devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::checking {

/// Where a sharding is written down.
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
/// Null where there is none any more.
const TensorSharding* sharding_at(const ir::Module& module, const ShardingPlace& place);
void set_sharding_at(ir::Module& module, const ShardingPlace& place, TensorSharding sharding);

/// Shardings that say a little less: unreduced or replicated axes gone, a dim without axes or
/// without one of them, closed dims, no priority. Those that say most of the change first.
std::vector<TensorSharding> smaller_shardings(const TensorSharding& sharding);

/// The axes of all meshes, each name once; with the largest size that one of them has.
std::vector<MeshAxis> mesh_axes(const ir::Module& module);

/// Takes an axis out of all meshes and shardings, or gives it another size there; parts of it that
/// the size does not have go. False, and a program in between, where that cannot be.
bool resize_axis(ir::Module& module, std::string_view name, int64_t size);
inline bool drop_axis(ir::Module& module, std::string_view name) {
  return resize_axis(module, name, 0);
}

/// Position p of each mesh holds device p. False if it always did.
bool drop_device_ids(ir::Module& module);

}  // namespace shardy::checking

// Bodies of per_value.hpp.
#pragma once

#include <algorithm>
#include <shardy/algebra/per_value.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy {

SHARDY_INLINE std::vector<TensorSharding> fully_open_per_value(std::span<const ValueShape> shapes,
                                                               const MeshRef& mesh) {
  std::vector<TensorSharding> shardings;
  for (const ValueShape& shape : shapes) {
    shardings.push_back(TensorSharding::fully_open(mesh.mesh, mesh.name, sharding_rank(shape)));
  }
  return shardings;
}

SHARDY_INLINE bool any_unreduced(std::span<const TensorSharding> shardings) {
  return std::ranges::any_of(
      shardings, [](const TensorSharding& sharding) { return !sharding.unreduced_axes().empty(); });
}

}  // namespace shardy

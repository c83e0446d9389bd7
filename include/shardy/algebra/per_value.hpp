#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <utility>
#include <vector>

// One sharding per value: results or operands of an op, or block arguments. Spec: algebra 6.1.

namespace shardy {

/// Dims that a sharding of such a value has; 0 for values without shape.
inline std::size_t sharding_rank(const ValueShape& shape) {
  return shape.kind == ValueShape::Kind::Ranked ? shape.dims.size() : 0;
}

/// One for each value: as many open dims as its shape has, no axes.
std::vector<TensorSharding> fully_open_per_value(std::span<const ValueShape> shapes,
                                                 const MeshRef& mesh);

/// The list with another sharding at `index`. Requires: index < shardings.size().
inline std::vector<TensorSharding> with_sharding_at(std::vector<TensorSharding> shardings,
                                                    std::size_t index, TensorSharding sharding) {
  SHARDY_EXPECTS(index < shardings.size());
  shardings[index] = std::move(sharding);
  return shardings;
}

/// `sharding` at `index`, all others fully open on its mesh: what an op without a list gets when
/// one of its values is sharded. Requires: index < shapes.size(); the mesh has a name.
inline std::vector<TensorSharding> open_with_sharding_at(std::span<const ValueShape> shapes,
                                                         std::size_t index,
                                                         const TensorSharding& sharding) {
  SHARDY_EXPECTS(sharding.mesh_name().has_value());
  return with_sharding_at(fully_open_per_value(shapes, sharding.mesh_ref()), index, sharding);
}

/// Returns whether any of them has unreduced axes.
bool any_unreduced(std::span<const TensorSharding> shardings);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>

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
#endif  // SHARDY_BODIES

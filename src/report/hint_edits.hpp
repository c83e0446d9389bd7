// The shardings that differ from one in one respect.
#pragma once

#include <cstdint>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <span>
#include <vector>

namespace shardy::report {

/// Dims opened; one axis added, removed, replaced by a free one, or moved to another dim; the axes
/// of two dims exchanged. A dim whose axes are changed is closed after that unless it only gets
/// more. None is `sharding` itself; each once; those of more axes before those of less. `shape`:
/// dims get no more shards than elements. Axes that are bound are not added.
std::vector<TensorSharding> near_shardings(const TensorSharding& sharding,
                                           std::span<const int64_t> shape, const BoundAxes& bound);

}  // namespace shardy::report

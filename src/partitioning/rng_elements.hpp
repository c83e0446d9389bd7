// Random elements computed individually from their global index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

enum class RngAlgorithm : uint8_t { Philox, ThreeFry };

/// Returns the dim along which both words of a block are neighbours. Spec: stablehlo 27.
std::size_t paired_dim(std::span<const int64_t> dims);

/// Checks whether elements of this width are computed from such words.
bool has_random_elements(const ir::Type& bits);

/// Returns the shard of a tensor of random bits, computed from the
/// global positions of its elements. `state`: 64-bit words. Requires: has_random_elements. Spec:
/// partitioning 8.20.
ir::ValueId random_elements(Lowering& lowering, RngAlgorithm algorithm, const ir::Type& bits,
                            std::span<const AxisList> axes, ir::ValueId state);

}  // namespace shardy::partitioning

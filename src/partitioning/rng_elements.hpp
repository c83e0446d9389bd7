// Random words by themselves: each element from its place in the whole tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

enum class RngAlgorithm : uint8_t { Philox, ThreeFry };

/// The dim along which both words of a block stand side by side. Spec: stablehlo 27.
std::size_t paired_dim(std::span<const int64_t> dims);

/// Elements of so many bits have such words.
bool has_random_elements(const ir::Type& bits);

/// Returns the shard of a tensor of random bits, computed from the
/// global positions of its elements. `state`: 64-bit words. Requires: has_random_elements. Spec:
/// partitioning 8.20.
ir::ValueId random_elements(Lowering& lowering, RngAlgorithm algorithm, const ir::Type& bits,
                            std::span<const AxisList> axes, ir::ValueId state);

}  // namespace shardy::partitioning

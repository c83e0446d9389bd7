// Counter-based generators: each block of random words is a function of its counter.
// Spec: stablehlo 27.
#pragma once

#include <array>
#include <cstdint>

namespace shardy::simulation {

using ThreeFryBlock = std::array<uint32_t, 2>;
using PhiloxBlock = std::array<uint32_t, 4>;

/// threefry2x32 with 20 rounds.
ThreeFryBlock threefry2x32(const std::array<uint32_t, 2>& key, ThreeFryBlock counter);
/// philox4x32 with 10 rounds.
PhiloxBlock philox4x32(std::array<uint32_t, 2> key, PhiloxBlock counter);

}  // namespace shardy::simulation

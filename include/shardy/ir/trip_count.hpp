// How often a loop runs, where its text tells.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>

namespace shardy::ir {

/// Returns the iterations of a counting `stablehlo.while`: it compares a number with another one
/// that no iteration changes, and adds the same to one of them each time, from a start that is
/// known. Constants are seen through reshapes and converts, and where loops around carry them
/// unchanged. std::nullopt: not such a loop, or its number would wrap around. Cost: linear in its
/// condition and the definitions of the numbers.
std::optional<int64_t> trip_count(const Module& module, OpId loop);

}  // namespace shardy::ir

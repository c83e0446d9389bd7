// How often a loop runs, where its text tells.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>

namespace shardy::ir {

/// The iterations of a `stablehlo.while` that counts: it compares a number with another one that no
/// iteration changes, and adds the same to one of them each time, from a start that is known.
/// Constants are seen through reshapes and converts, and where loops around carry them unchanged.
/// Nothing: it is no such loop, or its number would wrap around. Cost: of its condition and what
/// the numbers are made of.
std::optional<int64_t> trip_count(const Module& module, OpId loop);

}  // namespace shardy::ir

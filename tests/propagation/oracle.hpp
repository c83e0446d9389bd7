#pragma once

#include <shardy/propagation/propagate.hpp>
#include <string>
#include <vector>

namespace shardy::propagation::testing {

/// The result of propagation by a slow and literal transcription of the specification that shares
/// no code with the library: axes are names with optional sub-axes, nothing is skipped, every list
/// is searched. Text of each slot's sharding, as to_text prints it. Knows no views and no regions.
std::vector<std::string> expected_shardings(const Problem& problem,
                                            const std::vector<OpShardingRule>& rules,
                                            const ProblemOptions& options);

}  // namespace shardy::propagation::testing

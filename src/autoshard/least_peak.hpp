// The least peak of live bytes of a problem, without its prices.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/autoshard/problem.hpp>

// Spec: autoshard U.6.9.

namespace shardy::autoshard {

/// Searches the choice with the least peak, ignoring the limit of the network and all prices that
/// are not forbidden. In the result, price_fs and bound_fs are bytes. Ends early if a choice has a
/// peak of at most `limit`, or if the bound is above it. Requires: check_problem accepts the
/// network; options are in range.
NetworkSolution find_least_peak(const CostNetwork& network, const SolveOptions& options,
                                std::optional<int64_t> limit = std::nullopt);

}  // namespace shardy::autoshard

// Choices that differ from a choice at one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardy/autoshard/problem.hpp"

// Spec: autoshard U.7.2.

namespace shardy::autoshard {

/// Returns at most `count` allowed choices that differ from `choice` at one node, cheapest first;
/// ties by node, then by choice of the node. Requires: check_problem, check_choice. Cost: linear in
/// the cells of a row of each edge.
std::vector<std::vector<int32_t>> choice_neighbors(const CostNetwork& network,
                                                   std::span<const int32_t> choice,
                                                   std::size_t count);

}  // namespace shardy::autoshard

// Exact minima by elimination of nodes, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// Limits of an elimination.
struct EliminationLimits {
  int64_t cells = 20'000'000;  // of the largest table
  bool freeze = false;         // keep the choice of nodes that would make a table too large
};

/// Sets the choices of the nodes of `subset` to a cheapest one; the others stay. Eliminates the
/// node with the smallest table first; bytes count as priced in `costs`. Returns false, and changes
/// nothing, if a table would be too large. Requires: distinct nodes; a choice per node.
bool eliminate(const WorkNetwork& network, const ScaledCosts& costs,
               std::span<const int32_t> subset, const EliminationLimits& limits,
               std::vector<int32_t>& choice);

}  // namespace shardy::autoshard

// Search of all choices that the bounds leave possible, node after node.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// The goal of a closing search.
struct ClosingGoal {
  int64_t price = kInfinite;    // a lower price, or
  bool lower_peak = false;      // a price as low, with fewer bytes at the fullest point
  int64_t most_steps = 50'000;  // choices of nodes that are tried
  std::stop_token stop = {};
};

/// The outcome of a closing search.
struct ClosingResult {
  std::vector<int32_t> choice;  // the best one found; empty: none
  int64_t price = kInfinite;
  bool complete = false;  // no better one exists
};

/// Decides the nodes in order, the choice with the least bound first, and leaves out choices whose
/// bound exceeds the goal or whose least bytes exceed the limit. With `lower_peak`, each choice
/// that is found lowers the limit for the next.
ClosingResult search_all(const WorkNetwork& network, const ScaledCosts& costs,
                         const EdgeMessages& messages, const ClosingGoal& goal);

}  // namespace shardy::autoshard

// Solving a work network with repeated blocks by means of few of the blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

// Spec: autoshard U.6.3.

namespace shardy::autoshard {

/// A network in which one block represents a run of equal blocks.
struct FoldedNetwork {
  /// Each removed node and edge adds its live bytes to those of its representative, at its own
  /// points. So a choice with equal blocks has the live bytes of its choice in the full network.
  WorkNetwork network;
  std::vector<int32_t> node_of;  // per node of the full network: its representative
  std::vector<int32_t> edge_of;  // per edge of the full network: its representative
};

/// Returns the network with few blocks of the longest run of equal blocks; std::nullopt if no such
/// run exists. `blocks` has a position per node, or is empty. Blocks are equal if their nodes have
/// equal choices, equal prices, and equal edges: edges with equal tables to nodes of the same
/// block, of the adjacent blocks, and to the same nodes outside of all blocks. Cost: linear in the
/// network without the cells of tables.
std::optional<FoldedNetwork> fold_blocks(const WorkNetwork& whole,
                                         std::span<const BlockPlace> blocks);

/// Multiplies the prices of nodes and edges by the number of those that they represent. So a choice
/// with equal blocks has the price of its choice in the full network.
void count_removed(FoldedNetwork& folded);

/// Returns the choice of the full network in which each node has the choice of its representative.
std::vector<int32_t> unfolded_choice(const FoldedNetwork& folded, std::span<const int32_t> choice);

/// Returns the messages of the full network in which each edge has the messages of its
/// representative; with `is_shared`, an equal part of them.
EdgeMessages unfolded_messages(const WorkNetwork& whole, const FoldedNetwork& folded,
                               const EdgeMessages& messages, bool is_shared = false);

}  // namespace shardy::autoshard

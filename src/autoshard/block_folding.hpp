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
  WorkNetwork network;           // without live bytes
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

/// Returns the choice of the full network in which each node has the choice of its representative.
std::vector<int32_t> unfolded_choice(const FoldedNetwork& folded, std::span<const int32_t> choice);

/// Returns the messages of the full network in which each edge has the messages of its
/// representative.
EdgeMessages unfolded_messages(const WorkNetwork& whole, const FoldedNetwork& folded,
                               const EdgeMessages& messages);

}  // namespace shardy::autoshard

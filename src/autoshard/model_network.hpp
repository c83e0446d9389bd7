// The cost network of nodes and links: prices of reshards, live bytes, repeated blocks.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "autoshard/program_model.hpp"
#include "autoshard/program_ops.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/best_plan.hpp"

// Spec: autoshard U.3 to U.5, U.6.3.

namespace shardy::autoshard {

/// The output of a node that creates a value.
struct NetworkSource {
  ir::ValueId value = {};
  int32_t node = 0;
  uint32_t output = 0;
};

/// The data from which a network is built. Nodes are in program order.
struct NetworkParts {
  const ir::Module& module;
  std::span<const ModelNode> nodes;
  std::span<const ModelLink> links;
  std::span<StateSpace* const> space_of;  // by value id
  ReshardPrices& reshards;
  std::vector<NetworkSource> sources;                       // by value id
  std::unordered_map<ir::ValueId, int64_t> constant_begin;  // time from which a constant is live
  int64_t end = 0;                                          // time of the return
  int64_t limit = kUnlimited;                               // limit of live bytes
  double hidden_share = 0;           // share of hideable reshards that is hidden
  double feed_bytes_per_second = 0;  // rate for arguments; 0: free
  std::vector<bool> is_tied = {};    // per argument: a result is tied to it
  std::stop_token stop = {};         // after a stop, the network must not be used
};

/// Drops the last strategies of ops until the tables of reshards fit the memory, or each op has at
/// most 1,024. Returns whether any strategy was dropped.
bool drop_strategies(std::span<ModelNode> nodes, std::span<const ModelLink> links,
                     std::span<StateSpace* const> space_of);

/// Finds the nodes of ops that equal an earlier op of their block, or differ from it in equal
/// constants only: ModelNode::equal_to. Nodes are in program order.
void find_equal_ops(const ir::Module& module, const ProgramOps& program, ir::OpId main,
                    std::span<ModelNode> nodes);

/// Builds the network; its prices are in a unit in which their sums fit. Cost: one plan per pair of
/// states of a shape and one table per pair of lists of states; otherwise linear in the nodes and
/// links.
CostNetwork network_of(const NetworkParts& parts);

/// Returns the positions of nodes in repeated blocks; empty if no run has at least 4 blocks. A run
/// is a sequence of ops that repeats with equal states and prices. Runs of as many blocks before or
/// after it, such as in a backward pass, belong to the same blocks, in equal or reversed order.
std::vector<BlockPlace> find_blocks(std::span<const ModelNode> nodes,
                                    std::span<const ModelLink> links,
                                    std::span<const int32_t> strategies_of);

}  // namespace shardy::autoshard

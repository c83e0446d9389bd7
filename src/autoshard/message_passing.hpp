// Message passing (TRW-S, sequential tree-reweighted): sweeps over the nodes that raise the bound.
#pragma once

#include <cstdint>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// The messages of a network, and its prices as floating-point numbers. Sweeps go over the nodes
/// forward and backward (Kolmogorov, PAMI 2006). Rounding cannot make a bound invalid: chain_bound
/// accepts all messages and computes with integers.
class MessagePassing {
 public:
  /// Starts from the given messages. Requires: costs and messages belong to the network; network
  /// and costs outlive this object.
  MessagePassing(const WorkNetwork& network, const ScaledCosts& costs, EdgeMessages messages);

  /// Reads the prices of nodes, and of edges with priced bytes, again.
  void update_costs();
  /// Runs `count` sweeps, each forward and backward.
  void sweep(int64_t count);
  const EdgeMessages& messages() const { return messages_; }
  /// Returns a choice. Decides node after node: each node gets its cheapest choice next to the
  /// decided neighbours, by the messages from the other neighbours.
  std::vector<int32_t> decode(bool forward) const;

 private:
  void add_table(std::size_t table);
  void update_node(int32_t node, bool forward);
  const double* message_to(const WorkLink& link, bool to_other) const;

  const WorkNetwork& network_;
  const ScaledCosts& costs_;
  EdgeMessages messages_;
  std::vector<double> unary_;
  std::vector<double> cells_;        // cells of the tables, row-major; infinite: forbidden
  std::vector<double> transposed_;   // cells of the tables, column-major
  std::vector<double> share_;        // per node: 1 / number of its chains
  std::vector<double> sum_;          // scratch, per choice
  std::vector<double> less_, sent_;  // scratch, per class of choices
};

}  // namespace shardy::autoshard

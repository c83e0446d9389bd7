// Sweeps that improve messages: sequential tree-reweighted message passing (TRW-S).
#pragma once

#include <cstdint>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// Messages of a network, and the prices as floating point numbers. Sweeps go over the nodes
/// forward and backward (Kolmogorov, PAMI 2006). Rounding cannot make a bound wrong: chain_bound
/// takes any messages and computes with integers.
class MessagePassing {
 public:
  /// Starts from these messages. Requires: costs and messages of the network, which outlive this.
  MessagePassing(const WorkNetwork& network, const ScaledCosts& costs, EdgeMessages messages);

  /// Reads prices of nodes, and of edges with priced bytes, again.
  void update_costs();
  /// Goes forward and backward so many times.
  void sweep(int64_t count);
  const EdgeMessages& messages() const { return messages_; }
  /// Returns a choice: node after node, each the cheapest next to those chosen before, by the
  /// messages from the others.
  std::vector<int32_t> decode(bool forward) const;

 private:
  void add_table(std::size_t table);
  void update_node(int32_t node, bool forward);
  const double* message_to(const WorkLink& link, bool to_other) const;

  const WorkNetwork& network_;
  const ScaledCosts& costs_;
  EdgeMessages messages_;
  std::vector<double> unary_;
  std::vector<double> cells_;       // of tables, row-major; infinite: forbidden
  std::vector<double> transposed_;  // the same, column-major
  std::vector<double> share_;       // of a node: 1 / chains
  std::vector<double> sum_, less_;  // scratch
};

}  // namespace shardy::autoshard

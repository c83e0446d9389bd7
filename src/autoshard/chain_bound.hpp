// Lower bounds in exact integers: a problem is split into chains, each of which is solved by
// dynamic programming. Message passing (TRW-S, sequential tree-reweighted) raises the bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// The prices of a work network in units of 2^-scale fs, plus live bytes at the prices of their
/// points. Prices are rounded down and `constant` is rounded up, so bounds are valid for the exact
/// prices.
struct ScaledCosts {
  static constexpr int64_t kUnbounded = INT64_MAX;

  int scale = 0;  // number of binary digits after the point; negative: number of dropped digits
  std::vector<int64_t> unary;     // per choice
  std::vector<WorkTable> tables;  // tables of the network, then tables of edges with priced bytes
  std::vector<int64_t> cells;
  std::vector<int32_t> classes;
  std::vector<int32_t> table_of;  // per edge
  int64_t constant = 0;           // price of all bytes of the limit; kUnbounded: too large

  TableCells cells_of(int32_t edge) const {
    return view_of(tables[at(table_of[at(edge)])], cells, classes);
  }
  /// Returns the least price in fs that a scaled bound allows.
  int64_t to_femtoseconds(int64_t scaled) const;
};

/// The price of a live byte at each point, in units of 2^-digits of a scaled unit.
struct BytePrices {
  std::vector<int64_t> of_point;
  int digits = 0;
};

/// Returns a lower bound of the peak of live bytes, if the sum of live bytes times their prices is
/// at least `scaled`.
int64_t peak_bound_of(const BytePrices& bytes, int64_t scaled);

/// Returns a scale for the prices of a network such that their sum is below 2^59.
int scale_for(const WorkNetwork& network);

/// Returns the scaled prices, with 0 per live byte.
ScaledCosts scale_costs(const WorkNetwork& network, int scale);

/// Replaces the prices per live byte. Requires: costs of this network; one price per point, at most
/// 2^50.
void price_bytes(const WorkNetwork& network, const BytePrices& bytes, ScaledCosts& costs);

/// The messages along edges (U.6.4): amounts that are added to the choices of a node and subtracted
/// from the cells of the edge. All messages give a valid bound.
struct EdgeMessages {
  std::vector<int64_t> first_a;  // per edge: its start in `to_a`; one more entry than edges
  std::vector<int64_t> first_b;  // per edge: its start in `to_b`; one more entry than edges
  std::vector<double> to_a;      // by edge, then choice of a
  std::vector<double> to_b;
};

/// Returns messages of zeros.
EdgeMessages zero_messages(const WorkNetwork& network);

/// A lower bound of the price of all choices, and one per choice of a node.
struct ChainBound {
  int64_t bound = 0;  // scaled, after subtracting the constant
  // Per choice: bound of all choices that contain it; empty unless requested.
  std::vector<int64_t> with_choice;
};

/// The chains in the form that a search needs which decides the nodes in order. While the nodes
/// from `m` on are open, their least price is the sum of `start` of these nodes and of `rest` of
/// the edges that lead to them. Prices of decided nodes and edges include their messages.
struct ChainRests {
  bool known = false;          // false: numbers do not fit
  std::vector<int64_t> node;   // per choice: price with messages
  std::vector<int64_t> start;  // per node: least price of the chains that start there
  // Least price of the edge and of all later edges of its chain, by edge, then choice of a.
  std::vector<int64_t> rest;
  std::vector<int64_t> to_a, to_b;  // messages in the prices
  int64_t bound = 0;                // as in ChainBound
};

/// Returns the sum of the least prices of chains. A chain goes along edges to later nodes. The
/// number of chains through a node is the larger of its numbers of edges to earlier and to later
/// nodes; each has an equal share of the node's prices. Each edge is in one chain. Cost: two passes
/// over all cells, one without `with_choice`.
ChainBound chain_bound(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages, bool with_choice);

/// Returns the chains of chain_bound with the least prices of their ends.
ChainRests chain_rests(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages);

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
  /// Sends a share of `sum_` along the edge, less the message that came along it.
  void send(const WorkLink& link, double share);
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

// Lower bounds in exact integers: a problem split into chains, each solved by dynamic programming.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// Prices of a work network in units of 2^-scale fs, plus live bytes at the price of their points.
/// They are rounded down, `constant` up: bounds are bounds of the exact prices.
struct ScaledCosts {
  static constexpr int64_t kUnbounded = INT64_MAX;

  int scale = 0;                  // binary digits after the point; negative: digits left out
  std::vector<int64_t> unary;     // of each choice
  std::vector<CostTable> tables;  // those of the network, then those of edges with priced bytes
  std::vector<int64_t> cells;
  std::vector<int32_t> table_of;  // of an edge
  int64_t constant = 0;           // price of all bytes of the limit; kUnbounded: too large

  const int64_t* table_begin(int32_t edge) const {
    return cells.data() + tables[at(table_of[at(edge)])].begin;
  }
  /// Returns the least price in fs that a scaled bound leaves possible.
  int64_t to_femtoseconds(int64_t scaled) const;
};

/// Price of a live byte at each point, in units of 2^-digits of a scaled unit.
struct BytePrices {
  std::vector<int64_t> of_point;
  int digits = 0;
};

/// Returns the scale for the prices of a network: their sum stays below 2^59.
int scale_for(const WorkNetwork& network);

/// Returns the scaled prices, without prices of bytes.
ScaledCosts scale_costs(const WorkNetwork& network, int scale);

/// Replaces the prices of bytes. Requires: costs of this network; a price per point, at most 2^50.
void price_bytes(const WorkNetwork& network, const BytePrices& bytes, ScaledCosts& costs);

/// Messages along edges (U.6.4): amounts that are added to the choices of a node and subtracted
/// from the cells of the edge. Any messages give a valid bound.
struct EdgeMessages {
  std::vector<int64_t> first_a;  // of an edge in `to_a`; one more entry than edges
  std::vector<int64_t> first_b;  // of an edge in `to_b`
  std::vector<double> to_a;      // by edge, then choice of a
  std::vector<double> to_b;
};

/// Returns messages of zeros.
EdgeMessages zero_messages(const WorkNetwork& network);

/// A bound of all choices, and of those with each choice.
struct ChainBound {
  int64_t bound = 0;                 // scaled; the constant is subtracted
  std::vector<int64_t> with_choice;  // per choice; empty unless wanted
};

/// The chains as a search for choices of nodes in order needs them: while nodes from `m` on are
/// open, their least price is the sum of `start` of these nodes and of `rest` of edges that lead to
/// them. Prices of decided nodes and edges count with their messages.
struct ChainRests {
  bool known = false;          // false: numbers do not fit
  std::vector<int64_t> node;   // of each choice: its price with messages
  std::vector<int64_t> start;  // of each node: least price of the chains that start there
  std::vector<int64_t> rest;  // by edge, then choice of a: least price of the edge and all after it
  std::vector<int64_t> to_a, to_b;  // messages as they were counted
  int64_t bound = 0;                // as chain_bound
};

/// Returns the sum of the cheapest prices of chains. A chain goes along edges to later nodes; a
/// node is in as many chains as it has edges to earlier or to later nodes, whichever are more, with
/// an equal share of its prices in each. All edges are in one chain each. Cost: two passes over all
/// cells, one without `with_choice`.
ChainBound chain_bound(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages, bool with_choice);

/// Returns the chains of chain_bound with the least prices of their ends.
ChainRests chain_rests(const WorkNetwork& network, const ScaledCosts& costs,
                       const EdgeMessages& messages);

}  // namespace shardy::autoshard

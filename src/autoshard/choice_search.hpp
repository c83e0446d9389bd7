// Searches for choices within the memory limit: by new choices for one node, two neighbours or a
// block of nodes; exactly, by elimination of nodes; and by a search of all choices that the bounds
// allow.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

// ---- Moves ----

/// A choice per node, its price, and its live bytes at each point. Moves update these.
class ChoiceState {
 public:
  ChoiceState(const WorkNetwork& network, std::vector<int32_t> choice);

  const std::vector<int32_t>& choice() const { return choice_; }
  int64_t price() const { return price_; }
  /// Returns whether the choice is within the limit at all points and its price is not forbidden.
  bool fits() const { return num_over_ == 0 && price_ < kInfinite; }
  int32_t num_over() const { return num_over_; }
  std::span<const int64_t> live() const { return live_; }

  /// Returns the change of the price; kInfinite if the new price is forbidden. Requires: the
  /// current price is not forbidden.
  int64_t price_change(int32_t node, int32_t to) const;
  /// Changes the choice of a node.
  void move(int32_t node, int32_t to);
  /// Changes the choice of a node. Does nothing and returns false if afterwards more time points
  /// exceed the limit than before, or if the total excess over all points is larger.
  bool move_within_limit(int32_t node, int32_t to);
  /// Returns the change of the sum of live bytes over all points.
  double bytes_change(int32_t node, int32_t to) const;
  /// Replaces all choices.
  void reset(std::vector<int32_t> choice);
  /// Calls `visit(begin, end, change)` for the bytes that a move changes.
  template <class Visit>
  void for_each_byte_change(int32_t node, int32_t to, Visit visit) const;

 private:
  void add_bytes(const WorkUsage& usage, int64_t change);

  const WorkNetwork& network_;
  std::vector<int32_t> choice_;
  std::vector<int64_t> live_;
  int64_t price_ = 0;
  int32_t num_over_ = 0;                // number of points above the limit
  std::vector<int32_t> first_usage_;    // per node: index in node_usages
  std::vector<int32_t> first_of_edge_;  // per edge: index in edge_usages
};

/// Lowers the price (by `costs`) by moves of one node, until no such move lowers it, in at most 10
/// passes. Returns the choice.
std::vector<int32_t> descend(const WorkNetwork& network, const ScaledCosts& costs,
                             std::vector<int32_t> choice);

/// Lowers the price by moves of one node and of two neighbours that keep the choice within the
/// limit.
void descend_within_limit(const WorkNetwork& network, ChoiceState& state);

/// While a time point exceeds the limit: at the fullest point, makes the move with the least price
/// per byte saved. Ends after more than `most_futile` moves in a row without a lower peak. Returns
/// whether the choice fits.
bool repair(const WorkNetwork& network, ChoiceState& state, int64_t most_futile = INT64_MAX);

/// Lowers the sum of live bytes over all points by moves of one node that keep the price and the
/// limit.
void release_bytes(const WorkNetwork& network, ChoiceState& state);

/// Returns 20 to 80 nodes around a node that `counter` selects, in breadth-first order.
std::vector<int32_t> block_around(const WorkNetwork& network, uint64_t counter);

// ---- Elimination of nodes -----------------------------------------------------------------------

/// Limits of an elimination.
struct EliminationLimits {
  int64_t cells = 20'000'000;  // limit of the cells of a table
  bool freeze = false;  // keeps the choice of nodes whose elimination needs a too large table
};

/// Sets the choices of the nodes in `subset` to a cheapest combination; other nodes keep their
/// choices. Eliminates the node with the smallest table first. `costs` includes the prices of
/// bytes, so the limit of bytes is not checked. Returns false and changes nothing if a table would
/// be too large. Requires: distinct nodes; a choice per node.
bool eliminate(const WorkNetwork& network, const ScaledCosts& costs,
               std::span<const int32_t> subset, const EliminationLimits& limits,
               std::vector<int32_t>& choice);

// ---- All choices that the bounds allow ----------------------------------------------------------

/// The goal of a closing search.
struct ClosingGoal {
  int64_t price = kInfinite;    // looks for a choice with a lower price
  bool lower_peak = false;      // instead: looks for a choice with at most this price, lower peak
  bool first_index = false;     // instead: the first choice with at most this price, by its indices
  int64_t most_steps = 50'000;  // limit of steps; a step tries one choice of one node
  std::stop_token stop = {};
};

/// The outcome of a closing search.
struct ClosingResult {
  std::vector<int32_t> choice;  // the best choice found; empty: none
  int64_t price = kInfinite;
  bool complete = false;  // no better choice exists
};

/// Decides the nodes in order and tries the choice with the least bound first. Skips choices whose
/// bound exceeds the goal or whose least bytes exceed the limit. With `lower_peak`, each choice
/// that is found lowers the limit of later choices.
ClosingResult search_all(const WorkNetwork& network, const ScaledCosts& costs,
                         const EdgeMessages& messages, const ClosingGoal& goal);

}  // namespace shardy::autoshard

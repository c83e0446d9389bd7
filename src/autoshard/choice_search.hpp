// Choices that become cheaper by moves of one node, of two neighbours and of blocks of nodes, and
// that come within the limit of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// A choice per node, its price and its live bytes at each point; moves update them.
class ChoiceState {
 public:
  ChoiceState(const WorkNetwork& network, std::vector<int32_t> choice);

  const std::vector<int32_t>& choice() const { return choice_; }
  int64_t price() const { return price_; }
  /// Returns whether the limit holds at all points, and no price is forbidden.
  bool fits() const { return num_over_ == 0 && price_ < kInfinite; }
  int32_t num_over() const { return num_over_; }
  std::span<const int64_t> live() const { return live_; }

  /// Returns the change of the price; kInfinite if the new one is forbidden. Requires: the present
  /// price is not forbidden.
  int64_t price_change(int32_t node, int32_t to) const;
  /// Changes the choice of a node.
  void move(int32_t node, int32_t to);
  /// Changes the choice of a node unless more points exceed the limit, or by more, than before.
  bool move_within_limit(int32_t node, int32_t to);
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
  int32_t num_over_ = 0;                // points above the limit
  std::vector<int32_t> first_usage_;    // of a node, in node_usages
  std::vector<int32_t> first_of_edge_;  // of an edge, in edge_usages
};

/// Returns the cheapest choice that moves of one node reach, by `costs`.
std::vector<int32_t> descend(const WorkNetwork& network, const ScaledCosts& costs,
                             std::vector<int32_t> choice);

/// Lowers the price by moves of one node, and of two neighbours, that keep the choice within the
/// limit.
void descend_within_limit(const WorkNetwork& network, ChoiceState& state);

/// Moves nodes, the least price per byte first, until the choice fits. Returns whether it does.
bool repair(const WorkNetwork& network, ChoiceState& state);

/// Returns 20 to 80 nodes around a node that `counter` selects, breadth first.
std::vector<int32_t> block_around(const WorkNetwork& network, uint64_t counter);

}  // namespace shardy::autoshard

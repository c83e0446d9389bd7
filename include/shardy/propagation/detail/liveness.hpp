#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/propagation/problem.hpp>
#include <vector>

namespace shardy::propagation {

/// The live nodes, and the number of uses of each slot by them.
/// Spec: propagation 9.2 step 2.
class Liveness {
 public:
  explicit Liveness(const detail::ProblemTables& problem);

  bool is_erased(NodeId node) const { return is_erased_[node.index()] != 0; }
  std::size_t num_uses(SlotId slot) const { return uses_[slot.index()]; }
  const std::vector<NodeId>& erased() const { return erased_; }

  /// Without side effects, and none of its results is used.
  bool is_dead(NodeId node) const;
  /// Checks whether an operand other than a scalar has more or less than one use. Spec:
  /// propagation 11.
  bool has_multi_use_operand(NodeId node) const;
  /// Erases a node and those in its regions. Calls `wake(definer)`, in operand order, for the nodes
  /// that may have become dead, or the sole source of their only user.
  template <class Wake>
  void erase(NodeId node, Wake wake);

 private:
  template <class Wake>
  void erase_one(NodeId node, Wake& wake);

  const detail::ProblemTables& problem_;
  std::vector<uint8_t> is_erased_;   // one per node
  std::vector<uint32_t> uses_;       // one per slot
  std::vector<uint32_t> users_;      // one per slot
  std::vector<NodeId> last_eraser_;  // one per slot
  std::vector<NodeId> erased_;
};

// -------------------------------------------------------------------------------------------------

inline Liveness::Liveness(const detail::ProblemTables& problem)
    : problem_(problem), is_erased_(problem.num_nodes(), 0), last_eraser_(problem.num_slots()) {
  uses_.reserve(problem.num_slots());
  users_.reserve(problem.num_slots());
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    uses_.push_back(problem.slot(SlotId(slot)).num_uses);
    users_.push_back(problem.slot(SlotId(slot)).num_users);
  }
}

inline bool Liveness::is_dead(NodeId node) const {
  if (!problem_.node(node).is_removable) return false;
  for (const TensorUse& result : problem_.results(node)) {
    if (num_uses(result.slot) > 0) return false;
  }
  return true;
}

inline bool Liveness::has_multi_use_operand(NodeId node) const {
  if (!problem_.node(node).operands_are_uses) return false;
  for (const TensorUse& operand : problem_.operands(node)) {
    if (problem_.slot(operand.slot).rank > 0 && num_uses(operand.slot) != 1) return true;
  }
  return false;
}

template <class Wake>
void Liveness::erase_one(NodeId node, Wake& wake) {
  const Node& of = problem_.node(node);
  if (is_erased(node) || of.is_function_result) return;
  is_erased_[node.index()] = 1;
  erased_.push_back(node);
  if (!of.operands_are_uses) return;
  for (const TensorUse& operand : problem_.operands(node)) {
    const std::size_t slot = operand.slot.index();
    --uses_[slot];
    if (last_eraser_[slot] != node) --users_[slot];
    last_eraser_[slot] = node;
  }
  for (const TensorUse& operand : problem_.operands(node)) {
    const Slot& slot = problem_.slot(operand.slot);
    if (users_[operand.slot.index()] <= 1 && slot.definer.valid()) wake(slot.definer);
  }
}

template <class Wake>
void Liveness::erase(NodeId node, Wake wake) {
  for (uint32_t inner = problem_.node(node).nested_end.value - 1; inner > node.value; --inner) {
    erase_one(NodeId(inner), wake);
  }
  erase_one(node, wake);
}

}  // namespace shardy::propagation

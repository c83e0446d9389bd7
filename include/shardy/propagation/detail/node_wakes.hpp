// The nodes to visit again when a sharding changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <vector>

namespace shardy::propagation::detail {

/// Lists of nodes that take the place of derived ones, by storage slot.
using GivenWakes = std::map<SlotId, std::vector<NodeId>>;

/// The steps that have each slot as an operand, or as a result, in program order.
inline Rows<NodeId> nodes_by_slot(const Problem& problem, bool results) {
  return Rows<NodeId>(problem.num_slots(), [&](auto visit) {
    for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
      const NodeId id(index);
      const Node& node = problem.node(id);
      if (!node.rule.valid() || node.is_function_result) continue;
      for (const TensorUse& use : results ? problem.results(id) : problem.operands(id)) {
        visit(use.slot.index(), id);
      }
    }
  });
}

/// The slots that share the storage of each slot, last one first.
inline Rows<SlotId> sharers_by_slot(const Problem& problem) {
  return Rows<SlotId>(problem.num_slots(), [&](auto visit) {
    for (auto index = static_cast<uint32_t>(problem.num_slots()); index-- > 0;) {
      const SlotId storage = problem.slot(SlotId(index)).storage;
      if (storage.valid() && storage.value != index) visit(storage.index(), SlotId(index));
    }
  });
}

/// In visiting order: users of the slot in program order, the steps that define it, users of the
/// slots that share its storage. Spec: propagation 9.3 (which pushes in the opposite order).
inline Rows<NodeId> derive_wakes(const Problem& problem, const GivenWakes& given) {
  const Rows<NodeId> users = nodes_by_slot(problem, /*results=*/false);
  const Rows<NodeId> definers = nodes_by_slot(problem, /*results=*/true);
  const Rows<SlotId> sharers = sharers_by_slot(problem);
  std::vector<NodeId> row;
  const auto append_all = [&](std::span<const NodeId> nodes) {
    row.insert(row.end(), nodes.begin(), nodes.end());
  };
  const auto fill_row = [&](SlotId slot) {
    row.clear();
    if (const auto known = given.find(slot); known != given.end()) return append_all(known->second);
    if (problem.slot(slot).storage != slot) return;
    append_all(users[slot.index()]);
    append_all(definers[slot.index()]);
    for (const SlotId sharer : sharers[slot.index()]) {
      append_all(users[sharer.index()]);
      append_all(definers[sharer.index()]);
    }
  };
  Rows<NodeId> wakes;
  std::size_t num_items = 0;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    num_items += users[slot].size() + definers[slot].size();
  }
  wakes.reserve(problem.num_slots(), num_items);
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    fill_row(SlotId(slot));
    wakes.add_row(row);
  }
  return wakes;
}

}  // namespace shardy::propagation::detail

// The nodes that a sweep has to visit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/detail/op_priority.hpp>
#include <shardy/propagation/detail/rows.hpp>
#include <shardy/propagation/observer.hpp>
#include <shardy/propagation/parts.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/number_set.hpp>
#include <vector>

namespace shardy::propagation {

/// The nodes that sweeps of each kind (of a level and a strategy) may change. What a step does
/// follows from the shardings of its tensors, the level and the strategy: where one did nothing,
/// another of its kind does nothing until one of those shardings changes. At first all are
/// unsettled.
class Unsettled {
 public:
  explicit Unsettled(const detail::ProblemTables& problem);

  /// The sweep that `settle`, `unsettle` and `first_from` are about.
  void begin(const SweepInfo& sweep);
  /// The node has been visited; what it writes is told by `touch` afterwards.
  void settle(NodeId node);
  void unsettle(NodeId node) { insert(node, sweep_); }
  /// Unsettles all nodes that see the sharding of the slot, for sweeps of all kinds.
  void touch(SlotId slot);
  /// The first unsettled node that is not before `node`.
  std::optional<NodeId> first_from(uint32_t node) const;

 private:
  static constexpr std::size_t kNumKinds = std::size_t{2} * kMaxLevels;

  static std::size_t kind_of(const SweepInfo& sweep) {
    const bool is_basic = sweep.strategy == FactorStrategy::Basic;
    return 2 * static_cast<std::size_t>(sweep.level) + (is_basic ? 1 : 0);
  }
  SlotId storage(SlotId slot) const {
    const SlotId storage = problem_.slot(slot).storage;
    return storage.valid() ? storage : slot;
  }
  void insert(NodeId node, std::size_t kind);

  const detail::ProblemTables& problem_;
  Rows<NodeId> seen_by_;  // of each storage, and each slot without one
  std::array<std::optional<NumberSet>, kNumKinds> nodes_;  // of the kinds that there have been
  std::vector<uint16_t> settled_;                          // of each node, a bit for each kind
  std::size_t sweep_ = 0;                                  // its kind
};

// -------------------------------------------------------------------------------------------------

inline Unsettled::Unsettled(const detail::ProblemTables& problem)
    : problem_(problem),
      seen_by_(problem.num_slots(),
               [&](auto visit) {
                 for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
                   const NodeId node(index);
                   if (!problem.node(node).rule.valid()) continue;
                   for (const TensorUse& use : problem.tensors(node)) {
                     visit(storage(use.slot).index(), node);
                   }
                 }
               }),
      settled_(problem.num_nodes(), 0) {}

inline void Unsettled::begin(const SweepInfo& sweep) {
  sweep_ = kind_of(sweep);
  if (!nodes_[sweep_]) nodes_[sweep_].emplace(problem_.num_nodes());
}

inline void Unsettled::settle(NodeId node) {
  nodes_[sweep_]->erase(node.value);
  settled_[node.index()] |= static_cast<uint16_t>(1U << sweep_);
}

inline void Unsettled::insert(NodeId node, std::size_t kind) {
  nodes_[kind]->insert(node.value);
  settled_[node.index()] &= static_cast<uint16_t>(~(1U << kind));
}

inline void Unsettled::touch(SlotId slot) {
  for (const NodeId node : seen_by_[storage(slot).index()]) {
    for (std::size_t kind = 0; settled_[node.index()] != 0; ++kind) {
      if ((settled_[node.index()] >> kind & 1U) != 0) insert(node, kind);
    }
  }
}

inline std::optional<NodeId> Unsettled::first_from(uint32_t node) const {
  const std::optional<uint32_t> found = nodes_[sweep_]->first_from(node);
  return found ? std::optional(NodeId(*found)) : std::nullopt;
}

}  // namespace shardy::propagation

// The order in which the users of a value are visited again, where it is not that of the nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace shardy::propagation::detail {

/// An edge is visited at the place of the operand that feeds it, not at its own: before the users
/// inside the regions of a while, for example. Knows which edges each operand feeds.
/// Spec: propagation 9.3.
class WakeOrder {
 public:
  explicit WakeOrder(const ir::Module& module) : module_(module) {}

  /// `value` reads the sharding that `stored` holds.
  void add_sharer(ir::ValueId stored, ir::ValueId value) { sharers_[stored].push_back(value); }
  /// `source` feeds the edge whose node is `edge`; calls of one function come in program order.
  void add_source(const ir::Use& source, NodeId edge);

  /// The values with a sharding of their own whose users do not come in the order of the nodes.
  const std::set<ir::ValueId>& values() const { return values_; }
  /// The nodes that `stored` wakes, in visiting order; `nodes` has one per op, in program order.
  std::vector<NodeId> wakes(ir::ValueId stored, std::span<const NodeId> nodes) const;

 private:
  void add_users(ir::ValueId value, std::span<const NodeId> nodes, std::vector<NodeId>& row) const;
  static std::pair<ir::OpId, uint32_t> key(const ir::Use& use) { return {use.op, use.operand}; }

  const ir::Module& module_;
  std::map<ir::ValueId, std::vector<ir::ValueId>> sharers_;
  std::map<std::pair<ir::OpId, uint32_t>, std::vector<NodeId>> edges_;  // by source
  std::set<ir::ValueId> values_;
};

inline void WakeOrder::add_source(const ir::Use& source, NodeId edge) {
  std::vector<NodeId>& edges = edges_[key(source)];
  edges.push_back(edge);
  const ir::ValueId value = module_.operand(source.op, source.operand);
  const bool is_alone = module_.num_uses(value) == 1 && edges.size() == 1;
  const std::optional<ir::ValueId> stored = ir::shardable_value(module_, value);
  if (!is_alone && stored) values_.insert(*stored);
}

/// Adds users in program order of the uses; of several edges of one use, the last one is first.
inline void WakeOrder::add_users(ir::ValueId value, std::span<const NodeId> nodes,
                                 std::vector<NodeId>& row) const {
  std::vector<ir::Use> uses = module_.uses(value);
  std::ranges::sort(
      uses, {}, [&](const ir::Use& use) { return std::tuple(nodes[use.op.index()], use.operand); });
  for (const ir::Use& use : uses) {
    if (!nodes[use.op.index()].valid()) continue;  // in no block
    const auto fed = edges_.find(key(use));
    if (fed == edges_.end()) {
      row.push_back(nodes[use.op.index()]);
    } else {
      row.insert(row.end(), fed->second.rbegin(), fed->second.rend());
    }
  }
}

inline std::vector<NodeId> WakeOrder::wakes(ir::ValueId stored,
                                            std::span<const NodeId> nodes) const {
  std::vector<NodeId> row;
  add_users(stored, nodes, row);
  const ir::OpId definer = module_.defining_op(stored);
  if (definer.valid()) row.push_back(nodes[definer.index()]);
  const auto sharers = sharers_.find(stored);
  if (sharers == sharers_.end()) return row;
  for (auto value = sharers->second.rbegin(); value != sharers->second.rend(); ++value) {
    add_users(*value, nodes, row);
  }
  return row;
}

}  // namespace shardy::propagation::detail

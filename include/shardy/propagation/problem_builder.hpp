#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/detail/node_wakes.hpp>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardy::propagation {

/// A value of the program.
struct SlotSpec {
  std::vector<int64_t> shape;                             // elements along each dim; -1: not known
  std::optional<TensorSharding> sharding = std::nullopt;  // that it begins with; nullopt: none
  SlotId shares = {};        // the slot whose storage this value shares (targets of one edge)
  bool is_stored = true;     // false: reads as absent, writes are dropped
  uint32_t other_users = 0;  // ops that use the value and are not nodes of the problem
};

/// An op, or another step of propagation.
struct NodeSpec {
  RuleId rule = {};                       // none: the op is not a step, but uses and defines values
  std::vector<TensorUse> operands = {};   // that the rule maps first
  std::vector<TensorUse> results = {};    // that the rule maps then
  Direction direction = Direction::Both;  // in which directions axes go
  PriorityClass priority = PriorityClass::Other;  // by which op priorities order nodes
  bool is_elementwise = false;    // factors that compete for an axis are compared by their shards
  bool is_conservative = false;   // whole axes only
  bool is_removable = false;      // no side effects, regions included
  bool operands_are_uses = true;  // whether operands count as uses of their slots
  NodeId parent = {};             // the op whose region contains it
};

/// Fills a Problem. Every function checks what it is given, so that a Problem is always sound.
///
/// What is not said is derived: uses and users of a slot from operands, function results, groups
/// and `other_users`; the nodes that a slot wakes in the order of propagation 9.3.
class ProblemBuilder {
 public:
  /// Makes room for so many, which spares memory that grows step by step. Requires: at most
  /// 2^28 of each.
  void reserve(std::size_t num_slots, std::size_t num_nodes);

  /// Equal rules get one id.
  Result<RuleId> add_rule(const OpShardingRule& rule);
  /// Adds a view. Errors: axes that the mesh does not have.
  Result<ViewId> add_view(ManualView view);
  /// Adds a value. Errors: a size below -1, a sharding of another rank or mesh.
  Result<SlotId> add_slot(SlotSpec spec);
  /// Appends a node; nodes come in program pre-order. Errors: unknown ids, a rule that does not fit
  /// the slots, a view that does not fit the slot's sharding, a parent whose regions have ended, a
  /// direction or a priority class that is not an enumerator.
  Result<NodeId> add_node(const NodeSpec& spec);
  /// Sources and target are sharded alike; other targets share the storage of the target.
  Result<NodeId> add_edge(std::vector<TensorUse> sources, TensorUse target, NodeId parent = {});
  /// Lets axes pass in `direction` only. Errors: both directions.
  Result<NodeId> add_barrier(SlotId operand, SlotId result, Direction direction,
                             NodeId parent = {});
  /// Relates a value that the main function returns to the slot of the result's own sharding.
  Result<NodeId> add_function_result(SlotId returned, SlotId result);
  /// Slots that always have one sharding. Errors: different shapes, a slot that is in a group.
  Result<GroupId> add_group(std::span<const SlotId> members);
  /// Results of one op: with the first write to one of them the others become open.
  Status add_siblings(std::span<const SlotId> slots);
  /// Replaces the derived list of nodes to visit again when `slot` changes, in visiting order.
  Status set_wakes(SlotId slot, std::vector<NodeId> nodes);

  /// Errors: unknown nodes in set_wakes.
  Result<Problem> build() &&;

 private:
  Result<RuleId> add_identity_rule(SlotId slot, std::size_t num_operands);
  Status verify_slot(SlotId id) const;
  Status verify_use(const TensorUse& use) const;
  Status verify_side(std::span<const TensorUse> uses, std::span<const TensorMapping> mappings,
                     std::string_view kind) const;
  Status verify_node(const NodeSpec& spec) const;
  Status enter_regions(NodeId parent);
  NodeId append(const NodeSpec& spec, bool is_function_result);
  void count_uses(NodeId id);

  Problem problem_;
  std::vector<OpShardingRule> rules_;
  std::unordered_map<OpShardingRule, RuleId> rule_ids_;
  std::vector<NodeId> open_nodes_;  // the last node and the ops around it, outermost first
  std::vector<NodeId> last_user_;   // of each slot
  std::vector<bool> is_returned_;   // of each slot
  detail::GivenWakes wakes_;
};

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/problem_builder_inl.hpp>
#endif

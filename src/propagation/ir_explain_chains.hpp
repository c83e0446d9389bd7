// Chains of decisions, each from the annotation that gave an axis to the value that has the axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/propagation/detail/ir_problem.hpp"
#include "shardy/propagation/detail/ir_written_program.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/propagation/log.hpp"

namespace shardy::propagation::detail {

/// The origin of a slot in the source program.
struct SlotOrigin {
  enum class Kind : uint8_t {
    Value,       // the value itself or a copy of it
    Edge,        // made by a pass, with the sharding of the value
    Constraint,  // made by a pass that splits a sharding group
    Inserted,    // made by a pass for another reason
  };
  Kind kind = Kind::Inserted;
  std::optional<ir::ValueId> written;
};

/// Returns the origins of the slots. Must run before propagation erases ops.
std::vector<SlotOrigin> slot_origins(const ModuleProblem& solved, const ir::Module& module,
                                     const WrittenProgram& written);

/// Finds the calls around an op. Each named computation around the op replaced one call.
class CallPaths {
 public:
  CallPaths(const ir::Module& module, const WrittenProgram& written)
      : module_(module), written_(written) {}

  /// Returns the calls around the op, outermost call first. If there are many calls, returns the
  /// first and the last ones and the number of calls left out, so that the explanation of a value
  /// does not grow with the depth of the calls.
  std::vector<std::string> around(ir::OpId op);

 private:
  struct Path {
    std::size_t depth = 0;
    std::vector<std::string> first;
    std::vector<std::string> last;
  };

  const Path& inside(ir::OpId op);
  void add_call(Path& path, ir::OpId call) const;

  const ir::Module& module_;
  const WrittenProgram& written_;
  std::unordered_map<ir::OpId, Path> inside_;  // the calls around the ops in the regions of each op
};

struct ExplainContext {
  const ModuleProblem& solved;
  const ir::Module& module;
  const DecisionLog& log;
  // The sharding of each slot before propagation.
  const std::vector<std::optional<TensorSharding>>& before;
  const std::vector<SlotOrigin>& origins;  // the origin of each slot
  const WrittenProgram& written;
  CallPaths& calls;

  const Problem& problem() const { return solved.problem; }
  SlotId storage(SlotId slot) const { return problem().slot(slot).storage; }
  SlotId storage(NodeId node, std::size_t tensor) const {
    return storage(problem().tensors(node)[tensor].slot);
  }

  std::string name_of(SlotId slot) const;
  /// Returns the name of the slot with its function in front, such as `@f:%0`; without the function
  /// if that is the main function.
  std::string full_name_of(SlotId slot) const;
  std::string op_name(NodeId node) const;
  Location location(NodeId node) const;
  /// Returns the name of the function in which the user wrote the op, with the calls on the way to
  /// it.
  std::string function_of(ir::OpId op) const;
  std::vector<std::string> calls_around(ir::OpId op) const { return calls.around(op); }
  /// Returns the annotation of a slot in the source program.
  std::optional<TensorSharding> written_sharding(SlotId slot) const;
  const ModuleProblem::FunctionResult* function_result(SlotId slot) const;
  /// Returns the value that the function returns as this result.
  std::optional<ir::ValueId> returned_value(SlotId result) const;
};

/// Returns true if one of the axes contains the other.
inline bool touches(const AxisRef& a, const AxisRef& b) {
  return a == b || contains(a, b) || contains(b, a);
}

/// Returns whether a dim of the sharding is sharded along the axis of `mesh`, along a sub-axis of
/// that axis, or along an axis that contains it. The sharding may have another mesh.
bool has_axis(const std::optional<TensorSharding>& sharding, const Mesh& mesh, const AxisRef& axis);

/// Returns the name of the op for messages, such as `stablehlo.add` or `custom call 'target'`.
std::string op_text(const ir::Module& module, ir::OpId op);

class AxisMoveIndex;

/// Appends the final conflicts of each node.
void explain_conflicts(const ExplainContext& context, const AxisMoveIndex& moves,
                       Explanation& explanation);

/// Finds axes that shard other tensors of the ops that use or define a value, but not the value
/// itself.
class MissingAxes {
 public:
  /// Cost: linear in the tensors of all ops.
  explicit MissingAxes(const ExplainContext& context);

  /// Returns the missing axes of a slot. `around` is the op in whose region the value is. Cost:
  /// number of axes times number of ops at the value.
  std::vector<AbsentAxis> of(SlotId slot, ir::OpId around) const;

 private:
  static constexpr uint32_t kNoFactor = UINT32_MAX;
  /// The first tensor of a node that has an axis on a factor.
  struct AxisHolder {
    int32_t axis = 0;
    uint32_t factor = kNoFactor;  // kNoFactor for nodes without a rule
    uint32_t tensor = 0;
    uint32_t dim = 0;
  };
  struct NodeUse {
    NodeId node;
    uint32_t tensor = 0;
  };

  void add_node(NodeId node);
  void add_holders(NodeId node, uint32_t tensor);
  bool is_manual(const Mesh& mesh, int32_t axis, ir::OpId around) const;
  AbsentAxis reason(SlotId slot, int32_t axis) const;
  std::optional<AbsentAxis::Reason> why(const NodeUse& use, const AxisHolder& holder) const;

  const ExplainContext& context_;
  Mesh mesh_;  // mesh for values without a sharding
  // Per op: the op itself or the innermost op around it that has manual axes; invalid: none.
  std::vector<ir::OpId> manual_ops_;
  std::vector<std::vector<AxisHolder>> holders_;  // holders of each node
  std::vector<std::vector<NodeUse>> uses_;        // uses of each storage slot
};

/// The moves of axes to each slot, by nodes and sharding groups, in the order of the steps.
class AxisMoveIndex {
 public:
  explicit AxisMoveIndex(const ExplainContext& context);

  /// Adds the decisions of the chain of an axis that are not in `decisions` yet. Returns the last
  /// decision of the chain. `slot` must be a storage slot.
  std::size_t chain(SlotId slot, AxisRef axis, const Mesh& mesh, std::vector<Decision>& decisions);
  /// Returns the first step, at most `limit`, that moved the axis or an overlapping axis to the
  /// slot.
  const LoggedStep* first_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  /// Returns the sub-axes of the axis that arrived at the slot or at its sharding group, with the
  /// steps that moved them.
  std::vector<AxisArrival> arrivals_of_axis(SlotId slot, const AxisRef& axis) const;

 private:
  struct LoggedArrival {
    const LoggedStep* step;
    const AxisMove* move;
    SlotId slot;
    std::size_t decision = kNoDecision;  // index in the explanation, once the decision is in it
  };
  /// An axis that a member of a group had before the first step.
  struct InitialAxis {
    std::string name;  // name of the axis
    AxisRef axis;
    SlotId member;
  };
  struct GroupArrivals {
    std::vector<uint32_t> arrivals;  // arrivals at any member of the group
    std::vector<InitialAxis> beginnings;
  };
  using AxisPlace = std::pair<uint32_t, AxisRef>;  // a slot or a value, and one of its axes

  void add_arrivals();
  void add_groups();
  std::vector<uint32_t> arrivals_of(std::span<const SlotId> members) const;
  std::vector<InitialAxis> beginnings_of(std::span<const SlotId> members) const;
  std::optional<uint32_t> last_of(std::span<const uint32_t> arrivals, const AxisRef& axis,
                                  int64_t limit) const;
  std::optional<uint32_t> last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  Decision decision(const LoggedArrival& arrival, const Mesh& mesh) const;
  std::size_t beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                        std::vector<Decision>& decisions);
  std::optional<SlotId> sharded_member(SlotId slot, const AxisRef& axis, const Mesh& mesh) const;
  const std::string& imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh);
  std::string find_import(ir::ValueId value, const AxisRef& axis, const Mesh& mesh) const;

  const ExplainContext& context_;
  std::vector<LoggedArrival> arrivals_;
  std::vector<std::vector<uint32_t>> by_slot_;
  std::vector<GroupArrivals> groups_;
  std::map<AxisPlace, std::size_t> beginnings_;  // first decision by slot and axis
  const std::string no_import_;
  std::map<AxisPlace, std::string> imports_;  // import by written value and axis
};

}  // namespace shardy::propagation::detail

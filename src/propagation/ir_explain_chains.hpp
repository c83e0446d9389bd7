// The chain of decisions of an axis from its annotation to a value.
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
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/propagation/log.hpp"

namespace shardy::propagation::detail {

/// Origin of a slot in the source program.
struct SlotOrigin {
  enum class Kind : uint8_t {
    Value,       // the value, or a copy of it
    Edge,        // made by passes, with the sharding of the value
    Constraint,  // made to split a sharding group
    Inserted,    // made otherwise
  };
  Kind kind = Kind::Inserted;
  std::optional<ir::ValueId> written;
};

/// Origins of the slots, computed before propagation erases ops.
std::vector<SlotOrigin> slot_origins(const ModuleProblem& solved, const ir::Module& module,
                                     const WrittenProgram& written);

/// The calls that were replaced by the named computations around ops.
class CallPaths {
 public:
  CallPaths(const ir::Module& module, const WrittenProgram& written)
      : module_(module), written_(written) {}

  /// Outermost first. Of many calls the first and the last ones, and the number between them: so
  /// the explanation of a value does not grow with the depth of the calls.
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
  std::unordered_map<ir::OpId, Path> inside_;  // of ops with regions
};

struct ExplainContext {
  const ModuleProblem& solved;
  const ir::Module& module;
  const DecisionLog& log;
  const std::vector<std::optional<TensorSharding>>& before;  // of each slot
  const std::vector<SlotOrigin>& origins;                    // of each slot
  const WrittenProgram& written;
  CallPaths& calls;

  const Problem& problem() const { return solved.problem; }
  SlotId storage(SlotId slot) const { return problem().slot(slot).storage; }
  SlotId storage(NodeId node, std::size_t tensor) const {
    return storage(problem().tensors(node)[tensor].slot);
  }

  std::string name_of(SlotId slot) const;
  /// The same with the function before it, `@f:%0`, if that is not the main one.
  std::string full_name_of(SlotId slot) const;
  std::string op_name(NodeId node) const;
  Location location(NodeId node) const;
  /// Name of the function that the user wrote the op in, and the calls on the way to it.
  std::string function_of(ir::OpId op) const;
  std::vector<std::string> calls_around(ir::OpId op) const { return calls.around(op); }
  /// The annotation of a slot in the source program.
  std::optional<TensorSharding> written_sharding(SlotId slot) const;
  const ModuleProblem::FunctionResult* function_result(SlotId slot) const;
  /// Returns the value that a function result returns.
  std::optional<ir::ValueId> returned_value(SlotId result) const;
};

/// Returns true if one axis contains the other.
inline bool touches(const AxisRef& a, const AxisRef& b) {
  return a == b || contains(a, b) || contains(b, a);
}

/// Checks whether a dim of the sharding, which may have another mesh, is sharded along the axis of
/// `mesh`, a sub-axis of it, or an axis that contains it.
bool has_axis(const std::optional<TensorSharding>& sharding, const Mesh& mesh, const AxisRef& axis);

/// `stablehlo.add`, `custom call 'target'`.
std::string op_text(const ir::Module& module, ir::OpId op);

class Moves;

/// Appends the final conflicts of each node.
void explain_conflicts(const ExplainContext& context, const Moves& moves, Explanation& explanation);

/// Axes that ops at a value have on other tensors, but not on the value.
class MissingAxes {
 public:
  /// Cost: linear in the tensors of all ops.
  explicit MissingAxes(const ExplainContext& context);

  /// `around`: the op in whose region the value is. Cost: axes times ops at the value.
  std::vector<AbsentAxis> of(SlotId slot, ir::OpId around) const;

 private:
  static constexpr uint32_t kNoFactor = UINT32_MAX;
  /// A tensor of a node that has an axis; the first one of that factor.
  struct Holder {
    int32_t axis = 0;
    uint32_t factor = kNoFactor;  // of nodes without a rule
    uint32_t tensor = 0;
    uint32_t dim = 0;
  };
  struct Use {
    NodeId node;
    uint32_t tensor = 0;
  };

  void add_node(NodeId node);
  void add_holders(NodeId node, uint32_t tensor);
  bool is_manual(const Mesh& mesh, int32_t axis, ir::OpId around) const;
  AbsentAxis reason(SlotId slot, int32_t axis) const;
  std::optional<AbsentAxis::Why> why(const Use& use, const Holder& holder) const;

  const ExplainContext& context_;
  Mesh mesh_;                                 // of values without a sharding
  std::vector<std::vector<Holder>> holders_;  // by node
  std::vector<std::vector<Use>> uses_;        // by storage
};

/// Moves of axes to each slot, by nodes and groups, in the order of the steps.
class Moves {
 public:
  explicit Moves(const ExplainContext& context);

  /// Adds the missing decisions; returns the last one. `slot` is a storage.
  std::size_t chain(SlotId slot, AxisRef axis, const Mesh& mesh, std::vector<Decision>& decisions);
  /// The first step that moved the axis, or one that overlaps it, to the slot, before `limit`.
  const LoggedStep* first_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  /// The parts in which the axis arrived at the slot, with their steps; those of its group as well.
  std::vector<AxisArrival> arrivals_of_axis(SlotId slot, const AxisRef& axis) const;

 private:
  struct Arrival {
    const LoggedStep* step;
    const AxisMove* move;
    SlotId slot;
    std::size_t decision = kNoDecision;  // among those of the explanation, once it has an entry
  };
  /// An axis that a member of a group had before the first step.
  struct Beginning {
    std::string name;  // of the axis
    AxisRef axis;
    SlotId member;
  };
  struct Group {
    std::vector<uint32_t> arrivals;  // at any member of the group
    std::vector<Beginning> beginnings;
  };
  using Place = std::pair<uint32_t, AxisRef>;  // a slot or a value, and an axis of it

  void add_arrivals();
  void add_groups();
  std::vector<uint32_t> arrivals_of(std::span<const SlotId> members) const;
  std::vector<Beginning> beginnings_of(std::span<const SlotId> members) const;
  std::optional<uint32_t> last_of(std::span<const uint32_t> arrivals, const AxisRef& axis,
                                  int64_t limit) const;
  std::optional<uint32_t> last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  Decision decision(const Arrival& arrival, const Mesh& mesh) const;
  std::size_t beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                        std::vector<Decision>& decisions);
  std::optional<SlotId> sharded_member(SlotId slot, const AxisRef& axis, const Mesh& mesh) const;
  const std::string& imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh);
  std::string find_import(ir::ValueId value, const AxisRef& axis, const Mesh& mesh) const;

  const ExplainContext& context_;
  std::vector<Arrival> arrivals_;
  std::vector<std::vector<uint32_t>> by_slot_;
  std::vector<Group> groups_;
  std::map<Place, std::size_t> beginnings_;  // by slot: decisions with an entry
  const std::string no_import_;
  std::map<Place, std::string> imports_;  // by value, as written
};

}  // namespace shardy::propagation::detail

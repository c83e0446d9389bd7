// Context of an explanation: the problem, its log, and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shardy/propagation/detail/ir_problem.hpp"
#include "shardy/propagation/detail/ir_written_program.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/propagation/log.hpp"

namespace shardy::propagation::detail {

/// Origin of a slot in the source program.
struct SlotOrigin {
  enum class Kind : uint8_t {
    Value,       // it is the value, or a copy of it
    Edge,        // made by passes, and sharded as the value is
    Constraint,  // made to take a sharding group apart
    Inserted,    // made otherwise
  };
  Kind kind = Kind::Inserted;
  std::optional<ir::ValueId> written;
};

/// Found before propagation erases anything.
std::vector<SlotOrigin> slot_origins(const ModuleProblem& solved, const ir::Module& module,
                                     const WrittenProgram& written);

/// The calls in whose place the named computations around ops stand.
class CallPaths {
 public:
  CallPaths(const ir::Module& module, const WrittenProgram& written)
      : module_(module), written_(written) {}

  /// Outermost first. Of many the first and the last ones, and how many there are between them: so
  /// what is said of a value does not grow with the depth of the calls.
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

struct Story {
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
  std::string location(NodeId node) const;
  /// Name of the function that the user wrote the op in, and the calls on the way to it.
  std::string function_of(ir::OpId op) const;
  std::vector<std::string> calls_around(ir::OpId op) const { return calls.around(op); }
  /// The sharding that the user wrote for a slot.
  std::optional<TensorSharding> written_sharding(SlotId slot) const;
  const ModuleProblem::FunctionResult* function_result(SlotId slot) const;
  /// Returns the value that a function result returns.
  std::optional<ir::ValueId> returned_value(SlotId result) const;
};

/// One is the other, or a part of it.
inline bool touches(const AxisRef& a, const AxisRef& b) {
  return a == b || contains(a, b) || contains(b, a);
}

/// Checks whether a dim of the sharding, which may have another mesh, has the axis of `mesh`, a
/// part of it, or more of it.
bool has_axis(const std::optional<TensorSharding>& sharding, const Mesh& mesh, const AxisRef& axis);

/// `stablehlo.add`, `custom call 'target'`.
std::string op_text(const ir::Module& module, ir::OpId op);

class Moves;

/// Appends the conflicts of each node that it ended with.
void explain_conflicts(const Story& story, const Moves& moves, Explanation& explanation);

}  // namespace shardy::propagation::detail

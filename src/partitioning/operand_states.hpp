// Operands as an op can take them: on one mesh, and summands only where it commutes with combining.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "partitioning/lowering.hpp"
#include "partitioning/operand_roles.hpp"

namespace shardy::partitioning {

/// While it lives, the operands of an op are bound to states in which the local form of the op, on
/// what each device has, is the op. Spec: partitioning 3.1.
class OperandStates {
 public:
  OperandStates(Lowering& lowering, ir::OpId op);
  OperandStates(const OperandStates&) = delete;
  OperandStates& operator=(const OperandStates&) = delete;
  ~OperandStates();

  /// Over which the results are partial because operands are.
  const AxisList& passed() const { return passed_; }

 private:
  void bind(ir::ValueId value, LocalValue local);
  void move_to_place();
  bool has_partial_operand() const;
  AxisList passable(const AxisList& unreduced, const std::vector<OperandRole>& roles) const;
  bool can_pass(const Layout& result, const std::vector<OperandRole>& roles) const;
  std::vector<AxisList> kept_axes(const AxisList& unreduced, const std::vector<OperandRole>& roles);

  Lowering& lowering_;
  ir::OpId op_;
  std::vector<ir::ValueId> operands_;
  AxisList passed_;
  std::vector<std::pair<ir::ValueId, LocalValue>> held_;  // what was bound before
};

}  // namespace shardy::partitioning

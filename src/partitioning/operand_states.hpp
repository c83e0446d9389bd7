// States of operands that an op accepts: on one mesh, partial only where the op is linear.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "partitioning/lowering.hpp"
#include "partitioning/operand_roles.hpp"

namespace shardy::partitioning {

/// A scope in which the operands of an op are bound to states on which the local op computes the
/// op. Spec: partitioning 3.1.
class OperandStates {
 public:
  OperandStates(Lowering& lowering, ir::OpId op);
  OperandStates(const OperandStates&) = delete;
  OperandStates& operator=(const OperandStates&) = delete;
  ~OperandStates();

  /// Returns the axes over which the results are partial because operands are.
  const AxisList& passed() const { return passed_; }

 private:
  void bind(ir::ValueId value, PartitionedValue local);
  void move_to_place();
  bool has_partial_operand() const;
  AxisList passable(const AxisList& unreduced, const std::vector<OperandRole>& roles) const;
  bool can_pass(const Layout& result, const std::vector<OperandRole>& roles) const;
  std::vector<AxisList> kept_axes(const AxisList& unreduced, const std::vector<OperandRole>& roles);

  Lowering& lowering_;
  ir::OpId op_;
  std::vector<ir::ValueId> operands_;
  AxisList passed_;
  std::vector<std::pair<ir::ValueId, PartitionedValue>> held_;  // bindings before
};

}  // namespace shardy::partitioning

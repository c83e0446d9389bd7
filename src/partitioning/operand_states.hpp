// The states of operands that an op accepts: all on one mesh, and partial only if the op is linear
// in the operand.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/operand_roles.hpp"
#include "partitioning/lowering.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

// ---- Users that reduce --------------------------------------------------------------------------

// Analysis of partial values that later collectives of the program reduce. Spec: partitioning 1.2
// I5.

/// Checks whether all users of a value that is partial over `axes` only reduce it over these axes.
/// Other collectives may move the value before or after the reduction. The op that defines the
/// value then determines the reducer; reducers declared in between are ignored.
bool is_reduced_by_users(const ir::Module& input, ir::ValueId value, const AxisList& axes);

// ---- States -------------------------------------------------------------------------------------

/// A scope that binds the operands of an op to states that the op accepts, and restores the old
/// bindings at its end. Spec: partitioning 3.1.
class OperandStates {
 public:
  OperandStates(Lowering& lowering, ir::OpId op);
  OperandStates(const OperandStates&) = delete;
  OperandStates& operator=(const OperandStates&) = delete;
  ~OperandStates();

  /// Returns the axes over which the results are partial because operands are partial.
  const AxisList& passed() const { return passed_; }

 private:
  void bind(ir::ValueId value, PartitionedValue local);
  void move_to_place();
  bool has_partial_operand() const;
  AxisList passable(const AxisList& unreduced, const std::vector<ir::OperandRole>& roles) const;
  bool can_pass(const Layout& result, const std::vector<ir::OperandRole>& roles) const;
  std::vector<AxisList> kept_axes(const AxisList& unreduced,
                                  const std::vector<ir::OperandRole>& roles);

  Lowering& lowering_;
  ir::OpId op_;
  std::vector<ir::ValueId> operands_;
  AxisList passed_;
  std::vector<std::pair<ir::ValueId, PartitionedValue>> held_;  // previous bindings
};

}  // namespace shardy::partitioning

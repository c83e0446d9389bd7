// Layouts of the tensors of an op, computed from its sharding rule.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

/// Axes per dim of each operand and result of an op.
struct OpLayout {
  std::vector<std::vector<AxisList>> operands;
  std::vector<std::vector<AxisList>> results;
  AxisList reduced;  // axes of reduction factors; results are partial over these
  /// Per operand: its sharded dims that have reduction factors.
  std::vector<std::vector<std::size_t>> reduced_dims;
  /// Per dim of the first result: the dim of the first operand with an equal factor; -1 if none.
  std::vector<int32_t> sources;
};

/// Returns the layout in which all tensors are replicated.
OpLayout whole_layout(const ir::Module& module, ir::OpId op);

/// The treatment of reduction factors in a layout.
enum class Reductions : uint8_t {
  Whole,   // replicated
  Even,    // sharded if the factor's dims have no padding on any device
  Sharded  // sharded like the first operand dim with the factor
};

/// Returns the layout in which dims of one pass-through factor are sharded as in the result, and
/// other dims are replicated. std::nullopt for an op without a rule. Built-in ops use the library's
/// rule, even if another rule is attached. Spec: partitioning 5.9, 8.
std::optional<OpLayout> layout_by_rule(const Lowering& lowering, ir::OpId op,
                                       Reductions reductions = Reductions::Whole);

/// Returns an operand in the layout. The padding of its reduced dims is 0.
PartitionedValue laid_out_operand(Lowering& lowering, ir::OpId op, std::size_t index,
                                  const OpLayout& layout);

/// Computes the op on local values in the layout. Results with reduced dims are partial.
Status lower_laid_out(Lowering& lowering, ir::OpId op, const OpLayout& layout);

}  // namespace shardy::partitioning

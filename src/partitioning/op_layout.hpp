// Shardings of the tensors of an op by its sharding rule.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

/// Axes per dim of each operand and result of an op.
struct OpLayout {
  std::vector<std::vector<AxisList>> operands;
  std::vector<std::vector<AxisList>> results;
  AxisList reduced;  // of reduction factors: results are partial over them
  /// Per operand: sharded dims of reduction factors.
  std::vector<std::vector<std::size_t>> reduced_dims;
  /// Per dim of the first result: the dim of the first operand with the same factor; -1: none.
  std::vector<int32_t> sources;
};

/// Returns the layout in which all tensors are replicated.
OpLayout whole_layout(const ir::Module& module, ir::OpId op);

/// Treatment of reduction factors in a layout.
enum class Reductions : uint8_t {
  Whole,   // replicated
  Even,    // sharded if no device has padding
  Sharded  // sharded as the first operand dim with the factor
};

/// Shards dims of one pass-through factor as in the result and replicates others; std::nullopt for
/// an op without a rule. Built-in ops use the library's rule, not an attached one. Spec:
/// partitioning 5.9, 8.
std::optional<OpLayout> layout_by_rule(const Lowering& lowering, ir::OpId op,
                                       Reductions reductions = Reductions::Whole);

/// Returns an operand under that layout; padding of reduced dims is 0.
PartitionedValue laid_out_operand(Lowering& lowering, ir::OpId op, std::size_t index,
                                  const OpLayout& layout);

/// Computes the op on local values under that layout; reduced results are partial.
Status lower_laid_out(Lowering& lowering, ir::OpId op, const OpLayout& layout);

}  // namespace shardy::partitioning

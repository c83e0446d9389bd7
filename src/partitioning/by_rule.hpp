// Shardings of the tensors of an op by its sharding rule.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

/// Axes per dim of each operand and result of an op.
struct OpLayout {
  std::vector<std::vector<AxisList>> operands;
  std::vector<std::vector<AxisList>> results;
  AxisList reduced;  // of the reduction factors: results are partial over them
  /// Per operand: the dims that are reduction factors and cut.
  std::vector<std::vector<std::size_t>> reduced_dims;
  /// Per dim of the first result: the dim of the first operand that is the same factor; -1: none.
  std::vector<int32_t> sources;
};

/// All of every tensor on every device.
OpLayout whole_layout(const ir::Module& module, ir::OpId op);

/// Treatment of reduction factors in a layout.
enum class Reductions : uint8_t {
  Whole,  // they stay whole
  Even,   // they are cut where no device holds padding
  Cut     // they are cut as the first operand dim that they are
};

/// Shards dims of one pass-through factor as in the result and replicates others; std::nullopt
/// for an op without a rule. The rule of a built-in op is the library's, whatever is
/// attached to it. Spec: partitioning 5.9, 8.
std::optional<OpLayout> layout_by_rule(const Lowering& lowering, ir::OpId op,
                                       Reductions reductions = Reductions::Whole);

/// An operand under that layout; padding of what is reduced is 0.
LocalValue laid_out_operand(Lowering& lowering, ir::OpId op, std::size_t index,
                            const OpLayout& layout);

/// Computes the op on what the devices have under that layout; what it reduces is partial.
Status lower_laid_out(Lowering& lowering, ir::OpId op, const OpLayout& layout);

}  // namespace shardy::partitioning

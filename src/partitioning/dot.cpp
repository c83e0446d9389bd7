// dot_general: batch and free dims are local, sharded contracting dims leave partial sums.
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::DotDims;
using ir::OpId;
using ir::ValueId;

namespace {

bool listed(const std::vector<int64_t>& dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

/// Layout of one operand: `batch` and free dims as in the result, contracting dims as given.
std::vector<AxisList> operand_axes(std::size_t rank, const std::vector<int64_t>& batch,
                                   const std::vector<int64_t>& contracting,
                                   std::span<const AxisList> result, std::size_t first_free) {
  std::vector<AxisList> axes(rank);
  for (std::size_t index = 0; index < batch.size(); ++index) {
    axes[static_cast<std::size_t>(batch[index])] = result[index];
  }
  std::size_t free = first_free;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!listed(batch, dim) && !listed(contracting, dim)) axes[dim] = result[free++];
  }
  return axes;
}

std::vector<std::size_t> positions(const std::vector<int64_t>& dims) {
  return {dims.begin(), dims.end()};
}

/// Contracting axes that no dim of the result uses.
std::vector<AxisList> contracted_axes(const LocalValue& lhs, const DotDims& dims,
                                      std::span<const AxisList> result) {
  std::vector<AxisList> axes;
  AxisList taken;
  for (const AxisList& list : result) taken.insert(taken.end(), list.begin(), list.end());
  for (const int64_t dim : dims.lhs_contracting) {
    AxisList kept = truncate_by_removing_overlaps(lhs.axes[static_cast<std::size_t>(dim)], taken);
    taken.insert(taken.end(), kept.begin(), kept.end());
    axes.push_back(std::move(kept));
  }
  return axes;
}

}  // namespace

/// Spec: partitioning 8.8.
Status lower_dot_general(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const DotDims& dims = *input.attribute<DotDims>(op, "dot_dimension_numbers");
  const std::vector<AxisList> axes = lowering.axes_of(result);
  LocalValue lhs = lowering.local(input.operand(op, 0));
  LocalValue rhs = lowering.local(input.operand(op, 1));

  const std::vector<AxisList> contracted = contracted_axes(lhs, dims, axes);
  const std::size_t lhs_free =
      lhs.axes.size() - dims.lhs_batch.size() - dims.lhs_contracting.size();
  std::vector<AxisList> lhs_axes = operand_axes(lhs.axes.size(), dims.lhs_batch,
                                                dims.lhs_contracting, axes, dims.lhs_batch.size());
  std::vector<AxisList> rhs_axes =
      operand_axes(rhs.axes.size(), dims.rhs_batch, dims.rhs_contracting, axes,
                   dims.lhs_batch.size() + lhs_free);
  PartialResult partial;
  for (std::size_t index = 0; index < contracted.size(); ++index) {
    lhs_axes[static_cast<std::size_t>(dims.lhs_contracting[index])] = contracted[index];
    rhs_axes[static_cast<std::size_t>(dims.rhs_contracting[index])] = contracted[index];
    partial.axes.insert(partial.axes.end(), contracted[index].begin(), contracted[index].end());
  }
  lhs = lowering.conform(op, std::move(lhs), lhs_axes);
  rhs = lowering.conform(op, std::move(rhs), rhs_axes);
  // Zero on both sides: 0 * NaN in padding would poison the sum.
  const auto zero_of = [](const LocalValue& value) {
    return ir::splat_literal(ir::Type::tensor({}, value.global.element()), 0);
  };
  const ir::Literal lhs_zero = zero_of(lhs);
  const ir::Literal rhs_zero = zero_of(rhs);
  lhs = lowering.mask(std::move(lhs), positions(dims.lhs_contracting), lhs_zero);
  rhs = lowering.mask(std::move(rhs), positions(dims.rhs_contracting), rhs_zero);
  const OpId local =
      lowering.clone(op, {lhs.value, rhs.value}, {lowering.local_type(input.type(result), axes)});
  LocalValue made = lowering.make(lowering.output().result(local), input.type(result), axes);
  partial.axes = sort_and_merge(std::move(partial.axes));
  if (sharding_size(partial.axes) > 1) made.partial = std::move(partial);
  lowering.bind(result, std::move(made));
  return {};
}

}  // namespace shardy::partitioning

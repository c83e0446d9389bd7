// broadcast, and the ops of CHLO that stretch their operands as numpy does. Spec: stablehlo 29, 30.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/composed.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

using Dims = std::vector<int64_t>;

/// For each operand dim, the result dim it becomes.
Dims target_dims(const OpReader& reader, std::size_t index, std::size_t result_rank) {
  const auto rank = static_cast<std::size_t>(reader.operand(index).rank());
  const auto written = reader.view<ir::ChloBroadcastOp>().dims;
  if (written && rank < result_rank && written->size() == rank) {
    return {written->begin(), written->end()};
  }
  Dims trailing(rank);
  std::iota(trailing.begin(), trailing.end(), static_cast<int64_t>(result_rank - rank));
  return trailing;
}

std::size_t greatest_rank(const OpReader& reader) {
  int64_t rank = 0;
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    rank = std::max(rank, reader.operand(index).rank());
  }
  return static_cast<std::size_t>(rank);
}

/// The shape that all operands stretch to. Errors: dims that fit neither each other nor 1.
Result<Dims> stretched_shape(const OpReader& reader) {
  Dims shape(greatest_rank(reader), 1);
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    const Dims targets = target_dims(reader, index, shape.size());
    SHARDY_TRY_STATUS(reader.expect(are_distinct_dims(targets, static_cast<int64_t>(shape.size())),
                                    "`broadcast_dimensions` needs distinct dims of the result"));
    for (std::size_t dim = 0; dim < targets.size(); ++dim) {
      const int64_t size = reader.operand(index).dim(dim);
      int64_t& target = shape[static_cast<std::size_t>(targets[dim])];
      SHARDY_TRY_STATUS(reader.expect(size == target || size == 1 || target == 1,
                                      "the shapes of the operands do not broadcast"));
      if (target == 1) target = size;
    }
  }
  return shape;
}

struct BroadcastRow {
  ir::OpKind kind;
  ir::OpKind elementwise;
};
constexpr BroadcastRow kBroadcastRows[] = {
    {ir::OpKind::ChloBroadcastAdd, ir::OpKind::Add},
    {ir::OpKind::ChloBroadcastAnd, ir::OpKind::And},
    {ir::OpKind::ChloBroadcastAtan2, ir::OpKind::Atan2},
    {ir::OpKind::ChloBroadcastCompare, ir::OpKind::Compare},
    {ir::OpKind::ChloBroadcastComplex, ir::OpKind::Complex},
    {ir::OpKind::ChloBroadcastDivide, ir::OpKind::Divide},
    {ir::OpKind::ChloBroadcastMaximum, ir::OpKind::Maximum},
    {ir::OpKind::ChloBroadcastMinimum, ir::OpKind::Minimum},
    {ir::OpKind::ChloBroadcastMultiply, ir::OpKind::Multiply},
    {ir::OpKind::ChloBroadcastNextAfter, ir::OpKind::ChloNextAfter},
    {ir::OpKind::ChloBroadcastOr, ir::OpKind::Or},
    {ir::OpKind::ChloBroadcastPolygamma, ir::OpKind::ChloPolygamma},
    {ir::OpKind::ChloBroadcastPower, ir::OpKind::Power},
    {ir::OpKind::ChloBroadcastRemainder, ir::OpKind::Remainder},
    {ir::OpKind::ChloBroadcastSelect, ir::OpKind::Select},
    {ir::OpKind::ChloBroadcastShiftLeft, ir::OpKind::ShiftLeft},
    {ir::OpKind::ChloBroadcastShiftRightArithmetic, ir::OpKind::ShiftRightArithmetic},
    {ir::OpKind::ChloBroadcastShiftRightLogical, ir::OpKind::ShiftRightLogical},
    {ir::OpKind::ChloBroadcastSubtract, ir::OpKind::Subtract},
    {ir::OpKind::ChloBroadcastXor, ir::OpKind::Xor},
    {ir::OpKind::ChloBroadcastZeta, ir::OpKind::ChloZeta},
};

/// Those of the elementwise op: a comparison as the `stablehlo` op spells it.
Result<ir::AttributeMap> elementwise_attributes(const OpReader& reader, ir::OpKind kind) {
  if (kind != ir::OpKind::Compare) return ir::AttributeMap();
  SHARDY_TRY(const auto view, reader.read_view<ir::CompareOp>());
  return ir::attributes_of(view);
}

Result<Kernel> make_broadcast_op(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto* const row =
      std::ranges::find(kBroadcastRows, request.module.kind(request.op), &BroadcastRow::kind);
  SHARDY_ASSERT(row != std::end(kBroadcastRows));
  SHARDY_TRY(const Dims shape, stretched_shape(reader));
  SHARDY_TRY(const ir::AttributeMap attributes, elementwise_attributes(reader, row->elementwise));
  return composed_kernel(request,
                         [&](ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands) {
                           ir::OpSpec spec{.kind = row->elementwise};
                           for (std::size_t index = 0; index < operands.size(); ++index) {
                             spec.operands.push_back(graph.broadcast_in_dim(
                                 operands[index], shape, target_dims(reader, index, shape.size())));
                           }
                           spec.attributes = attributes;
                           return std::vector<ir::ValueId>{graph.value_of(std::move(spec))};
                         });
}

/// New dims in front.
Result<Kernel> make_broadcast(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto sizes = reader.view<ir::BroadcastOp>().sizes;
  const ir::Type& x = reader.operand();
  Dims shape(sizes.begin(), sizes.end());
  shape.insert(shape.end(), x.dims().begin(), x.dims().end());
  return composed_kernel(
      request, [&](ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands) {
        Dims targets(static_cast<std::size_t>(x.rank()));
        std::iota(targets.begin(), targets.end(), static_cast<int64_t>(sizes.size()));
        return std::vector<ir::ValueId>{graph.broadcast_in_dim(operands[0], shape, targets)};
      });
}

}  // namespace

SHARDY_KERNEL(Broadcast, make_broadcast)
SHARDY_KERNEL(ChloBroadcastAdd, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastAnd, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastAtan2, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastCompare, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastComplex, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastDivide, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastMaximum, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastMinimum, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastMultiply, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastNextAfter, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastOr, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastPolygamma, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastPower, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastRemainder, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastSelect, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastShiftLeft, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastShiftRightArithmetic, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastShiftRightLogical, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastSubtract, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastXor, make_broadcast_op)
SHARDY_KERNEL(ChloBroadcastZeta, make_broadcast_op)

}  // namespace shardy::simulation

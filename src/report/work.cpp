#include <algorithm>
#include <cstdint>
#include <vector>

#include "report/parts.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/chlo_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

double elements_of(const Module& module, ir::ValueId value) {
  const ir::Type& type = module.type(value);
  return type.is_static_tensor() ? static_cast<double>(type.num_elements()) : 0;
}

double product_of(std::span<const int64_t> sizes) {
  double all = 1;
  for (const int64_t size : sizes) all *= static_cast<double>(size);
  return all;
}

double dot_flops(const Module& module, OpId op) {
  const auto lhs = module.type(module.operand(op, 0)).dims();
  double summed = 1;
  if (const auto* dims = module.attribute<ir::DotDims>(op, ir::attr::kDotDimensionNumbers)) {
    for (const int64_t dim : dims->lhs_contracting) {
      summed *= static_cast<double>(lhs[static_cast<std::size_t>(dim)]);
    }
  } else if (!lhs.empty()) {  // stablehlo.dot
    summed = static_cast<double>(lhs.back());
  }
  return 2 * summed * elements_of(module, module.result(op));
}

/// As if all of the ragged dim were in groups. Where it is summed, each element is in one of them.
double ragged_dot_flops(const Module& module, OpId op) {
  const auto lhs = module.type(module.operand(op, 0)).dims();
  const ir::RaggedDotDims& dims = *ir::view<ir::RaggedDotOp>(module, op).dims;
  double summed = 1;
  for (const int64_t dim : dims.lhs_contracting) {
    summed *= static_cast<double>(lhs[static_cast<std::size_t>(dim)]);
  }
  const auto groups =
      static_cast<double>(std::max<int64_t>(1, module.type(module.operand(op, 2)).dims().back()));
  if (ir::ragged_mode(dims) == ir::RaggedMode::Contracting) summed /= groups;
  return 2 * summed * elements_of(module, module.result(op));
}

double convolution_flops(const Module& module, OpId op) {
  const auto kernel = module.type(module.operand(op, 1)).dims();
  const auto view = ir::ConvolutionOp::of(module, op);
  if (!view) return 0;
  const auto out = static_cast<std::size_t>(view->dims.kernel_output_feature);
  const auto features = static_cast<double>(std::max<int64_t>(1, kernel[out]));
  return 2 * product_of(kernel) / features * elements_of(module, module.result(op));
}

double window_flops(const Module& module, OpId op) {
  const auto view = ir::ReduceWindowOp::of(module, op);
  if (!view) return 0;
  double size = 1;
  for (const ir::WindowDim& dim : view->window) size *= static_cast<double>(dim.size);
  double all = 0;
  for (const ir::ValueId result : module.results(op)) all += size * elements_of(module, result);
  return all;
}

/// A row of the right-hand side takes n^2, a factor n^3/3.
double linear_flops(const Module& module, OpId op) {
  const auto dims = module.type(module.operand(op, 0)).dims();
  const double size = dims.empty() ? 1 : static_cast<double>(dims.back());
  const double result = elements_of(module, module.result(op));
  return module.is(op, OpKind::Cholesky) ? size / 3 * result : size * result;
}

}  // namespace

double flops_of_op(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::Dot:
    case OpKind::DotGeneral:
      return dot_flops(module, op);
    case OpKind::ChloRaggedDot:
      return ragged_dot_flops(module, op);
    case OpKind::Convolution:
      return convolution_flops(module, op);
    case OpKind::ReduceWindow:
      return window_flops(module, op);
    case OpKind::Reduce: {
      double all = 0;
      for (std::size_t input = 0; input < module.num_operands(op) / 2; ++input) {
        all += elements_of(module, module.operand(op, input));
      }
      return all;
    }
    case OpKind::TriangularSolve:
    case OpKind::Cholesky:
      return linear_flops(module, op);
    default:
      break;
  }
  const bool is_elementwise =
      module.has_trait(op, ir::kElementwise) || module.has_trait(op, ir::kPointwise);
  return is_elementwise && module.num_results(op) == 1 ? elements_of(module, module.result(op)) : 0;
}

double flops_of(const Module& module, const RunTimes& times) {
  double all = 0;
  for (const OpId op : ir::pre_order(module)) {
    const ir::BlockId block = module.parent_block(op);
    const int64_t count = block.valid() ? times.of(block).count : 0;
    if (count > 0) all += static_cast<double>(count) * flops_of_op(module, op);
  }
  return all;
}

}  // namespace shardy::report

// dot_general: both operands brought into matrix form, then one matrix product per batch.
// Spec: stablehlo 22.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/operand_form.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {
namespace {

using Dims = std::vector<int64_t>;

struct DotPlan {
  OperandForm lhs;
  OperandForm rhs;
  int64_t num_batches;
  ProductShape shape;
  MatrixProduct product;
  ir::Type sum_type;  // the result in the element type that is summed in
  ir::Type result;
};

/// Products and sums that a thread computes at least.
constexpr int64_t kProductGrain = int64_t{1} << 20;

/// Rows of all batches, one after the other: no element depends on which are computed
/// together.
void multiply_rows(const DotPlan& plan, const Tensor& lhs, const Tensor& rhs, std::byte* out,
                   std::pair<int64_t, int64_t> range) {
  const auto bytes = static_cast<int64_t>(ir::size_bytes(plan.sum_type.element()));
  const ProductShape& shape = plan.shape;
  for (int64_t row = range.first; row < range.second;) {
    const int64_t batch = row / shape.rows;
    ProductShape part = shape;
    part.rows = std::min(range.second, (batch + 1) * shape.rows) - row;
    plan.product(lhs.data() + row * shape.depth * bytes,
                 rhs.data() + batch * shape.depth * shape.columns * bytes,
                 out + row * shape.columns * bytes, part);
    row += part.rows;
  }
}

Result<Tensors> run_dot(const DotPlan& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensor lhs, plan.lhs.of(call.operands[0]));
  SHARDY_TRY(const Tensor rhs, plan.rhs.of(call.operands[1]));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.sum_type));
  const ProductShape& shape = plan.shape;
  const int64_t num_rows = plan.sum_type.num_elements() == 0 ? 0 : plan.num_batches * shape.rows;
  // The preparation of each range must be small compared to its products.
  constexpr int64_t kFewRows = 32;
  const int64_t grain =
      std::max(kFewRows, kProductGrain / std::max<int64_t>(shape.columns * shape.depth, 1));
  for_ranges(call.pool, num_rows, grain, [&](int64_t begin, int64_t end) {
    multiply_rows(plan, lhs, rhs, out.data(), {begin, end});
  });
  SHARDY_TRY(Tensor result, converted(std::move(out).finish(), plan.result.element()));
  return Tensors{std::move(result)};
}

// ---- Reading the op --------------------------------------------------------------------------

Dims joined(std::initializer_list<const Dims*> lists) {
  Dims all;
  for (const Dims* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

/// Dims of an operand that are in neither list, in order.
Dims free_dims(int64_t rank, const Dims& batch, const Dims& contracting) {
  const Dims bound = joined({&batch, &contracting});
  Dims free;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (std::ranges::find(bound, dim) == bound.end()) free.push_back(dim);
  }
  return free;
}

Dims sizes_of(const ir::Type& type, const Dims& dims) {
  Dims sizes;
  for (const int64_t dim : dims) sizes.push_back(type.dim(static_cast<std::size_t>(dim)));
  return sizes;
}

Result<Kernel> dot_kernel(const OpReader& reader, const ir::DotDims& dims) {
  const ir::Type& lhs = reader.operand(0);
  const ir::Type& rhs = reader.operand(1);
  const ir::Type& result = reader.result();
  const Dims lhs_free = free_dims(lhs.rank(), dims.lhs_batch, dims.lhs_contracting);
  const Dims rhs_free = free_dims(rhs.rank(), dims.rhs_batch, dims.rhs_contracting);
  const Dims batch_sizes = sizes_of(lhs, dims.lhs_batch);
  const Dims lhs_sizes = sizes_of(lhs, lhs_free);
  const Dims rhs_sizes = sizes_of(rhs, rhs_free);
  const ir::ElementType sum = sum_element(result.element());
  SHARDY_TRY(const MatrixProduct product_loop, read_product(reader));
  SHARDY_TRY(const ir::Type sum_type, reader.at_op(ir::Type::make_tensor(
                                          {result.dims().begin(), result.dims().end()}, sum)));
  DotPlan plan{
      OperandForm(lhs, joined({&dims.lhs_batch, &lhs_free, &dims.lhs_contracting}),
                  result.element()),
      OperandForm(rhs, joined({&dims.rhs_batch, &dims.rhs_contracting, &rhs_free}),
                  result.element()),
      product(batch_sizes),
      {product(lhs_sizes), product(rhs_sizes), product(sizes_of(lhs, dims.lhs_contracting))},
      product_loop,
      sum_type,
      result};
  return [plan = std::move(plan)](const KernelCall& call) { return run_dot(plan, call); };
}

Result<Kernel> make_dot_general(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return dot_kernel(reader, reader.view<ir::DotGeneralOp>().dims);
}

/// The last dim of lhs with the first of rhs.
Result<Kernel> make_dot(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return dot_kernel(reader, {.lhs_batch = {},
                             .rhs_batch = {},
                             .lhs_contracting = {reader.operand(0).rank() - 1},
                             .rhs_contracting = {0}});
}

}  // namespace

SHARDY_KERNEL(DotGeneral, make_dot_general)
SHARDY_KERNEL(Dot, make_dot)

}  // namespace shardy::simulation

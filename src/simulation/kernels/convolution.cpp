// Kernel of convolution: a matrix whose rows are patches of the input, times a matrix of the kernel
// elements. Spec: stablehlo 23.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/dot.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/window.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {
namespace {

using Dims = std::vector<int64_t>;

struct ConvolutionPlan {
  OperandForm lhs;     // order of dims: batch, spatial, features
  OperandForm kernel;  // order of dims: spatial, input features, output features
  Patches patches;
  // To [group, positions and input features, output features of the group].
  StridedCopy split_kernel;
  StridedCopy join_groups;  // from [group, batch, positions, features] to the layout of the result
  int64_t num_groups;
  int64_t group_offset;  // distance from one group to the next, in elements of lhs
  ProductShape shape;    // product of one group
  MatrixProduct product;
  ir::Type result;
};

/// Returns the number of patch rows per product: enough to amortize the preparation, and few enough
/// for a cache.
int64_t rows_at_once(const ProductShape& shape, int64_t element_bytes) {
  constexpr int64_t kBytes = int64_t{1} << 18;
  const int64_t row_bytes = std::max<int64_t>(shape.depth * element_bytes, 1);
  return std::clamp<int64_t>(kBytes / row_bytes, 64, std::max<int64_t>(shape.rows, 64));
}

/// The patch rows of one group that one product uses.
struct RowChunk {
  int64_t group;
  int64_t first;
  int64_t count;
};

RowChunk chunk_at(const ProductShape& shape, int64_t step, int64_t index) {
  const int64_t per_group = (shape.rows + step - 1) / step;
  const int64_t first = index % per_group * step;
  return {index / per_group, first, std::min(step, shape.rows - first)};
}

/// Both operands in the form that the product needs.
struct ConvolutionOperands {
  const std::byte* lhs;
  const std::byte* kernels;  // kernels of all groups in sequence
  std::byte* out;            // results of all groups in sequence
};

void run_chunk(const ConvolutionPlan& plan, const ConvolutionOperands& operands,
               const RowChunk& chunk, std::span<std::byte> scratch) {
  const auto bytes = static_cast<int64_t>(ir::size_bytes(sum_element(plan.result.element())));
  ProductShape part = plan.shape;
  part.rows = chunk.count;
  plan.patches.write(operands.lhs + chunk.group * plan.group_offset * bytes, chunk.first,
                     chunk.count, scratch.data());
  const int64_t row = chunk.group * plan.shape.rows + chunk.first;
  plan.product(scratch.data(), operands.kernels + chunk.group * part.depth * part.columns * bytes,
               operands.out + row * part.columns * bytes, part);
}

/// Computes the product of each chunk. Error: memory is exhausted.
Status run_chunks(const ConvolutionPlan& plan, const ConvolutionOperands& operands,
                  ThreadPool* pool) {
  const ir::ElementType sum = sum_element(plan.result.element());
  const int64_t step = std::min(rows_at_once(plan.shape, static_cast<int64_t>(ir::size_bytes(sum))),
                                plan.shape.rows);
  const int64_t num_chunks = plan.num_groups * ((plan.shape.rows + step - 1) / step);
  SHARDY_TRY(const ir::Type patch_type, ir::Type::make_tensor({step, plan.shape.depth}, sum));
  std::atomic<bool> has_memory = true;
  for_ranges(pool, num_chunks, 1, [&](int64_t begin, int64_t end) {
    Result<TensorWriter> patches = TensorWriter::make(patch_type);
    if (!patches) has_memory = false;
    for (int64_t index = begin; patches && index < end; ++index) {
      run_chunk(plan, operands, chunk_at(plan.shape, step, index), patches->bytes());
    }
  });
  if (!has_memory) return fail("no memory for the patches of a convolution");
  return {};
}

/// Returns the copy; `x` itself if the copy changes nothing. Error: memory is exhausted.
Result<Tensor> copied(const Tensor& x, const StridedCopy& copy, ThreadPool* pool) {
  if (copy.is_whole()) return x;
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type()));
  copy.run(x.data(), out.data(), 0, 0, pool);
  return std::move(out).finish();
}

Result<Tensors> run_convolution(const ConvolutionPlan& plan, const KernelCall& call) {
  const ir::ElementType sum = sum_element(plan.result.element());
  SHARDY_TRY(TensorWriter grouped, TensorWriter::make(plan.result.with_element(sum)));
  if (plan.result.num_elements() > 0) {
    SHARDY_TRY(const Tensor lhs, plan.lhs.of(call.operands[0]));
    SHARDY_TRY(const Tensor kernel, plan.kernel.of(call.operands[1]));
    SHARDY_TRY(const Tensor kernels, copied(kernel, plan.split_kernel, call.pool));
    SHARDY_TRY_STATUS(run_chunks(plan, {lhs.data(), kernels.data(), grouped.data()}, call.pool));
  }
  SHARDY_TRY(const Tensor joined, copied(std::move(grouped).finish(), plan.join_groups, call.pool));
  SHARDY_TRY(Tensor result, converted(joined, plan.result.element()));
  return Tensors{std::move(result)};
}

// ---- Reading the op --------------------------------------------------------------------------

int64_t size_of(const ir::Type& type, int64_t dim) {
  return type.dim(static_cast<std::size_t>(dim));
}

/// Returns the kernel dims that are reversed.
Dims reversed_dims(const ir::ConvolutionOp& view) {
  Dims reversed;
  for (std::size_t dim = 0; dim < view.window.size(); ++dim) {
    if (view.window[dim].reversed) reversed.push_back(view.dims.kernel_spatial[dim]);
  }
  return reversed;
}

/// Returns the dim order of an operand: `before`, then `between`, then `after`.
Dims in_order(std::initializer_list<int64_t> before, const Dims& between,
              std::initializer_list<int64_t> after) {
  Dims order(before);
  order.insert(order.end(), between.begin(), between.end());
  order.insert(order.end(), after.begin(), after.end());
  return order;
}

/// Copies from [rows, groups, columns] to [groups, rows, columns].
StridedCopy split_columns(int64_t rows, int64_t groups, int64_t columns, std::size_t bytes) {
  return {{{groups, columns, rows * columns}, {rows, groups * columns, columns}, {columns, 1, 1}},
          bytes};
}

/// Copies from [groups, batch, positions.., columns] to the result, which has groups * columns
/// features.
StridedCopy join_groups(const ir::Type& result, const ir::ConvolutionDims& dims, int64_t groups,
                        std::size_t bytes) {
  const std::vector<int64_t> strides = row_major_strides(result.dims());
  const auto stride = [&](int64_t dim) { return strides[static_cast<std::size_t>(dim)]; };
  const int64_t columns = size_of(result, dims.output_feature) / groups;
  const int64_t feature_stride = stride(dims.output_feature);
  std::vector<CopyDim> loops = {{columns, 0, feature_stride}};
  for (std::size_t dim = dims.output_spatial.size(); dim-- > 0;) {
    const int64_t spatial = dims.output_spatial[dim];
    loops.push_back({size_of(result, spatial), 0, stride(spatial)});
  }
  loops.push_back({size_of(result, dims.output_batch), 0, stride(dims.output_batch)});
  loops.push_back({groups, 0, columns * feature_stride});
  int64_t from_stride = 1;
  for (CopyDim& loop : loops) {
    loop.from_stride = from_stride;
    from_stride *= std::max<int64_t>(loop.size, 1);
  }
  std::ranges::reverse(loops);
  return {std::move(loops), bytes};
}

Result<Kernel> make_convolution(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::ConvolutionOp>();
  const ir::ConvolutionDims& dims = view.dims;
  const ir::Type& lhs = reader.operand(0);
  const ir::Type& rhs = reader.operand(1);
  const ir::Type& result = reader.result();
  SHARDY_TRY(const auto spatial, window_axes(reader, view.window, sizes_of(lhs, dims.input_spatial),
                                             sizes_of(result, dims.output_spatial)));
  const ir::ElementType sum = sum_element(result.element());
  SHARDY_TRY(const MatrixProduct product_loop, read_product(reader));
  const std::size_t bytes = ir::size_bytes(sum);
  const int64_t groups = view.feature_groups * view.batch_groups;
  const int64_t channels = size_of(rhs, dims.kernel_input_feature);
  const Dims kernel_order =
      in_order({}, dims.kernel_spatial, {dims.kernel_input_feature, dims.kernel_output_feature});
  Patches patches(spatial, size_of(lhs, dims.input_feature), channels, bytes);
  const int64_t columns = size_of(rhs, dims.kernel_output_feature) / groups;
  const int64_t num_batches = size_of(lhs, dims.input_batch) / view.batch_groups;
  const int64_t group_offset = view.batch_groups > 1 ? lhs.num_elements() / view.batch_groups
                                                     : (view.feature_groups > 1 ? channels : 0);
  auto plan = std::make_shared<const ConvolutionPlan>(ConvolutionPlan{
      OperandForm(lhs, in_order({dims.input_batch}, dims.input_spatial, {dims.input_feature}),
                  result.element()),
      OperandForm(rhs, kernel_order, result.element(), reversed_dims(view)), patches,
      split_columns(patches.columns(), groups, columns, bytes),
      join_groups(result, dims, groups, bytes), groups, group_offset,
      ProductShape{num_batches * patches.rows_per_batch(), columns, patches.columns()},
      product_loop, result});
  return [plan = std::move(plan)](const KernelCall& call) { return run_convolution(*plan, call); };
}

}  // namespace

SHARDY_KERNEL(Convolution, make_convolution)

}  // namespace shardy::simulation

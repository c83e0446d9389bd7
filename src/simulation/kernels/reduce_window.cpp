// reduce_window: each window of the padded inputs is folded in row-major order. Spec: stablehlo
// 24.2.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "shardy/support/math.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/index_vectors.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/padding.hpp"
#include "simulation/kernels/window.hpp"

namespace shardy::simulation {
namespace {

/// The shape that all inputs share, padded as far as windows reach.
class PaddedShape {
 public:
  explicit PaddedShape(std::span<const WindowAxis> dims) {
    for (const WindowAxis& dim : dims) {
      const int64_t reach = (dim.count - 1) * dim.stride + (dim.window - 1) * dim.window_dilation;
      sizes_.push_back(dim.count == 0 ? 0 : reach + 1);
      padding_.push_back({dim.size, dim.low, 0, dim.base_dilation - 1});
      window_sizes_.push_back(dim.window);
      is_padded_ = is_padded_ || dim.low != 0 || dim.base_dilation != 1 || sizes_.back() > dim.size;
    }
    const std::vector<int64_t> strides = row_major_strides(is_padded_ ? sizes_ : unpadded(dims));
    std::vector<int64_t> counts;
    for (const WindowAxis& dim : dims) counts.push_back(dim.count);
    slices_ = dims_written(counts);
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      slices_[dim].from_stride = strides[dim] * dims[dim].stride;
      position_strides_.push_back(strides[dim] * dims[dim].window_dilation);
    }
  }

  /// The input with `init` around it; the input itself if no window reaches further.
  Result<Tensor> pad(const Tensor& x, const Tensor& init) const {
    if (!is_padded_) return x;
    SHARDY_TRY(ir::Type type, ir::Type::make_tensor(sizes_, x.type().element()));
    SHARDY_TRY(TensorWriter out, filled_with(type, init));
    plan_pad(padding_, sizes_, ir::size_bytes(type.element())).run(x.data(), out.data());
    return std::move(out).finish();
  }
  /// From a padded input to the elements that all windows have at one position.
  StridedCopy slice(std::size_t element_bytes) const { return {slices_, element_bytes}; }
  /// Sizes of a window, and what its positions are apart in a padded input.
  const std::vector<int64_t>& window_sizes() const { return window_sizes_; }
  const std::vector<int64_t>& position_strides() const { return position_strides_; }

 private:
  static std::vector<int64_t> unpadded(std::span<const WindowAxis> dims) {
    std::vector<int64_t> sizes;
    for (const WindowAxis& dim : dims) sizes.push_back(dim.size);
    return sizes;
  }

  bool is_padded_ = false;
  std::vector<int64_t> sizes_;
  std::vector<PadDim> padding_;
  std::vector<int64_t> window_sizes_;
  std::vector<int64_t> position_strides_;
  std::vector<CopyDim> slices_;
};

// ---- reduce_window ---------------------------------------------------------------------------

struct WindowPlan {
  Fold fold;
  PaddedShape shape;
  std::vector<ir::Type> results;
  int64_t num_lanes;  // elements of a result
};

/// Inputs as the region takes them, padded.
Result<Tensors> padded_inputs(const WindowPlan& plan, const KernelCall& call) {
  const std::size_t num_pairs = plan.results.size();
  Tensors padded;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.fold.inputs()[index]));
    SHARDY_TRY(Tensor input, plan.shape.pad(x, call.operands[num_pairs + index]));
    padded.push_back(std::move(input));
  }
  return padded;
}

/// A recognized reducer: pair by pair, the slices folded in place.
Result<Tensors> run_loops(const WindowPlan& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensors padded, padded_inputs(plan, call));
  Tensors results;
  for (std::size_t index = 0; index < padded.size(); ++index) {
    const ir::Type& type = plan.results[index];
    SHARDY_TRY(TensorWriter acc, filled_with(type, call.operands[padded.size() + index]));
    SHARDY_TRY(TensorWriter scratch, TensorWriter::make(type));
    const StridedCopy slice = plan.shape.slice(ir::size_bytes(type.element()));
    IndexWalk walk(plan.shape.window_sizes());
    do {
      slice.run(padded[index].data(), scratch.data(),
                dot(walk.index(), plan.shape.position_strides()));
      plan.fold.loops()[index].one(acc.data(), scratch.data(),
                                   static_cast<std::size_t>(plan.num_lanes), false);
    } while (walk.next());
    results.push_back(std::move(acc).finish());
  }
  return results;
}

/// Any reducer: all pairs together, on lanes.
Result<Tensors> run_lanes(const WindowPlan& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensors padded, padded_inputs(plan, call));
  const std::size_t num_pairs = padded.size();
  SHARDY_TRY(const LaneFold fold,
             plan.fold.lanes(plan.num_lanes, call.operands.subspan(2 * num_pairs)));
  Tensors acc;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    const ir::Type type = plan.results[index].with_dims({plan.num_lanes});
    SHARDY_TRY(TensorWriter start, filled_with(type, call.operands[num_pairs + index]));
    acc.push_back(std::move(start).finish());
  }
  IndexWalk walk(plan.shape.window_sizes());
  do {
    Tensors slices;
    for (const Tensor& input : padded) {
      const ir::ElementType element = input.type().element();
      SHARDY_TRY(TensorWriter slice,
                 TensorWriter::make(ir::Type::tensor({plan.num_lanes}, element)));
      plan.shape.slice(ir::size_bytes(element))
          .run(input.data(), slice.data(), dot(walk.index(), plan.shape.position_strides()));
      slices.push_back(std::move(slice).finish());
    }
    SHARDY_TRY(acc, fold(acc, slices));
  } while (walk.next());
  for (std::size_t index = 0; index < num_pairs; ++index) {
    acc[index] = acc[index].reshaped(plan.results[index]);
  }
  return acc;
}

Result<Tensors> run_reduce_window(const WindowPlan& plan, const KernelCall& call) {
  if (plan.num_lanes > 0) {
    return plan.fold.loops().empty() ? run_lanes(plan, call) : run_loops(plan, call);
  }
  Tensors results;
  for (const ir::Type& type : plan.results) {
    SHARDY_TRY(Tensor empty, filled_tensor(type, Fill::Zero));
    results.push_back(std::move(empty));
  }
  return results;
}

Result<Kernel> make_reduce_window(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const std::size_t num_pairs = reader.num_operands() / 2;
  SHARDY_TRY(Fold fold, Fold::make(request, num_pairs));
  SHARDY_TRY(const auto dims, window_axes(reader, reader.view<ir::ReduceWindowOp>().window,
                                          reader.operand().dims(), reader.result().dims()));
  std::vector<ir::Type> results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(index), fold.inputs()[index]));
    const ir::Type& init = reader.operand(num_pairs + index);
    SHARDY_TRY_STATUS(expect_conversion(reader, init, fold.inputs()[index]));
    SHARDY_TRY_STATUS(expect_conversion(reader, init, fold.accumulators()[index]));
    results.push_back(reader.result(index));
  }
  const int64_t num_lanes = reader.result().num_elements();
  auto plan = std::make_shared<const WindowPlan>(
      WindowPlan{std::move(fold), PaddedShape(dims), std::move(results), num_lanes});
  return
      [plan = std::move(plan)](const KernelCall& call) { return run_reduce_window(*plan, call); };
}

}  // namespace

SHARDY_KERNEL(ReduceWindow, make_reduce_window)

}  // namespace shardy::simulation

// gather: one window per index vector, moved so that it is inside. torch_index_select: whole
// slices. Spec: stablehlo 25.2, 30.
#include <algorithm>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/index_vectors.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

struct GatherPlan {
  IndexVectors vectors;
  std::vector<int64_t> last_starts;     // per dim of the operand
  std::vector<int64_t> strides;         // of the operand
  std::vector<int64_t> result_strides;  // of the dims that count vectors
  StridedCopy window;
  ir::Type result;
};

/// Where a window begins in the operand.
int64_t window_offset(const GatherPlan& plan, const int64_t* start) {
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < plan.strides.size(); ++dim) {
    offset += std::clamp<int64_t>(start[dim], 0, plan.last_starts[dim]) * plan.strides[dim];
  }
  return offset;
}

/// Elements that a thread copies at least.
constexpr int64_t kWindowGrain = int64_t{1} << 14;

Result<Tensors> run_gather(const GatherPlan& plan, const KernelCall& call) {
  const Tensor& x = call.operands[0];
  // Slices of size 0 in a dropped dim read nothing: the result has no elements.
  if (x.num_elements() == 0 || plan.result.num_elements() == 0) {
    SHARDY_TRY(Tensor zeros, filled_tensor(plan.result, Fill::Zero));
    return Tensors{std::move(zeros)};
  }
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.result));
  const std::vector<int64_t> starts = plan.vectors.starts(call.operands[1]);
  const int64_t num_windows = product(plan.vectors.batch_sizes());
  const int64_t window_size = plan.result.num_elements() / num_windows;
  for_ranges(call.pool, num_windows, kWindowGrain / window_size + 1,
             [&](int64_t begin, int64_t end) {
               const auto rank = static_cast<int64_t>(plan.strides.size());
               const int64_t* start = starts.data() + begin * rank;
               IndexWalk walk(plan.vectors.batch_sizes());
               walk.skip(begin);
               for (int64_t window = begin; window < end; ++window) {
                 plan.window.run(x.data(), out.data(), window_offset(plan, start),
                                 dot(walk.index(), plan.result_strides));
                 start += rank;
                 walk.next();
               }
             });
  return Tensors{std::move(out).finish()};
}

Result<Kernel> make_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::GatherOp>();
  const auto& offset_dims = view.dims.offset_dims;
  const ir::Type& x = reader.operand();
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  const std::vector<int64_t> to_strides = row_major_strides(reader.result().dims());
  IndexVectors vectors(view.dims, x, reader.operand(1));
  std::vector<CopyDim> window;
  std::vector<int64_t> result_strides;
  for (std::size_t dim = 0; dim < to_strides.size(); ++dim) {
    if (std::ranges::find(offset_dims, static_cast<int64_t>(dim)) == offset_dims.end()) {
      result_strides.push_back(to_strides[dim]);
      continue;
    }
    const std::size_t from = vectors.window_dims()[window.size()];
    window.push_back({view.slice_sizes[from], strides[from], to_strides[dim]});
  }
  std::vector<int64_t> last_starts;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    last_starts.push_back(
        std::max<int64_t>(x.dim(dim) - std::max<int64_t>(view.slice_sizes[dim], 1), 0));
  }
  GatherPlan plan{std::move(vectors),
                  std::move(last_starts),
                  strides,
                  std::move(result_strides),
                  StridedCopy(std::move(window), ir::size_bytes(x.element())),
                  reader.result()};
  return [plan = std::move(plan)](const KernelCall& call) { return run_gather(plan, call); };
}

}  // namespace

SHARDY_KERNEL(Gather, make_gather)

}  // namespace shardy::simulation

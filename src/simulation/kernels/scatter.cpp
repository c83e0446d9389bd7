// scatter: folds updates into a copy of the inputs, element by element in row-major order of the
// updates; those that land outside are dropped. Spec: stablehlo 25.3.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/index_vectors.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/scatter_fold.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

/// Neighbouring updates that land in neighbouring places.
struct Row {
  int64_t target;
  int64_t source;
  int64_t count;
};

/// From places in the updates to places in the input.
class UpdatePlaces {
 public:
  UpdatePlaces(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices,
               const ir::Type& updates)
      : vectors_(dims, x, indices),
        sizes_(x.dims().begin(), x.dims().end()),
        strides_(row_major_strides(x.dims())),
        outer_sizes_(updates.dims().begin(), updates.dims().end()) {
    const std::vector<int64_t> vector_strides = row_major_strides(vectors_.batch_sizes());
    std::size_t next_batch = 0;
    std::size_t next_window = 0;
    for (std::size_t dim = 0; dim < outer_sizes_.size(); ++dim) {
      const bool is_window =
          std::ranges::find(dims.update_window_dims, static_cast<int64_t>(dim)) !=
          dims.update_window_dims.end();
      vector_strides_.push_back(is_window ? 0 : vector_strides[next_batch++]);
      if (is_window) windows_.push_back({dim, vectors_.window_dims()[next_window++]});
    }
    // Rows run along the last dim of the updates, where that is a window dim.
    const bool has_row = !windows_.empty() && windows_.back().update_dim + 1 == outer_sizes_.size();
    if (!has_row) return;
    row_dim_ = windows_.back().dim;
    row_size_ = outer_sizes_.back();
    windows_.pop_back();
    outer_sizes_.pop_back();
    vector_strides_.pop_back();
  }

  /// Places that neighbouring updates of a row are apart in the input.
  int64_t row_stride() const { return row_dim_ ? strides_[*row_dim_] : 1; }

  /// Calls `visit(row)` for all updates that land inside, in row-major order.
  template <class Visit>
  Status for_each_row(const Tensor& indices, const Visit& visit) const {
    const std::vector<int64_t> starts = vectors_.starts(indices);
    if (row_size_ == 0 || product(outer_sizes_) == 0) return {};
    std::vector<int64_t> at(sizes_.size());
    IndexWalk walk(outer_sizes_);
    int64_t source = 0;
    do {
      const std::optional<Row> row = row_at(walk.index(), starts, at);
      if (row) {
        SHARDY_TRY_STATUS(visit(Row{row->target, source + row->source, row->count}));
      }
      source += row_size_;
    } while (walk.next());
    return {};
  }

 private:
  struct WindowAxis {
    std::size_t update_dim;
    std::size_t dim;  // of the input
  };

  /// The part of a row that lands inside; its source counts from the begin of the row.
  std::optional<Row> row_at(std::span<const int64_t> index, std::span<const int64_t> starts,
                            std::vector<int64_t>& scratch) const {
    const auto first = static_cast<std::size_t>(dot(index, vector_strides_)) * sizes_.size();
    std::ranges::copy(starts.subspan(first, sizes_.size()), scratch.begin());
    for (const WindowAxis& window : windows_) scratch[window.dim] += index[window.update_dim];
    Row row{0, 0, row_size_};
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      if (dim == row_dim_) continue;
      if (scratch[dim] < 0 || scratch[dim] >= sizes_[dim]) return std::nullopt;
    }
    if (row_dim_) {
      int64_t& start = scratch[*row_dim_];
      const int64_t last = std::min(row_size_, sizes_[*row_dim_] - start);
      row.source = std::max<int64_t>(-start, 0);
      row.count = last - row.source;
      start += row.source;
      if (row.count <= 0) return std::nullopt;
    }
    row.target = dot(scratch, strides_);
    return row;
  }

  IndexVectors vectors_;
  std::vector<int64_t> sizes_;    // of the input
  std::vector<int64_t> strides_;  // of the input
  std::vector<WindowAxis> windows_;
  std::vector<int64_t> outer_sizes_;     // of the updates, without rows
  std::vector<int64_t> vector_strides_;  // from an outer index to the number of the index vector
  std::optional<std::size_t> row_dim_;   // of the input
  int64_t row_size_ = 1;
};

struct ScatterPlan {
  Fold fold;
  UpdatePlaces places;
  std::size_t num_pairs;
  std::vector<ir::Type> results;
};

/// A recognized reducer: each row is folded in place.
Status fold_rows(const ScatterPlan& plan, const Tensor& indices, const Tensors& updates,
                 std::vector<TensorWriter>& out) {
  const int64_t stride = plan.places.row_stride();
  return plan.places.for_each_row(indices, [&](const Row& row) -> Status {
    for (std::size_t index = 0; index < out.size(); ++index) {
      const FoldLoop fold = plan.fold.loops()[index].one;
      const auto bytes = static_cast<int64_t>(ir::size_bytes(out[index].type().element()));
      std::byte* target = out[index].data() + row.target * bytes;
      const std::byte* source = updates[index].data() + row.source * bytes;
      if (stride == 1) {
        fold(target, source, static_cast<std::size_t>(row.count), false);
        continue;
      }
      for (int64_t at = 0; at < row.count; ++at) {
        fold(target + at * stride * bytes, source + at * bytes, 1, false);
      }
    }
    return {};
  });
}

/// Any reducer, on lanes.
Status fold_batches(const ScatterPlan& plan, const KernelCall& call, const Tensors& updates,
                    std::vector<TensorWriter>& out) {
  SHARDY_TRY(const LaneFold fold, plan.fold.lanes(ScatterWriteBatches::kMaxLanes,
                                                  call.operands.subspan(2 * plan.num_pairs + 1)));
  ScatterWriteBatches batches(
      out,
      [&](std::span<const int64_t> targets, std::span<const int64_t> sources) -> Result<Tensors> {
        Tensors acc;
        Tensors x;
        for (std::size_t index = 0; index < out.size(); ++index) {
          SHARDY_TRY(Tensor old, take(out[index].data(), out[index].type().element(), targets));
          SHARDY_TRY(Tensor update,
                     take(updates[index].data(), updates[index].type().element(), sources));
          acc.push_back(std::move(old));
          x.push_back(std::move(update));
        }
        return fold(acc, x);
      });
  const int64_t stride = plan.places.row_stride();
  const Status added =
      plan.places.for_each_row(call.operands[plan.num_pairs], [&](const Row& row) -> Status {
        for (int64_t at = 0; at < row.count; ++at) {
          SHARDY_TRY_STATUS(batches.add({row.target + at * stride, row.source + at}));
        }
        return {};
      });
  SHARDY_TRY_STATUS(added);
  return batches.finish();
}

Result<Tensors> run_scatter(const ScatterPlan& plan, const KernelCall& call) {
  std::vector<TensorWriter> out;
  Tensors updates;
  for (std::size_t index = 0; index < plan.num_pairs; ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.results[index].element()));
    SHARDY_TRY(TensorWriter writer, TensorWriter::make(plan.results[index]));
    std::ranges::copy(x.bytes(), writer.data());
    out.push_back(std::move(writer));
    SHARDY_TRY(Tensor update,
               converted(call.operands[plan.num_pairs + 1 + index], plan.fold.inputs()[index]));
    updates.push_back(std::move(update));
  }
  SHARDY_TRY_STATUS(plan.fold.loops().empty()
                        ? fold_batches(plan, call, updates, out)
                        : fold_rows(plan, call.operands[plan.num_pairs], updates, out));
  Tensors results;
  for (TensorWriter& writer : out) results.push_back(std::move(writer).finish());
  return results;
}

Result<Kernel> make_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::ScatterDims& dims = reader.view<ir::ScatterOp>().dims;
  const std::size_t num_pairs = reader.num_operands() / 2;
  SHARDY_TRY(Fold fold, Fold::make(request, num_pairs));
  UpdatePlaces places(dims, reader.operand(), reader.operand(num_pairs),
                      reader.operand(num_pairs + 1));
  std::vector<ir::Type> results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(index), fold.accumulators()[index]));
    SHARDY_TRY_STATUS(
        expect_conversion(reader, reader.operand(num_pairs + 1 + index), fold.inputs()[index]));
    results.push_back(reader.result(index));
  }
  auto plan = std::make_shared<const ScatterPlan>(
      ScatterPlan{std::move(fold), std::move(places), num_pairs, std::move(results)});
  return [plan = std::move(plan)](const KernelCall& call) { return run_scatter(*plan, call); };
}

}  // namespace

SHARDY_KERNEL(Scatter, make_scatter)

}  // namespace shardy::simulation

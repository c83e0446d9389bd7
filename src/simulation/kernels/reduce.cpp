// Kernel of reduce: each result element folds its slice in row-major order of the input. Spec:
// stablehlo 24.1.
#include <algorithm>
#include <memory>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

// ---- Recognized reducers: rows folded in place -----------------------------------------------

/// Adjacent dims that are all kept or all reduced, as one loop.
struct ReduceDim {
  int64_t size;
  int64_t result_stride;  // 0 if the dims are reduced
};

/// The source and target of a fold. Rows and results are contiguous.
struct FoldPlace {
  FoldLoops loops;
  const std::byte* x;
  std::byte* acc;
  int64_t element_bytes;

  FoldPlace moved(int64_t elements, int64_t results) const {
    FoldPlace place = *this;
    place.x += elements * element_bytes;
    place.acc += results * element_bytes;
    return place;
  }
};

/// Folds rows: each row into one element, or all rows into one row of accumulators.
void fold_rows(const FoldPlace& place, const FoldRows& rows, bool into_one) {
  const RowsFoldLoop loop = into_one ? place.loops.rows : place.loops.columns;
  if (loop != nullptr) return loop(place.acc, rows);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const FoldPlace each = place.moved(row * rows.row_step, into_one ? row : 0);
    each.loops.one(each.acc, each.x, static_cast<std::size_t>(rows.row_size), into_one);
  }
}

/// The smallest number of elements that is worth a separate thread.
constexpr int64_t kFoldGrain = int64_t{1} << 16;

/// A walk over the input, once and in order. The last two loops are rows that are folded together:
/// each row into one element of the result, or all rows into one row of the result.
class RowReduction {
 public:
  RowReduction(std::span<const int64_t> sizes, std::span<const int64_t> reduced) {
    int64_t stride = 1;
    for (std::size_t dim = sizes.size(); dim-- > 0;) {
      const bool keeps = std::ranges::find(reduced, static_cast<int64_t>(dim)) == reduced.end();
      add({sizes[dim], keeps ? stride : 0});
      if (keeps) stride *= std::max<int64_t>(sizes[dim], 1);
      empty_ = empty_ || sizes[dim] == 0;
    }
    row_ = loops_.empty() ? ReduceDim{1, 0} : loops_.front();
    if (!loops_.empty()) loops_.erase(loops_.begin());
    constexpr int64_t kFewRows = 8;
    const bool has_rows =
        !loops_.empty() && (row_.result_stride != 0 ||
                            (loops_.front().result_stride == 1 && loops_.front().size >= kFewRows));
    if (!has_rows) return;
    num_rows_ = loops_.front().size;
    loops_.erase(loops_.begin());
  }

  /// Threads divide the results, never the elements of one result, so the order of each sum is
  /// fixed.
  void run(const FoldPlace& place, ThreadPool* pool) const {
    if (empty_) return;
    int64_t planes = 1;
    for (const ReduceDim& loop : loops_) planes *= loop.size;
    if (row_.result_stride != 0) {
      constexpr int64_t kFewColumns = 256;
      for_ranges(pool, row_.size, std::max(kFewColumns, kFoldGrain / (planes * num_rows_)),
                 [&](int64_t begin, int64_t end) {
                   walk(place.moved(begin, begin), loops_, {num_rows_, end - begin});
                 });
    } else if (loops_.empty()) {
      for_ranges(pool, num_rows_, kFoldGrain / row_.size + 1, [&](int64_t begin, int64_t end) {
        walk(place.moved(begin * row_.size, begin), loops_, {end - begin, row_.size});
      });
    } else if (loops_.back().result_stride == 0) {
      walk(place, loops_, {num_rows_, row_.size});
    } else {
      const ReduceDim outer = loops_.back();
      const int64_t inner = planes / outer.size * num_rows_ * row_.size;
      for_ranges(pool, outer.size, kFoldGrain / inner + 1, [&](int64_t begin, int64_t end) {
        std::vector<ReduceDim> loops = loops_;
        loops.back().size = end - begin;
        walk(place.moved(begin * inner, begin * outer.result_stride), loops,
             {num_rows_, row_.size});
      });
    }
  }

 private:
  /// The part of the two innermost loops that one call folds.
  struct FoldedRows {
    int64_t num_rows;
    int64_t row_size;
  };
  void walk(FoldPlace place, const std::vector<ReduceDim>& loops, const FoldedRows& part) const {
    const int64_t step = num_rows_ * row_.size * place.element_bytes;
    std::vector<int64_t> index(loops.size(), 0);
    while (true) {
      const bool into_one = row_.result_stride == 0;
      if (into_one && num_rows_ == 1) {
        place.loops.one(place.acc, place.x, static_cast<std::size_t>(part.row_size), true);
      } else {
        fold_rows(place, {place.x, part.num_rows, part.row_size, row_.size}, into_one);
      }
      place.x += step;
      std::size_t loop = 0;
      while (loop < loops.size() && ++index[loop] == loops[loop].size) {
        place.acc -= (loops[loop].size - 1) * loops[loop].result_stride * place.element_bytes;
        index[loop++] = 0;
      }
      if (loop == loops.size()) return;
      place.acc += loops[loop].result_stride * place.element_bytes;
    }
  }

  /// Adds the next outer loop.
  void add(ReduceDim dim) {
    if (dim.size == 1) return;
    const bool same_kind =
        !loops_.empty() && (loops_.back().result_stride == 0) == (dim.result_stride == 0);
    if (same_kind) {
      loops_.back().size *= dim.size;
    } else {
      loops_.push_back(dim);
    }
  }

  std::vector<ReduceDim> loops_;  // minor to major
  ReduceDim row_{1, 0};
  int64_t num_rows_ = 1;  // number of rows that are folded together
  bool empty_ = false;
};

// ---- The op ----------------------------------------------------------------------------------

struct ReducePlan {
  Fold fold;
  std::vector<ir::Type> results;
  RowReduction rows;
  FoldSlices slices;  // one slice per index of the reduced dims, with one element per result
};

Result<Tensors> run_rows(const ReducePlan& plan, const KernelCall& call) {
  const std::size_t num_pairs = plan.results.size();
  Tensors results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    const ir::Type& type = plan.results[index];
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.fold.inputs()[index]));
    SHARDY_TRY(TensorWriter acc, filled_with(type, call.operands[num_pairs + index]));
    plan.rows.run({plan.fold.loops()[index], x.data(), acc.data(),
                   static_cast<int64_t>(ir::size_bytes(type.element()))},
                  call.pool);
    results.push_back(std::move(acc).finish());
  }
  return results;
}

/// Copies an input so that its slices are contiguous and in sequence.
Result<Tensor> slice_by_slice(const Tensor& x, const FoldSlices& slices) {
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < slices.sizes.size(); ++dim) {
    dims.push_back({slices.sizes[dim], slices.strides[dim], 0});
  }
  dims.insert(dims.end(), slices.lanes.begin(), slices.lanes.end());
  int64_t stride = 1;
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    dims[dim].to_stride = stride;
    stride *= dims[dim].size;
  }
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type()));
  StridedCopy(std::move(dims), ir::size_bytes(x.type().element())).run(x.data(), out.data());
  return std::move(out).finish();
}

/// Folds the slices in sequence, all lanes of a slice at once.
Result<Tensors> run_lanes(const ReducePlan& plan, const KernelCall& call) {
  Tensors inputs;
  for (std::size_t index = 0; index < plan.results.size(); ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.fold.inputs()[index]));
    SHARDY_TRY(Tensor input, slice_by_slice(x, plan.slices));
    inputs.push_back(std::move(input));
  }
  const int64_t num_lanes = plan.results.front().num_elements();
  const FoldSlices slices = {{product(plan.slices.sizes)}, {num_lanes}, {{num_lanes, 1, 1}}};
  return fold_slices(plan.fold, slices, inputs, plan.results, call);
}

// ---- Reading the op --------------------------------------------------------------------------

FoldSlices slices_of(std::span<const int64_t> sizes, std::span<const int64_t> reduced) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  FoldSlices slices;
  std::vector<int64_t> kept_sizes;
  std::vector<int64_t> kept_strides;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    const bool keeps = std::ranges::find(reduced, static_cast<int64_t>(dim)) == reduced.end();
    (keeps ? kept_sizes : slices.sizes).push_back(sizes[dim]);
    (keeps ? kept_strides : slices.strides).push_back(strides[dim]);
  }
  slices.lanes = dims_written(kept_sizes);
  for (std::size_t dim = 0; dim < kept_strides.size(); ++dim) {
    slices.lanes[dim].from_stride = kept_strides[dim];
  }
  return slices;
}

Result<Kernel> make_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const std::size_t num_pairs = reader.num_operands() / 2;
  const ir::Type& x = reader.operand();
  const auto reduced = reader.view<ir::ReduceOp>().dims;
  SHARDY_TRY(Fold fold, Fold::make(request, num_pairs));
  std::vector<ir::Type> results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    const ir::ElementType element = fold.inputs()[index];
    const ir::Type& init = reader.operand(num_pairs + index);
    SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(index), element));
    SHARDY_TRY_STATUS(expect_conversion(reader, init, fold.accumulators()[index]));
    SHARDY_TRY_STATUS(
        reader.at_op(ir::Type::make_tensor({x.dims().begin(), x.dims().end()}, element)));
    results.push_back(reader.result(index));
  }
  auto plan = std::make_shared<const ReducePlan>(ReducePlan{std::move(fold), std::move(results),
                                                            RowReduction(x.dims(), reduced),
                                                            slices_of(x.dims(), reduced)});
  return [plan = std::move(plan)](const KernelCall& call) {
    return plan->fold.loops().empty() ? run_lanes(*plan, call) : run_rows(*plan, call);
  };
}

}  // namespace

SHARDY_KERNEL(Reduce, make_reduce)

}  // namespace shardy::simulation

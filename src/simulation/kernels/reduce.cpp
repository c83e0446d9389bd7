// reduce: each result element folds its slice in row-major order of the input. Spec:
// stablehlo 24.1.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

// ---- Recognized reducers: rows folded in place -----------------------------------------------

/// Neighbouring dims that are all kept or all reduced, as one loop.
struct ReduceDim {
  int64_t size;
  int64_t result_stride;  // 0: reduced
};

/// Source and target of a fold; rows and results are contiguous.
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

/// Rows that each fold into an element of their own, or all into as many as one has.
void fold_rows(const FoldPlace& place, const FoldRows& rows, bool into_one) {
  const RowsFoldLoop loop = into_one ? place.loops.rows : place.loops.columns;
  if (loop != nullptr) return loop(place.acc, rows);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const FoldPlace each = place.moved(row * rows.row_step, into_one ? row : 0);
    each.loops.one(each.acc, each.x, static_cast<std::size_t>(rows.row_size), into_one);
  }
}

/// Elements that a thread folds at least.
constexpr int64_t kFoldGrain = int64_t{1} << 16;

/// Walks the input once, in order. The last two loops are rows that fold together: each into one
/// element of the result, or all of them into as many as they have.
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

  /// Threads share out results, never the elements of one: the order of its sum
  /// is fixed.
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
  /// The folded part of the innermost two loops.
  struct Part {
    int64_t num_rows;
    int64_t row_size;
  };
  void walk(FoldPlace place, const std::vector<ReduceDim>& loops, const Part& part) const {
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

  /// Adds the next loop outwards.
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
  int64_t num_rows_ = 1;  // that are folded together
  bool empty_ = false;
};

// ---- The op ----------------------------------------------------------------------------------

/// One input with its result.
struct ReducePair {
  ir::Type input;  // as the region takes it
  ir::Type result;
  StridedCopy reduced_first;  // the input with its reduced dims in front
};

struct ReducePlan {
  Fold fold;
  std::vector<ReducePair> pairs;
  RowReduction rows;
  int64_t num_steps;  // elements folded into each result element
  int64_t num_lanes;  // elements of a result
};

Result<Tensors> run_rows(const ReducePlan& plan, const KernelCall& call) {
  const std::size_t num_pairs = plan.pairs.size();
  Tensors results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    const ReducePair& pair = plan.pairs[index];
    SHARDY_TRY(const Tensor x, converted(call.operands[index], pair.input.element()));
    SHARDY_TRY(TensorWriter acc, filled_with(pair.result, call.operands[num_pairs + index]));
    plan.rows.run({plan.fold.loops()[index], x.data(), acc.data(),
                   static_cast<int64_t>(ir::size_bytes(pair.result.element()))},
                  call.pool);
    results.push_back(std::move(acc).finish());
  }
  return results;
}

/// The input as one slice of all lanes after the other.
Result<Tensor> as_slices(const ReducePair& pair, const Tensor& operand) {
  SHARDY_TRY(const Tensor x, converted(operand, pair.input.element()));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(pair.input));
  pair.reduced_first.run(x.data(), out.data());
  return std::move(out).finish();
}

/// Folds one slice of all lanes after the other.
Result<Tensors> run_lanes(const ReducePlan& plan, const KernelCall& call) {
  const std::size_t num_pairs = plan.pairs.size();
  Tensors acc;
  Tensors inputs;
  std::vector<ir::Type> lanes;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    const ReducePair& pair = plan.pairs[index];
    SHARDY_TRY(TensorWriter start, filled_with(pair.result, call.operands[num_pairs + index]));
    acc.push_back(std::move(start).finish().reshaped(pair.result.with_dims({plan.num_lanes})));
    SHARDY_TRY(Tensor input, as_slices(pair, call.operands[index]));
    inputs.push_back(std::move(input));
    lanes.push_back(pair.input.with_dims({plan.num_lanes}));
  }
  SHARDY_TRY(const LaneFold fold,
             plan.fold.lanes(plan.num_lanes, call.operands.subspan(2 * num_pairs)));
  const int64_t num_steps = plan.num_lanes == 0 ? 0 : plan.num_steps;
  for (int64_t step = 0; step < num_steps; ++step) {
    Tensors slices;
    for (std::size_t index = 0; index < num_pairs; ++index) {
      slices.push_back(inputs[index].part(lanes[index], step * plan.num_lanes));
    }
    SHARDY_TRY(acc, fold(acc, slices));
  }
  for (std::size_t index = 0; index < num_pairs; ++index) {
    acc[index] = acc[index].reshaped(plan.pairs[index].result);
  }
  return acc;
}

// ---- Reading the op --------------------------------------------------------------------------

/// Input dims apart: those that are kept and those that are reduced.
struct Split {
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
  std::vector<CopyDim> reduced_first;
};

Split split_dims(std::span<const int64_t> sizes, std::span<const int64_t> reduced) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  Split split;
  std::vector<CopyDim> kept_dims;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    const bool keeps = std::ranges::find(reduced, static_cast<int64_t>(dim)) == reduced.end();
    (keeps ? split.kept : split.reduced).push_back(sizes[dim]);
    (keeps ? kept_dims : split.reduced_first).push_back({sizes[dim], strides[dim], 0});
  }
  split.reduced_first.insert(split.reduced_first.end(), kept_dims.begin(), kept_dims.end());
  int64_t stride = 1;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    split.reduced_first[dim].to_stride = stride;
    stride *= std::max<int64_t>(split.reduced_first[dim].size, 1);
  }
  return split;
}

Result<ReducePair> read_pair(const OpReader& reader, std::size_t index, const Fold& fold,
                             const Split& split) {
  const ir::Type& x = reader.operand(index);
  const ir::Type& init = reader.operand(reader.num_operands() / 2 + index);
  SHARDY_TRY_STATUS(expect_conversion(reader, x, fold.inputs()[index]));
  SHARDY_TRY_STATUS(expect_conversion(reader, init, fold.accumulators()[index]));
  SHARDY_TRY(const ir::Type input, reader.at_op(ir::Type::make_tensor(
                                       {x.dims().begin(), x.dims().end()}, fold.inputs()[index])));
  return ReducePair{input, reader.result(index),
                    StridedCopy(split.reduced_first, ir::size_bytes(input.element()))};
}

Result<Kernel> make_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const std::size_t num_pairs = reader.num_operands() / 2;
  const ir::Type& x = reader.operand();
  const auto reduced = reader.view<ir::ReduceOp>().dims;
  SHARDY_TRY(Fold fold, Fold::make(request, num_pairs));
  const Split split = split_dims(x.dims(), reduced);
  std::vector<ReducePair> pairs;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY(ReducePair pair, read_pair(reader, index, fold, split));
    pairs.push_back(std::move(pair));
  }
  auto plan = std::make_shared<const ReducePlan>(
      ReducePlan{std::move(fold), std::move(pairs), RowReduction(x.dims(), reduced),
                 product(split.reduced), product(split.kept)});
  return [plan = std::move(plan)](const KernelCall& call) {
    return plan->fold.loops().empty() ? run_lanes(*plan, call) : run_rows(*plan, call);
  };
}

}  // namespace

SHARDY_KERNEL(Reduce, make_reduce)

}  // namespace shardy::simulation

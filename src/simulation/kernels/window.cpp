// Kernels of reduce_window, which folds each window of the padded inputs in row-major order, and of
// select_and_scatter, in which each window selects one element and folds the source element into
// it. Spec: stablehlo 24.2, 24.3.
#include "simulation/kernels/window.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/gather.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

bool is_small(const ir::WindowDim& dim) {
  const auto values = {dim.stride, dim.base_dilation, dim.window_dilation, dim.low, -dim.low};
  return std::ranges::all_of(values, [](int64_t value) { return value < kLargestPadding; });
}

void copy(const std::byte* from, std::byte* to, int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
/// Clears bytes. Most calls clear 0 bytes.
void clear(std::byte* to, int64_t bytes) {
  if (bytes > 0) std::memset(to, 0, static_cast<std::size_t>(bytes));
}

/// The common shape of all inputs, padded as far as windows extend.
class PaddedShape {
 public:
  explicit PaddedShape(std::span<const WindowAxis> dims) {
    for (const WindowAxis& dim : dims) {
      const int64_t reach = (dim.count - 1) * dim.stride + (dim.size - 1) * dim.window_dilation;
      sizes_.push_back(dim.count == 0 ? 0 : reach + 1);
      padding_.push_back({dim.base, dim.low, 0, dim.base_dilation - 1});
      slices_.sizes.push_back(dim.size);
      is_padded_ = is_padded_ || dim.low != 0 || dim.base_dilation != 1 || sizes_.back() > dim.base;
    }
    const std::vector<int64_t> strides = row_major_strides(is_padded_ ? sizes_ : unpadded(dims));
    std::vector<int64_t> counts;
    for (const WindowAxis& dim : dims) counts.push_back(dim.count);
    slices_.lanes = dims_written(counts);
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      slices_.lanes[dim].from_stride = strides[dim] * dims[dim].stride;
      slices_.strides.push_back(strides[dim] * dims[dim].window_dilation);
    }
  }

  /// Pads the input with `init`. Returns the input itself if no window extends beyond it.
  Result<Tensor> pad(const Tensor& x, const Tensor& init) const {
    if (!is_padded_) return x;
    SHARDY_TRY(ir::Type type, ir::Type::make_tensor(sizes_, x.type().element()));
    SHARDY_TRY(TensorWriter out, filled_with(type, init));
    plan_pad(padding_, sizes_, ir::size_bytes(type.element())).run(x.data(), out.data());
    return std::move(out).finish();
  }
  /// Returns one slice per position in a window: the elements of all windows at this position in a
  /// padded input.
  const FoldSlices& slices() const { return slices_; }

 private:
  static std::vector<int64_t> unpadded(std::span<const WindowAxis> dims) {
    std::vector<int64_t> sizes;
    for (const WindowAxis& dim : dims) sizes.push_back(dim.base);
    return sizes;
  }

  bool is_padded_ = false;
  std::vector<int64_t> sizes_;
  std::vector<PadDim> padding_;
  FoldSlices slices_;
};

// ---- reduce_window ---------------------------------------------------------------------------

struct WindowLoops {
  Fold fold;
  PaddedShape shape;
  std::vector<ir::Type> results;
  int64_t num_lanes;  // number of elements of a result
};

/// Converts the inputs to the accumulator types of the region and pads them.
Result<Tensors> padded_inputs(const WindowLoops& plan, const KernelCall& call) {
  const std::size_t num_pairs = plan.results.size();
  Tensors padded;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.fold.inputs()[index]));
    SHARDY_TRY(Tensor input, plan.shape.pad(x, call.operands[num_pairs + index]));
    padded.push_back(std::move(input));
  }
  return padded;
}

/// Folds the slices of each pair in place. Requires: a recognized reducer.
Result<Tensors> run_loops(const WindowLoops& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensors padded, padded_inputs(plan, call));
  Tensors results;
  for (std::size_t index = 0; index < padded.size(); ++index) {
    const ir::Type& type = plan.results[index];
    SHARDY_TRY(TensorWriter acc, filled_with(type, call.operands[padded.size() + index]));
    SHARDY_TRY(TensorWriter scratch, TensorWriter::make(type));
    const FoldSlices& slices = plan.shape.slices();
    const StridedCopy slice(slices.lanes, ir::size_bytes(type.element()));
    IndexWalk walk(slices.sizes);
    do {
      slice.run(padded[index].data(), scratch.data(), dot(walk.index(), slices.strides));
      plan.fold.loops()[index].one(acc.data(), scratch.data(),
                                   static_cast<std::size_t>(plan.num_lanes), false);
    } while (walk.next());
    results.push_back(std::move(acc).finish());
  }
  return results;
}

/// Folds the slices of all pairs together, a lane per result element. For any reducer.
Result<Tensors> run_lanes(const WindowLoops& plan, const KernelCall& call) {
  SHARDY_TRY(const Tensors padded, padded_inputs(plan, call));
  return fold_slices(plan.fold, plan.shape.slices(), padded, plan.results, call);
}

Result<Tensors> run_reduce_window(const WindowLoops& plan, const KernelCall& call) {
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
  auto plan = std::make_shared<const WindowLoops>(
      WindowLoops{std::move(fold), PaddedShape(dims), std::move(results), num_lanes});
  return
      [plan = std::move(plan)](const KernelCall& call) { return run_reduce_window(*plan, call); };
}

struct SelectPlan {
  LaneFunction select;
  Fold fold;
  std::vector<WindowAxis> dims;
  std::vector<int64_t> source_sizes;
  std::vector<int64_t> window_sizes;
  std::vector<int64_t> strides;  // strides of the operand
  ir::Type result;
};

constexpr int64_t kOutside = -1;

/// The operand index that each window has selected; kOutside if the window has no element in the
/// operand.
using Selections = std::vector<int64_t>;

/// Returns the operand index of an element of a window; std::nullopt for padding.
std::optional<int64_t> selected_place(const SelectPlan& plan, std::span<const int64_t> window,
                                      std::span<const int64_t> position) {
  int64_t place = 0;
  for (std::size_t dim = 0; dim < plan.dims.size(); ++dim) {
    const auto element = plan.dims[dim].element(window[dim], position[dim]);
    if (!element) return std::nullopt;
    place += *element * plan.strides[dim];
  }
  return place;
}

/// Windows that compare their selected element with another element.
struct WindowMax {
  std::vector<std::size_t> windows;
  std::vector<int64_t> selected;
  std::vector<int64_t> current;
};

/// Compares the element at one position of each window with the selected one. A window without
/// selection selects the element.
WindowMax meet(const SelectPlan& plan, std::span<const int64_t> position, Selections& selections) {
  WindowMax contest;
  IndexWalk walk(plan.source_sizes);
  std::size_t window = 0;
  do {
    const std::optional<int64_t> place = selected_place(plan, walk.index(), position);
    if (place && selections[window] == kOutside) {
      selections[window] = *place;
    } else if (place) {
      contest.windows.push_back(window);
      contest.selected.push_back(selections[window]);
      contest.current.push_back(*place);
    }
    ++window;
  } while (walk.next());
  return contest;
}

/// Selects one element per window. Requires: at least one window.
Result<Selections> select_all(const SelectPlan& plan, const Tensor& x,
                              std::span<const Tensor> captured) {
  const auto num_windows = product(plan.source_sizes);
  Selections selections(static_cast<std::size_t>(num_windows), kOutside);
  SHARDY_TRY(const LaneFunction::Lanes select, plan.select.lanes(num_windows, captured));
  SHARDY_TRY(const Tensor left, converted(x, plan.select.arguments()[0]));
  SHARDY_TRY(const Tensor right, converted(x, plan.select.arguments()[1]));
  IndexWalk walk(plan.window_sizes);
  do {
    const WindowMax contest = meet(plan, walk.index(), selections);
    if (contest.windows.empty()) continue;
    SHARDY_TRY(Tensor selected, take(left.data(), left.type().element(), contest.selected));
    SHARDY_TRY(Tensor current, take(right.data(), right.type().element(), contest.current));
    SHARDY_TRY(const Tensors kept, select({std::move(selected), std::move(current)}));
    const auto keeps = kept.front().elements<uint8_t>();
    for (std::size_t lane = 0; lane < contest.windows.size(); ++lane) {
      if (keeps[lane] == 0) selections[contest.windows[lane]] = contest.current[lane];
    }
  } while (walk.next());
  return selections;
}

/// Computes `r[selection] := body(body(init, source), r[selection])` for one window after the
/// other.
Status scatter_all(const SelectPlan& plan, const KernelCall& call, const Selections& selections,
                   std::vector<TensorWriter>& out) {
  const auto num_windows = static_cast<int64_t>(selections.size());
  const auto captured = call.operands.subspan(3);
  const ir::Type lanes = plan.result.with_dims({num_windows});
  SHARDY_TRY(const Tensor source, converted(call.operands[1], plan.fold.inputs()[0]));
  SHARDY_TRY(TensorWriter inits, filled_with(lanes, call.operands[2]));
  SHARDY_TRY(const LaneFold first, plan.fold.lanes(num_windows, captured));
  SHARDY_TRY(const Tensors started, first({std::move(inits).finish()}, {source.reshaped(lanes)}));
  SHARDY_TRY(const LaneFold fold, plan.fold.lanes(ScatterWriteBatches::kMaxLanes, captured));
  const ir::ElementType element = plan.result.element();
  ScatterWriteBatches batches(
      out,
      [&](std::span<const int64_t> targets, std::span<const int64_t> sources) -> Result<Tensors> {
        SHARDY_TRY(Tensor acc, take(started.front().data(), element, sources));
        SHARDY_TRY(Tensor old, take(out.front().data(), element, targets));
        return fold({std::move(acc)}, {std::move(old)});
      });
  for (int64_t window = 0; window < num_windows; ++window) {
    const int64_t target = selections[static_cast<std::size_t>(window)];
    if (target == kOutside) continue;
    SHARDY_TRY_STATUS(batches.add({target, window}));
  }
  return batches.finish();
}

Result<Tensors> run_select_and_scatter(const SelectPlan& plan, const KernelCall& call) {
  std::vector<TensorWriter> out;
  SHARDY_TRY(TensorWriter inits, filled_with(plan.result, call.operands[2]));
  out.push_back(std::move(inits));
  if (product(plan.source_sizes) > 0) {
    SHARDY_TRY(const Selections selections,
               select_all(plan, call.operands[0], call.operands.subspan(3)));
    SHARDY_TRY_STATUS(scatter_all(plan, call, selections, out));
  }
  return Tensors{std::move(out.front()).finish()};
}

Result<Kernel> make_select_and_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(0);
  const ir::Type& source = reader.operand(1);
  SHARDY_TRY(LaneFunction select, LaneFunction::make(request, 0));
  SHARDY_TRY(Fold fold, Fold::make(request, 1, 1));
  SHARDY_TRY(auto dims, window_axes(reader, reader.view<ir::SelectAndScatterOp>().window, x.dims(),
                                    source.dims()));
  for (const ir::ElementType element : select.arguments()) {
    SHARDY_TRY_STATUS(expect_conversion(reader, x, element));
  }
  SHARDY_TRY_STATUS(expect_conversion(reader, source, fold.inputs()[0]));
  SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(2), fold.accumulators()[0]));
  std::vector<int64_t> window_sizes;
  window_sizes.reserve(dims.size());
  for (const WindowAxis& dim : dims) window_sizes.push_back(dim.size);
  auto plan =
      std::make_shared<const SelectPlan>(SelectPlan{std::move(select),
                                                    std::move(fold),
                                                    std::move(dims),
                                                    {source.dims().begin(), source.dims().end()},
                                                    std::move(window_sizes),
                                                    row_major_strides(x.dims()),
                                                    reader.result()});
  return [plan = std::move(plan)](const KernelCall& call) {
    return run_select_and_scatter(*plan, call);
  };
}

}  // namespace

StridedCopy plan_pad(std::span<const PadDim> padding, std::span<const int64_t> to,
                     std::size_t element_bytes) {
  std::vector<int64_t> sizes;
  for (const PadDim& pad : padding) sizes.push_back(pad.size);
  const std::vector<int64_t> from_strides = row_major_strides(sizes);
  const std::vector<int64_t> to_strides = row_major_strides(to);
  std::vector<CopyDim> dims;
  int64_t from_offset = 0;
  int64_t to_offset = 0;
  for (std::size_t dim = 0; dim < padding.size(); ++dim) {
    const PadDim& pad = padding[dim];
    const int64_t first = pad.first();
    const int64_t count = std::max<int64_t>(pad.last(to[dim]) - first, 0);
    if (count == 0) return {{CopyDim{}}, 1};
    const int64_t step = pad.interior + 1;
    dims.push_back({count, from_strides[dim], count > 1 ? to_strides[dim] * step : 0});
    from_offset += first * from_strides[dim];
    to_offset += (pad.low + first * step) * to_strides[dim];
  }
  return {std::move(dims), element_bytes, from_offset, to_offset};
}

Result<std::vector<WindowAxis>> window_axes(const OpReader& reader,
                                            std::span<const ir::WindowDim> window,
                                            std::span<const int64_t> sizes,
                                            std::span<const int64_t> counts) {
  SHARDY_TRY_STATUS(
      reader.expect(std::ranges::all_of(window, is_small), "window attributes are too large"));
  std::vector<WindowAxis> axes;
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    axes.push_back({window[dim], sizes[dim], counts[dim]});
  }
  return axes;
}

Patches::Patches(std::span<const WindowAxis> spatial, int64_t num_features, int64_t num_channels,
                 std::size_t element_bytes)
    : spatial_(spatial.begin(), spatial.end()),
      strides_(spatial.size()),
      num_channels_(num_channels),
      element_bytes_(static_cast<int64_t>(element_bytes)) {
  int64_t stride = num_features;
  for (std::size_t dim = spatial.size(); dim-- > 0;) {
    strides_[dim] = stride;
    stride *= spatial[dim].base;
    num_positions_ *= spatial[dim].count;
    num_windows_ *= spatial[dim].size;
  }
  batch_stride_ = stride;
  is_dense_ = num_channels == num_features && !spatial.empty() &&
              spatial.back().base_dilation == 1 && spatial.back().window_dilation == 1;
}

void Patches::write(const std::byte* input, int64_t first, int64_t count, std::byte* to) const {
  if (num_windows_ == 0) return;
  std::vector<int64_t> windows;
  for (std::size_t dim = 0; dim + 1 < spatial_.size(); ++dim) {
    windows.push_back(spatial_[dim].size);
  }
  std::vector<int64_t> counts;
  for (const WindowAxis& dim : spatial_) counts.push_back(dim.count);
  Walks walks{IndexWalk(std::move(counts)), IndexWalk(std::move(windows))};
  walks.positions.skip(first % num_positions_);
  const std::byte* batch = input + first / num_positions_ * batch_stride_ * element_bytes_;
  for (int64_t row = 0; row < count; ++row) {
    if (spatial_.empty()) {
      copy(batch, to, num_channels_ * element_bytes_);
    } else {
      write_row(batch, to, walks);
    }
    to += columns() * element_bytes_;
    if (!walks.positions.next()) batch += batch_stride_ * element_bytes_;
  }
}

/// Writes line by line; a line is along the last spatial dim of the kernel.
void Patches::write_row(const std::byte* input, std::byte* to, Walks& scratch) const {
  const std::size_t last = spatial_.size() - 1;
  const std::span<const int64_t> place = scratch.positions.index();
  const int64_t line_bytes = spatial_[last].size * num_channels_ * element_bytes_;
  IndexWalk& walk = scratch.windows;
  do {
    std::optional<int64_t> offset = 0;
    for (std::size_t dim = 0; dim < last && offset; ++dim) {
      const auto element = spatial_[dim].element(place[dim], walk.index()[dim]);
      offset = element ? std::optional(*offset + *element * strides_[dim]) : std::nullopt;
    }
    if (!offset) {
      clear(to, line_bytes);
    } else if (is_dense_) {
      write_dense_line(input + *offset * element_bytes_, place[last], to);
    } else {
      write_line(input + *offset * element_bytes_, place[last], to);
    }
    to += line_bytes;
  } while (walk.next());
}

void Patches::write_line(const std::byte* input, int64_t position, std::byte* to) const {
  const WindowAxis& dim = spatial_.back();
  const int64_t bytes = num_channels_ * element_bytes_;
  for (int64_t window = 0; window < dim.size; ++window) {
    const std::optional<int64_t> element = dim.element(position, window);
    if (element) {
      copy(input + *element * strides_.back() * element_bytes_, to, bytes);
    } else {
      clear(to, bytes);
    }
    to += bytes;
  }
}

/// Writes padding, adjacent elements, padding.
void Patches::write_dense_line(const std::byte* input, int64_t position, std::byte* to) const {
  const WindowAxis& dim = spatial_.back();
  const int64_t bytes = num_channels_ * element_bytes_;
  const int64_t start = position * dim.stride - dim.low;
  const int64_t first = std::clamp<int64_t>(-start, 0, dim.size);
  const int64_t end = std::clamp<int64_t>(dim.base - start, first, dim.size);
  clear(to, first * bytes);
  if (end > first) copy(input + (start + first) * bytes, to + first * bytes, (end - first) * bytes);
  clear(to + end * bytes, (dim.size - end) * bytes);
}

SHARDY_KERNEL(ReduceWindow, make_reduce_window)

SHARDY_KERNEL(SelectAndScatter, make_select_and_scatter)

}  // namespace shardy::simulation

// select_and_scatter: each window picks one element; the element of the source is folded in there.
// Spec: stablehlo 24.3.
#include <algorithm>
#include <cstring>
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
#include "simulation/kernels/scatter_fold.hpp"
#include "simulation/kernels/window.hpp"

namespace shardy::simulation {
namespace {

struct SelectPlan {
  LaneFunction select;
  Fold fold;
  std::vector<WindowAxis> dims;
  std::vector<int64_t> source_sizes;
  std::vector<int64_t> window_sizes;
  std::vector<int64_t> strides;  // of the operand
  ir::Type result;
};

constexpr int64_t kOutside = -1;

/// Where the selection of each window is; kOutside for windows that lie outside.
using Selections = std::vector<int64_t>;

/// The element that a window has at a position, as its place in the operand.
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

/// Windows that compare their selection with another element.
struct WindowMax {
  std::vector<std::size_t> windows;
  std::vector<int64_t> selected;
  std::vector<int64_t> current;
};

/// Everything that happens at one position of all windows.
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

/// Requires: there are windows.
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

/// `r[selection] := body(body(init, source), r[selection])`, one window after the other.
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
  for (const WindowAxis& dim : dims) window_sizes.push_back(dim.window);
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

SHARDY_KERNEL(SelectAndScatter, make_select_and_scatter)

}  // namespace shardy::simulation

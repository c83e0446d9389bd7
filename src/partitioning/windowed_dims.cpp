#include "partitioning/windowed_dims.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "shardy/ir/number.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::ValueId;

CutWindow CutWindow::of_windows(std::size_t dim, AxisList axes, const Window& window) {
  const WindowPlan plan = plan_windows(window, sharding_size(axes));
  return {dim, std::move(axes), plan, window.reads_padding()};
}

CutWindow CutWindow::of_taps(std::size_t dim, AxisList axes, const Window& window) {
  const WindowPlan plan = plan_taps(window, sharding_size(axes));
  return {dim, std::move(axes), plan, true};
}

LocalPadding local_padding(const CutWindow& window) {
  const WindowPlan& plan = window.plan;
  if (plan.form == WindowPlan::Form::Spread) return {};
  return {plan.low, plan.high, plan.base_dilation};
}

namespace {

/// Returns the start of the own windows or positions after those of the largest phase.
ScalarIndex own_offset(Lowering& lowering, const CutWindow& window) {
  Emitter& emit = lowering.emit();
  const WindowPlan& plan = window.plan;
  const ScalarIndex coord = emit.coord(lowering.place(), window.axes);
  const ScalarIndex begin =
      emit.subtract(emit.multiply(coord, plan.step), ScalarIndex::of(plan.origin));
  const ScalarIndex first = emit.floor_div(
      emit.add(emit.multiply(coord, plan.start.a), ScalarIndex::of(plan.start.b)), plan.start.c);
  const ScalarIndex phase = emit.subtract(emit.multiply(first, plan.base_dilation), begin);
  return emit.subtract(ScalarIndex::of(plan.low), phase);
}

/// Adds padding, interior padding and the own offset to the base. Spec: partitioning 7.2, case 3.
ValueId spread(Lowering& lowering, ValueId value, const CutWindow& window, ValueId fill) {
  const WindowPlan& plan = window.plan;
  Emitter& emit = lowering.emit();
  value = emit.pad(value, window.dim, {plan.low, plan.high, plan.base_dilation - 1}, fill);
  return emit.dynamic_slice(value, window.dim, own_offset(lowering, window), plan.extent);
}

}  // namespace

ValueId exchange_windows(Lowering& lowering, std::size_t operand, const PartitionedValue& base,
                         std::span<const CutWindow> windows, ValueId fill) {
  ValueId value = base.value;
  for (const CutWindow& window : windows) {
    const WindowPlan& plan = window.plan;
    Lowering::Halo want{window.dim, plan.start, plan.length, std::nullopt, plan.receivers, operand};
    if (window.reads_outside) want.fill = fill;
    value = lowering.exchange_halo(value, window.axes, base.tiling(window.dim), want);
  }
  for (const CutWindow& window : windows) {
    if (window.plan.form != WindowPlan::Form::Spread) continue;
    value = spread(lowering, value, window, fill);
  }
  return value;
}

ValueId own_windows(Lowering& lowering, ValueId value, std::size_t dim, const CutWindow& window) {
  if (window.plan.form != WindowPlan::Form::Cut) return value;
  return lowering.emit().dynamic_slice(value, dim, own_offset(lowering, window), window.plan.count);
}

bool is_too_large(const Window& window) {
  const auto parts = {window.size,           window.stride,   std::abs(window.low),
                      std::abs(window.high), window.dilation, window.base_dilation};
  if (std::ranges::any_of(parts, [](int64_t part) { return part > kMaxDim; })) return true;
  const auto products = {checked_mul(window.base, window.base_dilation),
                         checked_mul(window.size, window.dilation)};
  return std::ranges::any_of(products, [](const std::optional<int64_t>& product) {
    return !product || *product > kMaxDim;
  });
}

// ---- Attributes ------------------------------------------------------------------------------

Window window_over(int64_t base, const ir::WindowDim& dim) {
  return {.base = base,
          .size = dim.size,
          .stride = dim.stride,
          .low = dim.low,
          .high = dim.high,
          .base_dilation = dim.base_dilation,
          .dilation = dim.window_dilation};
}

std::vector<Window> windows_over(const ir::Type& base, std::span<const ir::WindowDim> dims) {
  std::vector<Window> windows;
  windows.reserve(dims.size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    windows.push_back(window_over(base.dim(dim), dims[dim]));
  }
  return windows;
}

ir::Literal padding_literal(std::span<const LocalPadding> dims) {
  std::vector<int64_t> numbers;
  for (const LocalPadding& dim : dims) numbers.insert(numbers.end(), {dim.low, dim.high});
  const auto rank = static_cast<int64_t>(dims.size());
  return ir::literal_from(ir::Type::tensor({rank, 2}, ir::ElementType::I64), numbers);
}

}  // namespace shardy::partitioning

// Lowers ops with windows: halos of windowed dims, reduce_window, select_and_scatter. Spec:
// partitioning 7.

#include <algorithm>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Windowed dims ------------------------------------------------------------------------------

ShardedWindow ShardedWindow::of_windows(std::size_t dim, AxisList axes, const Window& window) {
  const WindowPlan plan = plan_windows(window, sharding_size(axes));
  return {dim, std::move(axes), plan, window.reads_padding()};
}

ShardedWindow ShardedWindow::of_taps(std::size_t dim, AxisList axes, const Window& window) {
  const WindowPlan plan = plan_taps(window, sharding_size(axes));
  return {dim, std::move(axes), plan, true};
}

LocalPadding local_padding(const ShardedWindow& window) {
  const WindowPlan& plan = window.plan;
  if (plan.form == WindowPlan::WindowForm::Spread) return {};
  return {plan.low, plan.high, plan.base_dilation};
}

namespace {

/// Returns, within the local op, the start of the device's windows (Sliced) or positions (Spread).
/// The start is 0 for the shard with the largest phase.
ScalarIndex own_offset(Lowering& lowering, const ShardedWindow& window) {
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

/// Adds padding and interior padding to the base, then slices the positions that the device's
/// windows read. Spec: partitioning 7.2, case 3.
ValueId spread(Lowering& lowering, ValueId value, const ShardedWindow& window, ValueId fill) {
  const WindowPlan& plan = window.plan;
  Emitter& emit = lowering.emit();
  value = emit.pad(value, window.dim, {plan.low, plan.high, plan.base_dilation - 1}, fill);
  return emit.dynamic_slice(value, window.dim, own_offset(lowering, window), plan.extent);
}

}  // namespace

ValueId exchange_windows(Lowering& lowering, std::size_t operand, const PartitionedValue& base,
                         std::span<const ShardedWindow> windows, ValueId fill) {
  ValueId value = base.value;
  for (const ShardedWindow& window : windows) {
    const WindowPlan& plan = window.plan;
    Lowering::Halo want{window.dim, plan.start, plan.length, std::nullopt, plan.receivers, operand};
    if (window.reads_outside) want.fill = fill;
    value = lowering.exchange_halo(value, window.axes, base.tiling(window.dim), want);
  }
  for (const ShardedWindow& window : windows) {
    if (window.plan.form != WindowPlan::WindowForm::Spread) continue;
    value = spread(lowering, value, window, fill);
  }
  return value;
}

ValueId own_windows(Lowering& lowering, ValueId value, std::size_t dim,
                    const ShardedWindow& window) {
  if (window.plan.form != WindowPlan::WindowForm::Sliced) return value;
  return lowering.emit().dynamic_slice(value, dim, own_offset(lowering, window), window.plan.count);
}

bool is_too_large(const Window& window) {
  const auto parts = {window.size,           window.stride,          std::abs(window.low),
                      std::abs(window.high), window.window_dilation, window.base_dilation};
  if (std::ranges::any_of(parts, [](int64_t part) { return part > kMaxDim; })) return true;
  const auto products = {checked_mul(window.base, window.base_dilation),
                         checked_mul(window.size, window.window_dilation)};
  return std::ranges::any_of(products, [](const std::optional<int64_t>& product) {
    return !product || *product > kMaxDim;
  });
}

// ---- Attributes ------------------------------------------------------------------------------

std::vector<Window> windows_over(const ir::Type& base, std::span<const ir::WindowDim> dims) {
  std::vector<Window> windows;
  windows.reserve(dims.size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    windows.push_back({dims[dim], base.dim(dim)});
  }
  return windows;
}

ir::Literal padding_literal(std::span<const LocalPadding> dims) {
  std::vector<int64_t> numbers;
  for (const LocalPadding& dim : dims) numbers.insert(numbers.end(), {dim.low, dim.high});
  const auto rank = static_cast<int64_t>(dims.size());
  return ir::literal_from(ir::Type::tensor({rank, 2}, ir::ElementType::I64), numbers);
}

// ---- reduce_window ------------------------------------------------------------------------------

// reduce_window: windows of sharded dims exchange halos. In prefix sums, every window starts at one
// end of the dim, and shards exchange their totals instead. Spec: partitioning 7.2, 8.11.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}]
//   %0 = reduce_window(%a, %z) add,       %1, %2 = halos by spmd.permute; %z at the ends
//        window 3, padding 1, 1      ->   %3 = concatenate %1, %a, %2                : 1 + 4 + 1
//                                         %0 = reduce_window(%3, %z) add, window 3   : 4
//
//   %0 = reduce_window(%a, 0) add,        %1 = reduce_window(%a, 0) add, window 4, padding 3, 0
//        window 8, padding 7, 0      ->   %2 = spmd.all_gather %1[3:4] {"x"}, dim 0  : 2
//                                         %0 = %1 + (sum of %2[i], i < spmd.coord {"x"})

namespace {

/// A sharded dim along which every window extends to one end of the dim. Each shard scans its
/// elements.
struct ShardedScan {
  std::size_t dim = 0;
  Scan scan = Scan::FromFirst;
};

struct WindowSharding {
  std::vector<AxisList> axes;  // axes per dim of inputs and results
  std::vector<ShardedWindow> windows;
  std::vector<ShardedScan> scans;
};

// ---- Scans -----------------------------------------------------------------------------------

/// Checks whether combining the initial value several times equals combining it once.
bool may_repeat(const Module& module, ValueId init, OpKind reducer) {
  if (reducer != OpKind::Add && reducer != OpKind::Multiply && reducer != OpKind::Xor) return true;
  const OpId op = module.defining_op(init);
  if (!op.valid() || !(module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant))) {
    return false;
  }
  const auto* held = module.attribute<ir::Literal>(op, ir::attr::kValue);
  if (held == nullptr) return false;
  const Type& type = module.type(init);
  const int64_t neutral = reducer == OpKind::Multiply ? 1 : 0;
  return *held == ir::int_splat_literal(type, neutral) ||
         (reducer == OpKind::Add && *held == reducer_identity(reducer, type.element()));
}

/// Checks whether each input has a reducer of its own element type, and an initial value for which
/// may_repeat holds.
bool can_scan(const Module& module, OpId op) {
  const std::size_t count = module.num_operands(op) / 2;
  const auto reducers = ir::recognized_reducers(module, op, count);
  if (!reducers) return false;
  for (std::size_t index = 0; index < count; ++index) {
    const ElementType element = module.type(module.operand(op, index)).element();
    const bool same = module.type(module.result(op, index)).element() == element;
    const OpKind reducer = (*reducers)[index];
    if (!same || !may_repeat(module, module.operand(op, count + index), reducer)) return false;
  }
  return true;
}

/// Combines the local scan with the totals of the shards before it; for reverse scans, of the
/// shards after it. Spec: partitioning 8.11.
ValueId with_other_shards(Lowering& lowering, ValueId value, const AxisList& axes,
                          const ShardedScan& scan, OpKind reducer) {
  Emitter& emit = lowering.emit();
  const std::vector<int64_t> shape(emit.dims(value).begin(), emit.dims(value).end());
  const bool from_first = scan.scan == Scan::FromFirst;
  const int64_t last = from_first ? shape[scan.dim] - 1 : 0;
  const ir::Literal identity = reducer_identity(reducer, lowering.output().type(value).element());
  ValueId totals = emit.slice(value, scan.dim, last, last + 1);
  totals = emit.all_gather(totals, lowering.place(), axes, scan.dim);
  const std::vector<int64_t> line = {sharding_size(axes)};
  const ValueId own = emit.broadcast(emit.scalar(emit.coord(lowering.place(), axes)), line, {});
  const ValueId counts = emit.compare(emit.iota(line.front()), own, from_first ? "LT" : "GT");
  std::vector<int64_t> dims(emit.dims(totals).begin(), emit.dims(totals).end());
  const std::vector<int64_t> along = {static_cast<int64_t>(scan.dim)};
  const ValueId none = emit.splat(dims, identity);
  totals = emit.select(emit.broadcast(counts, dims, along), totals, none);
  const ValueId carry = emit.reduce(totals, scan.dim, reducer, emit.splat({}, identity));
  std::vector<int64_t> mapped;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (dim != scan.dim) mapped.push_back(static_cast<int64_t>(dim));
  }
  return emit.binary(reducer, emit.broadcast(carry, shape, mapped), value);
}

// ---- Windows ---------------------------------------------------------------------------------

WindowSharding shard_windows(std::vector<AxisList> axes, std::span<const Window> windows,
                             bool scans) {
  WindowSharding sharding;
  for (std::size_t dim = 0; dim < windows.size(); ++dim) {
    if (!is_sharded(axes[dim]) || windows[dim].is_element()) continue;
    const Scan scan = scans ? scan_of(windows[dim]) : Scan::None;
    if (scan != Scan::None) {
      sharding.scans.push_back({dim, scan});
    } else {
      sharding.windows.push_back(ShardedWindow::of_windows(dim, axes[dim], windows[dim]));
    }
  }
  sharding.axes = std::move(axes);
  return sharding;
}

/// Returns the input of the local op, masked and with halos.
ValueId local_base(Lowering& lowering, OpId op, std::size_t index, const WindowSharding& sharding) {
  const Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  PartitionedValue base =
      lowering.reshard_to(op, lowering.local(input.operand(op, index)), sharding.axes);
  for (const ShardedScan& scan : sharding.scans) {
    if (scan.scan != Scan::FromLast) continue;  // in other scans, padding comes after all elements
    const auto reducers = ir::recognized_reducers(input, op, count);
    const ir::Literal identity = reducer_identity((*reducers)[index], base.global.element());
    base = lowering.mask(std::move(base), std::span(&scan.dim, 1), identity);
  }
  const ValueId init = lowering.local(input.operand(op, count + index)).value;
  return exchange_windows(lowering, index, base, sharding.windows, init);
}

/// Sets the attributes that differ between the local and the global op.
void set_attributes(Lowering& lowering, OpId local, std::span<const Window> windows,
                    const WindowSharding& sharding, std::span<const int64_t> tiles) {
  std::vector<LocalPadding> padding;
  std::vector<int64_t> sizes;
  for (const Window& window : windows) {
    padding.push_back({window.low, window.high, window.base_dilation});
    sizes.push_back(window.size);
  }
  for (const ShardedWindow& sharded_window : sharding.windows)
    padding[sharded_window.dim] = local_padding(sharded_window);
  for (const ShardedScan& scan : sharding.scans) {
    const int64_t reach = tiles[scan.dim] - 1;
    sizes[scan.dim] = tiles[scan.dim];
    padding[scan.dim] =
        scan.scan == Scan::FromFirst ? LocalPadding{reach, 0, 1} : LocalPadding{0, reach, 1};
  }
  std::vector<int64_t> dilations;
  dilations.reserve(padding.size());
  for (const LocalPadding& dim : padding) dilations.push_back(dim.base_dilation);
  ir::AttributeMap& attributes = lowering.output().attributes(local);
  attributes.set(ir::attr::kPadding, padding_literal(padding));
  attributes.set(ir::attr::kWindowDimensions, DenseArrayAttr{ElementType::I64, std::move(sizes)});
  attributes.set(ir::attr::kBaseDilations, DenseArrayAttr{ElementType::I64, std::move(dilations)});
}

/// Slices a result of the local op, combines it with other shards, and binds it.
void bind_result(Lowering& lowering, OpId op, std::size_t index, ValueId value,
                 const WindowSharding& sharding) {
  const Module& input = lowering.input();
  for (const ShardedWindow& sharded_window : sharding.windows)
    value = own_windows(lowering, value, sharded_window.dim, sharded_window);
  const auto reducers = ir::recognized_reducers(input, op, input.num_results(op));
  for (const ShardedScan& scan : sharding.scans) {
    value = with_other_shards(lowering, value, sharding.axes[scan.dim], scan, (*reducers)[index]);
  }
  const ValueId result = input.result(op, index);
  PartitionedValue made = lowering.make(value, input.type(result), sharding.axes);
  lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
}

void lower_sharded_windows(Lowering& lowering, OpId op, std::span<const Window> windows,
                           const WindowSharding& sharding) {
  const Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < count; ++index) {
    operands.push_back(local_base(lowering, op, index, sharding));
  }
  for (std::size_t index = 0; index < count; ++index) {
    operands.push_back(lowering.local(input.operand(op, count + index)).value);
  }
  const std::vector<int64_t> tiles =
      lowering.local_dims(input.type(input.result(op)), sharding.axes);
  std::vector<int64_t> dims = tiles;
  for (const ShardedWindow& sharded_window : sharding.windows)
    dims[sharded_window.dim] = sharded_window.plan.local_count();
  std::vector<Type> types;
  for (const ValueId result : input.results(op))
    types.push_back(input.type(result).with_dims(dims));
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  if (!sharding.windows.empty() || !sharding.scans.empty()) {
    set_attributes(lowering, local, windows, sharding, tiles);
  }
  for (std::size_t index = 0; index < count; ++index) {
    bind_result(lowering, op, index, lowering.output().result(local, index), sharding);
  }
}

/// Checks that initial values have the element type of their inputs.
bool inits_fit(const Module& module, OpId op) {
  const std::size_t count = module.num_operands(op) / 2;
  for (std::size_t index = 0; index < count; ++index) {
    const ElementType element = module.type(module.operand(op, index)).element();
    if (module.type(module.operand(op, count + index)).element() != element) return false;
  }
  return true;
}

}  // namespace

/// Lowers reduce_window. Spec: partitioning 8.11.
Status lower_reduce_window(Lowering& lowering, OpId op) {
  const Module& input = lowering.input();
  const std::vector<Window> windows = windows_over(input.type(input.operand(op, 0)),
                                                   ir::view<ir::ReduceWindowOp>(input, op).window);
  if (std::ranges::any_of(windows, is_too_large)) {
    return lowering.error(op, "E_UNSUPPORTED_OP", "windows are too large to be lowered");
  }
  const bool is_empty = input.type(input.result(op)).num_elements() == 0;
  if (is_empty || !inits_fit(input, op)) return lower_replicated(lowering, op);
  lower_sharded_windows(
      lowering, op, windows,
      shard_windows(lowering.axes_of(input.result(op)), windows, can_scan(input, op)));
  return {};
}

// ---- select_and_scatter -------------------------------------------------------------------------

// select_and_scatter: local if no window crosses shards. Otherwise devices exchange halos twice: to
// find the selected elements, then to collect the updates. Spec: partitioning 8.12.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = select_and_scatter %a, %u, %z, window 2 : 8 [{"x"}], 7 [{"x"}] -> 8 [{"x"}]
//   ->
//   %1 = concatenate %a, spmd.permute %a[0:1] {"x"}, shift 1       : 4 elements and the right halo
//   %2 = reduce_window (%1, global positions), select              : selected position per window
//   %3, %4 = left halos of %2 and %u by spmd.permute               : 1 + 4 windows
//   %0 = scatter add (broadcast %z), %3 - spmd.coord {"x"} * 4, %4 : tensor<4xf32>

namespace {

/// Checks whether the windows of each shard contain exactly the elements of the shard.
bool stays_in_tile(const Window& window, int64_t shards) {
  const int64_t windows = ceil_div(window.count(), shards);
  return window.low == 0 && window.size <= window.stride && !window.reads_padding() &&
         ceil_div(window.base, shards) == windows * window.stride &&
         window.count() * window.stride >= window.base;
}

/// Lowers the op on local shards with the axes `axes`. Requires: no window crosses shards.
void lower_local(Lowering& lowering, OpId op, std::span<const Window> windows,
                 const std::vector<AxisList>& axes) {
  const Module& input = lowering.input();
  const ValueId result = input.result(op);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  const PartitionedValue source =
      lowering.reshard_to(op, lowering.local(input.operand(op, 1)), axes);
  const ValueId init = lowering.local(input.operand(op, 2)).value;
  const OpId local = lowering.clone(op, {operand.value, source.value, init},
                                    {lowering.local_type(input.type(result), axes)});
  std::vector<LocalPadding> padding(windows.size());  // windows of sharded dims need no padding
  for (std::size_t dim = 0; dim < windows.size(); ++dim) {
    if (!is_sharded(axes[dim])) padding[dim] = {windows[dim].low, windows[dim].high, 1};
  }
  lowering.output().attributes(local).set(ir::attr::kPadding, padding_literal(padding));
  PartitionedValue made = lowering.make(lowering.output().result(local), input.type(result), axes);
  lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
}

/// The two stages of an op whose windows cross shard boundaries.
class WindowStages {
 public:
  WindowStages(Lowering& lowering, OpId op, std::span<const Window> windows)
      : lowering_(lowering),
        emit_(lowering.emit()),
        op_(op),
        windows_(windows),
        axes_(lowering.axes_of(lowering.input().result(op))) {
    for (std::size_t dim = 0; dim < windows.size(); ++dim) {
      if (!windows[dim].is_element()) windowed_.push_back(dim);
    }
    strides_.assign(windowed_.size(), 1);
    for (std::size_t index = windowed_.size(); index-- > 1;) {
      strides_[index - 1] = strides_[index] * windows[windowed_[index]].base;
    }
  }

  void lower();

 private:
  const Module& input() const { return lowering_.input(); }
  bool is_dim_sharded(std::size_t dim) const { return is_sharded(axes_[dim]); }
  std::vector<int64_t> shape_of(ValueId value) const {
    return {emit_.dims(value).begin(), emit_.dims(value).end()};
  }
  ValueId number(int64_t value, std::span<const int64_t> shape) {
    return emit_.broadcast(emit_.scalar(ScalarIndex::of(value)), shape, {});
  }

  // ---- Stage 1: selected elements ----
  std::vector<ShardedWindow> sharded_windows() const;
  ValueId places(ValueId base, std::span<const ShardedWindow> exchanged);
  ValueId selected(ValueId base, ValueId places);
  ir::RegionId selecting_region(ElementType element);

  // ---- Stage 2: updates of the own shard ----
  ValueId hitting(ValueId value, std::optional<ValueId> fill);
  ValueId updates(ValueId source, ValueId init);
  ValueId own_positions(ValueId selected);
  ValueId scattered(ValueId positions, ValueId updates, ValueId init);

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  std::span<const Window> windows_;
  std::vector<AxisList> axes_;
  std::vector<std::size_t> windowed_;  // dims whose windows have more than one element
  std::vector<int64_t> strides_;       // stride of each windowed dim in the row-major position
};

std::vector<ShardedWindow> WindowStages::sharded_windows() const {
  std::vector<ShardedWindow> exchanged;
  for (const std::size_t dim : windowed_) {
    if (!is_dim_sharded(dim)) continue;
    exchanged.push_back(ShardedWindow::of_windows(dim, axes_[dim], windows_[dim]));
    exchanged.back().reads_outside =
        false;  // padding has position -1, so its value does not matter
  }
  return exchanged;
}

/// Returns the row-major position of each element along the windowed dims; -1 outside of the dims.
ValueId WindowStages::places(ValueId base, std::span<const ShardedWindow> exchanged) {
  const std::vector<int64_t> shape = shape_of(base);
  ValueId place;
  ValueId valid;
  for (std::size_t index = 0; index < windowed_.size(); ++index) {
    const std::size_t dim = windowed_[index];
    const std::vector<int64_t> line = {shape[dim]};
    const std::vector<int64_t> along = {static_cast<int64_t>(dim)};
    ValueId position = emit_.iota(line.front());
    const auto sharded_window = std::ranges::find(exchanged, dim, &ShardedWindow::dim);
    if (sharded_window != exchanged.end()) {
      const ScalarIndex coord = emit_.coord(lowering_.place(), sharded_window->axes);
      const ScalarIndex begin = emit_.subtract(emit_.multiply(coord, sharded_window->plan.step),
                                               ScalarIndex::of(sharded_window->plan.origin));
      position =
          emit_.binary(OpKind::Add, position, emit_.broadcast(emit_.scalar(begin), line, {}));
      ValueId inside = emit_.compare(position, number(0, line), "GE");
      inside = emit_.both(inside, emit_.compare(position, number(windows_[dim].base, line), "LT"));
      valid = emit_.both(valid, emit_.broadcast(inside, shape, along));
    }
    position = emit_.binary(OpKind::Multiply, position, number(strides_[index], line));
    position = emit_.broadcast(position, shape, along);
    place = place.valid() ? emit_.binary(OpKind::Add, place, position) : position;
  }
  return emit_.select(valid, place, number(-1, shape));
}

/// Creates a region that selects one of two (value, position) pairs.
ir::RegionId WindowStages::selecting_region(ElementType element) {
  Module& output = lowering_.output();
  const ir::RegionId region = output.new_region();
  const Type value = Type::tensor({}, element);
  const Type place = Type::tensor({}, ElementType::I64);
  const std::vector<Type> args = {value, place, value, place};
  const ir::BlockId block = output.new_block(region, args);
  const std::vector<ValueId> arg(output.args(block).begin(), output.args(block).end());
  const std::vector<ValueId> compared = {arg[0], arg[2]};
  const ValueId keeps = lowering_.inlined(op_, 0, block, compared).front();
  Emitter inner(output);
  inner.set_block(block);
  const ValueId zero = inner.scalar(ScalarIndex::of(0));
  // True if the other pair is not an element.
  const ValueId is_first = inner.compare(arg[3], zero, "LT");
  const ValueId is_element = inner.compare(arg[1], zero, "GE");
  const ValueId first =
      inner.binary(OpKind::Or, is_first, inner.binary(OpKind::And, is_element, keeps));
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = {inner.select(first, arg[0], arg[2]), inner.select(first, arg[1], arg[3])};
  inner.builder().create(std::move(terminator));
  return region;
}

/// Returns the position that each local window selects; -1 for windows without elements.
ValueId WindowStages::selected(ValueId base, ValueId places) {
  const std::size_t rank = windows_.size();
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int64_t> counts;
  std::vector<LocalPadding> padding(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const Window& window = windows_[dim];
    sizes.push_back(window.size);
    strides.push_back(window.stride);
    if (!is_dim_sharded(dim)) padding[dim] = {window.low, window.high, 1};
    counts.push_back(is_dim_sharded(dim) ? ceil_div(window.count(), sharding_size(axes_[dim]))
                                         : window.count());
  }
  const Type type = lowering_.output().type(base);
  const Type scalar = Type::tensor({}, type.element());
  ir::OpSpec spec{.kind = OpKind::ReduceWindow};
  spec.operands = {base, places, emit_.splat({}, ir::int_splat_literal(scalar, 0)),
                   emit_.scalar(ScalarIndex::of(-1))};
  spec.result_types = {type.with_dims(counts), Type::tensor(counts, ElementType::I64)};
  spec.attributes.set(ir::attr::kPadding, padding_literal(padding));
  spec.attributes.set(ir::attr::kWindowDimensions,
                      DenseArrayAttr{ElementType::I64, std::move(sizes)});
  spec.attributes.set(ir::attr::kWindowStrides,
                      DenseArrayAttr{ElementType::I64, std::move(strides)});
  spec.regions = {selecting_region(type.element())};
  return lowering_.output().result(emit_.builder().create(std::move(spec)), 1);
}

/// Returns the windows that may overlap the local shard. `value` is sharded like the windows.
ValueId WindowStages::hitting(ValueId value, std::optional<ValueId> fill) {
  for (const std::size_t dim : windowed_) {
    if (!is_dim_sharded(dim)) continue;
    const Window& window = windows_[dim];
    const int64_t shards = sharding_size(axes_[dim]);
    const int64_t tile = ceil_div(window.base, shards);
    const QuasiAffine first{tile, window.low - window.size + window.stride, window.stride};
    const QuasiAffine limit{tile, tile + window.low + window.stride - 1, window.stride};
    int64_t length = 1;
    for (int64_t shard = 0; shard < std::min(shards, window.stride); ++shard) {
      length = std::max(length, limit(shard) - first(shard));
    }
    value = lowering_.exchange_halo(value, axes_[dim], Tiling::of(window.count(), shards),
                                    {dim, first, length, fill, ceil_div(window.base, tile), 1});
  }
  return value;
}

/// Returns the updates of the selected elements, combined with the initial value.
ValueId WindowStages::updates(ValueId source, ValueId init) {
  Module& output = lowering_.output();
  const Type type = output.type(source);
  const std::vector<int64_t> shape = shape_of(source);
  ir::OpSpec spec{.kind = OpKind::Map};
  spec.operands = {emit_.broadcast(init, shape, {}), source};
  spec.result_types = {type};
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < type.rank(); ++dim) dims.push_back(dim);
  spec.attributes.set(ir::attr::kDimensions, DenseArrayAttr{ElementType::I64, std::move(dims)});
  const ir::RegionId region = output.new_region();
  const std::vector<Type> args(2, Type::tensor({}, type.element()));
  const ir::BlockId block = output.new_block(region, args);
  const std::vector<ValueId> combined(output.args(block).begin(), output.args(block).end());
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = lowering_.inlined(op_, 1, block, combined);
  ir::Builder(output, block).create(std::move(terminator));
  spec.regions = {region};
  return output.result(emit_.builder().create(std::move(spec)));
}

/// Returns the selected positions as index vectors relative to the local shard.
ValueId WindowStages::own_positions(ValueId selected) {
  const std::vector<int64_t> shape = shape_of(selected);
  std::vector<int64_t> column = shape;
  column.push_back(1);
  const ValueId is_none = emit_.compare(selected, number(0, shape), "LT");
  std::vector<ValueId> positions;
  for (std::size_t index = 0; index < windowed_.size(); ++index) {
    const std::size_t dim = windowed_[index];
    ValueId position = emit_.binary(OpKind::Divide, selected, number(strides_[index], shape));
    position = emit_.binary(OpKind::Remainder, position, number(windows_[dim].base, shape));
    const int64_t tile = ceil_div(windows_[dim].base, sharding_size(axes_[dim]));
    const ScalarIndex begin = emit_.multiply(emit_.coord(lowering_.place(), axes_[dim]), tile);
    position =
        emit_.binary(OpKind::Subtract, position, emit_.broadcast(emit_.scalar(begin), shape, {}));
    if (index == 0) position = emit_.select(is_none, number(-1, shape), position);
    positions.push_back(emit_.reshape(position, column));
  }
  return emit_.concatenate(std::move(positions), shape.size());
}

/// Scatters the updates; drops positions outside the local shard.
ValueId WindowStages::scattered(ValueId positions, ValueId updates, ValueId init) {
  Module& output = lowering_.output();
  const Type global = input().type(input().result(op_));
  const std::vector<int64_t> dims = lowering_.local_dims(global, axes_);
  ir::ScatterDims numbers;
  for (std::size_t dim = 0; dim < windows_.size(); ++dim) {
    const auto each = static_cast<int64_t>(dim);
    if (!windows_[dim].is_element()) {
      numbers.inserted_window_dims.push_back(each);
      numbers.scatter_dims_to_operand_dims.push_back(each);
    } else {
      numbers.input_batching_dims.push_back(each);
      numbers.scatter_indices_batching_dims.push_back(each);
    }
  }
  numbers.index_vector_dim = static_cast<int64_t>(windows_.size());
  const ir::RegionId region = output.new_region();
  const std::vector<Type> args(2, Type::tensor({}, global.element()));
  const ir::BlockId block = output.new_block(region, args);
  const std::vector<ValueId> combined = {output.args(block)[1], output.args(block)[0]};
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = lowering_.inlined(op_, 1, block, combined);
  ir::Builder(output, block).create(std::move(terminator));
  ir::OpSpec spec{.kind = OpKind::Scatter};
  spec.operands = {emit_.broadcast(init, dims, {}), positions, updates};
  spec.result_types = {global.with_dims(dims)};
  spec.attributes.set(ir::attr::kScatterDimensionNumbers, std::move(numbers));
  spec.regions = {region};
  return output.result(emit_.builder().create(std::move(spec)));
}

void WindowStages::lower() {
  const std::vector<ShardedWindow> exchanged = sharded_windows();
  const PartitionedValue operand =
      lowering_.reshard_to(op_, lowering_.local(input().operand(op_, 0)), axes_);
  const PartitionedValue source =
      lowering_.reshard_to(op_, lowering_.local(input().operand(op_, 1)), axes_);
  const ValueId init = lowering_.local(input().operand(op_, 2)).value;
  const ValueId base = exchange_windows(lowering_, 0, operand, exchanged, ValueId());
  const ValueId chosen = selected(base, places(base, exchanged));
  const ValueId hits = hitting(chosen, emit_.scalar(ScalarIndex::of(-1)));
  const ValueId brought = updates(hitting(source.value, std::nullopt), init);
  lowering_.finish(op_, scattered(own_positions(hits), brought, init));
}

/// Checks whether a region converts element types.
bool converts_elements(const Module& module, OpId op) {
  const auto differs = [&](std::size_t region, std::size_t operand) {
    const ElementType element = module.type(module.operand(op, operand)).element();
    const ir::BlockId block = module.blocks(module.regions(op)[region]).front();
    return std::ranges::any_of(module.args(block),
                               [&](ValueId arg) { return module.type(arg).element() != element; });
  };
  const ElementType element = module.type(module.result(op)).element();
  return differs(0, 0) || differs(1, 1) || differs(1, 2) ||
         module.type(module.operand(op, 1)).element() != element;
}

}  // namespace

/// Lowers select_and_scatter. Spec: partitioning 8.12.
Status lower_select_and_scatter(Lowering& lowering, OpId op) {
  const Module& input = lowering.input();
  const std::vector<Window> windows = windows_over(
      input.type(input.operand(op, 0)), ir::view<ir::SelectAndScatterOp>(input, op).window);
  if (std::ranges::any_of(windows, is_too_large)) {
    return lowering.error(op, "E_UNSUPPORTED_OP", "windows are too large to be lowered");
  }
  std::vector<AxisList> axes = lowering.axes_of(input.result(op));
  bool reaches_out = false;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (!is_sharded(axes[dim]) || windows[dim].is_element()) continue;
    reaches_out = reaches_out || !stays_in_tile(windows[dim], sharding_size(axes[dim]));
  }
  const auto is_empty = [&](ValueId value) { return input.type(value).num_elements() == 0; };
  const bool has_windows = !is_empty(input.result(op)) && !is_empty(input.operand(op, 1));
  if (reaches_out && has_windows && !converts_elements(input, op)) {
    WindowStages(lowering, op, windows).lower();
    return {};
  }
  for (std::size_t dim = 0; reaches_out && dim < axes.size(); ++dim) {
    if (!windows[dim].is_element()) axes[dim].clear();
  }
  lower_local(lowering, op, windows, axes);
  return {};
}

}  // namespace shardy::partitioning

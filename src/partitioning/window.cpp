// reduce_window: windows of sharded dims exchange halos; for prefix sums, in which every window
// starts at one end of the dim, shards exchange their totals. Spec: partitioning 7.2, 8.11.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}]
//   %0 = reduce_window(%a, %z) add,       %1, %2 = halos by spmd.permute; %z at the ends
//        window 3, padding 1, 1      ->   %3 = concatenate %1, %a, %2                : 1 + 4 + 1
//                                         %0 = reduce_window(%3, %z) add, window 3   : 4
//
//   %0 = reduce_window(%a, 0) add,        %1 = reduce_window(%a, 0) add, window 4, padding 3, 0
//        window 8, padding 7, 0      ->   %2 = spmd.all_gather %1[3:4] {"x"}, dim 0  : 2
//                                         %0 = %1 + (sum of %2[i], i < spmd.coord {"x"})
#include <algorithm>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/windowed_dims.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::DenseArrayAttr;
using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// A sharded dim along which every window extends to one end: each shard scans its elements.
struct CutScan {
  std::size_t dim = 0;
  Scan scan = Scan::FromFirst;
};

struct WindowCuts {
  std::vector<AxisList> axes;  // of inputs and results
  std::vector<CutWindow> windows;
  std::vector<CutScan> scans;
};

// ---- Scans -----------------------------------------------------------------------------------

/// Checks whether folding the initial value several times equals folding it once.
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

/// Checks whether each input has a reducer of its own element type and a repeatable initial value.
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

/// Combines the totals of the shards before (after, for reverse scans) with the own scan. Spec:
/// partitioning 8.11.
ValueId with_other_shards(Lowering& lowering, ValueId value, const AxisList& axes,
                          const CutScan& scan, OpKind reducer) {
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

WindowCuts plan_cuts(std::vector<AxisList> axes, std::span<const Window> windows, bool scans) {
  WindowCuts cuts;
  for (std::size_t dim = 0; dim < windows.size(); ++dim) {
    if (!is_sharded(axes[dim]) || windows[dim].is_element()) continue;
    const Scan scan = scans ? scan_of(windows[dim]) : Scan::None;
    if (scan != Scan::None) {
      cuts.scans.push_back({dim, scan});
    } else {
      cuts.windows.push_back(CutWindow::of_windows(dim, axes[dim], windows[dim]));
    }
  }
  cuts.axes = std::move(axes);
  return cuts;
}

/// Returns the input of the local op: masked, with halos.
ValueId local_base(Lowering& lowering, OpId op, std::size_t index, const WindowCuts& cuts) {
  const Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  PartitionedValue base =
      lowering.reshard_to(op, lowering.local(input.operand(op, index)), cuts.axes);
  for (const CutScan& scan : cuts.scans) {
    if (scan.scan != Scan::FromLast) continue;  // otherwise padding follows all elements
    const auto reducers = ir::recognized_reducers(input, op, count);
    const ir::Literal identity = reducer_identity((*reducers)[index], base.global.element());
    base = lowering.mask(std::move(base), std::span(&scan.dim, 1), identity);
  }
  const ValueId init = lowering.local(input.operand(op, count + index)).value;
  return exchange_windows(lowering, index, base, cuts.windows, init);
}

/// Sets the attributes in which the local op differs from the global one.
void set_attributes(Lowering& lowering, OpId local, std::span<const Window> windows,
                    const WindowCuts& cuts, std::span<const int64_t> tiles) {
  std::vector<LocalPadding> padding;
  std::vector<int64_t> sizes;
  for (const Window& window : windows) {
    padding.push_back({window.low, window.high, window.base_dilation});
    sizes.push_back(window.size);
  }
  for (const CutWindow& cut : cuts.windows) padding[cut.dim] = local_padding(cut);
  for (const CutScan& scan : cuts.scans) {
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

/// Slices and combines a result of the local op and binds it.
void bind_result(Lowering& lowering, OpId op, std::size_t index, ValueId value,
                 const WindowCuts& cuts) {
  const Module& input = lowering.input();
  for (const CutWindow& cut : cuts.windows) value = own_windows(lowering, value, cut.dim, cut);
  const auto reducers = ir::recognized_reducers(input, op, input.num_results(op));
  for (const CutScan& scan : cuts.scans) {
    value = with_other_shards(lowering, value, cuts.axes[scan.dim], scan, (*reducers)[index]);
  }
  const ValueId result = input.result(op, index);
  PartitionedValue made = lowering.make(value, input.type(result), cuts.axes);
  lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
}

void lower_cut(Lowering& lowering, OpId op, std::span<const Window> windows,
               const WindowCuts& cuts) {
  const Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < count; ++index) {
    operands.push_back(local_base(lowering, op, index, cuts));
  }
  for (std::size_t index = 0; index < count; ++index) {
    operands.push_back(lowering.local(input.operand(op, count + index)).value);
  }
  const std::vector<int64_t> tiles = lowering.local_dims(input.type(input.result(op)), cuts.axes);
  std::vector<int64_t> dims = tiles;
  for (const CutWindow& cut : cuts.windows) dims[cut.dim] = cut.plan.local_count();
  std::vector<Type> types;
  for (const ValueId result : input.results(op))
    types.push_back(input.type(result).with_dims(dims));
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  if (!cuts.windows.empty() || !cuts.scans.empty()) {
    set_attributes(lowering, local, windows, cuts, tiles);
  }
  for (std::size_t index = 0; index < count; ++index) {
    bind_result(lowering, op, index, lowering.output().result(local, index), cuts);
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

/// Spec: partitioning 8.11.
Status lower_reduce_window(Lowering& lowering, OpId op) {
  const Module& input = lowering.input();
  const std::vector<Window> windows = windows_over(input.type(input.operand(op, 0)),
                                                   ir::view<ir::ReduceWindowOp>(input, op).window);
  if (std::ranges::any_of(windows, is_too_large)) {
    return lowering.error(op, "E_UNSUPPORTED_OP", "windows are too large to be lowered");
  }
  const bool is_empty = input.type(input.result(op)).num_elements() == 0;
  if (is_empty || !inits_fit(input, op)) return lower_replicated(lowering, op);
  lower_cut(lowering, op, windows,
            plan_cuts(lowering.axes_of(input.result(op)), windows, can_scan(input, op)));
  return {};
}

}  // namespace shardy::partitioning

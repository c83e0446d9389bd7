// Loops and branches keep their regions with local types; computations are inlined.
// Spec: partitioning 9.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = sdy.manual_computation(%a [{"x"}]) manual_axes={"x"} (%b: tensor<4xf32>) {
//     %1 = negate %b                          ->   %1 = negate %a : tensor<4xf32>
//     sdy.return %1
//   }
//   %2 = while(%i = %c, %v = %0)              ->   %2 = while(%i = %c, %v = %1)
//     : tensor<8xf32> [{"x"}]                        : tensor<4xf32>
#include "partitioning/control_flow.hpp"

#include <string_view>
#include <utility>

#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

void ControlFlow::start(BlockId source, BlockId target) {
  frames_.clear();
  made_blocks_.clear();
  push(source, target);
}

void ControlFlow::push(BlockId source, BlockId target) {
  frames_.push_back({lowering_.input().first_op(source), target});
}

OpId ControlFlow::next() {
  while (!frames_.empty() && !frames_.back().next.valid()) frames_.pop_back();
  if (frames_.empty()) return {};
  BlockFrame& frame = frames_.back();
  const OpId op = frame.next;
  frame.next = lowering_.input().next(op);
  lowering_.emit().set_block(frame.target);
  return op;
}

bool ControlFlow::owns_walked_regions(OpKind kind) { return ir::has_trait(kind, ir::kControlFlow); }

Status ControlFlow::enter(OpId op) {
  const ir::Module& input = lowering_.input();
  for (const ir::RegionId region : input.regions(op)) {
    const bool is_walkable =
        input.blocks(region).size() == 1 && ir::return_op(input, input.blocks(region).front());
    if (is_walkable) continue;
    return lowering_.error(op, "E_UNSUPPORTED_OP", "a region without one block that returns");
  }
  if (ir::is_computation(input, op)) {
    // The results keep these placeholders if the terminator cannot be lowered.
    for (const ValueId result : input.results(op)) {
      lowering_.bind(result,
                     lowering_.make(ValueId(), input.type(result), lowering_.axes_of(result)));
    }
  }
  switch (input.kind(op)) {
    case OpKind::SdyNamedComputation:
      enter_named(op);
      break;
    case OpKind::SdyManualComputation:
      enter_manual(op);
      break;
    case OpKind::While:
      enter_regions(op, input.num_results(op));
      break;
    default:  // the operand of a branch is its predicate
      enter_regions(op, 0);
  }
  return {};
}

// ---- Loops and branches -------------------------------------------------------------------------

/// Checks for a case that an earlier pass made from an `if`; the lowering turns it back into an
/// `if`.
bool ControlFlow::was_if(OpId op) const {
  const ir::Module& input = lowering_.input();
  if (!input.attributes(op).contains(passes::kFromIfAttr) || input.num_operands(op) != 1) {
    return false;
  }
  const OpId select = input.defining_op(input.operand(op, 0));
  return select.valid() && input.is(select, OpKind::Select);
}

OpId ControlFlow::made_if(OpId op, std::vector<Type> types, std::vector<ir::RegionId> regions) {
  const ir::Module& input = lowering_.input();
  PartitionedValue predicate =
      lowering_.local(input.operand(input.defining_op(input.operand(op, 0)), 0));
  const Layout layout = whole(predicate);
  ir::OpSpec spec{.kind = OpKind::If};
  spec.operands = {lowering_.reshard_to_layout(op, std::move(predicate), layout).value};
  spec.result_types = std::move(types);
  spec.attributes = local_attributes(input.attributes(op));
  spec.regions = std::move(regions);
  return lowering_.emit().builder().create(std::move(spec));
}

/// Gives loop-carried values the layout of the op's results in every region. Their padding is
/// unknown, because each iteration may write other values into it.
void ControlFlow::enter_regions(OpId op, std::size_t num_carried) {
  const ir::Module& input = lowering_.input();
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    PartitionedValue value = lowering_.local(input.operand(op, index));
    const Layout layout =
        index < num_carried ? lowering_.layout_of(input.result(op, index)) : whole(value);
    operands.push_back(lowering_.reshard_to_layout(op, std::move(value), layout).value);
  }
  std::vector<Type> types;
  for (const ValueId result : input.results(op)) {
    types.push_back(lowering_.local_type(input.type(result), lowering_.axes_of(result)));
  }
  ir::Module& output = lowering_.output();
  std::vector<ir::RegionId> regions;
  for (std::size_t index = 0; index < input.regions(op).size(); ++index) {
    regions.push_back(output.new_region());
  }
  const OpId made = was_if(op) ? made_if(op, types, regions)
                               : lowering_.clone(op, std::move(operands), types, regions);
  for (std::size_t index = 0; index < types.size(); ++index) {
    const ValueId result = input.result(op, index);
    lowering_.bind(result, lowering_.make(output.result(made, index), input.type(result),
                                          lowering_.layout_of(result)));
  }
  for (std::size_t region = regions.size();
       region-- > 0;) {  // reversed, so that the first region is visited first
    const BlockId source = input.block(op, region);
    const BlockId target = output.new_block(regions[region]);
    for (std::size_t index = 0; index < input.args(source).size(); ++index) {
      const ValueId arg = input.args(source)[index];
      Layout layout = lowering_.layout_of(arg);
      const ValueId local =
          output.add_argument(target, lowering_.local_type(input.type(arg), layout.axes));
      lowering_.bind(arg, lowering_.make(local, input.type(arg), std::move(layout)));
    }
    made_blocks_.push_back(target);
    push(source, target);
  }
}

// ---- Inlined computations -----------------------------------------------------------------------

void ControlFlow::enter_named(OpId op) {
  const ir::Module& input = lowering_.input();
  const BlockId body = input.block(op);
  for (std::size_t index = 0; index < input.args(body).size(); ++index) {
    const ValueId arg = input.args(body)[index];
    PartitionedValue value = lowering_.local(input.operand(op, index));
    lowering_.bind(arg,
                   lowering_.reshard_to_layout(op, std::move(value), lowering_.layout_of(arg)));
  }
  push(body, frames_.back().target);
}

Layout ControlFlow::outer_layout(OpId op, const Type& type, bool is_input,
                                 std::size_t index) const {
  const std::string_view name = is_input ? ir::attr::kInShardings : ir::attr::kOutShardings;
  Layout layout = lowering_.layout_under(
      type, ir::detail::get_in_list(lowering_.input().attributes(op), name, index));
  layout.place = lowering_.place_in_manual(op);
  return layout;
}

Layout ControlFlow::whole(const PartitionedValue& value) const {
  return {lowering_.place_ref(), std::vector<AxisList>(value.axes.size()), {}, OpKind::Add};
}

namespace {

/// Returns for each dim the manual axes that begin its axis list.
std::vector<AxisList> manual_fronts(const ir::Module& input, OpId op, std::string_view name,
                                    std::size_t index, std::span<const AxisList> axes) {
  const auto sharding = ir::detail::get_in_list(input.attributes(op), name, index);
  std::vector<AxisList> fronts;
  for (const AxisList& list : axes) {
    const std::size_t count =
        sharding ? ir::first_free(sharding->mesh(), list, ir::detail::manual_axes_of(input, op))
                 : 0;
    fronts.emplace_back(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return fronts;
}

/// Drops free axes of a dim that they do not divide. In the body, only free axes shard a dim of
/// `local` elements, and a device must have equal elements of this dim and of the global dim.
void drop_uneven(const Type& local, std::span<const AxisList> fronts, std::vector<AxisList>& axes) {
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const int64_t free = sharding_size(axes[dim]) / sharding_size(fronts[dim]);
    if (!fronts[dim].empty() && local.dim(dim) % free != 0) axes[dim] = fronts[dim];
  }
}

/// Returns the axis lists without their leading manual axes.
std::vector<AxisList> without_fronts(std::span<const AxisList> axes,
                                     std::span<const AxisList> fronts) {
  std::vector<AxisList> rest;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    rest.emplace_back(axes[dim].begin() + static_cast<std::ptrdiff_t>(fronts[dim].size()),
                      axes[dim].end());
  }
  return rest;
}

/// Returns the partial result over the free axes. Over manual axes, the body works on the partial
/// values themselves.
std::optional<PartialResult> free_partial(const ir::Module& input, OpId op, const Layout& outer) {
  PartialResult partial{{}, outer.reducer, ValueId()};
  const ir::AxisNames manual = ir::detail::manual_axes_of(input, op);
  for (const AxisRef& axis : outer.unreduced) {
    if (!ir::is_manual(outer.place->mesh, axis, manual)) partial.axes.push_back(axis);
  }
  if (sharding_size(partial.axes) == 1) return std::nullopt;
  return partial;
}

}  // namespace

PartitionedValue ControlFlow::into_manual(OpId op, std::size_t index) {
  const ir::Module& input = lowering_.input();
  const ValueId arg = input.args(input.block(op))[index];
  const Type& type = input.type(arg);
  PartitionedValue value = lowering_.local(input.operand(op, index));
  if (!type.is_tensor()) return value;
  Layout outer = outer_layout(op, value.global, true, index);
  const std::vector<AxisList> fronts =
      manual_fronts(input, op, ir::attr::kInShardings, index, outer.axes);
  drop_uneven(type, fronts, outer.axes);
  value = lowering_.reshard_to_layout(op, std::move(value), outer);
  PartitionedValue inner = lowering_.make(value.value, type, without_fronts(outer.axes, fronts));
  inner.place = outer.place;
  inner.partial = free_partial(input, op, outer);
  Layout wanted = lowering_.layout_of(arg);
  wanted.place = outer.place;
  return lowering_.reshard_to_layout(op, std::move(inner), wanted);
}

void ControlFlow::enter_manual(OpId op) {
  const ir::Module& input = lowering_.input();
  const BlockId body = input.block(op);
  for (std::size_t index = 0; index < input.args(body).size(); ++index) {
    lowering_.bind(input.args(body)[index], into_manual(op, index));
  }
  push(body, frames_.back().target);
}

PartitionedValue ControlFlow::out_of_manual(OpId op, OpId terminator, std::size_t index) {
  const ir::Module& input = lowering_.input();
  const Type& type = input.type(input.result(op, index));
  PartitionedValue inner = lowering_.local(input.operand(terminator, index));
  if (!type.is_tensor()) return inner;
  const Layout wanted = outer_layout(op, type, false, index);
  const std::vector<AxisList> fronts =
      manual_fronts(input, op, ir::attr::kOutShardings, index, wanted.axes);
  Layout even = wanted;
  drop_uneven(inner.global, fronts, even.axes);
  const std::optional<PartialResult> partial = free_partial(input, op, wanted);
  inner = lowering_.reshard_to_layout(op, std::move(inner),
                                      {wanted.place, without_fronts(even.axes, fronts),
                                       partial ? partial->axes : AxisList(), wanted.reducer});
  PartitionedValue outer = lowering_.make(inner.value, type, std::move(even));
  return lowering_.reshard_to_layout(op, std::move(outer), wanted);
}

// ---- Terminators --------------------------------------------------------------------------------

Status ControlFlow::leave(OpId terminator) {
  const ir::Module& input = lowering_.input();
  const OpId op = input.parent_op(terminator);
  const bool is_condition =
      input.is(op, OpKind::While) && input.parent_block(terminator) == input.block(op, 0);
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input.num_operands(terminator); ++index) {
    if (input.is(op, OpKind::SdyManualComputation)) {
      lowering_.bind(input.result(op, index), out_of_manual(op, terminator, index));
      continue;
    }
    PartitionedValue value = lowering_.local(input.operand(terminator, index));
    const Layout layout =
        is_condition ? whole(value) : lowering_.layout_of(input.result(op, index));
    value = lowering_.reshard_to_layout(terminator, std::move(value), layout);
    if (input.is(op, OpKind::SdyNamedComputation)) {
      lowering_.bind(input.result(op, index), std::move(value));
    } else {
      operands.push_back(value.value);
    }
  }
  if (!ir::is_computation(input, op)) lowering_.clone(terminator, std::move(operands), {});
  return {};
}

}  // namespace shardy::partitioning

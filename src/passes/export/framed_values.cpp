// A value that is made of slices and written into a larger value gets the shape of the larger one,
// its frame: each device then computes the elements that it holds there. Spec: resharding A.10.4.
//
//   %0 = slice %x [0:62]                            %0 = pad %x, low = [1], high = [-1]    : 64
//   %1 = slice %x [2:64]                       ->   %1 = pad %x, low = [-1], high = [1]    : 64
//   %2 = add %0, %1                       : 62      %2 = add %0, %1                        : 64
//   %3 = dynamic_update_slice %x, %2, 1   : 64      %3 = select (1 <= iota < 63), %2, %x   : 64
//
// 62 elements have other shard boundaries than 64: rows would move to %2 and back to %3.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "passes/export/collective_rules.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/resharding/detail/quasi_affine.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

using Dims = std::vector<int64_t>;

Dims dims_of(const Module& module, ValueId value) {
  const auto dims = module.type(value).dims();
  return {dims.begin(), dims.end()};
}

/// The axes of the dims, if the value is sharded over devices and has no partial elements.
std::optional<AxisLists> axes_of(const Module& module, ValueId value) {
  const auto sharding = ir::get_sharding(module, value);
  const bool fits = sharding && !sharding->mesh().is_maximal() &&
                    sharding->unreduced_axes().empty() && module.type(value).is_static_tensor();
  return fits ? std::optional(dim_axes(*sharding)) : std::nullopt;
}

/// A value written into a larger one, the result of a pad, a dynamic_update_slice or a concatenate.
struct FramedValue {
  OpId root;
  uint32_t operand = 0;  // of the root: the value
  Dims begin;            // of the value in the result of the root
  Dims size;             // of the value
  Dims frame;            // size of the result along framed dims, of the value along others
  std::vector<std::size_t> framed;  // sharded dims whose sizes differ
  AxisLists axes;

  bool is_framed(std::size_t dim) const { return std::ranges::count(framed, dim) > 0; }
};

/// Returns where a pad or an update writes a value along the dim; std::nullopt if that is not
/// known.
std::optional<int64_t> begin_of(const Module& module, OpId root, std::size_t dim, int64_t most) {
  if (module.is(root, OpKind::Pad)) {
    const ir::PadOp pad = *ir::PadOp::of(module, root);
    const bool fits = pad.low[dim] >= 0 && pad.high[dim] >= 0 && pad.interior[dim] == 0;
    return fits ? std::optional(pad.low[dim]) : std::nullopt;
  }
  const auto start = rules::constant_start(module, module.operand(root, 2 + dim));
  if (!start && most > 0) return std::nullopt;
  return std::clamp<int64_t>(start.value_or(0), 0, most);
}

/// Returns the operand of the root with its frame, the shape of the result; `begin` is the start of
/// the operand in the result. std::nullopt if no sharded dim has another size in the result.
std::optional<FramedValue> framed_value(const Module& module, OpId root, uint32_t operand,
                                        const Dims& begin) {
  const ValueId part = module.operand(root, operand);
  const auto axes = axes_of(module, module.result(root));
  if (!axes || axes != axes_of(module, part)) return std::nullopt;
  const Dims size = dims_of(module, part);
  FramedValue value{root, operand, begin, size, size, {}, *axes};
  const Dims whole = dims_of(module, module.result(root));
  for (std::size_t dim = 0; dim < whole.size(); ++dim) {
    if (size[dim] == 0) return std::nullopt;
    if (size[dim] == whole[dim] || sharding_size(value.axes[dim]) == 1) continue;
    value.framed.push_back(dim);
    value.frame[dim] = whole[dim];
  }
  return value.framed.empty() ? std::nullopt : std::optional(std::move(value));
}

/// Returns the value that a pad or an update writes; empty if its place is not known.
std::vector<FramedValue> written_value(const Module& module, OpId root) {
  const uint32_t operand = module.is(root, OpKind::Pad) ? 0 : 1;
  const Type& whole = module.type(module.result(root));
  const Type& part = module.type(module.operand(root, operand));
  if (!whole.is_static_tensor() || !part.is_static_tensor()) return {};
  Dims begin;
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    const auto first = begin_of(module, root, dim, whole.dim(dim) - part.dim(dim));
    if (!first) return {};
    begin.push_back(*first);
  }
  auto value = framed_value(module, root, operand, begin);
  return value ? std::vector{*std::move(value)} : std::vector<FramedValue>();
}

/// Returns the operands of a concatenation along a sharded dim; empty for other concatenations.
std::vector<FramedValue> joined_values(const Module& module, OpId root) {
  constexpr std::size_t kMost = 8;  // operands: each one is computed on all devices
  const auto dim = static_cast<std::size_t>(ir::view<ir::ConcatenateOp>(module, root).dim);
  if (module.num_operands(root) > kMost) return {};
  const auto is_static = [&](ValueId value) { return module.type(value).is_static_tensor(); };
  if (!is_static(module.result(root))) return {};
  if (!std::ranges::all_of(module.operands(root), is_static)) return {};
  std::vector<FramedValue> values;
  Dims begin(module.type(module.result(root)).dims().size(), 0);
  for (uint32_t operand = 0; operand < module.num_operands(root); ++operand) {
    auto value = framed_value(module, root, operand, begin);
    if (!value || value->framed.front() != dim) return {};
    begin[dim] += value->size[dim];
    values.push_back(*std::move(value));
  }
  return values;
}

std::vector<FramedValue> framed_values(const Module& module, OpId root) {
  switch (module.kind(root)) {
    case OpKind::Pad:
    case OpKind::DynamicUpdateSlice:
      return written_value(module, root);
    case OpKind::Concatenate:
      return joined_values(module, root);
    default:
      return {};
  }
}

/// The ops that are computed in the frame, in program order, and the values that they read.
struct FramedOps {
  std::vector<OpId> ops;
  std::vector<ValueId> leaves;
};

bool is_scalar(const Module& module, ValueId value) { return module.type(value).rank() == 0; }

/// Checks whether the op can be computed in the frame: it is elementwise, or all its elements are
/// equal.
bool has_frame(const Module& module, OpId op) {
  if (module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant)) {
    const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
    return literal != nullptr && literal->is_splat();
  }
  if (module.is(op, OpKind::BroadcastInDim)) return is_scalar(module, module.operand(op, 0));
  return is_plain_elementwise(module, op);
}

/// Follows the value to the ops before it, until ops with other users or without a frame.
std::optional<FramedOps> ops_of(const Module& module, const FramedValue& value) {
  constexpr int kMostOps = 1024;  // before the root: a chain of far ops is not worth the search
  FramedOps found;
  std::set<ValueId> open = {module.operand(value.root, value.operand)};
  std::set<OpId> inside = {value.root};
  int searched = 0;
  OpId op = module.prev(value.root);
  for (; op.valid() && !open.empty() && searched < kMostOps; op = module.prev(op), ++searched) {
    if (module.num_results(op) != 1 || open.erase(module.result(op)) == 0) continue;
    const ValueId result = module.result(op);
    const bool is_constant = module.num_operands(op) == 0;
    const auto is_own = [&](const ir::Use& use) {
      return inside.contains(use.op) && (use.op != value.root || use.operand == value.operand);
    };
    const bool fits = has_frame(module, op) && dims_of(module, result) == value.size &&
                      (is_constant || (axes_of(module, result) == value.axes &&
                                       std::ranges::all_of(module.uses(result), is_own)));
    if (!fits) {
      found.leaves.push_back(result);
      continue;
    }
    inside.insert(op);
    found.ops.push_back(op);
    for (const ValueId operand : module.operands(op)) {
      if (!is_scalar(module, operand)) open.insert(operand);
    }
  }
  found.leaves.insert(found.leaves.end(), open.begin(), open.end());
  const bool is_alike = std::ranges::all_of(found.leaves, [&](ValueId leaf) {
    return axes_of(module, leaf) == value.axes && dims_of(module, leaf) == value.size;
  });
  std::ranges::reverse(found.ops);
  return is_alike ? std::optional(std::move(found)) : std::nullopt;
}

/// A leaf as a pad of its source: element 0 of the source is element `low` of the leaf.
struct PaddedLeaf {
  ValueId source;
  Dims low;
  ValueId fill = {};  // of a pad; invalid: elements outside of the source are not read
};

/// Checks whether a pad has no interior padding, and its source reaches into or touches its result.
/// Other paddings may be so large that their sums overflow.
bool has_near_source(const Module& module, const ir::PadOp& pad, ValueId source, ValueId result) {
  for (std::size_t dim = 0; dim < pad.low.size(); ++dim) {
    const bool is_near = pad.low[dim] >= -module.type(source).dim(dim) &&
                         pad.low[dim] <= module.type(result).dim(dim);
    if (!is_near || pad.interior[dim] != 0) return false;
  }
  return true;
}

PaddedLeaf padded_leaf(const Module& module, const FramedValue& value, ValueId leaf) {
  const OpId op = module.defining_op(leaf);
  if (op.valid() && module.is(op, OpKind::Slice)) {
    const auto slice = ir::SliceOp::of(module, op);
    const ValueId source = module.operand(op, 0);
    const bool fits =
        slice && std::ranges::all_of(slice->strides, [](int64_t by) { return by == 1; });
    if (fits && axes_of(module, source) == value.axes) {
      PaddedLeaf padded{source, {}};
      for (const int64_t start : slice->starts) padded.low.push_back(-start);
      return padded;
    }
  }
  if (op.valid() && module.is(op, OpKind::Pad)) {
    const auto pad = ir::PadOp::of(module, op);
    const ValueId source = module.operand(op, 0);
    const bool fits = pad && has_near_source(module, *pad, source, leaf);
    if (fits && axes_of(module, source) == value.axes) {
      return {source, {pad->low.begin(), pad->low.end()}, module.operand(op, 1)};
    }
  }
  return {leaf, Dims(value.size.size(), 0)};
}

// ---- Costs --------------------------------------------------------------------------------------

/// Elements that shards receive from lower and from higher shards, along one dim.
struct HaloSizes {
  int64_t low = 0;
  int64_t high = 0;

  void add(const std::optional<WindowExtent>& extent, int64_t tile) {
    if (!extent) return;
    low = std::max(low, -extent->low);
    high = std::max(high, extent->high - tile);
  }
  /// Elements that the busiest of the shards sends.
  int64_t sent(int64_t shards) const { return shards == 2 ? std::max(low, high) : low + high; }
};

/// Halos of values under one tiling of the framed ops.
class TiledHalos {
 public:
  TiledHalos(const Module& module, const AxisLists& axes) : module_(module), axes_(axes) {}

  /// Adds the windows [tile * p - low, + tile) of the shards p, clipped to the value.
  void add(ValueId from, std::size_t dim, int64_t low, int64_t size) {
    const int64_t shards = sharding_size(axes_[dim]);
    const Tiling have = Tiling::of(module_.type(from).dim(dim), shards);
    const int64_t tile = ceil_div(size, shards);
    halos_[from][dim].add(window_extent({tile, -low, 1}, tile, have, ceil_div(size, tile)),
                          have.tile);
  }

  int64_t bytes() const {
    int64_t sum = 0;
    for (const auto& [value, dims] : halos_) {
      for (const auto& [dim, received] : dims) {
        sum += received.sent(sharding_size(axes_[dim])) * line_bytes(value, dim);
      }
    }
    return sum;
  }

 private:
  /// Bytes of the elements of a shard with one coordinate along the dim.
  int64_t line_bytes(ValueId value, std::size_t dim) const {
    const Type& type = module_.type(value);
    auto bytes = static_cast<int64_t>(ir::size_bytes(type.element()));
    for (std::size_t each = 0; each < axes_.size(); ++each) {
      if (each != dim) bytes *= ceil_div(type.dim(each), sharding_size(axes_[each]));
    }
    return bytes;
  }

  const Module& module_;
  const AxisLists& axes_;
  std::map<ValueId, std::map<std::size_t, HaloSizes>> halos_;
};

/// Adds the elements that devices send for the value, without and with its frame.
void add_costs(const Module& module, const FramedValue& value, const FramedOps& found,
               TiledHalos& before, TiledHalos& after) {
  const ValueId part = module.operand(value.root, value.operand);
  for (const std::size_t dim : value.framed) {
    if (!found.ops.empty() || !module.is(value.root, OpKind::Concatenate)) {
      before.add(part, dim, value.begin[dim], value.frame[dim]);
    }
    for (const ValueId leaf : found.leaves) {
      const PaddedLeaf padded = padded_leaf(module, value, leaf);
      const int64_t low = padded.low[dim] + value.begin[dim];
      after.add(padded.source, dim, low, value.frame[dim]);
      if (found.ops.empty() && module.is(value.root, OpKind::Concatenate)) {
        before.add(padded.source, dim, low, value.frame[dim]);  // partitioning 8.13
      } else if (padded.source != leaf) {
        before.add(padded.source, dim, padded.low[dim], value.size[dim]);
      }
    }
  }
}

/// Checks whether devices send less for all values that the root joins.
bool sends_less(const Module& module, std::span<const FramedValue> values,
                std::span<const FramedOps> found) {
  TiledHalos before(module, values.front().axes);
  TiledHalos after(module, values.front().axes);
  for (std::size_t index = 0; index < values.size(); ++index) {
    add_costs(module, values[index], found[index], before, after);
  }
  return after.bytes() < before.bytes();
}

// ---- Rewriting ----------------------------------------------------------------------------------

/// Makes the ops in the frame, before the root.
class FrameMaker {
 public:
  FrameMaker(Module& module, const FramedValue& value)
      : module_(module),
        value_(value),
        mesh_(ir::get_sharding(module, module.result(value.root))->mesh_ref()),
        builder_(ir::Builder::before(module, value.root)) {
    builder_.set_location(module.location(value.root));
  }

  /// Returns the value in its frame.
  ValueId framed(const FramedOps& found) {
    leaves_ = {found.leaves.begin(), found.leaves.end()};
    for (const OpId op : found.ops) made_.emplace(module_.result(op), op_in_frame(op));
    builder_.set_location(module_.location(value_.root));
    return in_frame(module_.operand(value_.root, value_.operand));
  }

  /// Returns the result of a pad or an update; `part` has its elements in the frame.
  ValueId written(ValueId part) {
    return module_.is(value_.root, OpKind::Pad) ? padded(part) : updated(part);
  }

  /// Selects the elements of the part from `part`, and the other elements from `rest`.
  ValueId joined(ValueId part, ValueId rest) {
    const ValueId own = own_elements();
    return make(OpKind::Select, {own, part, rest}, module_.type(part), value_.axes);
  }

  /// Erases the original ops that have no users after the rewrite. Requires: the root is erased.
  void erase_unused(const FramedOps& found) {
    for (auto op = found.ops.rbegin(); op != found.ops.rend(); ++op) {
      if (module_.is_erased(*op) || module_.num_uses(module_.result(*op)) > 0) continue;
      module_.erase(*op);
    }
    for (const ValueId leaf : found.leaves) {
      const OpId op = module_.defining_op(leaf);
      const bool is_moved = op.valid() && !module_.is_erased(op) && made_.at(leaf) != leaf;
      if (is_moved && module_.num_uses(leaf) == 0) module_.erase(op);
    }
  }

 private:
  ValueId make(OpKind kind, std::vector<ValueId> operands, const Type& type, const AxisLists& axes,
               ir::AttributeMap attributes = {}) {
    const ValueId made =
        builder_.create_value(kind, std::move(operands), type, std::move(attributes));
    ir::set_sharding(module_, made, TensorSharding::closed(mesh_, axes));
    return made;
  }

  ValueId constant(const ir::Literal& literal, const AxisLists& axes) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, literal);
    return make(OpKind::Constant, {}, literal.type(), axes, std::move(attributes));
  }

  ValueId pad(ValueId value, ValueId fill, const Dims& low, const Dims& high) {
    Dims sizes = dims_of(module_, value);
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) sizes[dim] += low[dim] + high[dim];
    const Dims interior(sizes.size(), 0);
    return make(OpKind::Pad, {value, fill}, module_.type(value).with_dims(std::move(sizes)),
                value_.axes, ir::PadOp{low, high, interior}.attributes());
  }

  ValueId leaf_in_frame(ValueId leaf) {
    PaddedLeaf padded = padded_leaf(module_, value_, leaf);
    const Dims sizes = dims_of(module_, padded.source);
    Dims high;
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      if (value_.is_framed(dim)) padded.low[dim] += value_.begin[dim];
      high.push_back(value_.frame[dim] - sizes[dim] - padded.low[dim]);
    }
    const bool is_same =
        std::ranges::count(padded.low, 0) + std::ranges::count(high, 0) == 2 * std::ssize(sizes);
    if (is_same) return padded.source;
    if (!padded.fill.valid()) {
      const Type scalar = Type::tensor({}, module_.type(leaf).element());
      padded.fill = constant(ir::splat_literal(scalar, 0), {});
    }
    return pad(padded.source, padded.fill, padded.low, high);
  }

  /// Makes leaves where they are used first: few of them are live at once.
  ValueId in_frame(ValueId value) {
    if (const auto found = made_.find(value); found != made_.end()) return found->second;
    if (!leaves_.contains(value)) return value;  // a scalar
    return made_.emplace(value, leaf_in_frame(value)).first->second;
  }

  ValueId op_in_frame(OpId op) {
    std::vector<ValueId> operands;
    for (const ValueId operand : module_.operands(op)) operands.push_back(in_frame(operand));
    ir::AttributeMap attributes(module_.attributes(op));
    attributes.erase(ir::kShardingAttr);
    attributes.erase(ir::kShardingRuleAttr);  // of other sizes
    const Type type = module_.type(module_.result(op)).with_dims(value_.frame);
    if (const auto* literal = attributes.get<ir::Literal>(ir::attr::kValue)) {
      const auto bytes = literal->element_bytes(0);
      attributes.set(ir::attr::kValue,
                     *ir::Literal::make_splat(type, {bytes.begin(), bytes.end()}));
    }
    builder_.set_location(module_.location(op));
    return make(module_.kind(op), std::move(operands), type, value_.axes, std::move(attributes));
  }

  /// Positions along a dim of the frame that the value has, as elements of the frame.
  ValueId own_positions(std::size_t dim) {
    const int64_t size = value_.frame[dim];
    const AxisLists along = {value_.axes[dim]};
    const bool is_short = size <= std::numeric_limits<int32_t>::max();
    const Type line = Type::tensor({size}, is_short ? ir::ElementType::I32 : ir::ElementType::I64);
    const ValueId position = make(OpKind::Iota, {}, line, along, ir::attributes_of(ir::IotaOp{0}));
    const Type flags = line.with_element(ir::ElementType::I1);
    const auto compared = [&](std::string_view direction, int64_t bound) {
      const ValueId limit = constant(ir::int_splat_literal(line, bound), along);
      return make(OpKind::Compare, {position, limit}, flags, along,
                  ir::attributes_of(ir::CompareOp{direction}));
    };
    const int64_t end = value_.begin[dim] + value_.size[dim];
    ValueId own;
    if (value_.begin[dim] > 0) own = compared("GE", value_.begin[dim]);
    if (end < size) {
      const ValueId below = compared("LT", end);
      own = own.valid() ? make(OpKind::And, {own, below}, flags, along) : below;
    }
    const Dims mapped = {static_cast<int64_t>(dim)};
    return make(OpKind::BroadcastInDim, {own}, flags.with_dims(value_.frame), value_.axes,
                ir::attributes_of(ir::BroadcastInDimOp{mapped}));
  }

  ValueId own_elements() {
    ValueId own;
    for (const std::size_t dim : value_.framed) {
      const ValueId along = own_positions(dim);
      own = own.valid() ? make(OpKind::And, {own, along}, module_.type(own), value_.axes) : along;
    }
    return own;
  }

  ValueId padded(ValueId part) {
    const ValueId fill = module_.operand(value_.root, 1);
    const ValueId around = make(OpKind::BroadcastInDim, {fill}, module_.type(part), value_.axes,
                                ir::attributes_of(ir::BroadcastInDimOp{}));
    const ValueId made = joined(part, around);
    const Dims whole = dims_of(module_, module_.result(value_.root));
    if (value_.frame == whole) return made;
    Dims low = value_.begin;
    Dims high;
    for (std::size_t dim = 0; dim < whole.size(); ++dim) {
      if (value_.is_framed(dim)) low[dim] = 0;
      high.push_back(whole[dim] - value_.frame[dim] - low[dim]);
    }
    return pad(made, fill, low, high);
  }

  ValueId updated(ValueId part) {
    const ValueId target = module_.operand(value_.root, 0);
    const Dims whole = dims_of(module_, target);
    if (value_.frame == whole) return joined(part, target);
    Dims starts = value_.begin;
    Dims limits;
    std::vector<ValueId> operands = module_.operands(value_.root);
    for (std::size_t dim = 0; dim < whole.size(); ++dim) {
      if (value_.is_framed(dim)) {
        starts[dim] = 0;
        const Type index = module_.type(operands[2 + dim]);
        operands[2 + dim] = constant(ir::int_splat_literal(index, 0), {});
      }
      limits.push_back(starts[dim] + value_.frame[dim]);
    }
    const Dims strides(whole.size(), 1);
    const ValueId around = make(OpKind::Slice, {target}, module_.type(part), value_.axes,
                                ir::SliceOp{starts, limits, strides}.attributes());
    operands[1] = joined(part, around);
    return make(OpKind::DynamicUpdateSlice, std::move(operands), module_.type(target), value_.axes);
  }

  Module& module_;
  const FramedValue& value_;
  MeshRef mesh_;
  ir::Builder builder_;
  std::set<ValueId> leaves_;
  std::map<ValueId, ValueId> made_;
};

/// Replaces the root by a value whose parts are made in their frames.
void make_in_frames(Module& module, OpId root, std::span<const FramedValue> values,
                    std::span<const FramedOps> found) {
  std::vector<FrameMaker> makers;
  ValueId made;
  for (std::size_t index = 0; index < values.size(); ++index) {
    FrameMaker& maker = makers.emplace_back(module, values[index]);
    const ValueId part = maker.framed(found[index]);
    if (!module.is(root, OpKind::Concatenate)) {
      made = maker.written(part);
    } else {
      made = made.valid() ? maker.joined(part, made) : part;
    }
  }
  module.replace_all_uses(module.result(root), made);
  module.erase(root);
  for (std::size_t index = 0; index < values.size(); ++index) {
    makers[index].erase_unused(found[index]);
  }
}

}  // namespace

void compute_in_frames(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is_erased(op)) continue;
    const std::vector<FramedValue> values = framed_values(module, op);
    std::vector<FramedOps> found;
    for (const FramedValue& value : values) {
      auto ops = ops_of(module, value);
      if (ops) found.push_back(*std::move(ops));
    }
    const bool fits = !values.empty() && found.size() == values.size();
    if (fits && sends_less(module, values, found)) make_in_frames(module, op, values, found);
  }
}

}  // namespace shardy::passes::explicit_reshards

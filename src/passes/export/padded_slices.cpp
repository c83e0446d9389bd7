// Slices of a pad become pads with negative edges, so that the padded value is not needed. Slices
// of a concatenation become concatenations of slices. Spec: resharding A.10.3.
//
//   %0 = pad %x, low = [1], high = [1]             %1 = pad %x, low = [1], high = [-1]
//     : [64] -> [66]                          ->   %2 = pad %x, low = [-1], high = [1]
//   %1 = slice %0 [0:64]
//   %2 = slice %0 [2:66]
//
// The shards of 66 elements differ from the shards of 64 elements. Without this rewrite, all
// elements would be resharded to %0 and back.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

using Dims = std::vector<int64_t>;

/// The edges of the pad that equals a slice of another pad's result.
struct Edges {
  std::vector<int64_t> low;
  std::vector<int64_t> high;
};

/// Returns the edges; std::nullopt if the slice has strides or has no element of the operand along
/// a dim.
std::optional<Edges> edges_of(const Module& module, OpId pad, OpId slice) {
  const ir::PadOp padded = *ir::PadOp::of(module, pad);
  const auto read = ir::SliceOp::of(module, slice);
  if (!read) return std::nullopt;
  const ir::SliceOp& part = *read;
  const auto sizes = module.type(module.operand(pad, 0)).dims();
  Edges edges;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    edges.low.push_back(padded.low[dim] - part.starts[dim]);
    edges.high.push_back(part.limits[dim] - padded.low[dim] - sizes[dim]);
    const bool has_elements = edges.low.back() > -sizes[dim] && edges.high.back() > -sizes[dim];
    if (part.strides[dim] != 1 || !has_elements) return std::nullopt;
  }
  return edges;
}

/// Checks whether the pad changes the size of a sharded dim.
bool moves_tiles(const Module& module, OpId pad) {
  const auto sharding = ir::get_sharding(module, module.result(pad));
  const auto in = module.type(module.operand(pad, 0)).dims();
  const auto out = module.type(module.result(pad)).dims();
  if (!sharding || sharding->mesh().is_maximal() || !sharding->unreduced_axes().empty()) {
    return false;
  }
  for (std::size_t dim = 0; dim < in.size(); ++dim) {
    if (sharding->dim(dim).sharded_size() > 1 && in[dim] != out[dim]) return true;
  }
  return false;
}

bool is_plain_pad(const Module& module, OpId op) {
  if (!module.is(op, OpKind::Pad)) return false;
  const auto pad = ir::PadOp::of(module, op);
  return pad && module.type(module.operand(op, 0)).is_static_tensor() &&
         module.type(module.result(op)).is_static_tensor() &&
         std::ranges::all_of(pad->interior, [](int64_t gap) { return gap == 0; });
}

/// Checks whether the op is a slice of the block whose result is a tensor of elements of its
/// operand, unlike a slice of quantized elements.
bool is_slice_in(const Module& module, OpId op, ir::BlockId block) {
  return module.is(op, OpKind::Slice) && module.parent_block(op) == block &&
         module.type(module.operand(op, 0)).is_static_tensor() &&
         module.type(module.result(op)).is_static_tensor();
}

/// Returns the users of the pad if all are slices that become pads with the operand's shards; else
/// empty.
std::vector<OpId> slices_of(const Module& module, OpId pad) {
  const auto sizes = module.type(module.operand(pad, 0)).dims();
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(module.result(pad))) {
    const bool fits = is_slice_in(module, use.op, module.parent_block(pad)) &&
                      std::ranges::equal(module.type(module.result(use.op)).dims(), sizes) &&
                      edges_of(module, pad, use.op);
    if (!fits) return {};
    slices.push_back(use.op);
  }
  return slices;
}

void make_pad(Module& module, OpId pad, OpId slice) {
  const Edges edges = *edges_of(module, pad, slice);
  const std::vector<int64_t> interior(edges.low.size(), 0);
  ir::Builder builder = ir::Builder::before(module, slice);
  builder.set_location(module.location(slice));
  const ValueId old = module.result(slice);
  const ValueId made = builder.create_value(
      OpKind::Pad, {module.operand(pad, 0), module.operand(pad, 1)}, module.type(old),
      ir::PadOp{edges.low, edges.high, interior}.attributes());
  if (const auto sharding = ir::get_sharding(module, old)) {
    ir::set_sharding(module, made, *sharding);
  }
  module.replace_all_uses(old, made);
  module.erase(slice);
}

// ---- Concatenations -----------------------------------------------------------------------------

/// Checks whether the value is sharded along the dim.
bool is_dim_sharded(const Module& module, ValueId value, std::size_t dim) {
  const auto sharding = ir::get_sharding(module, value);
  return sharding && !sharding->mesh().is_maximal() && sharding->unreduced_axes().empty() &&
         sharding->dim(dim).sharded_size() > 1;
}

/// Returns all users of the concatenation if they are slices with elements and without strides
/// along the dim; else empty. A slice without elements has none of any operand to concatenate.
std::vector<OpId> slices_of_joined(const Module& module, OpId op, std::size_t dim) {
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(module.result(op))) {
    if (!is_slice_in(module, use.op, module.parent_block(op)) ||
        module.type(module.result(use.op)).dim(dim) == 0 ||
        ir::SliceOp::of(module, use.op)->strides[dim] != 1) {
      return {};
    }
    slices.push_back(use.op);
  }
  return slices;
}

/// Checks whether each slice is as large as the largest operand along the sharded dim.
bool have_largest_size(const Module& module, OpId op, std::size_t dim,
                       std::span<const OpId> slices) {
  int64_t largest = 0;
  for (const ValueId part : module.operands(op)) {
    largest = std::max(largest, module.type(part).dim(dim));
  }
  return std::ranges::all_of(
      slices, [&](OpId slice) { return module.type(module.result(slice)).dim(dim) == largest; });
}

/// Checks whether slices of a value may move before the op that makes it, and narrow it along a
/// sharded dim.
bool passes_slices(const Module& module, ValueId value, std::span<const OpId> slices) {
  const OpId op = module.defining_op(value);
  const bool is_moved =
      op.valid() && (module.is(op, OpKind::Concatenate) ||
                     module.is(op, OpKind::DynamicUpdateSlice) || is_plain_pad(module, op));
  return is_moved && std::ranges::any_of(slices, [&](OpId slice) {
           const ir::Type& part = module.type(module.result(slice));
           for (std::size_t dim = 0; dim < part.dims().size(); ++dim) {
             const bool narrows = part.dim(dim) != module.type(value).dim(dim);
             if (narrows && is_dim_sharded(module, value, dim)) return true;
           }
           return false;
         });
}

/// Returns the elements of `value` within these bounds, sharded like `value`.
ValueId slice_of(ir::Builder& builder, ValueId value, const ir::SliceOp& bounds) {
  Module& module = builder.module();
  const Type whole = module.type(value);
  Dims sizes;
  for (std::size_t dim = 0; dim < bounds.starts.size(); ++dim) {
    sizes.push_back(ceil_div(bounds.limits[dim] - bounds.starts[dim], bounds.strides[dim]));
  }
  if (std::ranges::equal(sizes, whole.dims())) return value;
  const ValueId made = builder.create_value(OpKind::Slice, {value},
                                            whole.with_dims(std::move(sizes)), bounds.attributes());
  if (const auto sharding = ir::get_sharding(module, value)) {
    ir::set_sharding(module, made, *sharding);
  }
  return made;
}

/// Returns the elements of `part` that are in the slice. `begin` is the start of the slice relative
/// to the part. std::nullopt if the slice has no elements of the part. Slices along the other dims
/// come first, because they can move through more ops. Partitioning 8.13 finds the slice along
/// `dim`.
std::optional<ValueId> slice_of_part(ir::Builder& builder, OpId slice, ValueId part,
                                     std::size_t dim, int64_t begin) {
  Module& module = builder.module();
  const ir::SliceOp read = *ir::SliceOp::of(module, slice);
  const auto sizes = module.type(part).dims();
  Dims starts(read.starts.begin(), read.starts.end());
  Dims limits(read.limits.begin(), read.limits.end());
  const Dims strides(read.strides.begin(), read.strides.end());
  const int64_t first = std::max<int64_t>(begin, 0);
  const int64_t last = std::min(begin + limits[dim] - starts[dim], sizes[dim]);
  if (first >= last) return std::nullopt;
  starts[dim] = 0;
  limits[dim] = sizes[dim];
  const ValueId lines = slice_of(builder, part, ir::SliceOp{starts, limits, strides});
  const auto left = module.type(lines).dims();
  Dims none(left.size(), 0);
  Dims all(left.begin(), left.end());
  none[dim] = first;
  all[dim] = last;
  return slice_of(builder, lines, ir::SliceOp{none, all, Dims(left.size(), 1)});
}

void make_joined(Module& module, OpId op, OpId slice, std::size_t dim) {
  ir::Builder builder = ir::Builder::before(module, slice);
  builder.set_location(module.location(slice));
  const ValueId old = module.result(slice);
  int64_t begin = ir::SliceOp::of(module, slice)->starts[dim];
  std::vector<ValueId> parts;
  for (const ValueId part : module.operands(op)) {
    if (auto made = slice_of_part(builder, slice, part, dim, begin)) parts.push_back(*made);
    begin -= module.type(part).dim(dim);
  }
  ir::AttributeMap attributes(module.attributes(op));
  attributes.erase(ir::kShardingAttr);
  attributes.erase(ir::kShardingRuleAttr);  // the rule has the factor sizes of the old op
  const ValueId made = builder.create_value(OpKind::Concatenate, std::move(parts), module.type(old),
                                            std::move(attributes));
  if (const auto sharding = ir::get_sharding(module, old)) {
    ir::set_sharding(module, made, *sharding);
  }
  module.replace_all_uses(old, made);
  module.erase(slice);
}

void fold_slices_of_joined(Module& module, OpId op) {
  const auto dim = static_cast<std::size_t>(ir::view<ir::ConcatenateOp>(module, op).dim);
  const std::vector<ValueId> parts = module.operands(op);
  const bool is_static = std::ranges::all_of(
      parts, [&](ValueId part) { return module.type(part).is_static_tensor(); });
  if (!is_static) return;
  const std::vector<OpId> slices = slices_of_joined(module, op, dim);
  const bool fits = is_dim_sharded(module, module.result(op), dim)
                        ? have_largest_size(module, op, dim, slices)
                        : std::ranges::any_of(parts, [&](ValueId part) {
                            return passes_slices(module, part, slices);
                          });
  if (!fits) return;
  for (const OpId slice : slices) make_joined(module, op, slice, dim);
  if (!slices.empty()) module.erase(op);
}

// ---- Updates ------------------------------------------------------------------------------------

//   %0 = dynamic_update_slice %t, %u, 1  : 66     %1 = slice %t [0:64]
//   %1 = slice %0 [0:64]                     ->   %2 = slice %u [0:63]
//                                                 %3 = dynamic_update_slice %1, %2, 1  : 64

/// Returns the constant starts of an update, clamped; empty without them.
Dims starts_of_update(const Module& module, OpId op) {
  Dims starts;
  const Type& whole = module.type(module.operand(op, 0));
  const Type& part = module.type(module.operand(op, 1));
  if (!whole.is_static_tensor() || !part.is_static_tensor()) return {};
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    const int64_t most = whole.dim(dim) - part.dim(dim);
    const auto start = rules::constant_start(module, module.operand(op, 2 + dim));
    if (!start && most > 0) return {};
    starts.push_back(std::clamp<int64_t>(start.value_or(0), 0, most));
  }
  return starts;
}

bool has_equal_elements(const Module& module, OpId op) {
  if (module.is(op, OpKind::BroadcastInDim)) return module.type(module.operand(op, 0)).rank() == 0;
  const bool is_constant = module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant);
  const auto* literal = is_constant ? module.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
  return literal != nullptr && literal->is_splat();
}

/// Maps updates to the size of the largest value that they, the updates of their targets and a pad
/// write into equal elements, per dim; never iterated. Updates of another value, which slices would
/// move again, are absent.
using LargestWritten = std::unordered_map<OpId, Dims>;

/// Adds an update. Requires: the update of its target was added. Chains take linear time.
void add_largest_written(const Module& module, OpId op, LargestWritten& largest) {
  if (starts_of_update(module, op).empty()) return;
  const OpId target = module.defining_op(module.operand(op, 0));
  if (!target.valid()) return;
  const auto part = module.type(module.operand(op, 1)).dims();
  Dims sizes(part.begin(), part.end());
  const auto add = [&](std::span<const int64_t> dims) {
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      sizes[dim] = std::max(sizes[dim], dims[dim]);
    }
  };
  if (const auto found = largest.find(target); found != largest.end()) {
    add(found->second);
  } else if (is_plain_pad(module, target)) {
    add(module.type(module.operand(target, 0)).dims());
  } else if (!has_equal_elements(module, target)) {
    return;
  }
  largest.emplace(op, std::move(sizes));
}

/// All users of the update, if they are slices as large as the largest written value along sharded
/// dims.
std::vector<OpId> slices_of_update(const Module& module, OpId op,
                                   const LargestWritten& largest_written) {
  const ValueId result = module.result(op);
  const auto largest = largest_written.find(op);
  if (largest == largest_written.end()) return {};
  std::vector<OpId> slices;
  bool moves = false;
  for (const ir::Use& use : module.uses(result)) {
    if (!is_slice_in(module, use.op, module.parent_block(op))) return {};
    const ir::SliceOp slice = *ir::SliceOp::of(module, use.op);
    const auto sizes = module.type(module.result(use.op)).dims();
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      const bool is_sharded = is_dim_sharded(module, result, dim);
      moves = moves || (is_sharded && sizes[dim] != module.type(result).dim(dim));
      if (slice.strides[dim] != 1 || (is_sharded && sizes[dim] != largest->second[dim])) return {};
    }
    slices.push_back(use.op);
  }
  return moves ? slices : std::vector<OpId>();
}

/// An update of a slice of the target with those elements of the written value that are in the
/// slice.
ValueId updated_slice(ir::Builder& builder, OpId op, const Dims& from, const Dims& to) {
  Module& module = builder.module();
  const Dims at = starts_of_update(module, op);
  const ValueId part = module.operand(op, 1);
  Dims begin, end, start;
  bool is_empty = false;
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    const int64_t size = module.type(part).dim(dim);
    begin.push_back(std::max(from[dim] - at[dim], int64_t{0}));
    end.push_back(std::min(to[dim] - at[dim], size));
    start.push_back(std::max(at[dim] - from[dim], int64_t{0}));
    is_empty = is_empty || begin.back() >= end.back();
  }
  const ValueId target = module.operand(op, 0);
  const Dims ones(at.size(), 1);
  if (is_empty) return slice_of(builder, target, {from, to, ones});
  const ValueId written = slice_of(builder, part, {begin, end, ones});
  const auto sizes = module.type(written).dims();
  bool is_all = true;
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    is_all = is_all && sizes[dim] == to[dim] - from[dim];
  }
  if (is_all) return written;
  std::vector<ValueId> operands = {slice_of(builder, target, {from, to, ones}), written};
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    const Type& index = module.type(module.operand(op, 2 + dim));
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::int_splat_literal(index, start[dim]));
    operands.push_back(builder.create_value(OpKind::Constant, {}, index, std::move(attributes)));
  }
  const Type type = module.type(operands.front());
  return builder.create_value(OpKind::DynamicUpdateSlice, std::move(operands), type);
}

void fold_slices_of_update(Module& module, OpId op, const LargestWritten& largest) {
  const std::vector<OpId> slices = slices_of_update(module, op, largest);
  for (const OpId slice : slices) {
    ir::Builder builder = ir::Builder::before(module, slice);
    builder.set_location(module.location(slice));
    const ir::SliceOp read = *ir::SliceOp::of(module, slice);
    const ValueId made = updated_slice(builder, op, {read.starts.begin(), read.starts.end()},
                                       {read.limits.begin(), read.limits.end()});
    const ValueId old = module.result(slice);
    const OpId maker = module.defining_op(made);
    const bool is_new = maker.valid() && module.is(maker, OpKind::DynamicUpdateSlice);
    const auto sharding = ir::get_sharding(module, old);
    if (is_new && sharding) ir::set_sharding(module, made, *sharding);
    module.replace_all_uses(old, made);
    module.erase(slice);
  }
  if (!slices.empty()) module.erase(op);
}

// ---- Slices -------------------------------------------------------------------------------------

/// Replaces slices of a slice by slices of its operand, if it has no other users and narrows a
/// sharded dim, or its slices may move before the op that makes its operand.
void fold_slices_of_slice(Module& module, OpId op) {
  if (!is_slice_in(module, op, module.parent_block(op))) return;
  const auto outer = ir::SliceOp::of(module, op);
  const ValueId source = module.operand(op, 0);
  const auto whole = module.type(source).dims();
  bool moves = false;
  for (std::size_t dim = 0; dim < whole.size(); ++dim) {
    if (outer->strides[dim] != 1) return;
    moves = moves || (whole[dim] != module.type(module.result(op)).dim(dim) &&
                      is_dim_sharded(module, source, dim));
  }
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(module.result(op))) {
    if (!is_slice_in(module, use.op, module.parent_block(op))) return;
    slices.push_back(use.op);
  }
  if (!moves && !passes_slices(module, source, slices)) return;
  for (const OpId slice : slices) {
    const ir::SliceOp inner = *ir::SliceOp::of(module, slice);
    Dims starts, limits;
    for (std::size_t dim = 0; dim < whole.size(); ++dim) {
      starts.push_back(outer->starts[dim] + inner.starts[dim]);
      limits.push_back(outer->starts[dim] + inner.limits[dim]);
    }
    ir::Builder builder = ir::Builder::before(module, slice);
    builder.set_location(module.location(slice));
    const ValueId old = module.result(slice);
    const Dims strides(inner.strides.begin(), inner.strides.end());
    const ValueId made = builder.create_value(OpKind::Slice, {source}, module.type(old),
                                              ir::SliceOp{starts, limits, strides}.attributes());
    if (const auto sharding = ir::get_sharding(module, old)) {
      ir::set_sharding(module, made, *sharding);
    }
    module.replace_all_uses(old, made);
    module.erase(slice);
  }
  if (!slices.empty()) module.erase(op);
}

}  // namespace

void fold_slices_of_pads(Module& module, OpId function) {
  // From the last op on: slices of chains are moved from op to op.
  std::vector<OpId> ops;
  LargestWritten largest;
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    ops.push_back(op);
    if (module.is(op, OpKind::DynamicUpdateSlice)) add_largest_written(module, op, largest);
  }
  std::ranges::reverse(ops);
  for (const OpId op : ops) {
    if (module.is_erased(op)) continue;
    if (module.is(op, OpKind::DynamicUpdateSlice)) {
      fold_slices_of_update(module, op, largest);
      continue;
    }
    if (module.is(op, OpKind::Slice)) {
      fold_slices_of_slice(module, op);
      continue;
    }
    if (module.is(op, OpKind::Concatenate)) fold_slices_of_joined(module, op);
    if (module.is_erased(op) || !is_plain_pad(module, op) || !moves_tiles(module, op)) continue;
    const std::vector<OpId> slices = slices_of(module, op);
    for (const OpId slice : slices) make_pad(module, op, slice);
    if (!slices.empty()) module.erase(op);
  }
}

// ---- Slices of wide elements --------------------------------------------------------------------
//
//   %1 = slice %0 [20:52] : 64x32xf32, 4 shards          %1 = convert %0 : 64x32xbf16
//   %2 = convert %1       : 32x32xbf16               ->  %2 = slice %1 [20:52]

namespace {

/// Checks whether the slice has at least a quarter of the value's elements, along a sharded dim.
bool sends_slice(const Module& module, OpId slice) {
  const ValueId whole = module.operand(slice, 0);
  const Type& in = module.type(whole);
  const Type& out = module.type(module.result(slice));
  if (!in.is_static_tensor() || !out.is_static_tensor()) return false;
  if (out.num_elements() < in.num_elements() / 4) return false;
  for (std::size_t dim = 0; dim < in.dims().size(); ++dim) {
    if (in.dim(dim) != out.dim(dim) && is_dim_sharded(module, whole, dim)) return true;
  }
  return false;
}

}  // namespace

void cast_before_slices(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (!module.is(op, OpKind::Convert)) continue;
    const OpId slice = module.defining_op(module.operand(op, 0));
    if (!slice.valid() || !module.is(slice, OpKind::Slice)) continue;
    const Type& to = module.type(module.result(op));
    const bool fits = to.is_static_tensor() && module.num_uses(module.result(slice)) == 1 &&
                      module.parent_block(slice) == module.parent_block(op);
    if (!fits || !sends_slice(module, slice)) continue;
    const ir::ElementType narrow = to.element();
    if (ir::size_bytes(narrow) >= ir::size_bytes(module.type(module.result(slice)).element())) {
      continue;
    }
    const ValueId whole = module.operand(slice, 0);
    ir::Builder builder = ir::Builder::before(module, op);
    builder.set_location(module.location(op));
    const Type cast =
        Type::tensor({module.type(whole).dims().begin(), module.type(whole).dims().end()}, narrow);
    const ValueId converted = builder.create_value(OpKind::Convert, {whole}, cast);
    ir::set_sharding(module, converted, *ir::get_sharding(module, whole));
    const ValueId result = module.result(op);
    const ValueId sliced = builder.create_value(OpKind::Slice, {converted}, module.type(result),
                                                module.attributes(slice));
    const auto sharding = ir::get_sharding(module, result);
    if (sharding) ir::set_sharding(module, sliced, *sharding);
    module.replace_all_uses(result, sliced);
    module.erase(op);
    module.erase(slice);
  }
}

}  // namespace shardy::passes::explicit_reshards

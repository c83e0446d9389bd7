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
#include <vector>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

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
    const int64_t shards = sharding->dim(dim).sharded_size();
    if (shards > 1 && ceil_div(in[dim], shards) != ceil_div(out[dim], shards)) return true;
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

/// Returns the users of the pad if all are slices that become pads with the operand's shards; else
/// empty.
std::vector<OpId> slices_of(const Module& module, OpId pad) {
  const auto sizes = module.type(module.operand(pad, 0)).dims();
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(module.result(pad))) {
    const bool fits = module.is(use.op, OpKind::Slice) &&
                      module.type(module.result(use.op)).is_static_tensor() &&
                      module.parent_block(use.op) == module.parent_block(pad) &&
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

/// Returns all users of the concatenation if they are slices as large as its largest operand; else
/// empty.
std::vector<OpId> slices_of_joined(const Module& module, OpId op, std::size_t dim) {
  int64_t largest = 0;
  for (const ValueId part : module.operands(op)) {
    if (!module.type(part).is_static_tensor()) return {};
    largest = std::max(largest, module.type(part).dim(dim));
  }
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(module.result(op))) {
    const bool is_slice =
        module.is(use.op, OpKind::Slice) && module.parent_block(use.op) == module.parent_block(op);
    const bool fits = is_slice && ir::SliceOp::of(module, use.op)->strides[dim] == 1 &&
                      module.type(module.result(use.op)).dim(dim) == largest;
    if (!fits) return {};
    slices.push_back(use.op);
  }
  return slices;
}

/// Returns the elements that the slice has of `part`; `begin` is the start of the slice relative to
/// the part. std::nullopt if it has no elements of the part.
std::optional<ValueId> slice_of_part(ir::Builder& builder, OpId slice, ValueId part,
                                     std::size_t dim, int64_t begin) {
  Module& module = builder.module();
  const ir::SliceOp read = *ir::SliceOp::of(module, slice);
  const ir::Type& whole = module.type(part);
  std::vector<int64_t> starts(read.starts.begin(), read.starts.end());
  std::vector<int64_t> limits(read.limits.begin(), read.limits.end());
  const std::vector<int64_t> strides(read.strides.begin(), read.strides.end());
  starts[dim] = std::max<int64_t>(begin, 0);
  limits[dim] = std::min(begin + read.limits[dim] - read.starts[dim], whole.dim(dim));
  if (starts[dim] >= limits[dim]) return std::nullopt;
  std::vector<int64_t> sizes(module.type(module.result(slice)).dims().begin(),
                             module.type(module.result(slice)).dims().end());
  sizes[dim] = limits[dim] - starts[dim];
  if (std::ranges::equal(sizes, whole.dims())) return part;
  const ValueId made = builder.create_value(OpKind::Slice, {part}, whole.with_dims(sizes),
                                            ir::SliceOp{starts, limits, strides}.attributes());
  if (const auto sharding = ir::get_sharding(module, part)) {
    ir::set_sharding(module, made, *sharding);
  }
  return made;
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
  if (!is_dim_sharded(module, module.result(op), dim)) return;
  const std::vector<OpId> slices = slices_of_joined(module, op, dim);
  for (const OpId slice : slices) make_joined(module, op, slice, dim);
  if (!slices.empty()) module.erase(op);
}

}  // namespace

void fold_slices_of_pads(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is_erased(op)) continue;
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

// Slices of a pad become pads with negative edges, so that the padded value is not needed.
// Spec: resharding A.10.3.
//
//   %0 = pad %x, low = [1], high = [1]             %1 = pad %x, low = [1], high = [-1]
//     : [64] -> [66]                          ->   %2 = pad %x, low = [-1], high = [1]
//   %1 = slice %0 [0:64]
//   %2 = slice %0 [2:66]
//
// Shards of 66 elements differ from those of 64: resharding to %0 and back would move all of it.
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

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Edges of the pad that is equal to a slice of another pad's result.
struct Edges {
  std::vector<int64_t> low;
  std::vector<int64_t> high;
};

/// Returns std::nullopt if the slice has strides, or no element of the operand along some dim.
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

/// Checks whether the slices need at most one halo per side of each dim. More halos would overlap
/// and are sent once as those of the padded value.
bool have_own_halos(const Module& module, OpId pad, std::span<const OpId> slices) {
  const std::size_t rank = module.type(module.result(pad)).dims().size();
  for (std::size_t dim = 0; dim < rank; ++dim) {
    int64_t before = 0;
    int64_t after = 0;
    for (const OpId slice : slices) {
      const int64_t shift = edges_of(module, pad, slice)->low[dim];
      int64_t& side = shift > 0 ? before : after;
      if (shift != 0 && side != 0 && side != shift) return false;
      if (shift != 0) side = shift;
    }
  }
  return true;
}

/// Returns the users of the pad if all are slices that become pads with the operand's shards.
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
  return have_own_halos(module, pad, slices) ? slices : std::vector<OpId>();
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

}  // namespace

void fold_slices_of_pads(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is_erased(op) || !is_plain_pad(module, op) || !moves_tiles(module, op)) continue;
    const std::vector<OpId> slices = slices_of(module, op);
    for (const OpId slice : slices) make_pad(module, op, slice);
    if (!slices.empty()) module.erase(op);
  }
}

}  // namespace shardy::passes::explicit_reshards

#include "partitioning/block_loop.hpp"

#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

std::optional<Ring> ring_of(const Module& module, OpId collective) {
  const auto* axes = module.attribute<ir::AxesAttr>(collective, ir::attr::kAxes);
  const auto* name = module.attribute<ir::SymbolAttr>(collective, ir::attr::kMesh);
  const std::optional<Mesh> mesh = name != nullptr ? module.find_mesh(name->name) : std::nullopt;
  if (axes == nullptr || !mesh) return std::nullopt;
  Ring ring{{*mesh, name->name}, axes->axes, sharding_size(axes->axes)};
  return ring.size > 1 ? std::optional(std::move(ring)) : std::nullopt;
}

ValueId rotated(Emitter& emit, const Ring& ring, ValueId value, int64_t steps) {
  ir::PermuteMap map;
  map.kind = ir::PermuteMap::Kind::Rotate;
  map.numbers = {steps};
  return emit.permute(value, ring.place, ring.axes, std::move(map));
}

ValueId loop(Emitter& emit, int64_t count, ValueId moving, ValueId made, const LoopBody& body) {
  Module& module = emit.module();
  const ir::Builder outside = emit.builder();
  const ValueId one = emit.scalar(ScalarIndex::of(1));
  const ValueId limit = emit.scalar(ScalarIndex::of(count));
  std::vector<ValueId> carried = {one, made};
  if (moving.valid()) carried.push_back(moving);
  std::vector<Type> types;
  types.reserve(carried.size());
  for (const ValueId value : carried) types.push_back(module.type(value));
  ir::OpSpec spec{.kind = OpKind::While};
  spec.operands = carried;
  spec.result_types = types;
  for (const bool is_body : {false, true}) {
    const ir::RegionId region = module.new_region();
    const ir::BlockId block = module.new_block(region, types);
    emit.set_block(block);
    const auto args = module.args(block);
    const ValueId step = args[0];
    const ValueId so_far = args[1];
    ValueId around = moving.valid() ? args[2] : ValueId();
    ir::OpSpec end{.kind = OpKind::StablehloReturn};
    if (is_body) {
      const ValueId more = body(emit, {std::nullopt, step}, around, so_far);
      end.operands = {emit.add({std::nullopt, step}, ScalarIndex::of(1)).value, more};
      if (moving.valid()) end.operands.push_back(around);
    } else {
      end.operands = {emit.compare(step, limit, "LT")};
    }
    emit.builder().create(std::move(end));
    spec.regions.push_back(region);
  }
  emit.builder() = outside;
  return module.result(emit.builder().create(std::move(spec)), 1);
}

}  // namespace shardy::partitioning

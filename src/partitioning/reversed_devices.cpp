// reverse of sharded dims: local elements are reversed, and so is the device order of the result.
// Spec: partitioning 10.3, reverse.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = reverse %a, dims = [0]        sdy.mesh @mesh_reversed = <["x"=4], device_ids=[3, 2, 1, 0]>
//     : 8 <@mesh, [{"x"}]>       ->    %1 = reverse %a, dims = [0] <@mesh_reversed, [{"x"}]>
//                                      %0 = sdy.reshard %1 <@mesh, [{"x"}]>
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "partitioning/halo_computation.hpp"
#include "partitioning/padded_program.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/symbols.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

Mesh mirrored(const Mesh& mesh, const AxisList& axes) {
  std::vector<int64_t> ids;
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    int64_t other = position;
    for (const AxisRef& axis : axes) {
      int64_t weight = mesh.axis_size(axis.axis) / axis.next();
      for (int32_t minor = axis.axis + 1; minor < mesh.num_axes(); ++minor) {
        weight *= mesh.axis_size(minor);
      }
      other += (axis.size - 1 - 2 * coordinate(mesh, position, axis)) * weight;
    }
    ids.push_back(mesh.device_at(other));
  }
  std::vector<MeshAxis> same(mesh.axes().begin(), mesh.axes().end());
  const auto made = Mesh::make(std::move(same), std::move(ids));
  SHARDY_ASSERT(made.has_value());
  return *made;
}

namespace {

/// Returns a reference to the mesh by the name of its op; inlined if `base` is inlined.
MeshRef reference_to(Module& module, const Mesh& mesh, const std::optional<std::string>& base) {
  if (!base) return {mesh, std::nullopt};
  OpId last;
  for (const OpId op : module.meshes()) {
    last = op;
    const Mesh* known = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (known != nullptr && *known == mesh) return {mesh, std::string(module.symbol_name(op))};
  }
  std::string name = passes::SymbolTable(module).unique_name(*base + "_reversed");
  const OpId made = module.add_mesh(name, mesh);
  if (last.valid()) {
    module.remove(made);
    module.insert_after(last, made);
  }
  return {mesh, std::move(name)};
}

/// Moves the elements of a dim to the high end of its shards; elements shifted in are undefined.
ValueId moved_to_end(HaloComputation& body, ValueId value, std::size_t dim, int64_t distance) {
  Emitter& emit = body.emit();
  const int64_t tile = emit.dim(value, dim);
  const int64_t hops = distance / tile;
  const int64_t rest = distance % tile;
  const ValueId near = body.from_behind(value, dim, hops);
  if (rest == 0) return near;
  const ValueId far = body.from_behind(value, dim, hops + 1);
  return emit.concatenate(
      {emit.slice(far, dim, tile - rest, tile), emit.slice(near, dim, 0, tile - rest)}, dim);
}

}  // namespace

bool reverse_devices(Module& module, OpId op, ReferenceHaloOptions& options) {
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, operand);
  const auto out = ir::get_sharding(module, result);
  if (!sharding || !out || !sharding->unreduced_axes().empty()) return false;
  const auto reversed = ir::view<ir::ReverseOp>(module, op).dims;
  const Type type = module.type(operand);
  const Type even = padded_type(type, *sharding);
  AxisList axes;
  std::vector<std::size_t> uneven;
  std::vector<int64_t> wide(type.dims().begin(), type.dims().end());
  for (const int64_t number : reversed) {
    const auto dim = static_cast<std::size_t>(number);
    const AxisList& own = sharding->dim(dim).axes;
    if (sharding_size(own) == 1) continue;
    append(axes, own);
    if (even.dim(dim) != type.dim(dim)) uneven.push_back(dim);
  }
  if (axes.empty()) return true;
  Emitter emit(module);
  const auto start = [&] {
    ir::Builder builder = ir::Builder::before(module, op);
    builder.set_location(module.location(op));
    emit.set_builder(builder);
  };
  start();
  ValueId value = operand;
  if (!uneven.empty()) {
    const ValueId zero = emit.constant(ir::splat_literal(Type::tensor({}, type.element()), 0));
    const ValueId filled = fill_behind(emit, operand, even, zero, *sharding);
    HaloComputation body(module, op, filled, *sharding, {}, options);
    ValueId own = body.own();
    for (const std::size_t dim : uneven) {
      own = moved_to_end(body, own, dim, even.dim(dim) - type.dim(dim));
    }
    value = body.finish(own, even);
  }
  start();
  const TensorSharding there = sharding->with_mesh(
      reference_to(module, mirrored(sharding->mesh(), axes), sharding->mesh_name()));
  const ValueId turned = emit.reverse(value, {reversed.begin(), reversed.end()});
  ir::set_sharding(module, turned, there);
  const ValueId back =
      module.result(emit.builder().create(passes::reshard_op(module, turned, *out)));
  module.replace_all_uses(result, cut_behind(emit, back, type, *out));
  module.erase(op);
  return true;
}

}  // namespace shardy::partitioning

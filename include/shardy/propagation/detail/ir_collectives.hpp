// Collectives of a program that say on which mesh a value without sharding is.
#pragma once

#include <map>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/builder.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <span>
#include <utility>

namespace shardy::propagation::detail {

/// A value without sharding is whole for a collective that reads it, on the mesh of the collective.
/// It can have one sharding only: collectives on other meshes than the first read a reshard.
/// Spec: passes 2.
inline void separate_collectives(ir::Module& module, std::span<const ir::OpId> order) {
  std::map<ir::ValueId, Mesh> meshes;  // by where the sharding would be stored
  for (const ir::OpId op : order) {
    const bool reads_on_its_mesh =
        ir::is_sdy_collective(module.kind(op)) && !module.is(op, ir::OpKind::SdyCollectivePermute);
    if (!reads_on_its_mesh) continue;
    const ir::ValueId value = module.operand(op, 0);
    const std::optional<ir::ValueId> stored = ir::shardable_value(module, value);
    if (!stored || ir::get_sharding(module, value)) continue;
    const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
    if (out == nullptr || meshes.try_emplace(*stored, out->mesh()).first->second == out->mesh()) {
      continue;
    }
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kSharding, out->fully_closed_like());
    ir::Builder builder = ir::Builder::before(module, op);
    builder.set_location(module.location(op));
    const ir::ValueId there = builder.create_value(ir::OpKind::SdyReshard, {value},
                                                   module.type(value), std::move(attributes));
    module.set_operand(op, 0, there);
  }
}

}  // namespace shardy::propagation::detail

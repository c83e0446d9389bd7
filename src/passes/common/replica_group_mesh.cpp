#include "passes/common/replica_group_mesh.hpp"

#include <utility>

#include "ir/process_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

namespace {

constexpr std::string_view kReplicaGroups = ir::attr::kReplicaGroups;

std::string mesh_text(const MeshOrRef& mesh) {
  if (const auto* name = std::get_if<std::string>(&mesh)) return symbol_text(*name);
  return ir::stablehlo_mesh_text(std::get<Mesh>(mesh));
}

const std::string* text_of(const ir::Module& module, ir::OpId op) {
  const auto* groups = module.attribute<ir::OpaqueAttr>(op, kReplicaGroups);
  return groups != nullptr && ir::is_replica_group_mesh(groups->text) ? &groups->text : nullptr;
}

}  // namespace

std::optional<MeshOrRef> replica_group_mesh(const ir::Module& module, ir::OpId op) {
  const std::string* text = text_of(module, op);
  if (text == nullptr) return std::nullopt;
  Result<ir::ReplicaGroupMesh> groups = ir::parse_replica_group_mesh(*text);
  if (!groups) return std::nullopt;
  return std::move(groups->mesh);
}

void set_replica_group_mesh(ir::Module& module, ir::OpId op, const MeshOrRef& mesh) {
  const std::string* old = text_of(module, op);
  if (old == nullptr) return;
  const Result<ir::ReplicaGroupMesh> groups = ir::parse_replica_group_mesh(*old);
  if (!groups) return;
  std::string text = *old;
  text.replace(groups->mesh_begin, groups->mesh_end - groups->mesh_begin, mesh_text(mesh));
  module.attributes(op).set(kReplicaGroups, ir::OpaqueAttr{std::move(text)});
}

}  // namespace shardy::passes

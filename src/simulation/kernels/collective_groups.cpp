#include "simulation/kernels/collective_groups.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include "ir/replica_group_mesh.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/scanner.hpp"
#include "simulation/device_group.hpp"

namespace shardy::simulation {
namespace {

/// How many numbers there are to choose from.
int64_t num_ids(GroupForm form, const ProcessGrid& grid) {
  switch (form) {
    case GroupForm::CrossPartition:
      return grid.num_partitions;
    case GroupForm::FlattenedIds:
      return grid.size();
    case GroupForm::CrossReplica:
    case GroupForm::CrossReplicaAndPartition:
      break;
  }
  return grid.num_replicas;
}

Status expect_ids(const std::vector<int64_t>& row, int64_t count) {
  const auto wrong = std::ranges::find_if(row, [&](int64_t id) { return id < 0 || id >= count; });
  if (wrong == row.end()) return {};
  return fail("process " + std::to_string(*wrong) + " is not one of the " + std::to_string(count) +
              " that the run has");
}

/// Partitions, once for each replica.
void add_partitions(GroupList& groups, const std::vector<int64_t>& row, const ProcessGrid& grid) {
  for (int64_t replica = 0; replica < grid.num_replicas; ++replica) {
    std::vector<int64_t>& group = groups.emplace_back();
    for (const int64_t id : row) group.push_back(replica * grid.num_partitions + id);
  }
}

/// Replicas: a group for each partition, or one with all of them.
void add_replicas(GroupList& groups, const std::vector<int64_t>& row, const ProcessGrid& grid,
                  bool by_partition) {
  for (int64_t partition = 0; partition < grid.num_partitions; ++partition) {
    const bool starts_group = by_partition || partition == 0;
    std::vector<int64_t>& group = starts_group ? groups.emplace_back() : groups.back();
    for (const int64_t id : row) group.push_back(id * grid.num_partitions + partition);
  }
}

}  // namespace

Result<GroupList> expand_groups(GroupForm form, const GroupList& rows, const ProcessGrid& grid) {
  const int64_t count = num_ids(form, grid);
  GroupList groups;
  for (const std::vector<int64_t>& row : rows) {
    SHARDY_TRY_STATUS(expect_ids(row, count));
    if (form == GroupForm::FlattenedIds) {
      groups.push_back(row);
    } else if (form == GroupForm::CrossPartition) {
      add_partitions(groups, row, grid);
    } else {
      add_replicas(groups, row, grid, form == GroupForm::CrossReplica);
    }
  }
  return groups;
}

Result<GroupForm> reduction_form(const OpReader& op) {
  const bool is_global = op.module().attributes(op.op()).contains(ir::attr::kUseGlobalDeviceIds);
  const bool has_channel = ir::channel_of(op.module(), op.op()) > 0;
  if (is_global && !has_channel) return op.fail("use_global_device_ids needs a channel");
  if (is_global) return GroupForm::FlattenedIds;
  return has_channel ? GroupForm::CrossReplicaAndPartition : GroupForm::CrossReplica;
}

GroupForm movement_form(const OpReader& op) {
  return ir::channel_of(op.module(), op.op()) > 0 ? GroupForm::CrossPartition
                                                  : GroupForm::CrossReplica;
}

// ---- Groups of a mesh --------------------------------------------------------------------------

namespace {

/// The mesh that a symbol names, or that its attribute spells.
Result<Mesh> find_mesh(const ir::Module& module, const std::string& name) {
  if (const std::optional<Mesh> mesh = module.find_mesh(name)) return *mesh;
  const std::optional<ir::OpId> op = module.find_symbol(name);
  for (const std::string_view key : {"mesh", "stablehlo.mesh"}) {
    const auto* spelled = op ? module.attribute<ir::OpaqueAttr>(*op, key) : nullptr;
    if (spelled == nullptr || !spelled->text.starts_with("#stablehlo.mesh")) continue;
    return ir::parse_stablehlo_mesh(spelled->text);
  }
  return fail("there is no mesh @" + name);
}

Result<Mesh> resolve_mesh(const ir::Module& module, const MeshOrRef& mesh) {
  if (const auto* name = std::get_if<std::string>(&mesh)) return find_mesh(module, *name);
  return std::get<Mesh>(mesh);
}

/// Axes that are not listed vary slowest, in the order of the mesh.
Result<GroupList> mesh_rows(std::string_view text, const ir::Module& module, int64_t num_ids) {
  if (!ir::is_replica_group_mesh(text)) {
    return fail("`replica_groups` is neither a tensor nor of a mesh");
  }
  SHARDY_TRY(const ir::ReplicaGroupMesh spelled, ir::parse_replica_group_mesh(text));
  SHARDY_TRY(const Mesh mesh, resolve_mesh(module, spelled.mesh));
  if (mesh.num_devices() > num_ids) {
    return fail("the mesh has " + std::to_string(mesh.num_devices()) +
                " devices, more than the run has processes, " + std::to_string(num_ids));
  }
  SHARDY_TRY(const AxisList axes, resolve_axis_list(spelled.axes, mesh));
  SHARDY_TRY(const DeviceGroups groups, DeviceGroups::make(mesh, axes));
  GroupList rows;
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    if (groups.leader(position) != position) continue;
    std::vector<int64_t>& row = rows.emplace_back();
    for (int64_t rank = 0; rank < groups.size(); ++rank) {
      row.push_back(groups.device(position, rank));
    }
  }
  return rows;
}

}  // namespace

Result<GroupList> group_rows(const OpReader& op, GroupForm form, const ProcessGrid& grid) {
  const ir::AttributeMap& attributes = op.module().attributes(op.op());
  if (const auto* spelled = attributes.get<ir::OpaqueAttr>(ir::attr::kReplicaGroups)) {
    return op.at_op(mesh_rows(spelled->text, op.module(), num_ids(form, grid)));
  }
  const auto* literal = attributes.get<ir::Literal>(ir::attr::kReplicaGroups);
  if (literal == nullptr || literal->num_elements() == 0) {
    std::vector<int64_t> all(static_cast<std::size_t>(num_ids(form, grid)));
    std::iota(all.begin(), all.end(), int64_t{0});
    return GroupList{std::move(all)};
  }
  const ir::Type& type = literal->type();
  SHARDY_TRY_STATUS(op.expect(type.rank() == 2 && type.element() == ir::ElementType::I64,
                              "replica groups should be a rank 2 tensor"));
  GroupList rows(static_cast<std::size_t>(type.dim(0)));
  for (int64_t index = 0; index < literal->num_elements(); ++index) {
    const auto id = literal->at<int64_t>(index);
    if (id != -1) rows[static_cast<std::size_t>(index / type.dim(1))].push_back(id);
  }
  std::erase_if(rows, [](const std::vector<int64_t>& row) { return row.empty(); });
  return rows;
}

}  // namespace shardy::simulation

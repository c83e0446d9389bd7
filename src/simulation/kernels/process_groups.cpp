#include "simulation/kernels/process_groups.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

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

}  // namespace

Result<GroupList> expand_groups(GroupForm form, const GroupList& rows, const ProcessGrid& grid) {
  const int64_t count = num_ids(form, grid);
  GroupList groups;
  for (const std::vector<int64_t>& row : rows) {
    const auto wrong = std::ranges::find_if(row, [&](int64_t id) { return id < 0 || id >= count; });
    if (wrong != row.end()) {
      return fail("process " + std::to_string(*wrong) + " is not one of the " +
                  std::to_string(count) + " that the run has");
    }
    const int64_t width = grid.num_partitions;
    if (form == GroupForm::FlattenedIds) {
      groups.push_back(row);
    } else if (form == GroupForm::CrossPartition) {
      for (int64_t replica = 0; replica < grid.num_replicas; ++replica) {
        std::vector<int64_t>& group = groups.emplace_back();
        for (const int64_t id : row) group.push_back(replica * width + id);
      }
    } else {
      for (int64_t partition = 0; partition < width; ++partition) {
        const bool starts_group = form == GroupForm::CrossReplica || partition == 0;
        std::vector<int64_t>& group = starts_group ? groups.emplace_back() : groups.back();
        for (const int64_t id : row) group.push_back(id * width + partition);
      }
    }
  }
  return groups;
}

int64_t channel_of(const ir::Module& module, ir::OpId op) {
  const auto* handle = module.attribute<ir::OpaqueAttr>(op, "channel_handle");
  if (handle == nullptr) return 0;
  constexpr std::string_view kField = "handle = ";
  const std::size_t at = handle->text.find(kField);
  if (at == std::string::npos) return 0;
  return Scanner(std::string_view(handle->text).substr(at + kField.size())).int64().value_or(0);
}

Result<GroupForm> reduction_form(const OpReader& op) {
  const bool is_global = op.module().attributes(op.op()).contains("use_global_device_ids");
  const bool has_channel = channel_of(op.module(), op.op()) > 0;
  if (is_global && !has_channel) return op.fail("use_global_device_ids needs a channel");
  if (is_global) return GroupForm::FlattenedIds;
  return has_channel ? GroupForm::CrossReplicaAndPartition : GroupForm::CrossReplica;
}

GroupForm movement_form(const OpReader& op) {
  return channel_of(op.module(), op.op()) > 0 ? GroupForm::CrossPartition : GroupForm::CrossReplica;
}

// ---- Groups of a mesh --------------------------------------------------------------------------

namespace {

/// `<name = "x", size = 2>`, with or without its prefix.
Result<MeshAxis> read_mesh_axis(Scanner& scanner) {
  scanner.eat("#stablehlo.mesh_axis");
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("name"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(std::string name, scanner.string());
  SHARDY_TRY_STATUS(scanner.expect(","));
  SHARDY_TRY_STATUS(scanner.expect("size"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(const int64_t size, scanner.int64());
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return MeshAxis{std::move(name), size};
}

/// `dense<[1, 0]> : tensor<2xi64>`.
Result<std::vector<int64_t>> read_device_ids(Scanner& scanner) {
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("dense"));
  SHARDY_TRY_STATUS(scanner.expect("<"));
  const bool is_list = scanner.eat('[');
  do {
    SHARDY_TRY(const int64_t id, scanner.int64());
    ids.push_back(id);
  } while (scanner.eat(','));
  if (is_list) {
    SHARDY_TRY_STATUS(scanner.expect("]"));
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  const std::size_t end = scanner.rest().find('>');  // of the type
  scanner.seek(scanner.position() + (end == std::string_view::npos ? 0 : end + 1));
  return ids;
}

/// `#stablehlo.mesh<axes=[..], device_ids=..>` behind its name.
Result<Mesh> read_mesh(Scanner& scanner) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("axes"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  std::vector<MeshAxis> axes;
  while (scanner.peek() != ']') {
    SHARDY_TRY(MeshAxis axis, read_mesh_axis(scanner));
    axes.push_back(std::move(axis));
    if (!scanner.eat(',')) break;
  }
  SHARDY_TRY_STATUS(scanner.expect("]"));
  std::vector<int64_t> device_ids;
  if (scanner.eat(',')) {
    SHARDY_TRY_STATUS(scanner.expect("device_ids"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(device_ids, read_device_ids(scanner));
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return Mesh::make(std::move(axes), std::move(device_ids));
}

/// The mesh that a symbol names, or that its attribute spells.
Result<Mesh> find_mesh(const ir::Module& module, const std::string& name) {
  if (const std::optional<Mesh> mesh = module.find_mesh(name)) return *mesh;
  const std::optional<ir::OpId> op = module.find_symbol(name);
  for (const std::string_view key : {"mesh", "stablehlo.mesh"}) {
    const auto* spelled = op ? module.attribute<ir::OpaqueAttr>(*op, key) : nullptr;
    constexpr std::string_view kPrefix = "#stablehlo.mesh";
    if (spelled == nullptr || !spelled->text.starts_with(kPrefix)) continue;
    Scanner scanner(std::string_view(spelled->text).substr(kPrefix.size()));
    return read_mesh(scanner);
  }
  return fail("there is no mesh @" + name);
}

/// `#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>`.
Result<AxisRef> read_axis_ref(Scanner& scanner, const Mesh& mesh) {
  scanner.eat("#stablehlo.axis_ref");
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("name"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(const std::string name, scanner.string());
  const auto axes = mesh.axes();
  const auto found = std::ranges::find(axes, name, &MeshAxis::name);
  if (found == axes.end()) return fail("the mesh has no axis \"" + name + "\"");
  AxisRef ref{static_cast<int32_t>(found - axes.begin()), 1, found->size};
  if (scanner.eat(',')) {
    SHARDY_TRY_STATUS(scanner.expect("sub_axis_info"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY_STATUS(scanner.expect("("));
    SHARDY_TRY(ref.pre, scanner.int64());
    SHARDY_TRY_STATUS(scanner.expect(")"));
    SHARDY_TRY(ref.size, scanner.int64());
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return ref;
}

Result<Mesh> read_group_mesh(Scanner& scanner, const ir::Module& module) {
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("mesh"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  if (scanner.eat("#stablehlo.mesh")) return read_mesh(scanner);
  SHARDY_TRY(const std::string name, scanner.symbol());
  return find_mesh(module, name);
}

/// Axes that are not listed vary slowest, in the order of the mesh.
Result<GroupList> mesh_rows(std::string_view text, const ir::Module& module, int64_t num_ids) {
  constexpr std::string_view kPrefix = "#stablehlo.replica_group_mesh_axes";
  if (!text.starts_with(kPrefix)) return fail("`replica_groups` is neither a tensor nor of a mesh");
  Scanner scanner(text.substr(kPrefix.size()));
  SHARDY_TRY(const Mesh mesh, read_group_mesh(scanner, module));
  if (mesh.num_devices() > num_ids) {
    return fail("the mesh has " + std::to_string(mesh.num_devices()) +
                " devices, more than the run has processes, " + std::to_string(num_ids));
  }
  SHARDY_TRY_STATUS(scanner.expect(","));
  SHARDY_TRY_STATUS(scanner.expect("axes"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  std::vector<AxisRef> axes;
  while (scanner.peek() != ']') {
    SHARDY_TRY(const AxisRef ref, read_axis_ref(scanner, mesh));
    axes.push_back(ref);
    if (!scanner.eat(',')) break;
  }
  SHARDY_TRY_STATUS(scanner.expect("]"));
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
  if (const auto* spelled = attributes.get<ir::OpaqueAttr>("replica_groups")) {
    return op.at_op(mesh_rows(spelled->text, op.module(), num_ids(form, grid)));
  }
  const auto* literal = attributes.get<ir::Literal>("replica_groups");
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

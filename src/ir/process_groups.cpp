#include "ir/process_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::ir {
namespace {

/// The meaning of the numbers in `replica_groups`.
enum class GroupForm : uint8_t {
  CrossReplica,
  CrossPartition,
  CrossReplicaAndPartition,
  FlattenedIds
};

bool is_reduction_or_gather(OpKind kind) {
  return kind == OpKind::AllGather || kind == OpKind::AllReduce || kind == OpKind::ReduceScatter ||
         kind == OpKind::CollectiveReduce || kind == OpKind::CrossReplicaSum;
}

Result<GroupForm> group_form(const Module& module, OpId op) {
  const bool has_channel = channel_of(module, op) > 0;
  if (!is_reduction_or_gather(module.kind(op))) {
    return has_channel ? GroupForm::CrossPartition : GroupForm::CrossReplica;
  }
  const bool is_global = module.attributes(op).contains(attr::kUseGlobalDeviceIds);
  if (is_global && !has_channel) return fail("use_global_device_ids needs a channel");
  if (is_global) return GroupForm::FlattenedIds;
  return has_channel ? GroupForm::CrossReplicaAndPartition : GroupForm::CrossReplica;
}

// ---- From rows to devices -----------------------------------------------------------------------

/// Returns how many ids are valid for the form.
int64_t num_ids(GroupForm form, const ProcessCounts& counts) {
  switch (form) {
    case GroupForm::CrossPartition:
      return counts.partitions;
    case GroupForm::FlattenedIds:
      return counts.replicas * counts.partitions;
    case GroupForm::CrossReplica:
    case GroupForm::CrossReplicaAndPartition:
      break;
  }
  return counts.replicas;
}

Status expect_ids(const std::vector<int64_t>& row, int64_t count) {
  const auto wrong = std::ranges::find_if(row, [&](int64_t id) { return id < 0 || id >= count; });
  if (wrong == row.end()) return {};
  return fail("process " + std::to_string(*wrong) + " is not one of the " + std::to_string(count) +
              " that the run has");
}

/// Adds groups of partitions, once for each replica.
void add_partitions(GroupList& groups, const std::vector<int64_t>& row,
                    const ProcessCounts& counts) {
  for (int64_t replica = 0; replica < counts.replicas; ++replica) {
    std::vector<int64_t>& group = groups.emplace_back();
    for (const int64_t id : row) group.push_back(replica * counts.partitions + id);
  }
}

/// Adds groups of replicas: one group for each partition, or one group with all partitions.
void add_replicas(GroupList& groups, const std::vector<int64_t>& row, const ProcessCounts& counts,
                  bool by_partition) {
  for (int64_t partition = 0; partition < counts.partitions; ++partition) {
    const bool starts_group = by_partition || partition == 0;
    std::vector<int64_t>& group = starts_group ? groups.emplace_back() : groups.back();
    for (const int64_t id : row) group.push_back(id * counts.partitions + partition);
  }
}

Result<GroupList> devices_of(GroupForm form, const GroupList& rows, const ProcessCounts& counts) {
  const int64_t count = num_ids(form, counts);
  GroupList groups;
  for (const std::vector<int64_t>& row : rows) {
    SHARDY_TRY_STATUS(expect_ids(row, count));
    if (form == GroupForm::FlattenedIds) {
      groups.push_back(row);
    } else if (form == GroupForm::CrossPartition) {
      add_partitions(groups, row, counts);
    } else {
      add_replicas(groups, row, counts, form == GroupForm::CrossReplica);
    }
  }
  return groups;
}

// ---- Rows ---------------------------------------------------------------------------------------

/// Returns the mesh of a symbol, or the mesh that is written in the attribute itself.
Result<Mesh> find_mesh(const Module& module, const std::string& name) {
  if (const std::optional<Mesh> mesh = module.find_mesh(name)) return *mesh;
  const std::optional<OpId> op = module.find_symbol(name);
  for (const std::string_view key : {attr::kMesh, std::string_view("stablehlo.mesh")}) {
    const auto* opaque = op ? module.attribute<OpaqueAttr>(*op, key) : nullptr;
    if (opaque == nullptr || !opaque->text.starts_with("#stablehlo.mesh")) continue;
    return parse_stablehlo_mesh(opaque->text);
  }
  return fail("unknown mesh @" + name);
}

Result<Mesh> resolve_mesh(const Module& module, const MeshOrRef& mesh) {
  if (const auto* name = std::get_if<std::string>(&mesh)) return find_mesh(module, *name);
  return std::get<Mesh>(mesh);
}

/// Returns the rows for axes of a mesh. Axes that are not listed vary slowest, in the order of the
/// mesh.
Result<GroupList> mesh_rows(std::string_view text, const Module& module, int64_t num_ids) {
  if (!is_replica_group_mesh(text)) {
    return fail("`replica_groups` is neither a tensor nor of a mesh");
  }
  SHARDY_TRY(const ReplicaGroupMesh unresolved, parse_replica_group_mesh(text));
  SHARDY_TRY(const Mesh mesh, resolve_mesh(module, unresolved.mesh));
  if (mesh.num_devices() > num_ids) {
    return fail("the mesh has " + std::to_string(mesh.num_devices()) +
                " devices, more than the run has processes, " + std::to_string(num_ids));
  }
  SHARDY_TRY(const AxisList axes, resolve_axis_list(unresolved.axes, mesh));
  return replica_groups(mesh, axes);
}

/// Returns the rows of `replica_groups` without the padding -1.
Result<GroupList> group_rows(const Module& module, OpId op, int64_t num_ids) {
  const AttributeMap& attributes = module.attributes(op);
  if (const auto* opaque = attributes.get<OpaqueAttr>(attr::kReplicaGroups)) {
    return mesh_rows(opaque->text, module, num_ids);
  }
  const auto* literal = attributes.get<Literal>(attr::kReplicaGroups);
  if (literal == nullptr || literal->num_elements() == 0) {
    std::vector<int64_t> all(static_cast<std::size_t>(num_ids));
    std::iota(all.begin(), all.end(), int64_t{0});
    return GroupList{std::move(all)};
  }
  const Type& type = literal->type();
  if (type.rank() != 2 || type.element() != ElementType::I64) {
    return fail("replica groups should be a rank 2 tensor");
  }
  GroupList rows(static_cast<std::size_t>(type.dim(0)));
  for (int64_t index = 0; index < literal->num_elements(); ++index) {
    const auto id = literal->at<int64_t>(index);
    if (id != -1) rows[static_cast<std::size_t>(index / type.dim(1))].push_back(id);
  }
  std::erase_if(rows, [](const std::vector<int64_t>& row) { return row.empty(); });
  return rows;
}

/// Returns whether a number is repeated.
bool has_repeated(std::vector<int64_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) != numbers.end();
}

constexpr std::string_view kMeshAxes = "#stablehlo.replica_group_mesh_axes";

/// Reads `<name = "x"`, with or without the attribute's own name before it.
Result<std::string> read_name(Scanner& scanner) {
  if (scanner.eat('#')) {
    SHARDY_TRY_STATUS(scanner.ident());
  }
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("name"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  return scanner.string();
}

/// Reads `[#stablehlo.mesh_axis<name = "x", size = 2>, ...]`.
Result<std::vector<MeshAxis>> read_mesh_axes(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  const auto read_axis = [&]() -> Status {
    SHARDY_TRY(std::string name, read_name(scanner));
    SHARDY_TRY_STATUS(scanner.expect(","));
    SHARDY_TRY_STATUS(scanner.expect("size"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t size, scanner.int64());
    axes.push_back({std::move(name), size});
    return scanner.expect(">");
  };
  SHARDY_TRY_STATUS(read_list(scanner, "]", read_axis));
  return axes;
}

/// Reads `dense<[1, 0]> : tensor<2xi64>`.
Result<std::vector<int64_t>> read_device_ids(Scanner& scanner) {
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("dense"));
  SHARDY_TRY_STATUS(scanner.expect("<"));
  const auto read_id = [&]() -> Status {
    SHARDY_TRY(const int64_t id, scanner.int64());
    ids.push_back(id);
    return {};
  };
  if (scanner.eat('[')) {
    SHARDY_TRY_STATUS(read_list(scanner, "]", read_id));
  } else {
    SHARDY_TRY_STATUS(read_id());  // a splat lists the id of one device
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  SHARDY_TRY_STATUS(scanner.expect(":"));
  SHARDY_TRY_STATUS(scanner.expect("tensor"));
  SHARDY_TRY_STATUS(scanner.expect("<"));
  while (!scanner.at_end() && !scanner.eat('>')) scanner.seek(scanner.position() + 1);
  return ids;
}

/// Reads `#stablehlo.mesh<axes = [...], device_ids = ...>`.
Result<Mesh> read_mesh(Scanner& scanner) {
  if (scanner.eat('#')) {
    SHARDY_TRY_STATUS(scanner.ident());
  }
  std::vector<MeshAxis> axes;
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("<"));
  const auto read_field = [&]() -> Status {
    SHARDY_TRY(const std::string_view field, scanner.ident());
    SHARDY_TRY_STATUS(scanner.expect("="));
    if (field == "axes") {
      SHARDY_TRY(axes, read_mesh_axes(scanner));
    } else {
      SHARDY_TRY(ids, read_device_ids(scanner));
    }
    return {};
  };
  SHARDY_TRY_STATUS(read_list(scanner, ">", read_field));
  return Mesh::make(std::move(axes), std::move(ids));
}

/// Reads `[#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>, ...]`.
Result<UnresolvedAxisList> read_axis_refs(Scanner& scanner) {
  UnresolvedAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  const auto read_ref = [&]() -> Status {
    SHARDY_TRY(std::string name, read_name(scanner));
    UnresolvedAxisRef ref{std::move(name)};
    if (scanner.eat(',')) {
      SubAxis sub;
      SHARDY_TRY_STATUS(scanner.expect("sub_axis_info"));
      SHARDY_TRY_STATUS(scanner.expect("="));
      SHARDY_TRY_STATUS(scanner.expect("("));
      SHARDY_TRY(sub.pre, scanner.int64());
      SHARDY_TRY_STATUS(scanner.expect(")"));
      SHARDY_TRY(sub.size, scanner.int64());
      ref.sub = sub;
    }
    axes.push_back(std::move(ref));
    return scanner.expect(">");
  };
  SHARDY_TRY_STATUS(read_list(scanner, "]", read_ref));
  return axes;
}

Result<MeshOrRef> read_mesh_or_ref(Scanner& scanner) {
  if (scanner.peek() == '@') return scanner.symbol();
  return read_mesh(scanner);
}

}  // namespace

Result<GroupList> process_groups(const Module& module, OpId op, const ProcessCounts& counts) {
  SHARDY_TRY(const GroupForm form, group_form(module, op));
  SHARDY_TRY(const GroupList rows, group_rows(module, op, num_ids(form, counts)));
  SHARDY_TRY(GroupList groups, devices_of(form, rows, counts));
  std::vector<int64_t> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  if (has_repeated(std::move(all))) return fail("a process is in two groups");
  return groups;
}

Result<std::vector<std::pair<int64_t, int64_t>>> process_pairs(const Module& module, OpId op,
                                                               const ProcessCounts& counts) {
  const auto* const pairs = module.attribute<Literal>(op, attr::kSourceTargetPairs);
  if (pairs == nullptr) return fail("`source_target_pairs` is missing");
  GroupList rows(2);
  for (int64_t index = 0; index < pairs->num_elements(); ++index) {
    rows[static_cast<std::size_t>(index % 2)].push_back(pairs->at<int64_t>(index));
  }
  SHARDY_TRY(const GroupForm form, group_form(module, op));
  SHARDY_TRY(const GroupList groups, devices_of(form, rows, counts));
  // The rows of sources come first, then the rows of targets.
  const std::size_t half = groups.size() / 2;
  std::vector<std::pair<int64_t, int64_t>> devices;
  std::vector<int64_t> targets;
  for (std::size_t row = 0; row < half; ++row) {
    for (std::size_t pair = 0; pair < groups[row].size(); ++pair) {
      devices.emplace_back(groups[row][pair], groups[half + row][pair]);
      targets.push_back(groups[half + row][pair]);
    }
  }
  if (has_repeated(std::move(targets))) return fail("duplicate targets not allowed");
  return devices;
}

bool is_replica_group_mesh(std::string_view text) { return text.starts_with(kMeshAxes); }

/// The fields may come in any order, and each occurs once.
Result<ReplicaGroupMesh> parse_replica_group_mesh(std::string_view text) {
  Scanner scanner(text);
  scanner.seek(kMeshAxes.size());
  ReplicaGroupMesh groups;
  bool has_mesh = false;
  bool has_axes = false;
  const auto read_field = [&]() -> Status {
    const bool is_mesh = !has_mesh && scanner.eat("mesh");
    if (!is_mesh && (has_axes || !scanner.eat("axes"))) return scanner.expected("'mesh' or 'axes'");
    (is_mesh ? has_mesh : has_axes) = true;
    SHARDY_TRY_STATUS(scanner.expect("="));
    if (!is_mesh) {
      SHARDY_TRY(groups.axes, read_axis_refs(scanner));
      return {};
    }
    groups.mesh_begin = scanner.position();
    SHARDY_TRY(groups.mesh, read_mesh_or_ref(scanner));
    groups.mesh_end = scanner.raw_position();
    return {};
  };
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(read_list(scanner, ">", read_field));
  if (!has_mesh || !has_axes) return scanner.expected("both a mesh and axes");
  return groups;
}

Result<Mesh> parse_stablehlo_mesh(std::string_view text) {
  Scanner scanner(text);
  return read_mesh(scanner);
}

std::string stablehlo_mesh_text(const Mesh& mesh) {
  std::string axes;
  for (const MeshAxis& axis : mesh.axes()) {
    if (!axes.empty()) axes += ", ";
    axes += "#stablehlo.mesh_axis<name = " + in_quotes(axis.name) + ", size = ";
    axes += std::to_string(axis.size) + ">";
  }
  std::string text = "#stablehlo.mesh<axes = [" + axes + "]";
  if (!mesh.device_ids().empty()) {
    std::string ids;
    for (const int64_t id : mesh.device_ids()) {
      ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    }
    text += ", device_ids = dense<[" + ids + "]> : tensor<";
    text += std::to_string(mesh.device_ids().size()) + "xi64>";
  }
  return text + ">";
}

int64_t channel_of(const Module& module, OpId op) {
  const auto* handle = module.attribute<OpaqueAttr>(op, attr::kChannelHandle);
  constexpr std::string_view kField = "handle = ";
  const std::size_t at = handle == nullptr ? std::string::npos : handle->text.find(kField);
  if (at == std::string::npos) return 0;
  return Scanner(std::string_view(handle->text).substr(at + kField.size())).int64().value_or(0);
}

// ---- Permute maps -------------------------------------------------------------------------------

namespace {

__extension__ using WideRank = __int128;

/// Returns floor((a q + b) / c) + j for the receiver q of residue class rho modulo M; std::nullopt
/// for other receivers and on overflow. `n`: the six numbers.
std::optional<int64_t> affine_source(std::span<const int64_t> n, int64_t receiver, int64_t size) {
  if (receiver % n[4] != n[5]) return std::nullopt;
  const WideRank numerator = WideRank{n[0]} * receiver + n[1];
  const WideRank c = n[2];
  const WideRank source = numerator / c - (numerator % c < 0 ? 1 : 0) + n[3];
  if (source < 0 || source >= size) return std::nullopt;
  return static_cast<int64_t>(source);
}

}  // namespace

std::optional<int64_t> source_rank(const PermuteMap& map, int64_t receiver, int64_t size) {
  switch (map.kind) {
    case PermuteMap::Kind::Shift: {
      const int64_t source = receiver + std::clamp(map.numbers[0], -size, size);
      return source >= 0 && source < size ? std::optional(source) : std::nullopt;
    }
    case PermuteMap::Kind::Rotate:
      return (receiver + floor_mod(map.numbers[0], size)) % size;
    case PermuteMap::Kind::Mirror:
      return size - 1 - receiver;
    case PermuteMap::Kind::Affine: {
      std::optional<int64_t> source;
      for (std::size_t at = 0; !source && at < map.numbers.size(); at += 6) {
        source = affine_source(std::span(map.numbers).subspan(at, 6), receiver, size);
      }
      return source;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace shardy::ir

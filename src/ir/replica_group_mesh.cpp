#include "ir/replica_group_mesh.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::ir {
namespace {

constexpr std::string_view kMeshAxes = "#stablehlo.replica_group_mesh_axes";

/// `<name = "x"`, with or without the name of the attribute before it.
Result<std::string> read_name(Scanner& scanner) {
  if (scanner.eat('#')) {
    SHARDY_TRY_STATUS(scanner.ident());
  }
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("name"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  return scanner.string();
}

/// `[#stablehlo.mesh_axis<name = "x", size = 2>, ...]`.
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

/// `dense<[1, 0]> : tensor<2xi64>`.
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
    SHARDY_TRY_STATUS(read_id());  // a splat: of one device
  }
  SHARDY_TRY_STATUS(scanner.expect(">"));
  SHARDY_TRY_STATUS(scanner.expect(":"));
  SHARDY_TRY_STATUS(scanner.expect("tensor"));
  SHARDY_TRY_STATUS(scanner.expect("<"));
  while (!scanner.at_end() && !scanner.eat('>')) scanner.seek(scanner.position() + 1);
  return ids;
}

/// `#stablehlo.mesh<axes = [...], device_ids = ...>`.
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

/// `[#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>, ...]`.
Result<SpelledAxisList> read_axis_refs(Scanner& scanner) {
  SpelledAxisList axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  const auto read_ref = [&]() -> Status {
    SHARDY_TRY(std::string name, read_name(scanner));
    SpelledAxisRef ref{std::move(name)};
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

bool is_replica_group_mesh(std::string_view text) { return text.starts_with(kMeshAxes); }

/// The fields stand in any order, each once.
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

}  // namespace shardy::ir

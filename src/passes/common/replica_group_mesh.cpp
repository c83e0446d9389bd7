#include "passes/common/replica_group_mesh.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "shardy/support/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

namespace {

constexpr std::string_view kReplicaGroups = "replica_groups";
constexpr std::string_view kMeshAxes = "#stablehlo.replica_group_mesh_axes";

/// The mesh and where its text stands.
struct Found {
  MeshOrRef mesh;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// `[#stablehlo.mesh_axis<name = "x", size = 2>, ...]`; the name of the attribute may be left out.
Result<std::vector<MeshAxis>> read_axes(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  SHARDY_TRY_STATUS(scanner.expect("["));
  const auto read_axis = [&]() -> Status {
    if (scanner.eat('#')) {
      SHARDY_TRY_STATUS(scanner.ident());
    }
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY_STATUS(scanner.expect("name"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(std::string name, scanner.string());
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

/// `#stablehlo.mesh<axes = [...], device_ids = ...>`, after the name.
Result<Mesh> read_mesh(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(scanner.expect("<"));
  const auto read_field = [&]() -> Status {
    SHARDY_TRY(const std::string_view field, scanner.ident());
    SHARDY_TRY_STATUS(scanner.expect("="));
    if (field == "axes") {
      SHARDY_TRY(axes, read_axes(scanner));
    } else {
      SHARDY_TRY(ids, read_device_ids(scanner));
    }
    return {};
  };
  SHARDY_TRY_STATUS(read_list(scanner, ">", read_field));
  return Mesh::make(std::move(axes), std::move(ids));
}

Result<Found> read(std::string_view text) {
  Scanner scanner(text.substr(kMeshAxes.size()));
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("mesh"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  const std::size_t begin = scanner.position() + kMeshAxes.size();
  if (scanner.peek() == '@') {
    SHARDY_TRY(std::string name, scanner.symbol());
    return Found{std::move(name), begin, scanner.raw_position() + kMeshAxes.size()};
  }
  if (scanner.eat('#')) {
    SHARDY_TRY_STATUS(scanner.ident());
  }
  SHARDY_TRY(Mesh mesh, read_mesh(scanner));
  return Found{std::move(mesh), begin, scanner.raw_position() + kMeshAxes.size()};
}

std::string mesh_text(const MeshOrRef& mesh_or_ref) {
  if (const auto* name = std::get_if<std::string>(&mesh_or_ref)) return symbol_text(*name);
  const Mesh& mesh = std::get<Mesh>(mesh_or_ref);
  std::string axes;
  for (const MeshAxis& axis : mesh.axes()) {
    if (!axes.empty()) axes += ", ";
    axes += "#stablehlo.mesh_axis<name = " + in_quotes(axis.name) + ", size = ";
    axes += std::to_string(axis.size) + ">";
  }
  std::string text = "#stablehlo.mesh<axes = [" + axes + "]";
  if (!mesh.device_ids().empty()) {
    std::string ids;
    for (const int64_t id : mesh.device_ids())
      ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    text += ", device_ids = dense<[" + ids + "]> : tensor<";
    text += std::to_string(mesh.device_ids().size()) + "xi64>";
  }
  return text + ">";
}

const std::string* text_of(const ir::Module& module, ir::OpId op) {
  const auto* groups = module.attribute<ir::OpaqueAttr>(op, kReplicaGroups);
  return groups != nullptr && groups->text.starts_with(kMeshAxes) ? &groups->text : nullptr;
}

}  // namespace

std::optional<MeshOrRef> replica_group_mesh(const ir::Module& module, ir::OpId op) {
  const std::string* text = text_of(module, op);
  if (text == nullptr) return std::nullopt;
  Result<Found> found = read(*text);
  if (!found) return std::nullopt;
  return std::move(found->mesh);
}

void set_replica_group_mesh(ir::Module& module, ir::OpId op, const MeshOrRef& mesh) {
  const std::string* old = text_of(module, op);
  if (old == nullptr) return;
  const Result<Found> found = read(*old);
  if (!found) return;
  std::string text = *old;
  text.replace(found->begin, found->end - found->begin, mesh_text(mesh));
  module.attributes(op).set(kReplicaGroups, ir::OpaqueAttr{std::move(text)});
}

}  // namespace shardy::passes

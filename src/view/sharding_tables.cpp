#include <algorithm>
#include <cstddef>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/view/picture.hpp"
#include "view/document_parts.hpp"

namespace shardy::view {

namespace {

/// Writes `[axis, pre, size]` per axis.
void write_axes(PartWriter& out, AxisSpan axes) {
  out.begin_array();
  for (const AxisRef& axis : axes) {
    out.begin_array().integer(axis.axis).integer(axis.pre).integer(axis.size).end_array();
  }
  out.end_array();
}

void write_sharding(PartWriter& out, const TensorSharding& sharding, int64_t mesh) {
  out.begin_object().member("text", to_string(sharding)).key("mesh").integer(mesh);
  out.key("dims").begin_array();
  for (const DimSharding& dim : sharding.dims()) {
    out.begin_object();
    write_axes(out.key("axes"), dim.axes);
    out.key("open").boolean(!dim.is_closed).key("priority");
    dim.priority ? out.integer(*dim.priority) : out.null();
    out.end_object();
  }
  out.end_array();
  write_axes(out.key("replicated"), sharding.replicated_axes());
  write_axes(out.key("unreduced"), sharding.unreduced_axes());
  out.member("reduction", to_string(sharding.reduction_op())).end_object();
}

void write_axis(PartWriter& out, const std::optional<AxisRef>& axis) {
  if (!axis) {
    out.null();
    return;
  }
  out.begin_object().key("axis").integer(axis->axis).key("pre").integer(axis->pre);
  out.key("size").integer(axis->size).end_object();
}

void write_dim(PartWriter& out, const PictureDim& dim) {
  out.begin_object().key("cells").integer(std::ssize(dim.at));
  out.key("shards_per_cell").integer(dim.shards_per_cell);
  out.member("begin", dim.begin).member("end", dim.end).member("padding", dim.padding);
  out.member("at", dim.at).member("major", dim.hue).member("minor", dim.light).end_object();
}

/// Returns the picture of a grid as a member of the part. `sharding` is its number, or -1.
std::string picture_json(const ShardGrid& grid, int64_t mesh, int64_t sharding) {
  const Picture picture = picture_of(grid);
  PartWriter out;
  out.begin_object().key("mesh").integer(mesh).key("sharding").integer(sharding);
  out.member("text", sharding < 0 ? std::string() : to_string(grid.sharding()));
  out.member("shape", grid.shape()).member("local_shape", grid.local_shape());
  out.member("num_shards", grid.num_shards());
  out.key("replicas").integer(picture.replicas).key("summands").integer(picture.summands);
  out.key("lines").begin_array();
  for (const std::string& line : lines_of(grid)) out.string(line);
  out.end_array().key("devices_per_cell").integer(picture.devices_per_cell);
  out.key("dims").begin_array();
  for (const PictureDim& dim : picture.dims) write_dim(out, dim);
  out.end_array();
  out.member("replica_at", picture.replica_at).member("summand_at", picture.summand_at);
  write_axis(out.key("hue"), picture.hue);
  write_axis(out.key("light"), picture.light);
  return out.end_object().take();
}

}  // namespace

int64_t ShardingTables::add_mesh(const std::string& name, const Mesh& mesh) {
  const auto number = std::ssize(meshes_);
  const auto [found, is_new] = mesh_numbers_.try_emplace({name, to_string(mesh)}, number);
  if (!is_new) return found->second;
  meshes_.push_back({name, mesh});
  const ShardGrid grid = grid_of_mesh(mesh);
  meshes_.back().picture = std::ssize(pictures_);
  pictures_.push_back(picture_json(grid, number, -1));
  return number;
}

int64_t ShardingTables::mesh_of(const TensorSharding& sharding) {
  return add_mesh(sharding.mesh_name().value_or(""), sharding.mesh());
}

int64_t ShardingTables::add(const std::optional<TensorSharding>& sharding) {
  if (!sharding) return -1;
  const int64_t mesh = mesh_of(*sharding);
  const auto [found, is_new] =
      sharding_numbers_.try_emplace({mesh, to_string(*sharding)}, std::ssize(shardings_));
  if (!is_new) return found->second;
  shardings_.push_back(*sharding);
  mesh_of_sharding_.push_back(mesh);
  return found->second;
}

int64_t ShardingTables::add_grid(const TensorSharding& sharding, std::span<const int64_t> shape,
                                 int64_t number) {
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  const auto [found, is_new] = picture_numbers_.try_emplace({number, sizes}, std::ssize(pictures_));
  if (!is_new) return found->second;
  const auto grid = ShardGrid::make(sharding, std::move(sizes));
  if (!grid) {
    found->second = -1;
    return -1;
  }
  pictures_.push_back(picture_json(*grid, mesh_of(sharding), number));
  return found->second;
}

int64_t ShardingTables::add_picture(const std::optional<TensorSharding>& sharding,
                                    std::span<const int64_t> shape) {
  if (sharding) {
    const int64_t number = add(sharding);
    return add_grid(*sharding, shape, number);
  }
  if (meshes_.empty() || shape.size() > kMaxRank) return -1;
  const NamedMesh& first = meshes_.front();
  return add_grid(TensorSharding::fully_open(first.mesh, first.name, shape.size()), shape, -1);
}

std::string ShardingTables::shardings_part() const {
  PartWriter out;
  out.begin_array();
  for (std::size_t index = 0; index < shardings_.size(); ++index) {
    write_sharding(out, shardings_[index], mesh_of_sharding_[index]);
  }
  return out.end_array().take();
}

std::string ShardingTables::pictures_part() const {
  PartWriter out;
  out.begin_array();
  for (const std::string& picture : pictures_) out.raw(picture);
  return out.end_array().take();
}

void ShardingTables::write_meshes(PartWriter& out) const {
  std::vector<std::string_view> names;
  for (const NamedMesh& each : meshes_) {
    for (const MeshAxis& axis : each.mesh.axes()) {
      if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
    }
  }
  out.key("axis_names").begin_array();
  for (const std::string_view name : names) out.string(name);
  out.end_array().key("meshes").begin_array();
  for (const NamedMesh& each : meshes_) {
    const Mesh& mesh = each.mesh;
    out.begin_object().member("name", each.name).member("text", to_string(mesh));
    out.key("axes").begin_array();
    for (const MeshAxis& axis : mesh.axes()) {
      out.begin_object().member("name", axis.name).key("size").integer(axis.size).end_object();
    }
    out.end_array().key("devices").integer(mesh.num_devices()).key("device_ids");
    mesh.device_ids().empty() ? out.null() : out.raw([&] {
      PartWriter ids;
      ids.begin_array();
      for (const int64_t id : mesh.device_ids()) ids.integer(id);
      return ids.end_array().take();
    }());
    out.key("layout").integer(each.picture).end_object();
  }
  out.end_array();
}

}  // namespace shardy::view

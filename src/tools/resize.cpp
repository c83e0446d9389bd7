#include "tools/resize.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/resolve.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::tools {

namespace {

using Sizes = std::map<std::string, int64_t, std::less<>>;

Result<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    int64_t size = 0;
    const char* const end = item.data() + item.size();
    const bool valid = equals != std::string_view::npos &&
                       std::from_chars(item.data() + equals + 1, end, size).ptr == end && size > 0;
    if (!valid) return fail("expected AXIS=SIZE, got: " + std::string(item));
    sizes[std::string(item.substr(0, equals))] = size;
  }
  return sizes;
}

/// Shardings refer to meshes by name again, as they do in a file.
void spell_all(ir::AttributeMap& attributes) {
  std::vector<ir::NamedAttribute> spelled;
  for (const ir::NamedAttribute& entry : attributes) {
    if (const auto* sharding = entry.value.as<TensorSharding>()) {
      spelled.push_back({entry.name, spell(*sharding)});
    } else if (const auto* list = entry.value.as<ir::ShardingList>()) {
      ir::SpelledShardingList all;
      for (const TensorSharding& each : list->shardings) all.shardings.push_back(spell(each));
      spelled.push_back({entry.name, std::move(all)});
    }
  }
  for (ir::NamedAttribute& entry : spelled) attributes.set(entry.name, std::move(entry.value));
}

Result<Mesh> resized(const Mesh& mesh, const Sizes& sizes, Sizes& unused) {
  std::vector<MeshAxis> axes(mesh.axes().begin(), mesh.axes().end());
  for (MeshAxis& axis : axes) {
    const auto found = sizes.find(axis.name);
    if (found == sizes.end()) continue;
    axis.size = found->second;
    unused.erase(axis.name);
  }
  return Mesh::make(std::move(axes));
}

Status resize_all(ir::Module& module, const Sizes& sizes) {
  Sizes unused = sizes;
  for (const ir::OpId op : module.meshes()) {
    const Mesh* mesh = module.attribute<Mesh>(op, "mesh");
    if (mesh == nullptr || mesh->axes().empty()) continue;
    SHARDY_TRY(Mesh changed, resized(*mesh, sizes, unused));
    module.attributes(op).set("mesh", std::move(changed));
  }
  if (!unused.empty()) return fail("no mesh has the axis \"" + unused.begin()->first + "\"");
  return {};
}

}  // namespace

tl::expected<void, std::vector<Error>> resize_meshes(ir::Module& module, std::string_view text) {
  if (text.empty()) return {};
  const Result<Sizes> sizes = parse_sizes(text);
  if (!sizes) return tl::unexpected(std::vector{sizes.error()});
  for (const ir::OpId op : ir::pre_order(module)) {
    spell_all(module.attributes(op));
    if (!module.is(op, ir::OpKind::Func)) continue;
    for (ir::AttributeMap& each : module.function(op).arg_attributes) spell_all(each);
    for (ir::AttributeMap& each : module.function(op).result_attributes) spell_all(each);
  }
  const Status status = resize_all(module, *sizes);
  if (!status) return tl::unexpected(std::vector{status.error()});
  std::vector<Error> errors = ir::resolve(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return {};
}

}  // namespace shardy::tools

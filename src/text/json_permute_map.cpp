#include "text/json_permute_map.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/resolve.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_fields.hpp"
#include "text/json_string.hpp"

namespace shardy::text {

namespace {

/// A mesh written out, or the name of one of the module.
Result<Mesh> read_mesh_or_name(JsonNode node, const NamedMeshes& meshes) {
  if (!node.is_string() || node.string().starts_with('<')) return read_mesh(node);
  const std::string name = symbol_of_string(node.string());
  for (const auto& [known, mesh] : meshes) {
    if (known == name) return mesh;
  }
  return fail_at(node, "unknown mesh: @" + name);
}

/// Each axis is looked up alone: neighbours of an order need not be merged.
Result<AxisList> read_order(JsonNode node, const Mesh& mesh) {
  SHARDY_TRY(const SpelledAxisList spelled, read_axes(node));
  AxisList order;
  for (const SpelledAxisRef& axis : spelled) {
    Result<AxisList> one = resolve_axis_list({axis}, mesh);
    if (!one) return fail_at(node, std::move(one).error());
    order.push_back(one->front());
  }
  return order;
}

/// `[[source, target], ...]` as one list.
Result<std::vector<int64_t>> read_pairs(JsonNode node) {
  SHARDY_TRY_STATUS(expect_array(node, "\"pairs\""));
  std::vector<int64_t> numbers;
  for (const JsonNode pair : node) {
    SHARDY_TRY(const std::vector<int64_t> ids, read_integers(pair, "a pair of devices"));
    if (ids.size() != 2) return fail_at(pair, "a pair of devices is [source, target]");
    numbers.insert(numbers.end(), ids.begin(), ids.end());
  }
  return numbers;
}

/// "numbers", "pairs", or a key for each number of the kind.
Result<std::vector<int64_t>> read_permute_numbers(JsonNode node, const PermuteKind& kind) {
  if (const auto numbers = node.find("numbers")) return read_integers(*numbers, "\"numbers\"");
  if (const auto pairs = node.find("pairs")) return read_pairs(*pairs);
  std::vector<int64_t> values;
  for (const std::string_view name : kind.numbers) {
    SHARDY_TRY(const JsonNode number, required(node, name));
    SHARDY_TRY(const int64_t value, read_integer(number, name));
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<ir::PermuteMap> read_permute_map(JsonNode node, const NamedMeshes& meshes) {
  constexpr std::string_view kWhat = "a permute map";
  std::vector<std::string_view> keys = {"kind",         "numbers",        "pairs", "mesh",
                                        "source_order", "receiver_order", "d"};
  keys.insert(keys.end(), kAffine.begin(), kAffine.end());
  SHARDY_TRY_STATUS(expect_object(node, kWhat, keys));
  SHARDY_TRY(const JsonNode kind_node, required(node, "kind"));
  const auto* const kind = std::ranges::find_if(kPermuteKinds, [&](const PermuteKind& each) {
    return kind_node.is_string() && kind_node.string() == each.name;
  });
  if (kind == kPermuteKinds.end()) {
    return fail_at(kind_node, "unknown kind of permute map: " + kind_node.description(),
                   "one of shift rotate mirror affine relabel remesh pairs");
  }
  ir::PermuteMap map;
  map.kind = kind->kind;
  SHARDY_TRY(map.numbers, read_permute_numbers(node, *kind));
  if (const auto mesh = node.find("mesh")) {
    SHARDY_TRY(map.mesh, read_mesh_or_name(*mesh, meshes));
  }
  if (const auto order = node.find("source_order")) {
    SHARDY_TRY(map.source_order, read_order(*order, map.mesh));
  }
  if (const auto order = node.find("receiver_order")) {
    SHARDY_TRY(map.receiver_order, read_order(*order, map.mesh));
  }
  return map;
}

}  // namespace shardy::text

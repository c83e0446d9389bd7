#pragma once

#include <map>
#include <numeric>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/resharding/step.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::testing {

/// Meshes by name.
using MeshTable = std::map<std::string, Mesh>;

/// "m" with the devices in order, "n" with the same axes and the devices in reverse order.
inline MeshTable mesh_and_reverse(const std::vector<MeshAxis>& axes) {
  const Mesh mesh = Mesh::make(axes).value();
  std::vector<int64_t> reversed(static_cast<std::size_t>(mesh.num_devices()));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return {{"m", mesh}, {"n", Mesh::make(axes, reversed).value()}};
}

inline TensorSharding read_sharding(const MeshTable& meshes, std::string_view text) {
  const UnresolvedSharding spelled = parse_sharding(text).value();
  return resolve(spelled, meshes.at(std::get<std::string>(spelled.mesh))).value();
}

inline std::vector<std::string> step_texts(const std::vector<ReshardStep>& steps) {
  std::vector<std::string> texts;
  for (const ReshardStep& step : steps) texts.push_back(to_string(step));
  return texts;
}

}  // namespace shardy::testing

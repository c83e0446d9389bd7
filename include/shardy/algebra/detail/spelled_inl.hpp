// Bodies of spelled.hpp.
#pragma once

#include <algorithm>
#include <shardy/algebra/detail/spelled_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <string>
#include <variant>

namespace shardy {

SHARDY_INLINE bool operator==(const SpelledSharding&, const SpelledSharding&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const SpelledSharding&,
                                               const SpelledSharding&) = default;

SHARDY_INLINE bool SpelledSharding::is_fully_replicated() const {
  return std::ranges::all_of(dims, [](const SpelledDim& dim) { return dim.axes.empty(); });
}

SHARDY_INLINE SpelledSharding spell(const TensorSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  SpelledSharding spelled;
  spelled.mesh = sharding.mesh_name() ? MeshOrRef(*sharding.mesh_name()) : MeshOrRef(mesh);
  for (const DimSharding& dim : sharding.dims()) spelled.dims.push_back(spell(mesh, dim));
  spelled.replicated = spell(mesh, sharding.replicated_axes());
  spelled.unreduced = spell(mesh, sharding.unreduced_axes());
  spelled.reduction_op = sharding.reduction_op();
  return spelled;
}

SHARDY_INLINE std::string to_string(const MeshAxis& axis) {
  return in_quotes(axis.name) + "=" + std::to_string(axis.size);
}

SHARDY_INLINE std::string to_string(const Mesh& mesh) {
  std::string text = "<[" + detail::joined(mesh.axes()) + "]";
  if (!mesh.device_ids().empty()) {
    text += ", device_ids=[" + detail::comma_separated(mesh.device_ids()) + "]";
  }
  return text + ">";
}

SHARDY_INLINE std::string to_string(const MeshOrRef& mesh) {
  if (const auto* name = std::get_if<std::string>(&mesh)) return symbol_text(*name);
  return "mesh" + to_string(*std::get_if<Mesh>(&mesh));
}

SHARDY_INLINE std::string to_string(const SpelledAxisList& axes) {
  return "{" + detail::joined(axes) + "}";
}

SHARDY_INLINE std::string to_string(const SpelledDim& dim) {
  std::string text = "{" + detail::joined(dim.axes);
  if (!dim.is_closed) text += dim.axes.empty() ? "?" : ", ?";
  text += "}";
  if (dim.priority) text += "p" + std::to_string(*dim.priority);
  return text;
}

SHARDY_INLINE std::string to_string(const SpelledSharding& sharding) {
  std::string text = "<" + to_string(sharding.mesh) + ", [" + detail::joined(sharding.dims) + "]";
  if (!sharding.replicated.empty()) text += ", replicated=" + to_string(sharding.replicated);
  if (!sharding.unreduced.empty()) {
    text += ", unreduced=";
    if (sharding.reduction_op != ReductionOp::Sum) text += to_string(sharding.reduction_op);
    text += to_string(sharding.unreduced);
  }
  return text + ">";
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::SpelledSharding>::operator()(
    const shardy::SpelledSharding& sharding) const {
  std::size_t seed = shardy::hash_of(sharding.mesh, static_cast<int>(sharding.reduction_op));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.dims));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.replicated));
  return shardy::hash_combine(seed, shardy::hash_range(sharding.unreduced));
}

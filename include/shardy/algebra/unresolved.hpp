#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/detail/unresolved_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <variant>
#include <vector>

namespace shardy {

/// A mesh name, without `@`, or an inlined mesh.
using MeshOrRef = std::variant<std::string, Mesh>;

/// A sharding with axis names, not validated. Parsers of text and JSON return it; resolve.hpp
/// converts it to a TensorSharding on a mesh. Printing and parsing preserve it.
struct UnresolvedSharding {
  MeshOrRef mesh;                   // inlined mesh, or name of the mesh
  std::vector<UnresolvedDim> dims;  // one for each dim of the tensor
  /// Axes along which the tensor must stay replicated: propagation does not add them to a dim.
  UnresolvedAxisList replicated = {};
  UnresolvedAxisList unreduced = {};            // axes along which devices have partial values
  ReductionOp reduction_op = ReductionOp::Sum;  // reduction that combines the partial values

  /// Checks whether no dim has axes. Replicated and unreduced axes are ignored.
  bool is_fully_replicated() const;

  friend bool operator==(const UnresolvedSharding&, const UnresolvedSharding&);
  friend std::strong_ordering operator<=>(const UnresolvedSharding&, const UnresolvedSharding&);
};

/// Returns the dim sharding with axis names.
inline UnresolvedDim spell(const Mesh& mesh, const DimSharding& dim) {
  return {spell(mesh, dim.axes), dim.is_closed, dim.priority};
}

/// Returns the sharding with axis names and mesh reference.
UnresolvedSharding spell(const TensorSharding& sharding);

// Canonical text: algebra 10.4. Equal values have equal texts.

namespace detail {

template <class Range, class Print>
std::string joined(const Range& range, Print print) {
  std::string text;
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) text += ", ";
    is_first = false;
    text += print(element);
  }
  return text;
}

template <class Range>
std::string joined(const Range& range) {
  return joined(range, [](const auto& element) { return to_string(element); });
}

}  // namespace detail

std::string to_string(const MeshAxis& axis);

/// Returns `<["a"=2, "b"=4], device_ids=[3, 2, 1, 0]>`.
std::string to_string(const Mesh& mesh);

/// Returns `@m` or `mesh<["a"=2]>`.
std::string to_string(const MeshOrRef& mesh);

inline std::string to_string(const MeshRef& ref) {
  return to_string(ref.name ? MeshOrRef(*ref.name) : MeshOrRef(ref.mesh));
}

/// Returns `{"a", "b":(2)2}`.
std::string to_string(const UnresolvedAxisList& axes);

inline std::string to_string(const Mesh& mesh, AxisSpan axes) {
  return to_string(spell(mesh, axes));
}

/// Returns `{"a", ?}p1`.
std::string to_string(const UnresolvedDim& dim);

inline std::string to_string(const Mesh& mesh, const DimSharding& dim) {
  return to_string(spell(mesh, dim));
}

/// Returns `<@m, [{"a"}, {?}], replicated={"b"}, unreduced=max{"c"}>`.
std::string to_string(const UnresolvedSharding& sharding);

inline std::string to_string(const TensorSharding& sharding) { return to_string(spell(sharding)); }

// Lists that ops have as attributes, and their text.

/// One sharding per value: results, operands or block arguments. Text: `<[<@m, [{"a"}]>]>`.
using UnresolvedShardings = std::vector<UnresolvedSharding>;
/// Text: `[{"a"}, {}]`.
using UnresolvedAxisLists = std::vector<UnresolvedAxisList>;
/// Names of full axes. Text: `{"a", "b"}`.
using ManualAxes = std::vector<std::string>;

/// Axes that an all-to-all moves from one dim to another. Text: `{"b"}: 0->2`.
struct UnresolvedAllToAll {
  UnresolvedAxisList axes;  // axes that leave source_dim
  int64_t source_dim = 0;   // dim that loses the axes
  int64_t target_dim = 0;   // dim that gets the axes

  friend bool operator==(const UnresolvedAllToAll&, const UnresolvedAllToAll&);
  friend std::strong_ordering operator<=>(const UnresolvedAllToAll&, const UnresolvedAllToAll&);
};
using UnresolvedAllToAlls = std::vector<UnresolvedAllToAll>;  // parameters of one `sdy.all_to_all`

std::string to_string(const UnresolvedShardings& shardings);
std::string to_string(const UnresolvedAxisLists& lists);
std::string to_string(const UnresolvedAllToAll& param);
std::string to_string(const UnresolvedAllToAlls& params);
/// Returns `manual_axes={"x", "y"}`.
std::string manual_axes_text(const ManualAxes& names);

}  // namespace shardy

template <>
struct std::hash<shardy::UnresolvedSharding> {
  std::size_t operator()(const shardy::UnresolvedSharding& sharding) const;
};

template <>
struct std::hash<shardy::UnresolvedAllToAll> {
  std::size_t operator()(const shardy::UnresolvedAllToAll& param) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/quote.hpp>

namespace shardy {

SHARDY_INLINE bool operator==(const UnresolvedSharding&, const UnresolvedSharding&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const UnresolvedSharding&,
                                               const UnresolvedSharding&) = default;

SHARDY_INLINE bool UnresolvedSharding::is_fully_replicated() const {
  return std::ranges::all_of(dims, [](const UnresolvedDim& dim) { return dim.axes.empty(); });
}

SHARDY_INLINE UnresolvedSharding spell(const TensorSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  UnresolvedSharding spelled;
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

SHARDY_INLINE std::string to_string(const UnresolvedAxisList& axes) {
  return "{" + detail::joined(axes) + "}";
}

SHARDY_INLINE std::string to_string(const UnresolvedDim& dim) {
  std::string text = "{" + detail::joined(dim.axes);
  if (!dim.is_closed) text += dim.axes.empty() ? "?" : ", ?";
  text += "}";
  if (dim.priority) text += "p" + std::to_string(*dim.priority);
  return text;
}

SHARDY_INLINE std::string to_string(const UnresolvedSharding& sharding) {
  std::string text = "<" + to_string(sharding.mesh) + ", [" + detail::joined(sharding.dims) + "]";
  if (!sharding.replicated.empty()) text += ", replicated=" + to_string(sharding.replicated);
  if (!sharding.unreduced.empty()) {
    text += ", unreduced=";
    if (sharding.reduction_op != ReductionOp::Sum) text += to_string(sharding.reduction_op);
    text += to_string(sharding.unreduced);
  }
  return text + ">";
}

SHARDY_INLINE bool operator==(const UnresolvedAllToAll&, const UnresolvedAllToAll&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const UnresolvedAllToAll&,
                                               const UnresolvedAllToAll&) = default;

SHARDY_INLINE std::string to_string(const UnresolvedShardings& shardings) {
  return "<[" + detail::joined(shardings) + "]>";
}

SHARDY_INLINE std::string to_string(const UnresolvedAxisLists& lists) {
  return "[" + detail::joined(lists) + "]";
}

SHARDY_INLINE std::string to_string(const UnresolvedAllToAll& param) {
  return to_string(param.axes) + ": " + std::to_string(param.source_dim) + "->" +
         std::to_string(param.target_dim);
}

SHARDY_INLINE std::string to_string(const UnresolvedAllToAlls& params) {
  return "[" + detail::joined(params) + "]";
}

SHARDY_INLINE std::string manual_axes_text(const ManualAxes& names) {
  return "{" + detail::joined(names, [](const std::string& name) { return in_quotes(name); }) + "}";
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::UnresolvedSharding>::operator()(
    const shardy::UnresolvedSharding& sharding) const {
  std::size_t seed = shardy::hash_of(sharding.mesh, static_cast<int>(sharding.reduction_op));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.dims));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.replicated));
  return shardy::hash_combine(seed, shardy::hash_range(sharding.unreduced));
}

SHARDY_INLINE std::size_t std::hash<shardy::UnresolvedAllToAll>::operator()(
    const shardy::UnresolvedAllToAll& param) const {
  return shardy::hash_combine(shardy::hash_range(param.axes),
                              shardy::hash_of(param.source_dim, param.target_dim));
}
#endif  // SHARDY_BODIES

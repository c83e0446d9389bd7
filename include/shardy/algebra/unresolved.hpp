// Shardings with axis names as parsers return them, and their resolution on a mesh.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/unresolved_axis.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardy {

/// A mesh name, without `@`, or an inlined mesh.
using MeshOrRef = std::variant<std::string, Mesh>;

/// A sharding with axis names, not validated. Parsers of text and JSON return it; `resolve`
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

namespace shardy {

/// Options of sharding checks.
struct ShardingCheckOptions {
  bool check_divisibility = false;  // report axes that do not divide a dim
};

// Resolution of shardings with axis names on a mesh. The `mesh` argument is the mesh that the
// sharding refers to: see mesh_of.

/// Returns the error that no mesh has this name.
inline tl::unexpected<Error> fail_unknown_mesh(std::string_view name) {
  std::string symbol = symbol_text(name);
  return fail_about(symbol, "unknown mesh: " + symbol);
}

/// Returns the mesh that `sharding` refers to: the inlined mesh, or the result of `lookup(name) ->
/// std::optional<Mesh>`. Errors: step 1 of algebra 9.2.
template <class Lookup>
Result<Mesh> mesh_of(const UnresolvedSharding& sharding, Lookup&& lookup) {
  const auto* name = std::get_if<std::string>(&sharding.mesh);
  if (name == nullptr) return *std::get_if<Mesh>(&sharding.mesh);
  const std::optional<Mesh> mesh = lookup(*name);
  if (!mesh) return fail_unknown_mesh(*name);
  return *mesh;
}

/// Returns the validated sharding on `mesh`, without checks against a value. Errors: algebra 9.2
/// steps 2, 6 to 8.
Result<TensorSharding> resolve(const UnresolvedSharding& sharding, const Mesh& mesh);

/// Returns the validated sharding on `mesh` for a value of shape `shape`. Errors: algebra 9.2 steps
/// 2 to 8. Step 9 depends on other ops; the verifier checks it.
Result<TensorSharding> resolve(const UnresolvedSharding& sharding, const Mesh& mesh,
                               const ValueShape& shape, ShardingCheckOptions options = {});

/// Returns the validated sharding of an op without results ("type absent" in algebra 9.2).
Result<TensorSharding> resolve_without_value(const UnresolvedSharding& sharding, const Mesh& mesh);

/// Resolves one sharding per value. Messages name the index of the value. `lookup` is the parameter
/// of mesh_of; `resolve_at(index) -> Result<TensorSharding>` resolves the sharding of one value.
/// Spec: algebra 9.3.
template <class Lookup, class ResolveAt>
Result<std::vector<TensorSharding>> resolve_per_value(std::span<const UnresolvedSharding> shardings,
                                                      std::size_t num_values, Lookup&& lookup,
                                                      ResolveAt&& resolve_at) {
  std::vector<TensorSharding> resolved;
  if (num_values == 0 && shardings.size() == 1) {
    SHARDY_TRY(const Mesh mesh, mesh_of(shardings[0], lookup));
    if (mesh.is_maximal() || shardings[0].is_fully_replicated()) {
      SHARDY_TRY(TensorSharding only, resolve_without_value(shardings[0], mesh));
      resolved.push_back(std::move(only));
      return resolved;
    }
  }
  if (shardings.size() != num_values) {
    return fail("shardings don't match number of values: " + std::to_string(shardings.size()) +
                " shardings vs " + std::to_string(num_values) + " values");
  }
  resolved.reserve(num_values);
  for (std::size_t i = 0; i < num_values; ++i) {
    Result<TensorSharding> one = resolve_at(i);
    if (!one) {
      const std::string prefix = num_values == 1 ? "- " : std::to_string(i) + " - ";
      return tl::unexpected(with_prefix(prefix, std::move(one).error()));
    }
    resolved.push_back(*std::move(one));
  }
  return resolved;
}

/// Resolves one sharding per value of these shapes.
template <class Lookup>
Result<std::vector<TensorSharding>> resolve_per_value(std::span<const UnresolvedSharding> shardings,
                                                      std::span<const ValueShape> shapes,
                                                      Lookup&& lookup) {
  return resolve_per_value(shardings, shapes.size(), lookup, [&](std::size_t index) {
    return mesh_of(shardings[index], lookup).and_then([&](const Mesh& mesh) {
      return resolve(shardings[index], mesh, shapes[index]);
    });
  });
}

/// Checks `sharding` against the shape of its value. Errors: algebra 9.2 steps 3 to 5, 6e.
Status verify_sharding_for_shape(const TensorSharding& sharding, const ValueShape& shape,
                                 ShardingCheckOptions options = {});

/// Resolves the axis lists of one op, which must not overlap. Errors: algebra 9.1.
Result<std::vector<AxisList>> resolve_axis_lists(std::span<const UnresolvedAxisList> lists,
                                                 const Mesh& mesh);

/// Resolves an axis list. Errors: names that the mesh does not have; A1 to A3 of algebra 9.1.
Result<AxisList> resolve_axis_list(const UnresolvedAxisList& list, const Mesh& mesh);

/// Resolves an axis list that must be in mesh order. `what` names the list in errors: "reduction",
/// ...
Result<AxisList> resolve_sorted_axis_list(const UnresolvedAxisList& list, const Mesh& mesh,
                                          std::string_view what);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/support/detail/hash.hpp>

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

namespace shardy::detail {

SHARDY_INLINE std::span<const UnresolvedDim> dims_of(const UnresolvedSharding& sharding) {
  return sharding.dims;
}
SHARDY_INLINE std::span<const DimSharding> dims_of(const TensorSharding& sharding) {
  return sharding.dims();
}

SHARDY_INLINE LooseSharding loosen(const Mesh& mesh, const UnresolvedSharding& sharding) {
  return shardy::loosen(mesh, sharding.dims, sharding.replicated, sharding.unreduced);
}

/// Checks steps 3 to 5 of algebra 9.2.
template <class Sharding>
Status check_kind_and_rank(const Sharding& sharding, bool is_plain_scalar,
                           const ValueShape& shape) {
  if (shape.kind == ValueShape::Kind::Tuple) {
    return fail("ops can only have a sharding for a tuple of size 1: " + std::string(shape.text));
  }
  if (shape.kind == ValueShape::Kind::NotShaped) {
    if (is_plain_scalar) return {};
    return fail(
        "non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced "
        "axes. type: " +
        std::string(shape.text) + ", sharding: #sdy.sharding" + to_string(sharding));
  }
  if (shape.kind == ValueShape::Kind::Unranked) {
    return fail("only ranked tensors can have a sharding. type: " + std::string(shape.text));
  }
  const std::size_t rank = dims_of(sharding).size();
  if (rank == shape.dims.size()) return {};
  return fail("sharding doesn't match tensor rank: " + std::to_string(rank) +
              " != " + std::to_string(shape.dims.size()));
}

SHARDY_INLINE AxisList axes_of(const LooseAxisList& loose, const Mesh& mesh) {
  AxisList axes;
  for (const LooseAxisRef& ref : loose) {
    const AxisRef full = mesh.full_axis(*ref.axis);
    axes.push_back(ref.sub ? AxisRef{full.axis, ref.sub->pre, ref.sub->size} : full);
  }
  return axes;
}

/// Makes the sharding from checked parts. Requires: check_sharding has passed.
SHARDY_INLINE Result<TensorSharding> build(const UnresolvedSharding& sharding, const Mesh& mesh,
                                           const LooseSharding& loose) {
  std::optional<std::string> name;
  if (const auto* ref = std::get_if<std::string>(&sharding.mesh)) name = *ref;
  std::vector<DimSharding> dims;
  dims.reserve(loose.dims.size());
  for (const LooseDim& dim : loose.dims) {
    dims.push_back({axes_of(dim.axes, mesh), dim.is_closed, dim.priority});
  }
  return TensorSharding::make(mesh, std::move(name), std::move(dims),
                              axes_of(loose.replicated, mesh), axes_of(loose.unreduced, mesh),
                              sharding.reduction_op);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<TensorSharding> resolve(const UnresolvedSharding& sharding, const Mesh& mesh) {
  const LooseSharding loose = detail::loosen(mesh, sharding);
  SHARDY_TRY_STATUS(check_sharding(mesh, loose));
  return detail::build(sharding, mesh, loose);
}

SHARDY_INLINE Result<TensorSharding> resolve(const UnresolvedSharding& sharding, const Mesh& mesh,
                                             const ValueShape& shape,
                                             ShardingCheckOptions options) {
  const LooseSharding loose = detail::loosen(mesh, sharding);
  if (!mesh.is_maximal()) {
    SHARDY_TRY_STATUS(detail::check_kind_and_rank(sharding, loose.is_plain_scalar(), shape));
  }
  const auto dims = options.check_divisibility ? std::optional(shape.dims) : std::nullopt;
  SHARDY_TRY_STATUS(check_sharding(mesh, loose, dims));
  return detail::build(sharding, mesh, loose);
}

SHARDY_INLINE Result<TensorSharding> resolve_without_value(const UnresolvedSharding& sharding,
                                                           const Mesh& mesh) {
  const LooseSharding loose = detail::loosen(mesh, sharding);
  if (sharding.is_fully_replicated() && !loose.is_plain_scalar()) {
    return fail(
        "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced "
        "axes");
  }
  SHARDY_TRY_STATUS(check_sharding(mesh, loose));
  return detail::build(sharding, mesh, loose);
}

SHARDY_INLINE Status verify_sharding_for_shape(const TensorSharding& sharding,
                                               const ValueShape& shape,
                                               ShardingCheckOptions options) {
  if (sharding.mesh().is_maximal()) return {};
  const bool is_plain_scalar = sharding.rank() == 0 && sharding.empty_axes();
  SHARDY_TRY_STATUS(detail::check_kind_and_rank(sharding, is_plain_scalar, shape));
  if (!options.check_divisibility) return {};
  for (std::size_t i = 0; i < shape.dims.size(); ++i) {
    const int64_t shards = sharding.dim(i).sharded_size();
    if (shape.dims[i] < 0 || shape.dims[i] % shards == 0) continue;
    return fail("dim " + std::to_string(i) + " with size " + std::to_string(shape.dims[i]) +
                " is not divisible by its sharded size " + std::to_string(shards));
  }
  return {};
}

SHARDY_INLINE Result<std::vector<AxisList>> resolve_axis_lists(
    std::span<const UnresolvedAxisList> lists, const Mesh& mesh) {
  AxisChecker checker(mesh);
  std::vector<LooseAxisList> loose;
  for (const UnresolvedAxisList& list : lists) {
    loose.push_back(shardy::loosen(mesh, list));
    SHARDY_TRY_STATUS(checker.add(loose.back()));
  }
  SHARDY_TRY_STATUS(checker.finish());
  std::vector<AxisList> resolved;
  resolved.reserve(loose.size());
  for (const LooseAxisList& list : loose) resolved.push_back(detail::axes_of(list, mesh));
  return resolved;
}

SHARDY_INLINE Result<AxisList> resolve_axis_list(const UnresolvedAxisList& list, const Mesh& mesh) {
  SHARDY_TRY(std::vector<AxisList> resolved, resolve_axis_lists(std::span(&list, 1), mesh));
  return std::move(resolved.front());
}

SHARDY_INLINE Result<AxisList> resolve_sorted_axis_list(const UnresolvedAxisList& list,
                                                        const Mesh& mesh, std::string_view what) {
  AxisChecker checker(mesh);
  const LooseAxisList loose = loosen(mesh, list);
  SHARDY_TRY_STATUS(checker.add_sorted(loose, what));
  SHARDY_TRY_STATUS(checker.finish());
  return detail::axes_of(loose, mesh);
}

}  // namespace shardy
#endif  // SHARDY_BODIES

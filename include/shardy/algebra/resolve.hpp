#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// Options of sharding checks.
struct ShardingCheckOptions {
  bool check_divisibility = false;  // report axes that do not divide a dim
};

// Resolution of shardings with axis names on a mesh. The `mesh` argument is the mesh that the
// sharding refers to: see mesh_of.

/// Returns the mesh that `sharding` refers to: the inlined mesh, or the result of `lookup(name) ->
/// std::optional<Mesh>`. Errors: step 1 of algebra 9.2.
template <class Lookup>
Result<Mesh> mesh_of(const UnresolvedSharding& sharding, Lookup&& lookup) {
  const auto* name = std::get_if<std::string>(&sharding.mesh);
  if (name == nullptr) return *std::get_if<Mesh>(&sharding.mesh);
  const std::optional<Mesh> mesh = lookup(*name);
  if (!mesh) return fail("unknown mesh: " + symbol_text(*name));
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
#include <cstdint>
#include <shardy/algebra/detail/sharding_check.hpp>

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

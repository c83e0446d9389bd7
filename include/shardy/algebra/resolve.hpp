#pragma once

#include <optional>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/quote.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// Options of the checks of a sharding.
struct ShardingCheckOptions {
  bool check_divisibility = false;  // an error where axes do not divide a dim
};

// The mesh that is passed is the one that the sharding refers to: see mesh_of.

/// The mesh inlined in `sharding`, or what `lookup(name) -> std::optional<Mesh>` finds.
/// Errors: step 1 of algebra 9.2.
template <class Lookup>
Result<Mesh> mesh_of(const SpelledSharding& sharding, Lookup&& lookup) {
  const auto* name = std::get_if<std::string>(&sharding.mesh);
  if (name == nullptr) return *std::get_if<Mesh>(&sharding.mesh);
  const std::optional<Mesh> mesh = lookup(*name);
  if (!mesh) return fail("unknown mesh: " + symbol_text(*name));
  return *mesh;
}

/// Returns the validated sharding on `mesh`, independent of the value that has it.
/// Errors: algebra 9.2 steps 2, 6 to 8.
Result<TensorSharding> resolve(const SpelledSharding& sharding, const Mesh& mesh);

/// The same on a value. Errors: algebra 9.2 steps 2 to 8; step 9, which looks at the ops
/// around, is the verifier's.
Result<TensorSharding> resolve(const SpelledSharding& sharding, const Mesh& mesh,
                               const ValueShape& shape, ShardingCheckOptions options = {});

/// The same on an op without results ("type absent" in algebra 9.2).
Result<TensorSharding> resolve_without_value(const SpelledSharding& sharding, const Mesh& mesh);

/// One sharding per value; each message says which. `lookup` as in mesh_of; `resolve_at(index) ->
/// Result<TensorSharding>` reads the sharding of a value, a form of `resolve`. Spec: algebra 9.3.
template <class Lookup, class ResolveAt>
Result<std::vector<TensorSharding>> resolve_per_value(std::span<const SpelledSharding> shardings,
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

/// The same for values of those shapes.
template <class Lookup>
Result<std::vector<TensorSharding>> resolve_per_value(std::span<const SpelledSharding> shardings,
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

/// Axis lists of one op, which may share no axis. Errors: algebra 9.1.
Result<std::vector<AxisList>> resolve_axis_lists(std::span<const SpelledAxisList> lists,
                                                 const Mesh& mesh);

/// Axes by their names. Errors: names that the mesh does not have, A1..A3. Spec: algebra 9.1.
Result<AxisList> resolve_axis_list(const SpelledAxisList& list, const Mesh& mesh);

/// A list that is a set, in mesh order; `what` is "reduction", ...
Result<AxisList> resolve_sorted_axis_list(const SpelledAxisList& list, const Mesh& mesh,
                                          std::string_view what);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/resolve_inl.hpp>
#endif

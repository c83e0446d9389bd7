#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/spelled.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The sharding that a PartitionSpec of JAX means for a tensor of `rank` dims: one entry per dim,
/// the names of its axes, major first; `"?"` at the end leaves the dim open, and what is missing
/// has no axes. Names may be those of sub-axes, `x:(1)2`. Spec: algebra 12.2.
///
/// Errors: `partition spec has <n> entries, the tensor has rank <r>`, `"?" must come last in entry
/// <i> of a partition spec`. Example: `{{"x"}, {}, {"y", "z"}}` is `[{"x"}, {}, {"y", "z"}]`.
Result<SpelledSharding> sharding_of_partition_spec(
    std::span<const std::vector<std::string>> entries, std::size_t rank, MeshOrRef mesh);

/// Checks whether the text of a sharding names its mesh: `<@mesh, [{"x"}]>`.
bool names_mesh(std::string_view text);

/// Reads a sharding in any notation: dims as `[{"x"}, {}]`, `P("x", None)` or `[["x"], null]`, with
/// clauses after them, in `<@mesh, ...>` or on `mesh`. In the last two notations missing dims, up
/// to `rank` where it is given, have no axes. Spec: algebra 12.3. Errors: anything else, with its
/// place.
Result<SpelledSharding> parse_any_sharding(std::string_view text, const MeshOrRef& mesh,
                                           std::optional<std::size_t> rank = std::nullopt);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/partition_spec_inl.hpp>
#endif

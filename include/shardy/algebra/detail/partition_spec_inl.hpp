// Bodies of partition_spec.hpp.
#pragma once

#include <optional>
#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::detail {

/// `x` or `x:(1)2`; what follows the name is read from its last `:(` on, if it is a sub-axis.
SHARDY_INLINE SpelledAxisRef axis_ref_of_spec(std::string_view text) {
  const std::size_t colon = text.rfind(":(");
  if (colon == std::string_view::npos) return {std::string(text), std::nullopt};
  Scanner scanner(text.substr(colon + 1));
  const Result<SubAxis> sub = read_sub_axis(scanner);
  if (!sub || !scanner.at_end()) return {std::string(text), std::nullopt};
  return {std::string(text.substr(0, colon)), *sub};
}

SHARDY_INLINE Result<SpelledDim> dim_of_spec(std::span<const std::string> names, std::size_t dim) {
  SpelledDim result{{}, true, std::nullopt};
  for (const std::string& name : names) {
    if (!result.is_closed) {
      return fail("\"?\" must come last in entry " + std::to_string(dim) + " of a partition spec");
    }
    if (name == "?") {
      result.is_closed = false;
    } else {
      result.axes.push_back(axis_ref_of_spec(name));
    }
  }
  return result;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<SpelledSharding> sharding_of_partition_spec(
    std::span<const std::vector<std::string>> entries, std::size_t rank, MeshOrRef mesh) {
  if (rank > kMaxRank) return fail(too_many_dims());
  if (entries.size() > rank) {
    return fail("partition spec has " + std::to_string(entries.size()) +
                " entries, the tensor has rank " + std::to_string(rank));
  }
  SpelledSharding sharding{std::move(mesh), {}};
  for (std::size_t dim = 0; dim < entries.size(); ++dim) {
    SHARDY_TRY(SpelledDim one, detail::dim_of_spec(entries[dim], dim));
    sharding.dims.push_back(std::move(one));
  }
  sharding.dims.resize(rank, SpelledDim{{}, true, std::nullopt});
  return sharding;
}

}  // namespace shardy

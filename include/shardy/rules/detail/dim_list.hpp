// Checks of dim lists that come from attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules {

/// `flags[d]` says whether `dims` holds d. Errors: a dim that a tensor of that rank does not have,
/// or a repeated one; `name` is the list in messages.
Result<std::vector<bool>> dim_set(std::span<const int64_t> dims, std::size_t rank,
                                  std::string_view name);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <string>

namespace shardy::rules {

SHARDY_INLINE Result<std::vector<bool>> dim_set(std::span<const int64_t> dims, std::size_t rank,
                                                std::string_view name) {
  std::vector<bool> flags(rank, false);
  for (const int64_t dim : dims) {
    const bool is_known = dim >= 0 && static_cast<std::size_t>(dim) < rank;
    if (is_known && !flags[static_cast<std::size_t>(dim)]) {
      flags[static_cast<std::size_t>(dim)] = true;
      continue;
    }
    return fail(std::string(name) + (is_known ? " repeats dim " : " has no such dim: ") +
                std::to_string(dim) + (is_known ? "" : ", rank " + std::to_string(rank)));
  }
  return flags;
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES

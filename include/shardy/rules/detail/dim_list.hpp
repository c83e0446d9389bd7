// Checks of dim lists that come from attributes.
#pragma once

#include <cstddef>
#include <cstdint>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/dim_list_inl.hpp>
#endif

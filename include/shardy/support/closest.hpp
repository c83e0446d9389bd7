// Suggestions for misspelled words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The candidate that looks most like `word`, if one is close enough to be a slip of the pen.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string_view>& candidates);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/support/detail/closest_inl.hpp>
#endif

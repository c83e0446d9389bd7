// Code points in text.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardy::text {

/// Returns the bytes of the first code point of `text`; 0 if that is not UTF-8: stray or truncated
/// bytes, overlong forms, surrogates, values above U+10FFFF. Requires: not empty.
std::size_t code_point_size(std::string_view text);

}  // namespace shardy::text

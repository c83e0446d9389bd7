// Code points in text.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardy::text {

/// Bytes of the code point in front of `text`; 0 if what stands there is no UTF-8: bytes that lead
/// nothing or are cut off, overlong forms, surrogates, what is past U+10FFFF. Requires: not empty.
std::size_t code_point_size(std::string_view text);

}  // namespace shardy::text

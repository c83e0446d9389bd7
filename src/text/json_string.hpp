// The scalars of JSON as text.
#pragma once

#include <string>
#include <string_view>

namespace shardy::text {

/// Returns `bytes` as a JSON string with its quotes. Bytes that are not UTF-8 are written one by
/// one as the code points U+10FF00..U+10FFFF, and so are these code points themselves: every byte
/// string has one spelling. `is_ascii`: all other code points are escaped, too.
std::string quoted_json(std::string_view bytes, bool is_ascii = false);

/// Returns the bytes that a JSON string, already without escapes, represents.
std::string bytes_of_json_string(std::string_view utf8);

/// The shortest JSON number that reads back as `value`; with a point or an exponent.
/// Requires: it is finite.
std::string json_number(double value);

/// The name of a symbol, with which an `@` may stand; a name that begins with one gets another.
std::string symbol_string(std::string_view name);
std::string symbol_of_string(std::string_view text);

/// RFC 6901: `~` is `~0`, `/` is `~1`.
std::string escaped_pointer_token(std::string_view token);
std::string unescaped_pointer_token(std::string_view token);

}  // namespace shardy::text

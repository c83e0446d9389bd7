// Conversion of bytes, code points and floats to text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/float_text.hpp"

namespace shardy::text {

/// Encodes bytes as base64 with padding (RFC 4648).
std::string to_base64(std::span<const std::byte> bytes);
/// Decodes base64; std::nullopt if the text is not valid.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);
/// Reads two digits per byte; std::nullopt for other text.
std::optional<std::vector<std::byte>> from_hex_digits(std::string_view digits);
/// Reads two digits per byte after an optional `0x`; std::nullopt for other text.
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

// Functions on code points of text.

/// Returns the number of bytes of the first code point of `text`; 0 if the text does not start with
/// valid UTF-8. Invalid are stray or truncated bytes, overlong forms, surrogates and values above
/// U+10FFFF. Requires: `text` is not empty.
std::size_t code_point_size(std::string_view text);

// Functions that make foreign text safe for a terminal.

/// Escapes all bytes of `text` that would control a terminal or reorder its text, as `\` and two
/// hex digits. These are control characters except tabs, Unicode marks of direction, line breaks,
/// and bytes that are not UTF-8.
std::string printable_line(std::string_view text);

/// Escapes like printable_line, but keeps line breaks.
std::string printable_text(std::string_view text);

/// Escapes like printable_text, and indents all lines except the first by two blanks. A name with
/// line breaks then cannot look like another message.
std::string printable_message(std::string_view text);

// Floats in the form that MLIR prints. Spec: stablehlo 13.3.

using ir::float_bytes;
using ir::float_text;
using ir::float_value;

}  // namespace shardy::text

// Bytes, code points and floats as text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/float_text.hpp"

namespace shardy::text {

/// RFC 4648, with padding.
std::string to_base64(std::span<const std::byte> bytes);
/// Decodes base64; std::nullopt if the text is not valid.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);
/// Reads two digits per byte; std::nullopt for other text.
std::optional<std::vector<std::byte>> from_hex_digits(std::string_view digits);
/// Reads two digits per byte after an optional `0x`; std::nullopt for other text.
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

// Code points of text.

/// Returns the bytes of the first code point of `text`; 0 if that is not UTF-8: stray or truncated
/// bytes, overlong forms, surrogates, values above U+10FFFF. Requires: not empty.
std::size_t code_point_size(std::string_view text);

// Sanitizes foreign text for a terminal.

/// Returns `text` with all bytes that would control a terminal, or reorder its text, escaped as in
/// programs: `\` and two hex digits per byte. These are control characters except tabs, Unicode
/// marks of direction and line breaks, and bytes that are not UTF-8.
std::string printable_line(std::string_view text);

/// The same for several lines.
std::string printable_text(std::string_view text);

/// The same for a message: lines after the first are indented by two blanks, so that a name in it
/// cannot look like another message.
std::string printable_message(std::string_view text);

// Floats as MLIR prints them, under the names that the text layer uses. Spec: stablehlo 13.3.

using ir::float_bytes;
using ir::float_text;
using ir::float_value;

}  // namespace shardy::text

// Bytes as base64 and hex digits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

/// RFC 4648, with padding.
std::string to_base64(std::span<const std::byte> bytes);
/// Decodes base64; std::nullopt if the text is not valid.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);
/// Two digits a byte. Nothing if the text is something else.
std::optional<std::vector<std::byte>> from_hex_digits(std::string_view digits);
/// The same after an optional `0x`.
std::optional<std::vector<std::byte>> from_hex(std::string_view text);

}  // namespace shardy::text

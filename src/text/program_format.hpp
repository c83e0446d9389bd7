// Detection of a file's format: a program in a supported format, or a common mistake.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/support/result.hpp"

namespace shardy::text {

enum class Format : uint8_t { Json, Mlir, Generic };

/// The byte order mark of UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the format of a file name; std::nullopt if the extension is unknown.
std::optional<Format> format_of(const std::string& path);

/// Returns the format of a text without a byte order mark: the format of its beginning, or `named`
/// if that fits both formats. Errors: it is empty, HLO text, bytecode of MLIR, or not text; the
/// message follows the name of the file (`is empty`), the notes describe how to get a program.
Result<Format> format_of_text(std::string_view text, std::optional<Format> named);

}  // namespace shardy::text

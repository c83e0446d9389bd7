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

/// Returns the format of a file by its extension; std::nullopt for an unknown extension.
std::optional<Format> format_of(const std::string& path);

/// Determines the format from the beginning of the text. Requires: the text has no byte order mark.
/// If the beginning shows neither format, returns `named`, if given. Without `named`, returns Mlir
/// if the text may begin with an op or has only comments, else an error. Other errors: empty text,
/// HLO text, a jaxpr, MLIR bytecode, binary data. The message is the predicate of a sentence about
/// the file (`is empty`); the notes describe how to get a program.
Result<Format> format_of_text(std::string_view text, std::optional<Format> named);

}  // namespace shardy::text

// Sanitizes foreign text for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace shardy::text {

/// Returns `text` with all bytes that would control a terminal, or reorder its text, escaped as in
/// programs: `\` and two hex digits per byte. These are control characters but tabs, Unicode marks
/// of direction and line breaks, and bytes that are not UTF-8.
std::string printable_line(std::string_view text);

/// The same for several lines.
std::string printable_text(std::string_view text);

/// The same for a message: lines after the first are indented by two blanks, so that no name in it
/// can pretend to be another message.
std::string printable_message(std::string_view text);

}  // namespace shardy::text

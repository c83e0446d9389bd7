// Sanitizes foreign text for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace shardy::text {

/// `text` with what would act on a terminal, or reorder what stands there, spelled as in programs:
/// `\` and two hex digits a byte. Those are control characters but tabs, the marks of Unicode that
/// turn or break lines, and bytes that are not UTF-8.
std::string printable_line(std::string_view text);

/// The same for several lines.
std::string printable_text(std::string_view text);

/// The same for a message: lines after the first are indented by two blanks, so that no name in it
/// can pretend to be another message.
std::string printable_message(std::string_view text);

}  // namespace shardy::text

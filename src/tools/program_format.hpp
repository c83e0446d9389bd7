// Detects the format of a file by its bytes.
#pragma once

#include "text/program_format.hpp"

namespace shardy::tools {

using text::Format;
using text::format_of;
using text::format_of_text;
using text::kByteOrderMark;

}  // namespace shardy::tools

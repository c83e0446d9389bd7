// Places of diagnostics in the text of a program, as people look for them.
#pragma once

#include <string_view>

#include "shardy/support/result.hpp"

namespace shardy::text {

/// Diagnostics of a program in JSON, with `LINE:COLUMN` as location and a note with the pointer.
Diagnostics with_json_places(std::string_view text, Diagnostics said);

/// Diagnostics of a program in MLIR. One about an argument or a result of a function, an axis or a
/// mesh has the place of the attribute, or of the name in it, instead of that of the op.
Diagnostics with_mlir_places(std::string_view text, Diagnostics said);

}  // namespace shardy::text

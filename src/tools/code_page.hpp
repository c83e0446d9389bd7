// The explanation of each diagnostic code: `shardy help E_KERNEL`.
#pragma once

#include <string>
#include <string_view>

#include "shardy/support/result.hpp"

namespace shardy::tools {

/// Checks whether a word is written like a code: `E_KERNEL`, `n_replicated`.
bool looks_like_code(std::string_view word);

/// The explanation of a code, which may be in lower case: what it means, why it happens, what to
/// do. Errors: an unknown code, with the code that was probably meant.
Result<std::string> code_page(std::string_view code);

/// All codes, a line each.
std::string code_list();

}  // namespace shardy::tools

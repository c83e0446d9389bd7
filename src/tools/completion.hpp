// Scripts with which shells complete what is typed, and the manual.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"

namespace shardy::tools {

/// A script for `bash`, `zsh` or `fish`. Errors: another shell.
Result<std::string> completion_script(std::string_view shell,
                                      std::span<const CommandModel> commands);

/// shardy(1), as troff.
std::string man_page(std::span<const CommandModel> commands, std::string_view version);

}  // namespace shardy::tools

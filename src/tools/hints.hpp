// The hints of a program as text and as JSON.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

/// Searches for hints with the options of the command.
DiagnosedResult<report::Hints> hints_for(const CommandOptions& options, const ir::Module& module);

/// Returns the patches of a hint and the collectives that the hint changes.
std::string hint_text(const Source& source, const ir::Module& module, const report::Hint& hint);
/// Returns the hints as JSON. `diagnostics`: diagnostics of the command.
std::string hints_json(const Source& source, const ir::Module& module, const report::Hints& hints,
                       const Diagnostics& diagnostics);

}  // namespace shardy::tools

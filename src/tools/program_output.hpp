// Programs that commands write.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

/// The program, if there is also a place for what is made of it.
tl::expected<ir::Module, Diagnostics> read_input(const CommandOptions& options, Source& source);

/// Brings shardings into the form that was asked for, if one was. False: it has said why not.
bool export_form(const CommandOptions& options, Reporter& reporter, ir::Module& module);

/// Where and as the options say; JSON, which is for people, has the marks of compilers only where
/// the program had them, as `written` says. Returns the status.
int write_program(const CommandOptions& options, const Source& source, ir::Module& module,
                  const passes::ProgramMarks& written);

}  // namespace shardy::tools

// The data of a page of one program, as reports of the command line have it.
#pragma once

#include "shardy/report/device_time.hpp"
#include "shardy/report/report.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "shardy/view/page.hpp"
#include "shardy/view/program.hpp"
#include "tools/commands.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

/// A program with all that its page shows.
struct ShownProgram {
  PricedProgram priced;
  ExplainedProgram explained;
  report::Report report;
  report::DeviceTime time;
  view::ProgramTexts texts;
};

/// Explains a compiled program and writes its reports, as `explain`, `report` and `hints` do.
/// `source`: the program as it was read; without a text pages show the program as it is printed.
/// `diagnostics`: those of the command. Errors: those of propagation and of the hints.
DiagnosedResult<ShownProgram> show_program(const CommandOptions& options, const Source& source,
                                           PricedProgram priced, text::WrittenNames names,
                                           const Diagnostics& diagnostics);

/// Returns views of the members, which must outlive the result.
view::ProgramData data_of(const ShownProgram& shown, const CommandOptions& options);

/// Returns the page of a program.
view::Page page_of(const ShownProgram& shown, const CommandOptions& options);

}  // namespace shardy::tools

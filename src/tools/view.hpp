// The data of the page of one program, as the reports of other commands have it.
#pragma once

#include <optional>

#include "shardy/report/report.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "shardy/view/page.hpp"
#include "tools/commands.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

/// A program with all data that its page shows.
struct ShownProgram {
  PricedProgram priced;
  ExplainedProgram explained;
  // Explanation of view::numbered(module); set if ops share locations.
  std::optional<propagation::Explanation> numbered;
  report::Report report;
  report::DeviceTime time;
  view::ProgramTexts texts;
};

/// Explains a compiled program and writes its reports, as `explain`, `report` and `hints` do.
/// `source` is the program as it was read; pages without its text show the printed program.
/// `diagnostics` are those of the command. Errors: those of propagation and of the hints.
DiagnosedResult<ShownProgram> show_program(const CommandOptions& options, const Source& source,
                                           PricedProgram priced, text::WrittenNames names,
                                           const Diagnostics& diagnostics);

/// Returns views of the members, which must outlive the result.
view::ProgramData data_of(const ShownProgram& shown, const CommandOptions& options);

/// Returns the page of a sweep or of a Pareto front.
view::Page sweep_page(const view::SweepTable& table);

/// Returns the page of a program.
view::Page page_of(const ShownProgram& shown, const CommandOptions& options);

}  // namespace shardy::tools

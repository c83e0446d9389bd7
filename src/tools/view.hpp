// The data of a page of one program, as reports of the command line have it.
#pragma once

#include <optional>
#include <span>

#include "shardy/report/device_time.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/view/page.hpp"
#include "shardy/view/program.hpp"
#include "tools/commands.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

/// A program with all that its page shows.
struct ShownProgram {
  PricedProgram priced;
  ExplainedProgram explained;
  report::Report report;
  report::DeviceTime time;
  view::ProgramTexts texts;
};

/// Compiles and explains a program as `report` and `explain` do. std::nullopt after a printed
/// error.
std::optional<ShownProgram> shown_program(const CommandOptions& options, Source& source,
                                          Reporter& reporter,
                                          std::span<const report::Setting> settings = {});

/// Returns views of the members, which must outlive the result.
view::ProgramData data_of(const ShownProgram& shown, const CommandOptions& options);

/// Returns the page of a program.
view::Page page_of(const ShownProgram& shown, const CommandOptions& options);

}  // namespace shardy::tools

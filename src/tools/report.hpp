// A report as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "shardy/report/report.hpp"

namespace shardy::tools {

/// What of a report is shown.
struct ReportSelection {
  std::size_t top = 10;  // rows of a table; JSON has all
  std::string axis;      // collectives along it; empty: all
  std::string line;      // the part of a location that collectives and values have; empty: all
  std::string op;        // collectives for that op; empty: all
  bool memory = false;   // all that is live at the peak, and the largest values
};

std::string report_text(const report::Report& report, const ReportSelection& selection);
/// All of it. `said`: what stands beside the answer.
std::string report_json(const report::Report& report, const Diagnostics& said);

}  // namespace shardy::tools

// Selection of the rows of a report.
#pragma once

#include <cstddef>
#include <string>

namespace shardy::tools {

struct ReportSelection {
  std::size_t top = 10;  // rows of a table; JSON has all
  std::string axis;      // collectives along it; empty: all
  std::string line;      // the part of a location that collectives and values have; empty: all
  std::string op;        // collectives for that op; empty: all
  double operations_per_second = 100e12;  // of a device, for the modelled time
  bool why = false;     // the decisions that led to the collectives of the first rows
  bool memory = false;  // all that is live at the peak, and the largest values
};

}  // namespace shardy::tools

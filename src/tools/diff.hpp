// The differences between two programs as rows of text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "shardy/report/report.hpp"

namespace shardy::tools {

/// A quantity of two programs as text.
struct DiffRow {
  std::string label;   // such as `bytes sent`
  std::string before;  // value of the first program
  std::string after;   // value of the second program
  std::string change;  // relative to the first program; `=` if equal
};
/// Returns the rows of the totals.
std::vector<DiffRow> diff_rows(const report::ReportDifference& difference);
/// Returns the whole difference as JSON.
std::string diff_json(const report::ReportDifference& difference, bool is_worse);

}  // namespace shardy::tools

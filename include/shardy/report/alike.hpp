// Groups of equal collectives, such as those of repeated layers.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Collectives of equal kind, axes, type and served op, over all their runs.
struct Alike {
  const Collective* first = nullptr;   // the first one in program order, whose texts apply to all
  std::vector<std::string> locations;  // distinct
  int64_t bytes = 0;                   // sent per device by all of them in one run of the program
  int64_t count = 0;                   // total number of runs
  double seconds = 0;                  // modelled, total
  bool is_exact = true;                // no count is a bound or an estimate
};

/// Groups collectives; groups with most bytes first, then in program order. Requires: no null
/// pointer. Cost: n log n.
std::vector<Alike> alike(const std::vector<const Collective*>& rows);
/// Groups the collectives of a report, which must outlive the result.
std::vector<Alike> alike(const Report& report);

}  // namespace shardy::report

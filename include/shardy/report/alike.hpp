// Collectives of repeated layers as one.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct Alike {
  const Collective* first = nullptr;   // where they first stand; its text speaks for all
  std::vector<std::string> locations;  // each once
  int64_t bytes = 0;                   // sent per device by all of them, for one run of the program
  int64_t count = 0;                   // runs of all of them
  double seconds = 0;                  // modelled, of all of them
  bool is_exact = true;                // whether no count is a bound or a guess
};

/// The most bytes first, else in program order. Requires: none is null. Cost: n log n.
std::vector<Alike> alike(const std::vector<const Collective*>& rows);
/// The same of all that a report has, which outlives what is returned.
std::vector<Alike> alike(const Report& report);

}  // namespace shardy::report

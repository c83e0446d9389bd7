// Collectives of repeated layers as one.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct Alike {
  const Collective* first = nullptr;
  std::vector<std::string> locations;  // each once
  int64_t bytes = 0;
  int64_t count = 0;
  double seconds = 0;
  bool is_exact = true;
};

/// The most bytes first, else in program order. Cost: n log n.
std::vector<Alike> alike(const std::vector<const Collective*>& rows);
/// The same of all that a report has, which outlives what is returned.
std::vector<Alike> alike(const Report& report);

}  // namespace shardy::report

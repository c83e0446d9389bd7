// Modelled timeline of a device, as trace events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardy/report/report.hpp"

namespace shardy::tools {

/// JSON in the trace event format: one process for all devices, as they run the same program, with
/// a row for what a device computes and one for each set of axes along which it sends.
std::string timeline_json(const std::vector<report::TimelineEvent>& events, int64_t num_devices);

}  // namespace shardy::tools

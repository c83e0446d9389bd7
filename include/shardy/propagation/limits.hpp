// Limits of one propagation: cancellation, a deadline, memory.
#pragma once

#include <shardy/support/limits.hpp>

namespace shardy::propagation {

/// Ends of a propagation before its result, checked between steps. The shardings of the problem
/// then stay as they were. `max_bytes` counts its tables, besides the problem and the log of an
/// observer.
using PropagationLimits = WorkLimits;

}  // namespace shardy::propagation

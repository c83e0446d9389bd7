// Memory of a device, and a lower bound for it. Spec: partitioning 11.9, 14.6.
#pragma once

#include <cstdint>

#include "shardy/checking/check.hpp"

namespace shardy_test {

/// Bytes of the device that holds most.
struct MemoryUse {
  int64_t peak = 0;       // what the simulator counts
  int64_t exchanged = 0;  // its arguments and results, and what the busiest device sends
  int64_t own = 0;        // live values at one time, each sharded by its annotation
  double ratio() const;   // of the peak to the larger of the others
};

MemoryUse memory_use(const shardy::checking::CheckReport& report);

}  // namespace shardy_test

// How much a device holds, and how much it has to hold anyway. Spec: partitioning 11.9, 14.6.
#pragma once

#include <cstdint>

#include "shardy/checking/check.hpp"

namespace shardy_test {

/// Bytes of the device that holds most.
struct MemoryUse {
  int64_t peak = 0;       // what the simulator counts
  int64_t exchanged = 0;  // its arguments and results, and what the busiest device sends
  int64_t own = 0;        // what the program holds at one time if each value is cut as it says
  double ratio() const;   // of the peak to the larger of the others
};

MemoryUse memory_use(const shardy::checking::CheckReport& report);

}  // namespace shardy_test

// The memory of a device, and a lower bound for it. Spec: partitioning 11.9, 14.6.
#pragma once

#include <cstdint>

#include "shardy/checking/check.hpp"

namespace shardy_test {

/// Bytes of the device that holds the most bytes.
struct MemoryUse {
  int64_t peak = 0;       // peak that the simulator counts
  int64_t exchanged = 0;  // arguments and results, and the bytes that the busiest device sends
  int64_t own = 0;  // bytes of the values that are live at one time, each sharded by its annotation
  double ratio() const;  // the peak relative to the larger of the other two
};

MemoryUse memory_use(const shardy::checking::CheckReport& report);

}  // namespace shardy_test

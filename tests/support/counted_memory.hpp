// Counts every allocation of the process: for test programs that link counted_memory.cpp, alone.
#pragma once

#include <cstddef>

namespace shardy_test {

struct CountedMemory {
  std::size_t num_allocations = 0;
  std::size_t live_bytes = 0;
  std::size_t peak_bytes = 0;
};

/// What `operator new` and `operator delete` did so far. Tests may lower `peak_bytes`.
CountedMemory& counted_memory();

}  // namespace shardy_test

// Counts every allocation of the process: for test programs that link counted_memory.cpp, alone.
#pragma once

#include <cstddef>

namespace shardy_test {

struct CountedMemory {
  std::size_t num_allocations = 0;
  std::size_t live_bytes = 0;
  std::size_t peak_bytes = 0;
};

/// Counters of `operator new` and `operator delete`. Tests may lower `peak_bytes`.
CountedMemory& counted_memory();

/// The most bytes that are taken at a time while `work` runs.
template <class Work>
std::size_t peak_of(Work&& work) {
  CountedMemory& memory = counted_memory();
  const std::size_t before = memory.live_bytes;
  memory.peak_bytes = before;
  work();
  return memory.peak_bytes - before;
}

}  // namespace shardy_test

#include "support/counted_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace shardy_test {

CountedMemory& counted_memory() {
  static CountedMemory counts;
  return counts;
}

namespace {

void* counted(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  CountedMemory& counts = counted_memory();
  ++counts.num_allocations;
  counts.live_bytes += malloc_usable_size(memory);
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) counted_memory().live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace
}  // namespace shardy_test

void* operator new(std::size_t size) { return shardy_test::counted(size); }
void* operator new[](std::size_t size) { return shardy_test::counted(size); }
// Sanitizers have one of their own, which does not call the one above.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return shardy_test::counted(size);
}
void operator delete(void* memory) noexcept { shardy_test::release(memory); }
void operator delete[](void* memory) noexcept { shardy_test::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { shardy_test::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { shardy_test::release(memory); }

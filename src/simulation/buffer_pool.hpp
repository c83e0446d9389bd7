// A pool that keeps the memory of released large values for new values.
#pragma once

#include <cstddef>
#include <memory>

namespace shardy::simulation {

/// Returns memory for one value; null if memory is exhausted. The memory is released with the last
/// tensor that uses it. During a run, large buffers are kept for later values, because the first
/// write to new memory of the process takes several times as long.
std::shared_ptr<std::byte> take_buffer(std::size_t size);

/// A scope in which released buffers are kept. The end of the last scope frees the unused buffers.
class KeptBuffers {
 public:
  KeptBuffers();
  ~KeptBuffers();
  KeptBuffers(const KeptBuffers&) = delete;
  KeptBuffers& operator=(const KeptBuffers&) = delete;
};

}  // namespace shardy::simulation

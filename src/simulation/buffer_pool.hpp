// A pool of the memory of released large values, reused for new values.
#pragma once

#include <cstddef>
#include <memory>

namespace shardy::simulation {

/// Bytes for one value; null if memory is exhausted. They return when the last tensor that holds
/// them is destroyed; during a run, large ones are kept for the next value: memory that is new to
/// the process takes several times as long to fill.
std::shared_ptr<std::byte> take_buffer(std::size_t size);

/// Buffers are kept while an object of this type exists. The last one frees the unused ones.
class KeptBuffers {
 public:
  KeptBuffers();
  ~KeptBuffers();
  KeptBuffers(const KeptBuffers&) = delete;
  KeptBuffers& operator=(const KeptBuffers&) = delete;
};

}  // namespace shardy::simulation

// How many threads share work that falls into pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace shardy::report {

/// As many as are wanted, one per core for 0, at least one and no more than there are pieces.
/// Requires: wanted >= 0.
inline std::size_t threads_for(int64_t wanted, std::size_t pieces) {
  const auto cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t most = wanted == 0 ? cores : static_cast<std::size_t>(wanted);
  return std::clamp<std::size_t>(pieces, 1, most);
}

}  // namespace shardy::report

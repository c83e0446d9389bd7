// How halos may be exchanged.
#pragma once

#include <cstdint>

namespace shardy::partitioning {

enum class FetchStrategy : uint8_t { Cost, Hull, Compact, Gather };

struct FetchOptions {
  FetchStrategy strategy = FetchStrategy::Cost;
  int64_t max_pieces = 8;
};

}  // namespace shardy::partitioning

// How halos may be exchanged.
#pragma once

#include <cstdint>

namespace shardy::partitioning {

/// How a device gets what it needs of its neighbours' tiles: as costs say, by one exchange of the
/// hull, by one exchange of compact pieces, or by gathering.
enum class FetchStrategy : uint8_t { Cost, Hull, Compact, Gather };

/// How much of its neighbours' tiles a device gets, and in what way. Spec: partitioning 8.
struct FetchOptions {
  FetchStrategy strategy = FetchStrategy::Cost;  // how the pieces are fetched
  int64_t max_pieces = 8;  // pieces of one fetch, at most; with more of them the tensor is gathered
};

}  // namespace shardy::partitioning

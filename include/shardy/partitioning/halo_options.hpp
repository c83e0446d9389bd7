// Options of halo exchanges.
#pragma once

#include <cstdint>

namespace shardy::partitioning {

/// Strategy of a halo exchange: the cheapest, one exchange of the hull, one of compact pieces, or
/// an all-gather.
enum class HaloStrategy : uint8_t { Cost, Hull, Compact, Gather };

/// Options of halo exchanges. Spec: partitioning 5.5.
struct HaloOptions {
  HaloStrategy strategy = HaloStrategy::Cost;  // how halos are exchanged
  int64_t max_pieces = 8;  // limit of pieces per exchange; windows with more are gathered
};

}  // namespace shardy::partitioning

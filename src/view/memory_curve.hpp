// Live memory of a per-device program at each of its ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::view {

/// A point in program order at which a device holds values: an op that allocates its results, or
/// the start of a function.
struct MemoryPoint {
  ir::OpId op = {};       // the op; of a start the function
  bool is_entry = false;  // the start of the function
  int64_t bytes = 0;      // of live values
};

/// A value and the points at which it is live, both inclusive.
struct LiveRange {
  ir::ValueId value = {};
  int64_t first = 0;
  int64_t last = 0;
};

/// Live memory over a program. The highest point has report::MemoryPeak::bytes.
struct MemoryCurve {
  std::vector<MemoryPoint> points;
  std::vector<LiveRange> ranges;

  /// Returns the first highest point; 0 without points.
  std::size_t peak() const;
};

/// Returns the curve of `main` with its callees, which are entered at each call while there are
/// few. Live ranges are those of partitioning::peak_place. Requires: no recursion. Spec:
/// partitioning 11.9.
MemoryCurve memory_curve(const ir::Module& per_device);

}  // namespace shardy::view

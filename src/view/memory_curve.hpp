// The live memory of a per-device program at each of its ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::view {

/// A point in program order: an op that allocates its results, or the start of a function.
struct MemoryPoint {
  ir::OpId op = {};       // the op, or the function
  bool is_entry = false;  // the point is the start of the function
  int64_t bytes = 0;      // bytes of live values
};

/// A value, and the first and the last point at which it is live.
struct LiveRange {
  ir::ValueId value = {};
  int64_t first = 0;
  int64_t last = 0;
};

/// The live memory over a program. Its highest point has report::MemoryPeak::bytes.
struct MemoryCurve {
  std::vector<MemoryPoint> points;
  std::vector<LiveRange> ranges;

  /// Returns the index of the first highest point; 0 without points.
  std::size_t peak() const;
};

/// Returns the curve of `main`, including its callees. Callees are entered at each call, up to a
/// limit. Live ranges as in partitioning::peak_place. Requires: no recursion. Spec:
/// partitioning 11.9.
MemoryCurve memory_curve(const ir::Module& per_device);

}  // namespace shardy::view

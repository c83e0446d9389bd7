// Two reports side by side.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// A value that both programs have, with another sharding in the second.
struct ShardingChange {
  std::string made_by;   // the op that makes the value, or `argument`
  std::string location;  // in the second
  std::string type;      // `tensor<8x4xf32>`, global
  std::string before;    // the sharding in the first report; empty: none
  std::string after;     // the sharding in the second report; empty: none
};

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct CollectiveChange {
  std::string kind;          // the name of the collective op
  std::string axes;          // the mesh axes that its groups lie along
  std::string type;          // per device, of its operand
  std::string serves;        // the op of the source that needs it
  int64_t count_before = 0;  // runs in the first report
  int64_t count_after = 0;   // runs in the second report
  int64_t bytes_before = 0;  // sent per device in the first report
  int64_t bytes_after = 0;   // sent per device in the second report
};

/// Cost of a device.
struct Cost {
  int64_t bytes = 0;       // sent
  int64_t count = 0;       // of collectives
  double seconds = 0;      // modelled, of all collectives
  int64_t peak_bytes = 0;  // of the device that has most at once
  double operations = 0;   // floating-point operations per device
};

/// Returns the costs in a report.
Cost cost_of(const Report& report);
/// Returns the modelled time of a device: its collectives, then its operations, without overlap.
double modelled_seconds(const Cost& cost, double operations_per_second);

/// Difference of the reports of two shardings of one program.
struct Difference {
  Cost before;                                // of the first report
  Cost after;                                 // of the second report
  std::vector<ShardingChange> shardings;      // in the order of the second program
  std::vector<CollectiveChange> collectives;  // those that differ; most bytes more first
  int64_t values_before = 0;                  // that only the first program has
  int64_t values_after = 0;                   // that only the second has

  /// Returns whether bytes, time or peak of the second are more than `1 + tolerance` times the
  /// first's.
  bool is_worse(double tolerance = 0) const;
};

/// Values are the same if they are the n-th of their maker and type in both programs.
/// Cost: n log n in values and collectives.
Difference difference(const Report& before, const Report& after);

}  // namespace shardy::report

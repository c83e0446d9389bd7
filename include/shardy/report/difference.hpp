// Comparison of two reports.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// A value of both programs with another sharding in the second.
struct ShardingChange {
  std::string made_by;   // defining op, or `argument`
  std::string location;  // in the second program
  std::string type;      // `tensor<8x4xf32>`, global
  std::string before;    // in the first report; empty: none
  std::string after;     // in the second report; empty: none
};

/// Collectives of equal kind, axes, type and served op, over all their runs.
struct CollectiveChange {
  std::string kind;          // name of the collective op
  std::string axes;          // mesh axes of its groups
  std::string type;          // type of the operand, per device
  std::string serves;        // op of the source program that needs it
  int64_t count_before = 0;  // runs in the first report
  int64_t count_after = 0;   // runs in the second report
  int64_t bytes_before = 0;  // sent per device in the first report
  int64_t bytes_after = 0;   // sent per device in the second report
};

/// Cost per device.
struct Cost {
  int64_t bytes = 0;       // sent
  int64_t count = 0;       // number of collectives
  double seconds = 0;      // modelled, of all collectives
  int64_t peak_bytes = 0;  // of the device with the highest peak
  double operations = 0;   // floating-point operations per device
};

/// Returns the costs of a report.
Cost cost_of(const Report& report);
/// Returns the modelled time of a device in seconds: collectives and operations, without overlap.
double modelled_seconds(const Cost& cost, double operations_per_second);

/// Difference of the reports of two shardings of one program.
struct Difference {
  Cost before;                                // of the first report
  Cost after;                                 // of the second report
  std::vector<ShardingChange> shardings;      // in the order of the second program
  std::vector<CollectiveChange> collectives;  // that differ; largest increase in bytes first
  int64_t values_before = 0;                  // only in the first program
  int64_t values_after = 0;                   // only in the second program

  /// Checks whether bytes, time or peak memory of the second program exceed `1 + tolerance` times
  /// those of the first.
  bool is_worse(double tolerance = 0) const;
};

/// Compares two reports. Values correspond if they are the n-th with the same defining op and type.
/// Cost: n log n in values and collectives.
Difference difference(const Report& before, const Report& after);

}  // namespace shardy::report

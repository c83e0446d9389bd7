// Two reports side by side.
#pragma once

#include <cstdint>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// A value that both programs have, with another sharding in the second.
struct ShardingChange {
  std::string made_by;
  std::string location;  // in the second
  std::string type;
  std::string before;
  std::string after;
};

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct CollectiveChange {
  std::string kind;
  std::string axes;
  std::string type;
  std::string serves;
  int64_t count_before = 0;
  int64_t count_after = 0;
  int64_t bytes_before = 0;
  int64_t bytes_after = 0;
};

/// What a device pays.
struct Cost {
  int64_t bytes = 0;  // sent
  int64_t count = 0;  // of collectives
  double seconds = 0;
  int64_t peak_bytes = 0;
  double operations = 0;
};

struct Difference {
  Cost before;
  Cost after;
  std::vector<ShardingChange> shardings;      // in the order of the second program
  std::vector<CollectiveChange> collectives;  // those that differ; most bytes more first
  int64_t values_before = 0;                  // that only the first program has
  int64_t values_after = 0;                   // that only the second has

  /// Whether bytes, time or peak of the second are more than `1 + tolerance` times the first's.
  bool is_worse(double tolerance = 0) const;
};

/// Values are the same if they are the n-th of their maker and type in both programs.
/// Cost: n log n in values and collectives.
Difference difference(const Report& before, const Report& after);

}  // namespace shardy::report

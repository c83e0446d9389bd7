// Work of the per-device program beyond that of the program's shardings.
#pragma once

#include <cstdint>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

/// Kind of replication. Spec: partitioning 5.10.
enum class Replication : uint8_t {
  Gathered,    // a tensor is gathered
  Computed,    // devices compute more of a result than they hold
  RandomBits,  // the same of random bits
  Combined     // parts are combined before the op, as it does not pass them on
};

/// "gathered", "computed whole", "random bits", "combined".
std::string_view to_string(Replication kind);

/// One thing that one op does. Spec: partitioning 5.10.
struct ReplicationNote {
  Replication kind = Replication::Gathered;  // what is replicated
  std::string op;                            // "stablehlo.reshape"
  std::string location;                      // of the op, empty when unknown
  std::string tensor;                        // "operand 0", "result 1"
  std::vector<int64_t> dims;                 // of the tensor; none: all of it
  std::string axes;                          // along which devices get the same: `{"x", "y":(1)2}`
  std::string reason;                        // the rule that left no other way
  int64_t bytes_moved = 0;                   // that each device receives for it
  int64_t bytes_held = 0;                    // of what is replicated, on each device
  bool operator==(const ReplicationNote&) const = default;
};

/// The note as it is told with everything else: N_REPLICATED, at the location of the op.
Diagnostic diagnostic_of(const ReplicationNote& note);

}  // namespace shardy::partitioning

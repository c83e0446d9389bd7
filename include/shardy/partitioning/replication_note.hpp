// Notes on work of the per-device program that shardings do not require.
#pragma once

#include <cstdint>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

/// Kind of replication. Spec: partitioning 5.10.
enum class Replication : uint8_t {
  Gathered,    // an operand is gathered
  Computed,    // devices compute more of a result than they keep
  RandomBits,  // devices compute more random bits than they keep
  Combined     // partial values are reduced before an op that cannot take them
};

/// Returns "gathered", "computed whole", "random bits" or "combined".
std::string_view to_string(Replication kind);

/// One replicated tensor of one op. Spec: partitioning 5.10.
struct ReplicationNote {
  Replication kind = Replication::Gathered;  // kind of replication
  std::string op;                            // "stablehlo.reshape"
  std::string location;                      // of the op; empty if unknown
  std::string tensor;                        // "operand 0", "result 1"
  std::vector<int64_t> dims;                 // replicated dims; empty: the whole tensor
  std::string axes;                          // over which devices replicate: `{"x", "y":(1)2}`
  std::string reason;                        // why no other lowering was possible
  int64_t bytes_moved = 0;                   // received by each device for it
  int64_t bytes_held = 0;                    // of the replicated tensor, on each device
  bool operator==(const ReplicationNote&) const = default;
};

/// Returns the note as a diagnostic N_REPLICATED at the location of the op.
Diagnostic diagnostic_of(const ReplicationNote& note);

}  // namespace shardy::partitioning

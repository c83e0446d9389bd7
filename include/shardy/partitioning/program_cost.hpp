// Costs of a per-device program without running the program: of single collectives, and of the
// whole program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>
#include <vector>

namespace shardy::partitioning {

// ---- Collectives --------------------------------------------------------------------------------

// Modelled costs of the collectives of a per-device program.

class CollectiveViews;

/// Costs of the collectives of one verified per-device program, which must outlive this object. A
/// StableHLO collective has the cost of the spmd collective over the same devices. Costs in `model`
/// override the costs of the mesh (`shardy.axis_costs`).
class CollectivePrices {
 public:
  /// Computes costs for `program`. Costs in `model` override the costs of the meshes.
  explicit CollectivePrices(const ir::Module& program, const CostModel& model = {});

  /// Returns the bytes that the busiest device sends in one run of an op, as counted by a
  /// simulation (partitioning 11.9); 0 for ops that do not communicate. Cost: constant in the
  /// number of devices, except for replica groups given as lists and for permutes that list or
  /// relabel devices.
  int64_t bytes_sent(ir::OpId op) const;

  /// Returns bytes per mesh axis, messages and time of one run of an op; live_bytes is 0. Cost: as
  /// bytes_sent, but linear in devices for all permutes.
  StepCost cost(ir::OpId op) const;

  /// Returns the mesh whose axes form the replica groups of the op; null if no mesh has such axes.
  /// For replica groups given as lists, returns the first such mesh.
  const Mesh* mesh_of(ir::OpId op) const;

 private:
  struct PricedMesh {
    Mesh mesh;
    CostModel model;
  };

  std::shared_ptr<const CollectiveViews> views_;
  CostModel other_;                           // cost of replica groups that are not along axes
  std::map<std::string, PricedMesh> meshes_;  // meshes by name
};

// ---- Programs -----------------------------------------------------------------------------------

/// Cost per device, the maximum over devices. A loop counts as often as it runs, or once if its
/// trip count is unknown. All branches count.
struct ProgramCost {
  /// Bytes sent, by partitioning 11.9. Without a cost model an upper bound: the sum of the bytes of
  /// each collective's busiest device.
  int64_t bytes_sent = 0;
  int64_t messages = 0;    // number of communication ops that run
  double seconds = 0;      // time of communication; 0 without a cost model
  int64_t peak_bytes = 0;  // peak of live bytes; a value is live from its op to its last user
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Returns the cost of `main` with its callees. Requires: a per-device program, no recursion. Cost:
/// linear in the program.
ProgramCost program_cost(const ir::Module& program);
/// Returns the cost of `main` with its callees, including the time of communication under `model`,
/// and the bytes of the device that sends most in total. Requires: a per-device program, no
/// recursion. Cost: linear in the program, and in devices per permute.
ProgramCost program_cost(const ir::Module& program, const CostModel& model);

/// Position of peak memory: an op of `main`, then an op in its region or callee, and so on.
struct PeakPlace {
  std::vector<ir::OpId> path;  // ops from outermost to innermost; the peak is at the last op
  /// True if the peak is at the start of the last op's callee; for an empty path, at the start of
  /// `main`.
  bool is_at_entry = false;
  int64_t bytes = 0;  // peak memory in bytes, ProgramCost::peak_bytes
};

/// Returns the position of peak memory. Requires and cost: as program_cost.
PeakPlace peak_place(const ir::Module& program);

}  // namespace shardy::partitioning

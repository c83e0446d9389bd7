// Costs of a per-device program, without running it: of its collectives, and of the whole.
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

/// Costs of the collectives of one verified per-device program, which must outlive this. A
/// StableHLO collective costs as much as its spmd equivalent on the same devices. Entries of
/// `model` override those of the mesh (`shardy.axis_costs`).
class CollectivePrices {
 public:
  /// Computes costs for `program`; entries of `model` override those of its meshes.
  explicit CollectivePrices(const ir::Module& program, const CostModel& model = {});

  /// Returns the bytes that the busiest device sends in one run of an op, as a simulation counts
  /// them (Spec: partitioning 11.9); 0 for ops that do not communicate. Cost: constant in the
  /// number of devices, except for listed groups and for permutes that list or relabel devices.
  int64_t bytes_sent(ir::OpId op) const;

  /// Returns bytes per mesh axis, messages and time of one run of an op; live bytes are 0. Cost: as
  /// bytes_sent, but linear in devices for all permutes.
  StepCost cost(ir::OpId op) const;

  /// Returns the mesh whose axes form the groups of the op; null if there is none. For listed
  /// groups, the first mesh with such axes.
  const Mesh* mesh_of(ir::OpId op) const;

 private:
  struct PricedMesh {
    Mesh mesh;
    CostModel model;
  };

  std::shared_ptr<const CollectiveViews> views_;
  CostModel other_;                           // of groups that are not along axes
  std::map<std::string, PricedMesh> meshes_;  // by name
};

// ---- Programs -----------------------------------------------------------------------------------

/// Cost per device, the maximum over devices. Loop bodies count once, and all branches count.
struct ProgramCost {
  int64_t bytes_sent = 0;  // as defined in partitioning 11.9
  int64_t messages = 0;    // number of communication ops
  double seconds = 0;      // of communication; 0 without a cost model
  int64_t peak_bytes = 0;  // live bytes: each value from its op to its last user
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Returns the cost of `main` with its callees. Requires: a per-device program, no recursion. Cost:
/// linear in the program.
ProgramCost program_cost(const ir::Module& program);
/// Returns the cost with the time of communication under `model`, as CollectivePrices counts it.
/// Otherwise as without a model. Cost: also linear in devices per permute.
ProgramCost program_cost(const ir::Module& program, const CostModel& model);

/// Position of peak memory: an op of `main`, then an op in its regions or callee, and so on.
struct PeakPlace {
  std::vector<ir::OpId> path;  // the last op has the peak
  /// The peak is at the start of the last op's callee, or of `main` for an empty path.
  bool is_at_entry = false;
  int64_t bytes = 0;  // ProgramCost::peak_bytes
};

/// Returns the position of peak memory. Requires and cost: as program_cost.
PeakPlace peak_place(const ir::Module& program);

}  // namespace shardy::partitioning

// Prices of the collectives of a per-device program, by its text alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>

namespace shardy::partitioning {

class CollectiveViews;

/// Prices of the collectives of one per-device program, of the spmd dialect or of StableHLO; the
/// program is verified and outlives this. A StableHLO collective costs as much as its spmd twin on
/// the same devices. What `model` gives for an axis replaces what its mesh gives
/// (`shardy.axis_costs`).
class CollectivePrices {
 public:
  /// Prices the collectives of `program`; entries of `model` replace those of its meshes.
  explicit CollectivePrices(const ir::Module& program, const CostModel& model = {});

  /// Bytes that the busiest device sends for one run of an op, as partitioning 11.9 counts them:
  /// what a simulation of it counts. 0 of ops that do not communicate.
  /// Cost: constant in the number of devices, but for groups that are listed and for permutes that
  /// list or relabel devices.
  int64_t bytes_sent(ir::OpId op) const;

  /// The same with what goes along each axis of the mesh of the op, the messages and the time.
  /// What is live is left out. Cost: as bytes_sent, but devices for all permutes.
  StepCost cost(ir::OpId op) const;

  /// The mesh along whose axes the devices of an op meet; null if they meet along none. Of listed
  /// groups the first mesh that has such axes.
  const Mesh* mesh_of(ir::OpId op) const;

 private:
  struct PricedMesh {
    Mesh mesh;
    CostModel model;
  };

  std::shared_ptr<const CollectiveViews> views_;
  CostModel other_;                           // of groups that lie along no axes
  std::map<std::string, PricedMesh> meshes_;  // by name
};

}  // namespace shardy::partitioning

// What the collectives of a per-device program send, by its text alone.
#pragma once

#include <cstdint>
#include <map>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>

namespace shardy::partitioning {

/// Prices of the communication ops of one per-device program, which is verified and outlives this.
/// What `model` says of an axis counts instead of what its mesh says (`shardy.axis_costs`).
class CollectivePrices {
 public:
  /// Of the collectives of a per-device program; what `model` says of an axis counts instead of
  /// what its mesh says.
  explicit CollectivePrices(const ir::Module& program, const CostModel& model = {});

  /// Bytes that the busiest device sends for one run of an op, as partitioning 11.9 counts them:
  /// what a simulation of it counts. 0 of ops that do not communicate.
  /// Cost: constant in the number of devices, but for permutes that list or relabel devices.
  int64_t bytes_sent(ir::OpId op) const;

  /// The same with what goes along each axis of the mesh of the op, the messages and the time.
  /// What is live is left out. Cost: as bytes_sent, but devices for all permutes.
  StepCost cost(ir::OpId op) const;

  /// The mesh whose axes an op names; nothing if it names none.
  const Mesh* mesh_of(ir::OpId op) const;

 private:
  struct PricedMesh {
    Mesh mesh;
    CostModel model;
  };

  const PricedMesh* find(ir::OpId op) const;
  bool sends(ir::OpId op) const;

  const ir::Module& program_;
  std::map<std::string, PricedMesh> meshes_;  // by name
};

}  // namespace shardy::partitioning

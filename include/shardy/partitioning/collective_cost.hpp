// Modelled costs of the collectives of a per-device program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>

namespace shardy::partitioning {

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

}  // namespace shardy::partitioning

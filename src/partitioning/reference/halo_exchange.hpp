// Manual computations with halo exchanges, as sdy-resolve-permutation-factors creates them. Spec:
// partitioning 10.3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::partitioning {

/// The op that has the number of the process, and the channels of permutes.
struct ReferenceHaloOptions {
  ir::OpKind number;
  CollectiveChannels channels;
};

/// The body of a manual computation over all axes that shard a tensor. Ops are appended to the body
/// until finish.
class HaloComputation {
 public:
  /// Inserts the computation before `op`. The operand has divisible dims and the sharding
  /// `sharding`; `scalars` are passed replicated.
  HaloComputation(ir::Module& module, ir::OpId op, ir::ValueId operand,
                  const TensorSharding& sharding, std::vector<ir::ValueId> scalars,
                  ReferenceHaloOptions& options);

  Emitter& emit() { return emit_; }
  /// Returns the shard of the operand; scalar(i) returns a scalar.
  ir::ValueId own() const { return module_.args(body_)[0]; }
  ir::ValueId scalar(std::size_t index) const { return module_.args(body_)[index + 1]; }
  /// Returns the shard index along the dim, as i64.
  ir::ValueId shard(std::size_t dim);
  /// Returns the value of the shard `distance` positions before this one; zeros if it does not
  /// exist.
  ir::ValueId shifted(ir::ValueId value, std::size_t dim, int64_t distance);
  /// Returns the global result of `type`, sharded like the operand, from the local `value`.
  ir::ValueId finish(ir::ValueId value, const ir::Type& type) {
    return finish(value, type, sharding_);
  }
  /// Returns a result with a sharding that has the same axes.
  ir::ValueId finish(ir::ValueId value, const ir::Type& type, const TensorSharding& sharding);

 private:
  ir::Module& module_;
  ir::OpId op_;
  ReferenceHaloOptions& options_;
  TensorSharding sharding_;
  std::vector<ir::ValueId> operands_;
  ir::RegionId region_;
  ir::BlockId body_;
  Emitter emit_;
  std::optional<ir::ValueId> device_;
};

/// Replaces a slice or pad by a manual computation with halo exchanges. Returns false without a
/// change if halos would exceed the limit of hops.
bool exchange_halos(ir::Module& module, ir::OpId op, ReferenceHaloOptions& options);
/// A reshaped dim that is split; its first part has the axes of the dim.
struct SplitDim {
  std::size_t dim = 0;  // of the operand
  int64_t rest = 1;     // product of all parts but the first
  int64_t first = 1;    // elements of the first part
};

/// Replaces the reshape by a manual computation in which devices exchange the halos of their rows.
/// Returns false without a change if a device would need elements of a shard that is not a
/// neighbour. Requires: other dims have equally many local elements on both sides.
bool split_by_halos(ir::Module& module, ir::OpId op, const TensorSharding& in,
                    const TensorSharding& out, std::span<const SplitDim> splits,
                    ReferenceHaloOptions& options);
/// Returns the mesh with the device order mirrored along the axes.
Mesh mirrored(const Mesh& mesh, const AxisList& axes);
/// Reverses local elements and the order of devices. Returns false without a change.
/// Spec: partitioning 10.3, reverse.
bool reverse_devices(ir::Module& module, ir::OpId op, ReferenceHaloOptions& options);

}  // namespace shardy::partitioning

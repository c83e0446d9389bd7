// Manual computations with halo exchanges, which sdy-resolve-permutation-factors creates. Spec:
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

/// The op kind that returns the process id, and the channels of permutes.
struct ReferenceHaloOptions {
  ir::OpKind number;
  CollectiveChannels channels;
};

/// The body of a manual computation over all axes that shard a tensor. Ops are appended to the body
/// until `finish`.
class HaloComputation {
 public:
  /// Inserts the computation before `op`. The operand's dims are divisible and it has the sharding
  /// `sharding`. The `scalars` are replicated operands.
  HaloComputation(ir::Module& module, ir::OpId op, ir::ValueId operand,
                  const TensorSharding& sharding, std::vector<ir::ValueId> scalars,
                  ReferenceHaloOptions& options);

  Emitter& emit() { return emit_; }
  /// Returns the local shard of the operand; scalar(i) returns a scalar operand.
  ir::ValueId own() const { return module_.args(body_)[0]; }
  ir::ValueId scalar(std::size_t index) const { return module_.args(body_)[index + 1]; }
  /// Returns the index of the local shard along the dim, as i64.
  ir::ValueId shard(std::size_t dim);
  /// Returns the value of the shard that is `distance` shards before the local one; zeros if no
  /// such shard exists.
  ir::ValueId shifted(ir::ValueId value, std::size_t dim, int64_t distance);
  /// Ends the body with the local `value`. Returns the global result of type `type`, sharded like
  /// the operand.
  ir::ValueId finish(ir::ValueId value, const ir::Type& type) {
    return finish(value, type, sharding_);
  }
  /// Ends the body like this, with a result sharding that has the operand's axes.
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

/// Replaces a slice or pad by a manual computation with halo exchanges. Returns false and changes
/// nothing if the halos would exceed the limit of hops.
bool exchange_halos(ir::Module& module, ir::OpId op, ReferenceHaloOptions& options);
/// An operand dim that a reshape splits; the first part has the axes of the dim.
struct SplitDim {
  std::size_t dim = 0;  // index of the operand dim
  int64_t rest = 1;     // product of the sizes of all parts but the first
  int64_t first = 1;    // size of the first part
};

/// Replaces the reshape by a manual computation in which neighbours exchange halos of rows. Returns
/// false and changes nothing if a device would need elements of a shard that is not a neighbour.
/// Requires: other dims have equal local sizes in operand and result.
bool split_by_halos(ir::Module& module, ir::OpId op, const TensorSharding& in,
                    const TensorSharding& out, std::span<const SplitDim> splits,
                    ReferenceHaloOptions& options);
/// Returns the mesh with the device order reversed along the axes.
Mesh mirrored(const Mesh& mesh, const AxisList& axes);
/// Lowers a reverse: reverses local elements and the order of devices. Returns false if it changes
/// nothing. Spec: partitioning 10.3, reverse.
bool reverse_devices(ir::Module& module, ir::OpId op, ReferenceHaloOptions& options);

}  // namespace shardy::partitioning

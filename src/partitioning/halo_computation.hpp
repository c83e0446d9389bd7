// A manual computation in which devices exchange tiles, as sdy-resolve-permutation-factors makes
// it. Spec: partitioning 10.3.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioning/emitter.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::partitioning {

/// Device numbers and used channels.
struct HaloOptions {
  ir::OpKind number = ir::OpKind::PartitionId;
  int64_t channel = 0;  // the last one
};

/// The body of a manual computation over all axes that shard the dims of a tensor. Ops go into the
/// body until it is finished.
class HaloComputation {
 public:
  /// Inserted before `op`. The operand has divisible dims and is sharded by `sharding`; `scalars`
  /// are passed in whole.
  HaloComputation(ir::Module& module, ir::OpId op, ir::ValueId operand,
                  const TensorSharding& sharding, std::vector<ir::ValueId> scalars,
                  HaloOptions& options);

  Emitter& emit() { return emit_; }
  /// Returns the shard of the operand, and a scalar.
  ir::ValueId own() const { return module_.args(body_)[0]; }
  ir::ValueId scalar(std::size_t index) const { return module_.args(body_)[index + 1]; }
  /// Returns the shard index along the dim, as i64.
  ir::ValueId shard(std::size_t dim);
  /// Returns the value of the shard `distance` before this one, zeros at the border.
  ir::ValueId from_behind(ir::ValueId value, std::size_t dim, int64_t distance);
  /// The global result, of `type`, which a device gives its part of; cut like the operand.
  ir::ValueId finish(ir::ValueId value, const ir::Type& type) {
    return finish(value, type, sharding_);
  }
  /// The same, cut by a sharding with the same axes.
  ir::ValueId finish(ir::ValueId value, const ir::Type& type, const TensorSharding& sharding);

 private:
  ir::Module& module_;
  ir::OpId op_;
  HaloOptions& options_;
  TensorSharding sharding_;
  std::vector<ir::ValueId> operands_;
  ir::RegionId region_;
  ir::BlockId body_;
  Emitter emit_;
  std::optional<ir::ValueId> device_;
};

/// Edges and gaps of `fill`, a scalar, in all dims at once; the value itself if there are none.
ir::ValueId pad_all(Emitter& emit, ir::ValueId value, const ir::PadOp& pad, ir::ValueId fill);
/// All dims at once; the value itself if all of it is meant.
ir::ValueId slice_all(Emitter& emit, ir::ValueId value, const ir::SliceOp& slice);
/// Pads `value` with `fill` at its end to the size of `type`; `sharding` is that of both.
ir::ValueId fill_behind(Emitter& emit, ir::ValueId value, const ir::Type& type, ir::ValueId fill,
                        const TensorSharding& sharding);
/// The beginning of each dim.
ir::ValueId cut_behind(Emitter& emit, ir::ValueId value, const ir::Type& type,
                       const TensorSharding& sharding);

/// The op becomes a manual computation in which each device fetches what it needs. False: nothing
/// was changed, as devices would have to send too far. Requires: a slice or a pad.
bool exchange_halos(ir::Module& module, ir::OpId op, HaloOptions& options);
/// A dim of a reshape that is split, its first part cut by the same axes.
struct SplitDim {
  std::size_t dim = 0;  // of the operand
  int64_t rest = 1;     // elements of all parts but the first
  int64_t first = 1;    // elements of the first part
};

/// The reshape becomes a manual computation in which each device fetches what the rows that it has
/// then consist of. False: nothing was changed, as some device would need what is not beside it.
/// Requires: the local shapes of all other dims have as many elements on both sides.
bool split_by_halos(ir::Module& module, ir::OpId op, const TensorSharding& in,
                    const TensorSharding& out, std::span<const SplitDim> splits,
                    HaloOptions& options);
/// At each place the device that is at the mirrored place along the axes.
Mesh mirrored(const Mesh& mesh, const AxisList& axes);
/// Reverses what each device has, and the order of the devices. False: nothing was changed.
/// Spec: partitioning 10.3, reverse.
bool reverse_devices(ir::Module& module, ir::OpId op, HaloOptions& options);

}  // namespace shardy::partitioning

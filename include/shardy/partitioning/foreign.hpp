// Lowerings of an embedder's ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/ir/builder.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::partitioning {

class Lowering;

/// The interface between an op of the input program and its lowering.
///
/// Tensors are sharded by lists of axes, one per dim: a dim of n elements over P shards has shards
/// of ceil(n / P) elements, padded at the end. Spec: partitioning 2.1.
class OpLowering {
 public:
  using Axes = std::vector<AxisList>;  // one list for each dim of a tensor

  /// Prepares the lowering of `op`, an op of the program of `lowering`.
  OpLowering(Lowering& lowering, ir::OpId op);

  /// Returns the input program, with global shapes.
  const ir::Module& program() const;
  /// Returns the lowered op, an op of program().
  ir::OpId op() const { return op_; }
  /// Returns the global type of an operand. Requires: index below the number of operands.
  const ir::Type& operand_type(std::size_t index) const;
  /// Returns the global type of a result. Requires: index below the number of results.
  const ir::Type& result_type(std::size_t index) const;

  /// Returns the present sharding of an operand. Requires: index below the number of operands.
  Axes operand_axes(std::size_t index) const;
  /// Returns the required sharding of a result. Requires: index below the number of results.
  Axes result_axes(std::size_t index) const;

  /// Returns the shard of an operand with this sharding, resharding it if necessary. `padding`, of
  /// rank 0: the value of padding elements; std::nullopt: unspecified.
  ir::ValueId operand(std::size_t index, const Axes& axes,
                      const std::optional<ir::Literal>& padding = std::nullopt);

  /// Returns the per-device program.
  ir::Module& local_program();
  /// Returns a builder that appends ops to local_program().
  ir::Builder& builder();
  /// Returns an i64 scalar: the shard index of the device over these axes.
  ir::ValueId coordinate(std::span<const AxisRef> axes);
  /// Returns an i64 scalar: the global index of the first element of the device's shard, in a dim
  /// of `size` elements.
  ir::ValueId tile_begin(std::span<const AxisRef> axes, int64_t size);
  /// Reduces a value over the devices that differ along the axes; `reducer` is a binary op such as
  /// Add.
  ir::ValueId all_reduce(ir::ValueId value, std::span<const AxisRef> axes, ir::OpKind reducer);
  /// Concatenates the values of the devices that differ along the axes, along a dim.
  ir::ValueId all_gather(ir::ValueId value, std::span<const AxisRef> axes, std::size_t dim);

  /// Clones the op on shards; `results` has the sharding of each result. Returns the clone.
  ir::OpId clone(std::vector<ir::ValueId> operands, std::span<const Axes> results);

  /// Sets the shard of a result with this sharding. Each result must be set exactly once.
  void set_result(std::size_t index, ir::ValueId value, const Axes& axes);

  /// Returns an error at the op: why it cannot be lowered.
  tl::unexpected<Error> error(const std::string& message) const;

  /// Errors: a result that was not set, or whose type does not match its axes.
  Status finish();

 private:
  Lowering* lowering_;
  ir::OpId op_;
  std::vector<std::optional<std::pair<ir::ValueId, Axes>>> results_;
};

/// Lowers one op. Errors: those that it returns, at the location of the op.
using ForeignLowering = std::function<Status(OpLowering&)>;

/// Lowerings that the partitioner uses instead of an op's sharding rule.
struct ForeignLowerings {
  /// Lowerings by op name or custom call target.
  using ByName = std::map<std::string, ForeignLowering, std::less<>>;

  ByName ops = {};           // by op name, of unregistered dialects
  ByName custom_calls = {};  // by target
};

}  // namespace shardy::partitioning

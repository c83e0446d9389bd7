// Lowerings of ops that only the embedder knows.
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

/// An op of the program that is to become ops of the per-device program, as its lowering sees it.
///
/// Tensors are sharded by lists of axes, one per dim: a dim of n elements over P shards has
/// shards of ceil(n / P) elements, padded at the end. Spec: partitioning 2.1.
class OpLowering {
 public:
  using Axes = std::vector<AxisList>;  // one list for each dim of a tensor

  /// The op `op` of the program that `lowering` lowers.
  OpLowering(Lowering& lowering, ir::OpId op);

  /// The program as written, with global shapes.
  const ir::Module& program() const;
  /// The op that is lowered, of program().
  ir::OpId op() const { return op_; }
  /// The global type of an operand. Requires: index below the number of operands.
  const ir::Type& operand_type(std::size_t index) const;
  /// The global type of a result. Requires: index below the number of results.
  const ir::Type& result_type(std::size_t index) const;

  /// How the devices hold an operand, and how they are to hold a result.
  Axes operand_axes(std::size_t index) const;
  /// How the devices are to hold a result. Requires: index below the number of results.
  Axes result_axes(std::size_t index) const;

  /// Returns the shard of an operand with this sharding: resharded where the operand is
  /// sharded otherwise. `padding`, of rank 0: the value of padding elements, otherwise any value.
  ir::ValueId operand(std::size_t index, const Axes& axes,
                      const std::optional<ir::Literal>& padding = std::nullopt);

  /// The program that the devices run, and where the next op of it goes.
  ir::Module& local_program();
  /// Where the next op of local_program() goes.
  ir::Builder& builder();
  /// Scalars of type i64: which of the shards over these axes a device has, and the global index at
  /// which its tile of a dim of `size` elements begins.
  ir::ValueId coordinate(std::span<const AxisRef> axes);
  /// A scalar of type i64: the global index at which the tile of a dim of `size` elements begins.
  ir::ValueId tile_begin(std::span<const AxisRef> axes, int64_t size);
  /// Sums, or what else an op of two operands makes, over the devices that differ along the axes.
  ir::ValueId all_reduce(ir::ValueId value, std::span<const AxisRef> axes, ir::OpKind reducer);
  /// The pieces of these devices along a dim.
  ir::ValueId all_gather(ir::ValueId value, std::span<const AxisRef> axes, std::size_t dim);

  /// Clones the op on shards; `results` has the sharding of each result.
  ir::OpId clone(std::vector<ir::ValueId> operands, std::span<const Axes> results);

  /// Sets the shard of a result with this sharding. Every result must be set once.
  void set_result(std::size_t index, ir::ValueId value, const Axes& axes);

  /// Why the op cannot be lowered.
  tl::unexpected<Error> error(const std::string& message) const;

  /// Errors: a result that was not given, or is of another type than its axes say.
  Status finish();

 private:
  Lowering* lowering_;
  ir::OpId op_;
  std::vector<std::optional<std::pair<ir::ValueId, Axes>>> results_;
};

/// Writes the per-device form of one op. Errors: those that it returns, at the location of the op.
using ForeignLowering = std::function<Status(OpLowering&)>;

/// Where the partitioner looks before it goes by the rule of an op.
struct ForeignLowerings {
  /// Lowerings by name of op or target.
  using ByName = std::map<std::string, ForeignLowering, std::less<>>;

  ByName ops = {};           // of dialects that the library does not know
  ByName custom_calls = {};  // by target
};

}  // namespace shardy::partitioning

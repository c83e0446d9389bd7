// The state of sdy-pad-for-divisibility. Spec: partitioning 10.1.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/reference/passes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// Returns the type with each dim rounded up to a multiple of the number of its shards.
ir::Type padded_type(const ir::Type& type, const std::optional<TensorSharding>& sharding);

/// Pads the high ends of the dims of `value` to `type` with `fill`, a scalar; an invalid `fill`
/// means zero. Returns `value` unchanged if it already has the type. `sharding` is the sharding of
/// the result.
ir::ValueId pad_to(Emitter& emit, ir::ValueId value, ir::Type type,
                   const std::optional<TensorSharding>& sharding, ir::ValueId fill = {});
/// Slices `value` to the first elements of each dim, as many as `type` has. Returns `value`
/// unchanged if it already has the type.
ir::ValueId slice_to(Emitter& emit, ir::ValueId value, const ir::Type& type,
                     const std::optional<TensorSharding>& sharding);

class PaddedProgram {
 public:
  explicit PaddedProgram(ir::Module& module);

  ir::Module& module() { return module_; }
  Emitter& emit() { return emit_; }
  /// Returns the type of a value before padding.
  const ir::Type& old_type(ir::ValueId value) const { return was_[value.index()].type; }
  const std::optional<TensorSharding>& sharding(ir::ValueId value) const {
    return was_[value.index()].sharding;
  }
  bool has_grown(ir::ValueId value) const { return !(old_type(value) == module_.type(value)); }
  bool has_grown(ir::ValueId value, std::size_t dim) const {
    return old_type(value).dim(dim) != module_.type(value).dim(dim);
  }
  /// Checks whether the padding of the value is known to be 0.
  bool is_zero_padded(ir::ValueId value) const { return zero_padded_.contains(value); }
  void set_zero_padded(ir::ValueId value) { zero_padded_.insert(value); }

  /// Inserts the next ops before `op`; start_after inserts them after `op`.
  void start_before(ir::OpId op) { emit_.start_before(op); }
  void start_after(ir::OpId op);

  /// Replaces elements beyond the original sizes of the dims by `fill`, a scalar. Spec:
  /// partitioning 10.1, mask.
  ir::ValueId masked(ir::ValueId value, const std::vector<std::size_t>& dims,
                     const ir::Literal& fill);
  ir::ValueId masked(ir::ValueId value, const std::vector<std::size_t>& dims, ir::ValueId fill);
  /// Pads the high ends of the dims of `value` with zeros to the sizes of `type`.
  ir::ValueId padded_to(ir::ValueId value, const ir::Type& type);
  /// Slices `value` to the first elements of each dim, as many as `type` has.
  ir::ValueId sliced_to(ir::ValueId value, const ir::Type& type, TensorSharding sharding);
  /// Gives `value`, computed elementwise from `old`, the sharding of `old`; also all values made on
  /// the way that have the shape of `old`.
  void shard_like(ir::ValueId value, ir::ValueId old);

  tl::unexpected<Error> error(ir::OpId op, const std::string& message) const;

 private:
  /// Records the sharding and the original type of a value that this pass creates.
  ir::ValueId made(ir::ValueId value, std::optional<TensorSharding> sharding, ir::Type old_type);

  ir::Module& module_;
  Emitter emit_;
  std::vector<OriginalType> was_;
  std::set<ir::ValueId> zero_padded_;
};

}  // namespace shardy::partitioning

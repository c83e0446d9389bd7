// State of sdy-pad-for-divisibility. Spec: partitioning 10.1.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "partitioning/emitter.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// Returns the type with each dim rounded up to a multiple of its shards.
ir::Type padded_type(const ir::Type& type, const std::optional<TensorSharding>& sharding);

/// Pads `value` at the high ends to `type`, with `fill` (rank 0; invalid: zero). Returns the value
/// itself if it has the type. `sharding` is that of the result.
ir::ValueId pad_to(Emitter& emit, ir::ValueId value, ir::Type type,
                   const std::optional<TensorSharding>& sharding, ir::ValueId fill = {});
/// Slices `value` to its low corner of `type`. Returns the value itself if it has the type.
ir::ValueId slice_to(Emitter& emit, ir::ValueId value, const ir::Type& type,
                     const std::optional<TensorSharding>& sharding);

class PaddedProgram {
 public:
  explicit PaddedProgram(ir::Module& module);

  ir::Module& module() { return module_; }
  Emitter& emit() { return emit_; }
  /// Returns the original type of a value.
  const ir::Type& old_type(ir::ValueId value) const { return was_[value.index()].type; }
  const std::optional<TensorSharding>& sharding(ir::ValueId value) const {
    return was_[value.index()].sharding;
  }
  bool has_grown(ir::ValueId value) const { return !(old_type(value) == module_.type(value)); }
  bool has_grown(ir::ValueId value, std::size_t dim) const {
    return old_type(value).dim(dim) != module_.type(value).dim(dim);
  }
  /// Checks whether padding is known to be 0.
  bool is_zero_padded(ir::ValueId value) const { return zero_padded_.contains(value); }
  void set_zero_padded(ir::ValueId value) { zero_padded_.insert(value); }

  /// Inserts the next ops before `op`; start_after: after it.
  void start_before(ir::OpId op) { emit_.start_before(op); }
  void start_after(ir::OpId op);

  /// Replaces elements beyond the old sizes of the dims by `fill`, of rank 0. Spec: 10.1, mask.
  ir::ValueId masked(ir::ValueId value, const std::vector<std::size_t>& dims,
                     const ir::Literal& fill);
  ir::ValueId masked(ir::ValueId value, const std::vector<std::size_t>& dims, ir::ValueId fill);
  /// Pads `value` with zeros at the high ends to the size of `type`.
  ir::ValueId padded_to(ir::ValueId value, const ir::Type& type);
  /// Slices `value` to its low corner with the size of `type`.
  ir::ValueId sliced_to(ir::ValueId value, const ir::Type& type, TensorSharding sharding);

  tl::unexpected<Error> error(ir::OpId op, const std::string& message) const;

 private:
  struct OriginalType {
    ir::Type type;
    std::optional<TensorSharding> sharding;
  };
  /// Records sharding and original type of a value that this pass creates.
  ir::ValueId made(ir::ValueId value, std::optional<TensorSharding> sharding, ir::Type old_type);

  ir::Module& module_;
  Emitter emit_;
  std::vector<OriginalType> was_;
  std::set<ir::ValueId> zero_padded_;
};

}  // namespace shardy::partitioning

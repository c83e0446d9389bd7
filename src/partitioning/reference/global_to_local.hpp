// The state of sdy-convert-global-to-local. Spec: partitioning 10.4.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/reference/passes.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// A module whose values have local types, together with their former global types and shardings.
/// New ops are inserted before the op that is being converted.
class LocalProgram {
 public:
  /// Records the types and shardings of all values. Does not change the module.
  LocalProgram(ir::Module& module, const GlobalToLocalOptions& options,
               const rules::Registry& rules);

  ir::Module& module() { return module_; }
  const ir::Module& module() const { return module_; }
  const GlobalToLocalOptions& options() const { return options_; }
  const rules::Registry& rules() const { return rules_; }
  Emitter& emit() { return emit_; }

  // ---- Global types and shardings ----
  const ir::Type& global(ir::ValueId value) const { return was_[value.index()].type; }
  const std::optional<TensorSharding>& sharding(ir::ValueId value) const {
    return was_[value.index()].sharding;
  }
  /// Returns the axes of a dim; empty if the value has no sharding.
  AxisList axes(ir::ValueId value, std::size_t dim) const;
  int64_t shards(ir::ValueId value, std::size_t dim) const {
    return sharding_size(axes(value, dim));
  }
  /// Returns the local type of a value. Error: the number of shards does not divide a dim.
  Result<ir::Type> local_type(const ir::Type& type,
                              const std::optional<TensorSharding>& sharding) const;

  // ---- Collectives after reductions ----
  /// Records the op by which the collective combines, if its attribute cannot name it.
  void set_combiner(ir::OpId collective, ir::OpKind combiner) { combiners_[collective] = combiner; }
  /// Returns the op by which an all_reduce or reduce_scatter combines.
  ir::OpKind combiner(ir::OpId collective) const;

  // ---- Writing ----
  /// Gives a new value the global type and the sharding of `old`.
  void record(ir::ValueId made, ir::ValueId old);
  /// Replaces the result of the op by `value` and erases the op.
  void replace(ir::OpId op, ir::ValueId value);
  /// Returns this device's entry of a table; a constant if all entries are 0.
  ScalarIndex entry(std::vector<int64_t> by_device);
  /// Returns the start of a device's shard in a dim sharded along the axes. Spec: partitioning
  /// 10.4.
  ScalarIndex tile_begin(const Mesh& mesh, std::span<const AxisRef> axes, int64_t tile);
  ir::ValueId dynamic_slice(ir::ValueId value, const std::vector<ScalarIndex>& begin,
                            std::vector<int64_t> sizes);
  ir::Attribute groups(const TensorSharding& where, const AxisList& axes) const;
  /// Creates a StableHLO collective with a new channel.
  ir::ValueId collective(ir::OpSpec spec);

  tl::unexpected<Error> error(ir::OpId op, const std::string& message) const;

 private:
  ir::Module& module_;
  GlobalToLocalOptions options_;
  const rules::Registry& rules_;
  Emitter emit_;
  std::vector<OriginalType> was_;
  CollectiveChannels channels_;
  std::map<ir::OpId, ir::OpKind> combiners_;
};

/// Returns `number_of` of the mesh position of each device, ordered by device id.
template <class NumberOf>
std::vector<int64_t> table_of(const Mesh& mesh, NumberOf number_of) {
  std::vector<int64_t> table(static_cast<std::size_t>(mesh.num_devices()));
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    table[static_cast<std::size_t>(mesh.device_at(position))] = number_of(position);
  }
  return table;
}

// ---- Ops, by family -----------------------------------------------------------------------------

Status localize_collective(LocalProgram& program, ir::OpId op);
Status localize_data(LocalProgram& program, ir::OpId op);       // constants, iota, slices, pads
Status localize_reduction(LocalProgram& program, ir::OpId op);  // dots, reductions, windows
Status localize_indexed(LocalProgram& program, ir::OpId op);    // gather, scatter

/// Returns the op by which the unreduced result, or the collective after the op, combines partial
/// results; Add if nothing combines them.
ir::OpKind later_combiner(const LocalProgram& program, ir::OpId op);
/// Returns the axes over which the op's partial results must still be combined: `axes`, or none if
/// they stay partial or a collective combines them. Error: the collective reduces over other axes
/// or by another reducer.
Result<AxisList> axes_to_combine(LocalProgram& program, ir::OpId op, AxisList axes,
                                 ir::OpKind combiner);
/// Returns the all-reduce of the value over axes of the mesh of `where`.
ir::ValueId combine(LocalProgram& program, ir::ValueId value, const TensorSharding& where,
                    const AxisList& axes, ir::OpKind combiner);
/// Adds an all-reduce after the op over axes_to_combine. Requires: one result.
Status combine_result(LocalProgram& program, ir::OpId op, const AxisList& axes,
                      const TensorSharding& where, ir::OpKind combiner);

}  // namespace shardy::partitioning

// Helpers of gather, scatter and dynamic slices: index vectors, sharding plans, results of lookups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/lowering.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"

namespace shardy::partitioning {

// ---- Index vectors ------------------------------------------------------------------------------

// The index vectors of gather and scatter as one tensor per component. Spec: partitioning 8.16,
// 8.17.

/// Returns the batch dims of the indices in ascending order: all dims but `vector_dim`.
std::vector<std::size_t> batch_dims(std::size_t rank, int64_t vector_dim);

/// Returns one i64 tensor per component of the index vectors. Each has the shape of the batch dims.
std::vector<ir::ValueId> index_columns(Emitter& emit, ir::ValueId indices, int64_t vector_dim);

/// Joins components into index vectors along a new last dim. Requires: at least one component.
ir::ValueId join_columns(Emitter& emit, std::span<const ir::ValueId> columns);

/// Returns the dims of the indices after `join_columns`. Requires: none of them is the vector dim.
std::vector<int64_t> without_vector_dim(std::span<const int64_t> dims, int64_t vector_dim);

/// Returns the dims of the table along which slices extend: neither collapsed nor batching dims.
std::vector<std::size_t> windowed_dims(std::size_t rank, std::span<const int64_t> dropped,
                                       std::span<const int64_t> batching);

/// Returns the literal of a value that a constant of the input program defines; null for other
/// values.
const ir::Literal* constant_of(const ir::Module& input, ir::ValueId value);
/// Checks whether the value stays the same if it is combined with itself: a constant 0 of a sum, a
/// constant 1 of a product, and any value of most other reducers.
bool combines_to_itself(const ir::Module& input, ir::ValueId value, ir::OpKind reducer);

// ---- Plans --------------------------------------------------------------------------------------

// Shardings of the tensors of a gather or scatter. Planning emits no ops. Spec: partitioning 8.16,
// 8.17.

/// A gather with global sizes.
struct GatherForm {
  ir::GatherDims dims;
  std::vector<int64_t> sizes;               // slice sizes, per dim of the table
  std::vector<rules::CountingDim> counted;  // batch dims whose index component is an iota
  ir::Type table;
  ir::Type indices;
  ir::Type result;
};

/// The axes per dim of table, indices and result, and the dims of the table that need a lookup.
struct GatherPlan {
  std::vector<AxisList> table;
  std::vector<AxisList> indices;
  std::vector<AxisList> result;  // before the final reshard
  /// A sharded dim of the table that the indices point into.
  struct IndexedTableDim {
    std::size_t dim = 0;
    std::optional<std::size_t> offset_dim;  // the dim of the result along which the slice extends
    bool is_counted = false;                // each device's indices are an iota over its own shard
    bool operator==(const IndexedTableDim&) const = default;
  };
  std::vector<IndexedTableDim> located;
};

/// Returns the plan for a table with the axes `table` per dim and a result with the axes `result`.
GatherPlan plan_gather(const GatherForm& form, const std::vector<AxisList>& table,
                       std::vector<AxisList> result);

/// A scatter with global sizes.
struct ScatterForm {
  ir::ScatterDims dims;
  std::vector<rules::CountingDim> counted;          // batch dims whose index component is an iota
  std::optional<std::vector<ir::OpKind>> reducers;  // one per input
  bool has_zero_indices = false;                    // all index components are zero
  std::size_t num_inputs = 1;
  ir::Type input;
  ir::Type indices;
  ir::Type updates;
};

/// The axes per dim of inputs, indices and updates, and the dims that need index arithmetic.
struct ScatterPlan {
  std::vector<AxisList> input;  // equal for the results
  std::vector<AxisList> indices;
  std::vector<AxisList> updates;
  std::vector<std::size_t> located;  // sharded dims of the input that indices point into
  std::vector<std::size_t> guarded;  // dims of the indices whose padded rows must be dropped
  AxisList parts;                    // axes along which devices have different updates
};

/// Returns the plan for results with the axes `input` per dim and updates with the axes `updates`.
ScatterPlan plan_scatter(const ScatterForm& form, std::vector<AxisList> input,
                         const std::vector<AxisList>& updates);

// ---- Lookups ------------------------------------------------------------------------------------

// Results of lookups: for each element, one device of a group has the value. Spec: partitioning
// 5.7.

/// The local result of a lookup.
struct Lookup {
  ir::ValueId value;
  std::vector<AxisList> axes;  // axes per dim of `value`
  ir::ValueId hit;  // i1 mask of the elements that this device has; invalid: all elements
  AxisList owners;  // axes over whose groups exactly one device has each element
};

/// Binds the only result of `op`. The result stays partial if it is declared so or if a later
/// collective reduces it. Otherwise it is reduced and gets the layout of the input program. Spec:
/// ONE_HOT in partitioning 5.7.
void finish_lookup(Lowering& lowering, ir::OpId op, Lookup lookup);

/// Binds a result of `op` that may be partial, under the conditions of `finish_lookup`.
void finish_partial(Lowering& lowering, ir::OpId op, ir::ValueId result, PartitionedValue made);

/// Returns an i1 mask of the elements in [low, high).
ir::ValueId in_range(Emitter& emit, ir::ValueId value, int64_t low, int64_t high);

/// Returns a tensor filled with the number; a scalar if `dims` is empty.
ir::ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const ScalarIndex& number);

}  // namespace shardy::partitioning

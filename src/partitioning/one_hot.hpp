// Results of lookups: for each element, one device of a group has the value. Spec: partitioning
// 5.7.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

/// The local result of a lookup.
struct Lookup {
  ir::ValueId value;
  std::vector<AxisList> axes;  // of its dims
  ir::ValueId hit;  // i1 in the shape of `value`: this device has the element; invalid: always
  AxisList owners;  // axes of groups in which exactly one device has each element
};

/// Binds the only result of `op` (ONE_HOT): complete with the layout of the input program, or
/// partial if it is declared so or a later collective reduces it.
void finish_lookup(Lowering& lowering, ir::OpId op, Lookup lookup);

/// Binds a result of `op` that may be partial; it stays partial only as above.
void finish_partial(Lowering& lowering, ir::OpId op, ir::ValueId result, PartitionedValue made);

/// Returns an i1 mask: elements in [low, high).
ir::ValueId in_range(Emitter& emit, ir::ValueId value, int64_t low, int64_t high);

/// Returns a tensor with the number everywhere; the scalar itself for rank 0.
ir::ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const ScalarIndex& number);

}  // namespace shardy::partitioning

// Results of which, element by element, one device of a group holds what is meant. Spec:
// partitioning 5.7.
#pragma once

#include <vector>

#include "partitioning/lowering.hpp"

namespace shardy::partitioning {

/// A result as an op has made it on the devices.
struct Lookup {
  ir::ValueId value;
  std::vector<AxisList> axes;  // of its dims
  ir::ValueId hit;             // i1 in the shape of `value`: the element is meant; invalid: all are
  AxisList owners;             // of each group over them one device has a hit, element by element
};

/// ONE_HOT: binds the only result of `op`, complete and laid out as the input program says, or as
/// parts if it is declared so or if a collective after the op reduces them.
void finish_lookup(Lowering& lowering, ir::OpId op, Lookup lookup);

/// Binds a result of `op` of which devices may hold parts: they stay parts only as above.
void finish_partial(Lowering& lowering, ir::OpId op, ir::ValueId result, LocalValue made);

/// i1: which of `dims` are in [low, high).
ir::ValueId in_range(Emitter& emit, ir::ValueId value, int64_t low, int64_t high);

/// The number in every element. For scalars: the scalar.
ir::ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const Index& number);

}  // namespace shardy::partitioning

// Rules by which the lowering takes ops that pick elements by run-time indices: gather, scatter,
// torch_index_select, dynamic_slice, dynamic_update_slice. Spec: partitioning 1.2 (I4).
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <vector>

namespace shardy::rules {

/// A dim of the indices along which one of their components just counts, and the dim of the input
/// into which that component points: row i of the one belongs to row i of the other.
struct CountingDim {
  int64_t input = 0;    // dim of the input
  int64_t indices = 0;  // dim of the indices
  bool operator==(const CountingDim&) const = default;
};

/// Batch dims that a gather or a scatter has by an iota in its indices, of equal sizes on both
/// sides; no dim of either side occurs twice. Looks through ops that move whole dims.
/// Spec: partitioning 8.16.
std::vector<CountingDim> counting_dims(const OpView& op);

/// A torch_index_select as a gather, whose indices have no dim for index vectors.
/// Errors: attributes that do not fit the ranks.
Result<ir::GatherDims> index_select_dims(const OpView& op);

/// The number that a start index of a slice or an update is, if it is a constant; INT64_MAX if that
/// is larger.
std::optional<int64_t> constant_start(const ir::Module& module, ir::ValueId start);

/// Returns whether `indexed_lowering_rule` has another rule for the op than propagation.
bool is_indexed(ir::OpKind kind);

/// Dims in which the lowering finds elements by their global index may be sharded: those of the
/// result of a lookup are partial, of updated tensors each device keeps its own.
/// Requires: is_indexed.
///
/// Example: 16x32 -> 16x4 by dynamic_slice:
/// `([i, j], [], [])->([i, k]) {i=16, j=32, k=4} reduction={j} need_replication={k}`; where both
/// are sharded alike and the slice begins at a constant, `([i, j], [], [])->([i, j])
/// permutation={j}`.
RuleResult indexed_lowering_rule(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/indexed_lowering_inl.hpp>
#endif

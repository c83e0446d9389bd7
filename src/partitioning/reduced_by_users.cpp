#include "partitioning/reduced_by_users.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// A value and the axes over which devices hold partial results.
struct Held {
  ValueId value;
  AxisList axes;
};

/// Returns the unreduced axes of the result for declared partial values, whose device order a
/// permute changes.
std::optional<AxisList> permuted_axes(const ir::Module& input, OpId op, const AxisList& axes) {
  const auto from = ir::get_sharding(input, input.operand(op, 0));
  const auto to = ir::get_sharding(input, input.result(op));
  if (!from || !to || !set_difference(axes, from->unreduced_axes()).empty()) return std::nullopt;
  return to->unreduced_axes();
}

/// Returns the axes over which the collective's result stays partial; std::nullopt if it does not.
std::optional<AxisList> axes_behind(const ir::Module& input, OpId op, const AxisList& axes) {
  switch (input.kind(op)) {
    case OpKind::SdyAllReduce:
    case OpKind::SdyReduceScatter:
      return set_difference(axes, ir::combined_axes(input, op));
    case OpKind::SdyCollectivePermute:
      return permuted_axes(input, op, axes);
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
      return axes;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_reduced_by_users(const ir::Module& input, ValueId value, const AxisList& axes) {
  const ir::BlockId block = input.parent_block(input.defining_op(value));
  std::vector<Held> pending = {{value, axes}};
  while (!pending.empty()) {
    const Held held = std::move(pending.back());
    pending.pop_back();
    if (sharding_size(held.axes) == 1) continue;
    if (input.num_uses(held.value) == 0) return false;
    for (const auto& use : input.uses(held.value)) {
      std::optional<AxisList> rest = axes_behind(input, use.op, held.axes);
      if (!rest || input.parent_block(use.op) != block) return false;
      pending.push_back({input.result(use.op), *std::move(rest)});
    }
  }
  return true;
}

}  // namespace shardy::partitioning

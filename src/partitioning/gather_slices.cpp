// Gathers of slices in a loop become slices of a value that is gathered before the loop.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// If the slices of all steps have more elements than the value, or the value comes from an
// all-to-all that the gather replaces, fewer bytes are sent.
//
//   %1 = spmd.all_to_all %k {"x"}, split 1, concat 0   %1 = spmd.all_gather %k {"x"}, dim 0
//   while %i {                                         while %i {
//     %2 = dynamic_slice %1, %i, 0                ->     %3 = dynamic_slice %1, %i, 0
//     %3 = spmd.all_gather %2 {"x"}, dim 1             }
//   }

namespace {

/// A gather of a slice of a value that the loop does not change.
struct GatheredSlice {
  OpId gather;
  OpId slice;
  ValueId value;    // before the loop
  std::size_t dim;  // dim of the gather, which the slice does not shorten
  OpId exchange;    // all-to-all that the gather replaces; invalid: none
};

/// Returns the value before the loop that `value` is in each step; std::nullopt if it changes.
std::optional<ValueId> value_before(const Module& module, OpId loop, BlockId body, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) {
    const bool is_inside = module.parent_block(module.defining_op(value)) == body;
    return is_inside ? std::nullopt : std::optional(value);
  }
  if (owner.block != body) return value;
  const auto last = ir::return_op(module, body);
  const bool is_kept = last && module.operand(*last, owner.index) == value;
  return is_kept ? std::optional(module.operand(loop, owner.index)) : std::nullopt;
}

bool has_axes_of(const Module& module, OpId a, OpId b) {
  return *ir::view<ir::SpmdGroupOp>(module, a).axes == *ir::view<ir::SpmdGroupOp>(module, b).axes;
}

/// Returns the all-to-all that computes the value by splitting the dim over the axes of the gather;
/// invalid if there is none.
OpId exchange_of(const Module& module, const GatheredSlice& found) {
  const OpId op = module.defining_op(found.value);
  const bool fits =
      op.valid() && module.is(op, OpKind::SpmdAllToAll) && module.num_operands(op) == 1 &&
      has_axes_of(module, op, found.gather) &&
      ir::view<ir::SpmdAllToAllOp>(module, op).split_dim == static_cast<int64_t>(found.dim);
  return fits ? op : OpId();
}

std::optional<GatheredSlice> slice_at(const Module& module, OpId loop, BlockId body, OpId gather) {
  if (!module.is(gather, OpKind::SpmdAllGather) || module.num_operands(gather) != 1) {
    return std::nullopt;
  }
  const ValueId part = module.operand(gather, 0);
  const OpId slice = module.defining_op(part);
  const bool is_slice = slice.valid() && module.is(slice, OpKind::DynamicSlice) &&
                        module.parent_block(slice) == body && module.num_uses(part) == 1 &&
                        module.type(part).is_static_tensor();
  if (!is_slice) return std::nullopt;
  const auto value = value_before(module, loop, body, module.operand(slice, 0));
  if (!value) return std::nullopt;
  GatheredSlice found{gather, slice, *value,
                      static_cast<std::size_t>(ir::view<ir::SpmdDimOp>(module, gather).dim),
                      OpId()};
  if (module.type(part).dim(found.dim) != module.type(*value).dim(found.dim)) return std::nullopt;
  found.exchange = exchange_of(module, found);
  return found;
}

/// Checks whether the slices of `steps` steps have more elements than the value, or as many if an
/// all-to-all is saved.
bool sends_less(const Module& module, const GatheredSlice& found, int64_t steps) {
  const int64_t read =
      saturating_mul(steps, module.type(module.result(found.slice)).num_elements());
  const int64_t all = module.type(found.value).num_elements();
  return read > all || (read == all && found.exchange.valid());
}

/// The rewriter of one loop. Gathers each value once per dim and axes.
class SliceGatherer {
 public:
  SliceGatherer(Module& module, const CollectivePrices& prices, OpId loop)
      : module_(module), prices_(prices), loop_(loop), steps_(*ir::trip_count(module, loop)) {}

  void rewrite(const GatheredSlice& found, std::vector<passes::CollectiveRewrite>& rewrites) {
    passes::CollectiveRewrite report{std::string(kHoistCollectives),
                                     std::string(module_.name(found.gather)),
                                     module_.source_location(found.gather)};
    report.bytes_before = saturating_mul(steps_, prices_.bytes_sent(found.gather));
    report.messages_before = saturating_mul(steps_, prices_.cost(found.gather).messages);
    const auto [gather, is_new] = gather_before(found);
    if (is_new && found.exchange.valid()) {
      report.bytes_before = saturating_add(report.bytes_before, prices_.bytes_sent(found.exchange));
      report.messages_before =
          saturating_add(report.messages_before, prices_.cost(found.exchange).messages);
    }
    if (is_new) report.bytes_after = prices_.bytes_sent(gather);
    if (is_new) report.messages_after = prices_.cost(gather).messages;
    slice_gathered(found, module_.result(gather));
    if (found.exchange.valid() && module_.num_uses(module_.result(found.exchange)) == 0) {
      module_.erase(found.exchange);
    }
    rewrites.push_back(std::move(report));
  }

 private:
  /// Returns the gather of the value before the loop, and whether it is new.
  std::pair<OpId, bool> gather_before(const GatheredSlice& found) {
    for (const auto& [other, gather] : known_) {
      if (other.value == found.value && other.dim == found.dim &&
          has_axes_of(module_, gather, found.gather)) {
        return {gather, false};
      }
    }
    const ir::Type& part = module_.type(found.value);
    std::vector<int64_t> dims(part.dims().begin(), part.dims().end());
    dims[found.dim] = module_.type(module_.result(found.gather)).dim(found.dim);
    ValueId operand = found.value;
    ir::AttributeMap attributes = module_.attributes(found.gather);
    if (found.exchange.valid()) {
      operand = module_.operand(found.exchange, 0);
      const int64_t dim = ir::view<ir::SpmdAllToAllOp>(module_, found.exchange).concat_dim;
      attributes.set(ir::attr::kDim, ir::IntegerAttr{dim});
    }
    ir::Builder builder = ir::Builder::before(module_, loop_);
    builder.set_location(module_.location(found.gather));
    const OpId gather = module_.defining_op(builder.create_value(
        OpKind::SpmdAllGather, {operand}, part.with_dims(std::move(dims)), std::move(attributes)));
    known_.emplace_back(found, gather);
    return {gather, true};
  }

  /// Replaces the gather of the slice by a slice of the gathered value.
  void slice_gathered(const GatheredSlice& found, ValueId whole) {
    const ir::Type type = module_.type(module_.result(found.gather));
    ir::DenseArrayAttr sizes{ir::ElementType::I64, {type.dims().begin(), type.dims().end()}};
    module_.set_operand(found.slice, 0, whole);
    module_.set_type(module_.result(found.slice), type);
    module_.attributes(found.slice).set(ir::attr::kSliceSizes, std::move(sizes));
    module_.replace_all_uses(module_.result(found.gather), module_.result(found.slice));
    module_.erase(found.gather);
  }

  Module& module_;
  const CollectivePrices& prices_;
  OpId loop_;
  int64_t steps_;
  std::vector<std::pair<GatheredSlice, OpId>> known_;
};

}  // namespace

std::vector<passes::CollectiveRewrite> gather_slices_before_loops(Module& program) {
  const CollectivePrices prices(program);
  std::vector<passes::CollectiveRewrite> rewrites;
  for (const OpId loop : ir::post_order(program)) {
    const auto steps = ir::trip_count(program, loop);
    const auto body = steps ? ir::entry_block(program, loop, 1) : std::nullopt;
    if (!body) continue;
    std::vector<OpId> ops;
    for (const OpId op : program.ops(*body)) ops.push_back(op);
    SliceGatherer gatherer(program, prices, loop);
    for (const OpId op : ops) {
      const auto found = slice_at(program, loop, *body, op);
      if (found && sends_less(program, *found, *steps)) gatherer.rewrite(*found, rewrites);
    }
  }
  return rewrites;
}

}  // namespace shardy::partitioning

// Moves collectives out of loops: before the loop if they are invariant, after it if their results
// are accumulated.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/families.hpp"
#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Before the loop ----------------------------------------------------------------------------

// A collective of a loop-invariant value is hoisted out of the loop.
//
//   %0 = while(%i, %v) {                           %1 = spmd.all_gather %w {"x"}, dim 0
//     %1 = spmd.all_gather %w {"x"}, dim 0    ->   %0 = while(%i, %v) {
//     use %1                                         use %1
//   }                                              }

namespace {

/// The set of values and ops that are invariant in a loop.
class Invariants {
 public:
  Invariants(Module& module, OpId loop, BlockId body, OpId last)
      : module_(module), loop_(loop), body_(body), last_(last) {}

  /// Checks whether the op, with the ops that compute its operands, can run before the loop.
  bool contains(OpId op) {
    if (const auto found = known_.find(op); found != known_.end()) return found->second;
    const bool can_move = module_.has_trait(op, ir::kPure) &&
                          (module_.regions(op).empty() || module_.has_trait(op, ir::kCollective)) &&
                          !module_.has_trait(op, ir::kTerminator) &&
                          !module_.has_trait(op, ir::kControlFlow) &&
                          !module_.is(op, OpKind::OptimizationBarrier);
    const bool is = can_move && std::ranges::all_of(module_.operands(op), [&](ValueId operand) {
                      return is_unchanged(operand);
                    });
    known_.emplace(op, is);
    return is;
  }

  /// Moves the op and the ops that compute its operands before the loop. Requires: contains(op).
  void hoist(OpId op) {
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const ValueId operand = module_.operand(op, index);
      const OpId maker = module_.defining_op(operand);
      if (maker.valid() && module_.parent_block(maker) == body_) hoist(maker);
      if (is_carried(operand)) {
        module_.set_operand(op, index, module_.operand(loop_, module_.owner(operand).index));
      }
    }
    module_.remove(op);
    module_.insert_before(loop_, op);
  }

 private:
  bool is_carried(ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    return !owner.is_result() && owner.block == body_;
  }

  bool is_unchanged(ValueId value) {
    if (is_carried(value)) return module_.operand(last_, module_.owner(value).index) == value;
    const OpId op = module_.defining_op(value);
    return !op.valid() || module_.parent_block(op) != body_ || contains(op);
  }

  Module& module_;
  OpId loop_;
  BlockId body_;
  OpId last_;
  std::unordered_map<OpId, bool> known_;
};

void hoist_from(Module& program, const CollectivePrices& prices, OpId loop,
                std::vector<passes::CollectiveRewrite>& rewrites) {
  const auto body = ir::entry_block(program, loop, 1);
  const auto last = body ? ir::return_op(program, *body) : std::nullopt;
  const int64_t steps = steps_of_loop(program, loop);
  if (!last || steps < 2) return;
  std::vector<OpId> ops;
  for (const OpId op : program.ops(*body)) ops.push_back(op);
  Invariants invariants(program, loop, *body, *last);
  for (const OpId op : ops) {
    const bool is_collective =
        ir::is_spmd(program.kind(op)) && program.has_trait(op, ir::kCollective);
    if (!is_collective || !invariants.contains(op)) continue;
    passes::CollectiveRewrite rewrite{std::string(kHoistCollectives), std::string(program.name(op)),
                                      program.source_location(op)};
    rewrite.bytes_after = prices.bytes_sent(op);
    rewrite.bytes_before = saturating_mul(steps, rewrite.bytes_after);
    rewrite.messages_after = prices.cost(op).messages;
    rewrite.messages_before = saturating_mul(steps, rewrite.messages_after);
    invariants.hoist(op);
    rewrites.push_back(std::move(rewrite));
  }
}

}  // namespace

std::vector<passes::CollectiveRewrite> hoist_collectives(Module& program) {
  const CollectivePrices prices(program);
  std::vector<passes::CollectiveRewrite> rewrites;
  // Inner loops come first: ops hoisted out of an inner loop may be hoisted out of the outer loop,
  // too.
  for (const OpId op : ir::post_order(program)) {
    if (program.is(op, OpKind::While)) hoist_from(program, prices, op, rewrites);
  }
  return rewrites;
}

// ---- After the loop -----------------------------------------------------------------------------

// A collective whose results a loop accumulates is sunk below the loop and runs once. The loop then
// accumulates the collective's operands.
//
//   %r = while(%s = %init) {            %t = while(%u = zeros) {
//     %1 = reduce_scatter %p              %2 = add %u, %p
//     %2 = add %s, %1                     return %2 }
//     return %2 }                       %1 = reduce_scatter %t
//                                       %r = add %init, %1

namespace {

/// One step of an accumulation, `combine %carried, chain(%part)`. `chain` lists the ops from
/// `%part` to the combining op, first op first.
struct Link {
  ir::Use summand;  // the operand of the combining op that is the end of the chain
  std::vector<OpId> chain;

  OpId combining() const { return summand.op; }
};

/// A carried value to which each iteration applies the links one after the other. The chains of all
/// links have equal ops.
struct Accumulation {
  OpId loop;
  uint32_t index = 0;
  OpKind combiner = OpKind::Add;
  std::vector<Link> links = {};
};

bool is_combiner(OpKind kind) {
  constexpr std::array kCombiners = {OpKind::Add, OpKind::Maximum, OpKind::Minimum, OpKind::And,
                                     OpKind::Or};
  return std::ranges::find(kCombiners, kind) != kCombiners.end();
}

/// The op by which a loop accumulates a value.
struct LoopCombiner {
  OpKind kind = OpKind::Add;
  bool runs = false;  // true if the loop is known to run at least once
};

/// Checks whether the op f distributes over the combiner: f(combine(a, b)) = combine(f(a), f(b)).
bool distributes(const Module& module, OpId op, LoopCombiner combiner) {
  if (module.num_operands(op) != 1) return false;
  switch (module.kind(op)) {
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::SpmdAllGather:
    case OpKind::SpmdAllToAll:
      return true;
    case OpKind::SpmdPermute:
      // A permute gives +0 to devices without a source. After the move it also runs if the loop
      // does not, and adding +0 would change an initial -0 of a float sum to +0.
      return combiner.kind == OpKind::Or ||
             (combiner.kind == OpKind::Add &&
              (combiner.runs || ir::is_integer(module.type(module.result(op)).element())));
    case OpKind::SpmdAllReduce:
    case OpKind::SpmdReduceScatter: {
      const auto reducers = ir::recognized_reducers(module, op, 1);
      return reducers && reducers->front() == combiner.kind;
    }
    default:
      return false;
  }
}

bool is_collective(const Module& module, OpId op) { return ir::is_spmd(module.kind(op)); }

/// Returns the ops from the first collective to `value`. Each distributes over the combiner and is
/// the only user of the op before it. Empty without a collective.
std::vector<OpId> chain_to(const Module& module, BlockId body, ValueId value,
                           LoopCombiner combiner) {
  std::vector<OpId> chain;
  while (module.num_uses(value) == 1) {
    const OpId op = module.defining_op(value);
    if (!op.valid() || module.parent_block(op) != body || !distributes(module, op, combiner)) break;
    chain.push_back(op);
    value = module.operand(op, 0);
  }
  while (!chain.empty() && !is_collective(module, chain.back())) chain.pop_back();
  std::ranges::reverse(chain);
  return chain;
}

/// Returns the link that uses `carried`; std::nullopt unless the only use of `carried` is by a
/// combiner whose other operand is the end of a chain.
std::optional<Link> link_at(const Module& module, BlockId body, ValueId carried, bool runs) {
  if (module.num_uses(carried) != 1) return std::nullopt;
  const ir::Use use = module.uses(carried).front();
  if (module.parent_block(use.op) != body || !is_combiner(module.kind(use.op))) return std::nullopt;
  Link link{{use.op, 1 - use.operand}, {}};
  link.chain = chain_to(module, body, module.operand(use.op, link.summand.operand),
                        {module.kind(use.op), runs});
  if (link.chain.empty()) return std::nullopt;
  return link;
}

ValueId part_before(const Module& module, const Link& link) {
  return module.operand(link.chain.front(), 0);
}

/// Checks whether both links have equal chains and combiners.
bool are_alike(const Module& module, const Link& a, const Link& b) {
  const auto is_same = [&](OpId one, OpId other) {
    return module.kind(one) == module.kind(other) &&
           module.attributes(one) == module.attributes(other) &&
           module.type(module.result(one)) == module.type(module.result(other));
  };
  return module.kind(a.combining()) == module.kind(b.combining()) &&
         module.type(part_before(module, a)) == module.type(part_before(module, b)) &&
         std::ranges::equal(a.chain, b.chain, is_same);
}

std::optional<Accumulation> accumulation_at(const Module& module, OpId loop, uint32_t index) {
  const BlockId body = module.block(loop, 1);
  const auto last = ir::return_op(module, body);
  if (!last || module.num_uses(module.args(module.block(loop, 0))[index]) != 0) return std::nullopt;
  Accumulation found{loop, index};
  const bool runs = ir::trip_count(module, loop).value_or(0) > 0;
  const ValueId end = module.operand(*last, index);
  for (ValueId carried = module.args(body)[index]; carried != end;) {
    auto link = link_at(module, body, carried, runs);
    if (!link) return std::nullopt;
    if (!found.links.empty() && !are_alike(module, found.links.front(), *link)) return std::nullopt;
    carried = module.result(link->combining());
    found.links.push_back(*std::move(link));
  }
  if (found.links.empty() || module.num_uses(end) != 1) return std::nullopt;
  if (!module.type(part_before(module, found.links.front())).is_static_tensor())
    return std::nullopt;
  found.combiner = module.kind(found.links.front().combining());
  return found;
}

/// Moves the first link's chain after the loop, with the loop's result as its operand. Returns the
/// result of the chain.
ValueId move_chain(Module& module, const Accumulation& found) {
  OpId place = found.loop;
  ValueId value = module.result(found.loop, found.index);
  for (const OpId op : found.links.front().chain) {
    module.remove(op);
    module.insert_after(place, op);
    module.set_operand(op, 0, value);
    value = module.result(op);
    place = op;
  }
  return value;
}

/// Returns the element with which the changed loop starts. If the old initial value `begun` is
/// neutral, this is its element, so that zeros keep their sign. Otherwise it is the identity of the
/// combiner.
ir::Literal initial_part(const Module& module, ValueId begun, OpKind combiner) {
  const ir::ElementType element = module.type(begun).element();
  if (!is_neutral(module, begun, combiner)) return reducer_identity(combiner, element);
  const OpId constant = module.defining_op(begun);
  const auto bytes = module.attribute<ir::Literal>(constant, ir::attr::kValue)->element_bytes(0);
  const auto part =
      ir::Literal::make_splat(ir::Type::tensor({}, element), {bytes.begin(), bytes.end()});
  SHARDY_ASSERT(part.has_value());  // an element of a literal of this type
  return *part;
}

/// Changes the loop so that it carries the operands of the chains instead of their results.
void carry_parts(Module& module, const Accumulation& found) {
  const ir::Type type = module.type(part_before(module, found.links.front()));
  for (const Link& link : found.links) {
    module.set_operand(link.combining(), link.summand.operand, part_before(module, link));
    module.set_type(module.result(link.combining()), type);
  }
  for (std::size_t region = 0; region < 2; ++region) {
    module.set_type(module.args(module.block(found.loop, region))[found.index], type);
  }
  module.set_type(module.result(found.loop, found.index), type);
  Emitter emit(module);
  emit.start_before(found.loop);
  const ir::Literal part =
      initial_part(module, module.operand(found.loop, found.index), found.combiner);
  module.set_operand(found.loop, found.index,
                     emit.splat({type.dims().begin(), type.dims().end()}, part));
}

void sink(Module& module, const Accumulation& found) {
  const ValueId begun = module.operand(found.loop, found.index);
  const ValueId result = module.result(found.loop, found.index);
  const std::vector<ir::Use> readers = module.uses(result);
  carry_parts(module, found);
  ValueId total = move_chain(module, found);
  for (std::size_t at = 1; at < found.links.size(); ++at) {
    const std::vector<OpId>& chain = found.links[at].chain;
    for (auto op = chain.rbegin(); op != chain.rend(); ++op) module.erase(*op);
  }
  if (!is_neutral(module, begun, found.combiner)) {
    ir::Builder builder = ir::Builder::after(module, module.defining_op(total));
    builder.set_location(module.location(found.links.front().combining()));
    total = builder.create_value(found.combiner, {begun, total}, module.type(total));
  }
  for (const ir::Use& use : readers) module.set_operand(use.op, use.operand, total);
}

void report(const Module& module, const CollectivePrices& prices, const Accumulation& found,
            int64_t steps, std::vector<passes::CollectiveRewrite>& rewrites) {
  const int64_t times = saturating_mul(steps, std::ssize(found.links));
  for (const OpId op : found.links.front().chain) {
    if (!is_collective(module, op)) continue;
    passes::CollectiveRewrite rewrite{std::string(kSinkLoopCollectives),
                                      std::string(module.name(op)), module.source_location(op)};
    rewrite.bytes_after = prices.bytes_sent(op);
    rewrite.bytes_before = saturating_mul(times, rewrite.bytes_after);
    rewrite.messages_after = prices.cost(op).messages;
    rewrite.messages_before = saturating_mul(times, rewrite.messages_after);
    rewrites.push_back(std::move(rewrite));
  }
}

}  // namespace

int64_t steps_of_loop(const Module& module, OpId loop) {
  return ir::trip_count(module, loop).value_or(2);
}

std::vector<passes::CollectiveRewrite> sink_loop_collectives(Module& program) {
  const CollectivePrices prices(program);
  std::vector<passes::CollectiveRewrite> rewrites;
  // Inner loops come first: a collective sunk below an inner loop may be sunk below the outer loop,
  // too.
  for (const OpId op : ir::post_order(program)) {
    if (!program.is(op, OpKind::While)) continue;
    const int64_t steps = steps_of_loop(program, op);
    for (uint32_t index = 0; steps > 1 && index < program.num_results(op); ++index) {
      const auto found = accumulation_at(program, op, index);
      if (!found) continue;
      report(program, prices, *found, steps, rewrites);
      sink(program, *found);
    }
  }
  return rewrites;
}

// ---- Gathers of slices --------------------------------------------------------------------------

// Gathers of slices in a loop become slices of a value that is gathered before the loop.

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

// Collectives and reshards of a value at a use: unreduced axes first, then the rest.
// Spec: resharding A.8, A.11.
//
//   sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
//   return %0 : [{"a"}, {}], unreduced={"c"}, to the function result [{"b"}, {}]
//   ->
//   %1 = sdy.all_reduce {"c"} %0   [{"a"}, {}]
//   %2 = sdy.reshard %1            [{"b"}, {}]
//   return %2
//
//   %0 = while(%a [{"a"}]) [{"b"}]              %1 = sdy.reshard %a [{"b"}]
//     return %2 [{"a"}]                   ->    %0 = while(%1) [{"b"}]
//                                                 %3 = sdy.reshard %2 [{"b"}]
//                                                 return %3
#include <algorithm>
#include <utility>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/edge_shardings.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/resharding/unreduced.hpp"

namespace shardy::passes::explicit_reshards {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Use;
using ir::ValueId;

namespace {

// ---- One use ------------------------------------------------------------------------------------

/// Insertion point of the ops for a use.
enum class InsertionPoint { BeforeUser, AfterSource };

/// A chain of ops for one use; each op uses the result of the previous one.
class UseChain {
 public:
  UseChain(Module& module, Use use, InsertionPoint place)
      : module_(module), use_(use), place_(place) {}

  ValueId value() const { return module_.operand(use_.op, use_.operand); }
  OptionalSharding sharding() const { return ir::get_sharding(module_, value()); }

  void add(ir::OpSpec spec) {
    if (place_ == InsertionPoint::BeforeUser)
      return insert_before_use(module_, use_, std::move(spec));
    const ir::ValueOwner owner = module_.owner(value());
    spec.location = module_.location(owner.is_result() ? owner.op : use_.op);
    const OpId made = module_.create(std::move(spec));
    if (owner.is_result()) {
      module_.insert_after(owner.op, made);
    } else {
      module_.insert_before(module_.first_op(owner.block), made);
    }
    module_.set_operand(use_.op, use_.operand, module_.result(made));
  }

  void reshard(const TensorSharding& to) { add(reshard_op(module_, value(), to)); }

  /// Reduces the unreduced axes that the target does not have (A.8.1). Axes of another mesh are all
  /// reduced.
  void reduce(const OptionalSharding& target) {
    const OptionalSharding have = sharding();
    if (!have || have->unreduced_axes().empty()) return;
    const bool same_axes = target && target->mesh().equals_ignoring_device_ids(have->mesh());
    AxisList axes = axes_to_reduce(have->unreduced_axes(),
                                   same_axes ? AxisSpan(target->unreduced_axes()) : AxisSpan());
    if (axes.empty()) return;
    const TensorSharding out = have->with_unreduced(set_difference(have->unreduced_axes(), axes));
    add(all_reduce_op(module_, value(), std::move(axes), out, have->reduction_op()));
  }

  /// Introduces the unreduced axes of the target (A.8.2); a value without sharding is replicated.
  /// Returns whether an op was added.
  bool unreduce(const OptionalSharding& target) {
    if (!target || target->unreduced_axes().empty()) return false;
    const OptionalSharding have = sharding();
    const TensorSharding from = have ? *have : target->fully_closed_like();
    const bool possible = from.mesh() == target->mesh() && from.rank() == target->rank();
    if (!possible || set_difference(target->unreduced_axes(), from.unreduced_axes()).empty()) {
      return false;
    }
    if (!have) {
      ir::set_sharding(module_, value(), from);  // these collectives require one
      reshard_for_collectives(module_, value(), from);
    }
    unreduce(from, *target);
    return true;
  }

 private:
  void unreduce(const TensorSharding& from, const TensorSharding& target) {
    const UnreducedIntroduction way = introduce_unreduced(from, target);
    std::vector<DimSharding> dims(target.dims().begin(), target.dims().end());
    bool moves = false;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      if (!way.sharded[dim].empty()) dims[dim] = from.dim(dim);
      moves = moves || dims[dim].axes != from.dim(dim).axes;
    }
    TensorSharding here = from.with_replicated({});
    if (moves) {
      here = here.with_dims(std::move(dims));
      reshard(here);
    }
    if (!way.replicated.empty()) {
      AxisList unreduced = here.unreduced_axes();
      append(unreduced, way.replicated);
      here = here.with_unreduced(sort_and_merge(std::move(unreduced)), target.reduction_op());
      ir::OpSpec spec = unary_op(module_, OpKind::SdyReplicatedToUnreduced, value());
      spec.attributes.set(ir::attr::kAxes, ir::AxesAttr{here.mesh(), way.replicated});
      spec.attributes.set(ir::attr::kOutSharding, here);
      add(std::move(spec));
    }
    if (all_empty(way.sharded)) return;
    ir::OpSpec spec = unary_op(module_, OpKind::SdyShardedToUnreduced, value());
    spec.attributes.set(ir::attr::kAxes, ir::AxesListsAttr{target.mesh(), way.sharded});
    spec.attributes.set(ir::attr::kOutSharding, target);
    add(std::move(spec));
  }

  Module& module_;
  Use use_;
  InsertionPoint place_;
};

/// Adds all steps from the sharding of the operand to its target. Spec: resharding A.8.3.
void reshard_use(Module& module, Use use, InsertionPoint place, const OptionalSharding& target,
                 bool full) {
  UseChain chain(module, use, place);
  chain.reduce(target);
  chain.unreduce(target);
  if (!full) return;
  const OptionalSharding have = chain.sharding();
  if (is_equivalent(have, target)) return;
  chain.reshard(target ? *target : have->fully_closed_like());
}

// ---- Edges --------------------------------------------------------------------------------------

/// Returns the target sharding of an edge's sources in the frame of the source.
OptionalSharding edge_target(const Module& module, OpId op, ValueId owner) {
  const ir::ValueOwner place = module.owner(owner);
  const bool is_manual = module.is(op, OpKind::SdyManualComputation);
  if (is_manual && !place.is_result()) {
    return ir::detail::get_in_list(module.attributes(op), ir::attr::kInShardings, place.index);
  }
  OptionalSharding sharding = ir::get_sharding(module, owner);
  if (!is_manual || !sharding) return sharding;
  return ir::erase_manual(*sharding, ir::detail::manual_axes_of(module, op));
}

void reshard_sources(Module& module, OpId op, ValueId owner, bool full) {
  const OptionalSharding target = edge_target(module, op, owner);
  for (const Use source : ir::edge_sources(module, owner)) {
    reshard_use(module, source, InsertionPoint::AfterSource, target, full);
  }
}

/// Reshards the results of branches of an `if`: propagation has no edges there, but all branches
/// must return one sharding.
void reshard_branches(Module& module, OpId op, bool full) {
  for (uint32_t index = 0; index < module.num_results(op); ++index) {
    const OptionalSharding target = ir::get_sharding(module, module.result(op, index));
    for (std::size_t region = 0; region < module.regions(op).size(); ++region) {
      const auto block = ir::entry_block(module, op, region);
      const auto last = block ? ir::return_op(module, *block) : std::nullopt;
      if (!last || index >= module.num_operands(*last)) continue;
      reshard_use(module, {*last, index}, InsertionPoint::AfterSource, target, full);
    }
  }
}

/// Returns the shardings of the callee's arguments; std::nullopt if neither they nor the operands
/// have one.
std::optional<std::vector<TensorSharding>> call_targets(const Module& module, OpId call,
                                                        OpId callee) {
  if (auto shardings = ir::func_arg_shardings(module, callee)) return shardings;
  std::vector<OptionalSharding> have;
  for (const ValueId operand : module.operands(call)) {
    have.push_back(ir::get_sharding(module, operand));
  }
  const auto found = std::ranges::find_if(have, [](const OptionalSharding& sharding) {
    return sharding && !sharding->mesh().is_maximal();
  });
  if (found == have.end()) return std::nullopt;
  std::vector<TensorSharding> closed;
  for (const ValueId operand : module.operands(call)) {
    closed.push_back(TensorSharding::fully_closed((*found)->mesh(), (*found)->mesh_name(),
                                                  ir::sharding_rank(module.type(operand))));
  }
  return closed;
}

}  // namespace

void reduce_use(Module& module, Use use, const OptionalSharding& target) {
  UseChain(module, use, InsertionPoint::BeforeUser).reduce(target);
}

bool replace_unreducing_reshard(Module& module, OpId reshard) {
  const auto* to = module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  UseChain chain(module, {reshard, 0}, InsertionPoint::BeforeUser);
  if (to == nullptr || !chain.unreduce(*to)) return false;
  module.replace_all_uses(module.result(reshard), module.operand(reshard, 0));
  module.erase(reshard);
  return true;
}

void reshard_returned(Module& module, OpId function, bool full) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid()) return;
  for (uint32_t index = 0; index < module.num_operands(last); ++index) {
    reshard_use(module, {last, index}, InsertionPoint::BeforeUser,
                ir::result_sharding(module, function, index), full);
  }
}

void reshard_edges(Module& module, OpId op, bool full) {
  if (module.is(op, OpKind::If)) return reshard_branches(module, op, full);
  for (const ValueId owner : ir::result_edge_owners(module, op)) {
    reshard_sources(module, op, owner, full);
  }
  for (const ValueId owner : ir::block_arg_edge_owners(module, op)) {
    reshard_sources(module, op, owner, full);
  }
}

void reshard_call_operands(Module& module, OpId call) {
  const std::optional<OpId> callee = ir::callee_of(module, call);
  const auto targets = callee ? call_targets(module, call, *callee) : std::nullopt;
  if (!targets) return;
  const auto count = static_cast<uint32_t>(std::min(targets->size(), module.num_operands(call)));
  for (uint32_t index = 0; index < count; ++index) {
    reshard_use(module, {call, index}, InsertionPoint::AfterSource, (*targets)[index], true);
  }
}

}  // namespace shardy::passes::explicit_reshards

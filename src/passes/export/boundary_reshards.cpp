// Inserts the collectives and reshards of a value at one use: collectives for unreduced axes first,
// then a reshard. Spec: resharding A.8, A.11.
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

#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/resharding/detail/unreduced.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

// ---- One use ------------------------------------------------------------------------------------

/// The position at which the ops for a use are inserted.
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

  /// Reduces the unreduced axes that the target does not have (A.8.1). If the target is on another
  /// mesh, reduces all unreduced axes.
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

  /// Introduces the unreduced axes of the target (A.8.2). A value without a sharding is replicated.
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
      ir::set_sharding(module_, value(), from);  // the collectives below require a sharding
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

/// Adds all steps from the sharding of the operand to the target. Spec: resharding A.8.3.
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

/// Returns the target sharding for the sources of an edge, as seen from the sources.
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

/// Reshards the results of the branches of an `if`. Propagation has no edges at these results, but
/// all branches must return values with one sharding.
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

/// Returns the shardings of the callee's arguments; std::nullopt if neither the arguments nor the
/// operands have shardings.
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

// ---- Causes -------------------------------------------------------------------------------------
// Marks inserted reshards that make a value less sharded. The mark is the op for which they were
// inserted, and the reason. Spec: partitioning 5.10.
//
//   %1 = sdy.reshard %0 [{}]     ->   %1 = sdy.reshard %0 [{}] {sdy.cause = [OP, TENSOR, REASON]}
//   return %1                         return %1
//                                     with, for example, OP "func.return", TENSOR "operand 0"

namespace {

/// Returns the dims that have fewer axes in `to` than in `from`.
std::vector<std::size_t> gathered_dims(const TensorSharding& from, const TensorSharding& to) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < std::min(from.rank(), to.rank()); ++dim) {
    const bool loses = !set_difference(from.dim(dim).axes, to.dim(dim).axes).empty();
    if (loses && sharding_size(from.dim(dim).axes) > 1) dims.push_back(dim);
  }
  return dims;
}

/// An op and the reshards inserted for it: all reshards with number `first_new` or higher.
class Causes {
 public:
  Causes(Module& module, OpId op, std::size_t first_new, const rules::Registry& registry)
      : module_(module), op_(op), first_new_(first_new), registry_(registry) {}

  void mark(OpId made) {
    const OptionalSharding from = ir::get_sharding(module_, module_.operand(made, 0));
    const OptionalSharding to = ir::get_sharding(module_, module_.result(made));
    if (!from || !to || from->mesh().is_maximal() || to->mesh().is_maximal()) return;
    const std::vector<std::size_t> dims = gathered_dims(*from, *to);
    if (dims.empty() && module_.is(made, OpKind::SdyReshard)) return;
    const std::optional<std::size_t> result = result_before(made);
    if (result) {
      if (!is_asked_for(made, *to)) {
        set_cause(module_, made, {name(), "result " + std::to_string(*result), reason(*to, dims)});
      }
      return;
    }
    const ir::Use use = use_after(made);
    const std::string number = std::to_string(use.operand);
    const bool is_own = use.op == op_;
    set_cause(module_, made,
              {name(), is_own ? "operand " + number : "value " + number + " of a region",
               is_own ? operand_reason(use.operand, *from, dims) : kDifferent});
  }

 private:
  static constexpr const char* kDifferent = "the tensors of the op are sharded differently";
  static constexpr const char* kWhole = "the op needs the dim replicated";
  static constexpr const char* kTaken = "the op is sharded along another dim on these axes";
  static constexpr const char* kNotSharded = "the op is not sharded along this dim";

  std::string name() const { return std::string(module_.name(op_)); }
  bool is_new(OpId op) const { return op.valid() && op.index() >= first_new_; }

  std::optional<std::size_t> result_before(OpId made) const {
    ValueId value = module_.operand(made, 0);
    while (is_new(module_.defining_op(value))) {
      value = module_.operand(module_.defining_op(value), 0);
    }
    if (module_.defining_op(value) != op_ || module_.has_trait(op_, ir::kDataFlow)) {
      return std::nullopt;
    }
    return module_.owner(value).index;
  }

  ir::Use use_after(OpId made) const {
    ir::Use use{made, 0};
    while (is_new(use.op) && module_.num_uses(module_.result(use.op)) > 0) {
      use = module_.uses(module_.result(use.op)).front();
    }
    return use;
  }

  /// Checks whether the source program requires the sharding, on the op or by a constraint of the
  /// value.
  bool is_asked_for(OpId made, const TensorSharding& to) const {
    if (module_.attributes(op_).contains(kWrittenAttr)) return true;
    return std::ranges::any_of(module_.uses(module_.result(made)), [&](const ir::Use& use) {
      if (is_new(use.op) || !module_.is(use.op, OpKind::SdyReshard)) return false;
      const auto* asked = module_.attribute<TensorSharding>(use.op, ir::attr::kSharding);
      return asked != nullptr && is_equivalent(*asked, to);
    });
  }

  bool is_sharded_along(const AxisList& axes) {
    const auto known = std::ranges::find(along_, axes, &std::pair<AxisList, bool>::first);
    if (known != along_.end()) return known->second;
    const auto meets = [&](ValueId value) {
      const OptionalSharding sharding = ir::get_sharding(module_, value);
      return sharding && std::ranges::any_of(sharding->dims(), [&](const DimSharding& dim) {
               return overlaps(AxisSpan(dim.axes), AxisSpan(axes));
             });
    };
    const bool is_along = std::ranges::any_of(module_.operands(op_), meets) ||
                          std::ranges::any_of(module_.results(op_), meets);
    return along_.emplace_back(axes, is_along).second;
  }

  std::string reason(const TensorSharding& have, const std::vector<std::size_t>& dims) {
    return !dims.empty() && is_sharded_along(have.dim(dims.front()).axes) ? kTaken : kNotSharded;
  }

  /// Returns the reason why an operand is resharded: a dim without a factor, or a factor that
  /// cannot be sharded.
  std::string operand_reason(std::size_t operand, const TensorSharding& have,
                             const std::vector<std::size_t>& dims) {
    if (module_.has_trait(op_, ir::kReturnLike) || module_.has_trait(op_, ir::kDataFlow) ||
        module_.is(op_, OpKind::FuncCall)) {
      return kDifferent;
    }
    if (!rule_) rule_ = registry_.lowering_rule_for(rules::OpView(module_, op_));
    const rules::RuleResult& rule = *rule_;
    if (rule && *rule && operand < (*rule)->operands().size()) {
      const TensorMapping& mapping = (*rule)->operands()[operand];
      const bool needs_whole = std::ranges::any_of(dims, [&](std::size_t dim) {
        return std::ranges::any_of(mapping.dims[dim], [&](int32_t factor) {
          return (*rule)->factor_kind(factor) == FactorKind::NeedReplication;
        });
      });
      if (needs_whole) return kWhole;
    }
    return reason(have, dims);
  }

  Module& module_;
  OpId op_;
  std::size_t first_new_;
  const rules::Registry& registry_;
  std::optional<rules::RuleResult> rule_;         // of the op, once it is needed
  std::vector<std::pair<AxisList, bool>> along_;  // results of is_sharded_along
};

/// Returns true for ops whose operand and result shardings the program determines: computations and
/// returns.
bool has_own_shardings(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyManualComputation:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyReshard:
      return true;
    default:
      return module.has_trait(op, ir::kDataFlow) && module.attributes(op).contains(kWrittenAttr);
  }
}

}  // namespace

void mark_causes(Module& module, OpId op, std::size_t first_new, const rules::Registry& registry) {
  if (module.num_ops() == first_new || module.is_erased(op) || has_own_shardings(module, op))
    return;
  Causes causes(module, op, first_new, registry);
  for (std::size_t index = first_new; index < module.num_ops(); ++index) {
    const OpId made(static_cast<uint32_t>(index));
    const OpKind kind = module.kind(made);
    if (module.is_erased(made)) continue;
    if (kind == OpKind::SdyReshard || kind == OpKind::SdyAllReduce) causes.mark(made);
  }
}

void mark_returned(Module& module, OpId function, std::size_t first_new,
                   const rules::Registry& registry) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid()) return;
  mark_causes(module, last, first_new, registry);
  const auto& attributes = module.function(function).result_attributes;
  for (uint32_t index = 0; index < module.num_operands(last); ++index) {
    const bool is_written = index < attributes.size() && attributes[index].contains(kWrittenAttr);
    OpId made = module.defining_op(module.operand(last, index));
    while (is_written && made.valid() && made.index() >= first_new) {
      module.attributes(made).erase(kCauseAttr);
      made = module.defining_op(module.operand(made, 0));
    }
  }
}

}  // namespace shardy::passes::explicit_reshards

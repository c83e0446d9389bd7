// Three rewrites of collectives: several in sequence become one plan; two reductions whose results
// are added become one; if one value is resharded several times, one path of collectives may start
// at the end of another path. Spec: resharding C.8.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "passes/common/ir_names.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

// ---- In sequence --------------------------------------------------------------------------------
// Collectives in sequence become the cheapest plan from start to end. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %0                 ->   %1 = sdy.reduce_scatter [{"x"}, {}] %0
//   %2 = sdy.all_slice [{"x"}, {}] %1                 (8x8xf32: 192 bytes sent instead of 384)
//
//   %1 = sdy.all_gather [{"x"}, {}] %0           ->   %1 = sdy.all_to_all %0
//   %2 = sdy.all_slice [{}, {"x"}] %1
//
//   %1 = sdy.collective_permute %0  [{"y", "x"}, {}, {}]    ->   all_to_all {"y"}, all_to_all {"x"}
//   %2 = sdy.all_to_all {"x"} %1    [{"y"}, {"x"}, {}]           of %0 [{"x", "y"}, {}, {}]
//   %3 = sdy.all_to_all {"y"} %2    [{}, {"x"}, {"y"}]

bool only_moves(StepKind kind) {
  return kind == StepKind::AllGather || kind == StepKind::AllSlice || kind == StepKind::AllToAll ||
         kind == StepKind::CollectivePermute;
}

std::optional<Replan> plan_instead(RewriteContext& context, OpId collective,
                                   const TensorSharding& to) {
  const Module& module = context.module;
  std::optional<PlacedStep> placed = step_of(module, collective);
  if (!placed) return std::nullopt;
  const bool reduces =
      placed->step.kind == StepKind::AllReduce || placed->step.kind == StepKind::ReduceScatter;
  if (!reduces && !only_moves(placed->step.kind)) return std::nullopt;
  if (placed->from.mesh_ref() != to.mesh_ref() || to.rank() != placed->from.rank()) {
    return std::nullopt;
  }
  const ValueId operand = module.operand(collective, 0);
  const ir::Type& type = module.type(operand);
  auto steps = context.planners.plan(collective, type, placed->from, to);
  if (!steps) return std::nullopt;
  Replan replan{collective, placed->from, {}, false, {}};
  replan.gain = {context.price(type, *placed), context.price(type, placed->from, *steps)};
  if (!reduces) {
    replan.steps = *std::move(steps);
    return replan;
  }
  auto plan = plan_from_partial(module, operand, placed->from, *std::move(steps));
  if (!plan) return std::nullopt;
  replan.steps = std::move(plan->steps);
  replan.declares_partial = plan->declares_partial;
  return replan;
}

ValueId apply(Module& module, const Replan& replan) {
  const ValueId operand = module.operand(replan.collective, 0);
  if (replan.declares_partial) ir::set_sharding(module, operand, replan.from);
  return emit_steps(module, replan.collective, operand, replan.steps);
}

namespace {

// Limit of the collectives that are joined at once. Each length that has no gain costs one plan.
constexpr std::size_t kMaxRun = 8;

/// Returns the sharding at the end of the plan. For an empty plan, returns the sharding of the
/// operand, if any.
std::optional<TensorSharding> end_of(const Module& module, const Replan& replan) {
  if (!replan.steps.empty()) return replan.steps.back().out;
  if (replan.declares_partial) return replan.from;
  return ir::get_sharding(module, module.operand(replan.collective, 0));
}

}  // namespace

std::optional<Gain> join_collectives(RewriteContext& context, OpId op) {
  Module& module = context.module;
  const auto outer = step_of(module, op);
  if (!outer || !only_moves(outer->step.kind)) return std::nullopt;
  const ir::Type type = module.type(module.result(op));
  Price before = context.price(type, *outer);
  std::vector<OpId> run{op};  // from the last collective to the first one
  while (run.size() < kMaxRun) {
    const ValueId between = module.operand(run.back(), 0);
    const OpId inner = module.defining_op(between);
    if (only_reader(module, between) != run.back()) return std::nullopt;
    std::optional<Replan> replan = plan_instead(context, inner, outer->step.out);
    if (!replan) return std::nullopt;
    replan->gain.before += before;
    run.push_back(inner);
    const bool ends_alike = users_accept(module, op, end_of(module, *replan));
    if (ends_alike && is_cheaper(replan->gain.after, replan->gain.before)) {
      module.replace_all_uses(module.result(op), apply(module, *replan));
      for (const OpId each : run) module.erase(each);
      return replan->gain;
    }
    const auto placed = step_of(module, inner);
    if (!only_moves(placed->step.kind)) return std::nullopt;
    before += context.price(type, *placed);
  }
  return std::nullopt;
}

// ---- Of two sums --------------------------------------------------------------------------------
// The sum of two all-reduced values becomes one all-reduce of the sum of the partial values. Spec:
// resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %a              %1 = add %a, %b   unreduced={"x"}
//   %2 = sdy.all_reduce {"x"} %b         ->   %2 = sdy.all_reduce {"x"} %1
//   %3 = add %1, %2                           (8x8xf32: 384 bytes sent instead of 768)

namespace {

/// Checks whether the op commutes with the reduction: add and subtract with a sum, maximum with
/// max, and so on.
bool commutes(OpKind kind, ReductionOp reduction) {
  const bool is_difference = kind == OpKind::Subtract && reduction == ReductionOp::Sum;
  return is_difference || kind == ir::reducer_of(reduction);
}

struct Reduced {
  OpId reduce;
  PlacedStep placed;
};

/// Returns the all-reduce or reduce-scatter that defines the operand, if `op` is its only user and
/// its operand can be declared unreduced.
std::optional<Reduced> reduced_operand(const Module& module, OpId op, std::size_t index) {
  const ValueId value = module.operand(op, index);
  const OpId reduce = module.defining_op(value);
  const bool reduces = reduce.valid() && ir::completes_reduction(module.kind(reduce));
  if (!reduces || only_reader(module, value) != op) return std::nullopt;
  auto placed = step_of(module, reduce);
  if (!placed || !can_be_partial(module, module.operand(reduce, 0), placed->from)) {
    return std::nullopt;
  }
  return Reduced{reduce, *std::move(placed)};
}

bool is_alike(const PlacedStep& a, const PlacedStep& b) {
  return a.step.kind == b.step.kind && a.step.axes == b.step.axes &&
         a.step.dim_axes == b.step.dim_axes && a.step.reduction_op == b.step.reduction_op &&
         a.from.mesh_ref() == b.from.mesh_ref() && a.step.out == b.step.out &&
         dim_axes(a.from) == dim_axes(b.from) && a.from.unreduced_axes() == b.from.unreduced_axes();
}

}  // namespace

std::optional<Gain> reassociate_reductions(RewriteContext& context, OpId op) {
  Module& module = context.module;
  if (!is_plain_elementwise(module, op) || module.num_operands(op) != 2 ||
      module.type(module.result(op)).element() == ir::ElementType::I1) {
    return std::nullopt;
  }
  const auto first = reduced_operand(module, op, 0);
  const auto second = reduced_operand(module, op, 1);
  if (!first || !second || first->reduce == second->reduce ||
      !is_alike(first->placed, second->placed) ||
      !commutes(module.kind(op), first->placed.step.reduction_op)) {
    return std::nullopt;
  }
  const ValueId result = module.result(op);
  const TensorSharding out = sharding_or_whole(module, result, first->placed.step.out);
  if (out.mesh_ref() != first->placed.step.out.mesh_ref() ||
      dim_axes(out) != dim_axes(first->placed.step.out) ||
      out.unreduced_axes() != first->placed.step.out.unreduced_axes()) {
    return std::nullopt;
  }
  const Price once = context.price(module.type(result), first->placed);
  Gain gain{once, once};
  gain.before += once;
  if (!is_cheaper(gain.after, gain.before)) return std::nullopt;
  std::size_t index = 0;
  for (const Reduced& each : {*first, *second}) {
    const ValueId partial = module.operand(each.reduce, 0);
    ir::set_sharding(module, partial, each.placed.from);
    module.set_operand(op, index++, partial);
    module.erase(each.reduce);
  }
  ir::set_sharding(module, result, first->placed.from);
  const std::vector<ir::Use> uses = module.uses(result);
  const ValueId combined =
      emit_steps(module, module.next(op), result, std::span(&first->placed.step, 1));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, combined);
  return gain;
}

// ---- Of one value -------------------------------------------------------------------------------
// If a value is resharded to several shardings, the collectives of one target (its path) may start
// from the result of another path instead of from the value. Spec: resharding C.8.
//
//   %1 = sdy.reduce_scatter [{"x"}, {}] %0         %1 = sdy.reduce_scatter [{"x"}, {}] %0
//   %2 = sdy.all_reduce {"x"} %0              ->   %2 = sdy.all_gather [{"x"}, {}] %1

namespace {

// Limit of the paths of one value that are considered, because all their orders are tried. Further
// paths stay unchanged.
constexpr std::size_t kMaxWays = 5;
constexpr std::size_t kMaxUses = 64;  // limit of uses of a value

/// A path of collectives from a value. The result of each collective except the last one is used
/// only by the next collective of the path. The first collective may be a reduction. Thus several
/// reductions of one partial value can become one reduction and reshards of its result.
struct CollectivePath {
  std::vector<OpId> ops;
  Price price;
  std::size_t end_place = 0;  // rank of its end among the ends of all paths, in program order

  OpId last() const { return ops.back(); }
};

bool reduces(StepKind kind) {
  return kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
}

bool is_step_on_mesh(const Module& module, OpId op, bool may_reduce) {
  const auto placed = step_of(module, op);
  return placed && (only_moves(placed->step.kind) || (may_reduce && reduces(placed->step.kind))) &&
         placed->from.mesh_ref() == placed->step.out.mesh_ref();
}

bool is_move(const Module& module, OpId op) { return is_step_on_mesh(module, op, false); }

bool begins_way(const Module& module, OpId op) { return is_step_on_mesh(module, op, true); }

std::vector<CollectivePath> ways_of(RewriteContext& context, ValueId value, ir::BlockId block) {
  const Module& module = context.module;
  std::vector<OpId> starts;
  for (const ir::Use& use : module.uses(value)) {
    if (module.parent_block(use.op) == block && begins_way(module, use.op))
      starts.push_back(use.op);
  }
  std::ranges::sort(starts, [&](OpId a, OpId b) { return module.is_before(a, b); });
  if (starts.size() > kMaxWays) starts.resize(kMaxWays);
  std::vector<CollectivePath> ways;
  for (OpId op : starts) {
    CollectivePath way;
    do {
      way.ops.push_back(op);
      way.price += context.price(module.type(value), *step_of(module, op));
      op = only_reader(module, module.result(op));
    } while (op.valid() && is_move(module, op));
    ways.push_back(std::move(way));
  }
  for (CollectivePath& way : ways) {
    way.end_place =
        static_cast<std::size_t>(std::ranges::count_if(ways, [&](const CollectivePath& other) {
          return module.is_before(other.last(), way.last());
        }));
  }
  return ways;
}

/// A plan from the end of another path.
struct Branch {
  std::vector<ReshardStep> steps;
  Price price;
};

std::optional<Branch> branch(RewriteContext& context, const CollectivePath& from,
                             const CollectivePath& to) {
  const Module& module = context.module;
  const auto begin = ir::get_sharding(module, module.result(from.last()));
  const auto end = ir::get_sharding(module, module.result(to.last()));
  if (!begin || !end || begin->mesh_ref() != end->mesh_ref() ||
      begin->unreduced_axes() != end->unreduced_axes()) {
    return std::nullopt;
  }
  const ir::Type& type = module.type(module.result(to.last()));
  auto steps = context.planners.plan(to.last(), type, *begin, *end);
  if (!steps || !users_accept(module, to.last(), steps->empty() ? *begin : steps->back().out)) {
    return std::nullopt;
  }
  const Price price = context.price(type, *begin, *steps);
  return Branch{*std::move(steps), price};
}

using Branches = std::vector<std::vector<std::optional<Branch>>>;  // [from][to]

Branches all_branches(RewriteContext& context, const std::vector<CollectivePath>& ways) {
  Branches branches(ways.size());
  for (std::size_t from = 0; from < ways.size(); ++from) {
    for (std::size_t to = 0; to < ways.size(); ++to) {
      branches[from].push_back(from == to ? std::nullopt : branch(context, ways[from], ways[to]));
    }
  }
  return branches;
}

/// Per path: the path at whose end it starts, if any. Also the total cost.
struct Choice {
  std::vector<std::optional<std::size_t>> begins;
  Price price;
};

/// Assigns the cheapest start to each path, in the given order: the value or the end of an earlier
/// path.
Choice choose(const std::vector<CollectivePath>& ways, const Branches& branches,
              const std::vector<std::size_t>& order) {
  Choice choice{std::vector<std::optional<std::size_t>>(ways.size()), {}};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t to = order[at];
    Price least = ways[to].price;
    for (std::size_t before = 0; before < at; ++before) {
      const std::size_t from = order[before];
      // Without hoisting, `from` must start and end before `to`: `apply` rewrites paths in order of
      // their starts, and needs the end of `from`. Otherwise `from` is hoisted, which requires that
      // it starts at the value.
      const bool is_after = from < to && ways[from].end_place < ways[to].end_place;
      const bool can_begin = is_after || !choice.begins[from];
      const auto& branch = branches[from][to];
      if (!can_begin || !branch || !is_cheaper(branch->price, least)) continue;
      least = branch->price;
      choice.begins[to] = from;
    }
    choice.price += least;
  }
  return choice;
}

Choice best_choice(const std::vector<CollectivePath>& ways, const Branches& branches) {
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Choice best = choose(ways, branches, order);
  while (std::next_permutation(order.begin(), order.end())) {
    Choice other = choose(ways, branches, order);
    if (is_cheaper(other.price, best.price)) best = std::move(other);
  }
  return best;
}

/// Moves the ops of the path before `op`.
void bring_before(Module& module, const CollectivePath& way, OpId op) {
  if (module.is_before(way.last(), op)) return;
  for (const OpId each : way.ops) {
    if (module.is_before(each, op)) continue;
    module.remove(each);
    module.insert_before(op, each);
  }
}

void apply(Module& module, std::vector<CollectivePath>& ways, const Branches& branches,
           const Choice& choice) {
  std::vector<ValueId> ends;
  ends.reserve(ways.size());
  for (const CollectivePath& way : ways) ends.push_back(module.result(way.last()));
  for (std::size_t to = 0; to < ways.size(); ++to) {
    if (choice.begins[to] && !choice.begins[*choice.begins[to]]) {
      bring_before(module, ways[*choice.begins[to]], ways[to].ops.front());
    }
  }
  for (std::size_t to = 0; to < ways.size(); ++to) {
    if (!choice.begins[to]) continue;
    const std::size_t from = *choice.begins[to];
    const OpId last = ways[to].last();
    const ValueId made = emit_steps(module, last, ends[from], branches[from][to]->steps);
    module.replace_all_uses(ends[to], made);
    ends[to] = made;
    while (!ways[to].ops.empty()) {
      module.erase(ways[to].last());
      ways[to].ops.pop_back();
    }
  }
}

}  // namespace

std::optional<Gain> reuse_reshard_prefix(RewriteContext& context, OpId op) {
  Module& module = context.module;
  if (!begins_way(module, op)) return std::nullopt;
  const ValueId value = module.operand(op, 0);
  if (module.num_uses(value) < 2 || module.num_uses(value) > kMaxUses) return std::nullopt;
  std::vector<CollectivePath> ways = ways_of(context, value, module.parent_block(op));
  if (ways.size() < 2 || ways.front().ops.front() != op) return std::nullopt;
  const Branches branches = all_branches(context, ways);
  const Choice choice = best_choice(ways, branches);
  Gain gain;
  for (const CollectivePath& way : ways) gain.before += way.price;
  gain.after = choice.price;
  if (!is_cheaper(gain.after, gain.before)) return std::nullopt;
  apply(module, ways, branches, choice);
  return gain;
}

}  // namespace shardy::passes

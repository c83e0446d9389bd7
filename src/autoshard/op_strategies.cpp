// Derives the strategies of an op from its rule. "i" to "k" are factors.
//
//   dot ([i, k], [k, j])->([i, j]), mesh <["a"=2]>
//     i: {"a"}   [{"a"}, {}], [{}, {}] -> [{"a"}, {}]
//     j: {"a"}   [{}, {}], [{}, {"a"}] -> [{}, {"a"}]
//     k: {"a"}   [{}, {"a"}], [{"a"}, {}] -> [{}, {}], unreduced={"a"}
//     none       [{}, {}], [{}, {}] -> [{}, {}]
#include "autoshard/op_strategies.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "autoshard/program_ops.hpp"
#include "ir/op_facts.hpp"
#include "partitioning/operand_states.hpp"
#include "report/program_analysis.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::OpKind;

void OpStrategies::add(const std::vector<int32_t>& in, const std::vector<int32_t>& out,
                       int64_t price) {
  operands.insert(operands.end(), in.begin(), in.end());
  results.insert(results.end(), out.begin(), out.end());
  prices.push_back(price);
}

void OpStrategies::keep_first(std::size_t count) {
  operands.resize(count * num_operands);
  results.resize(count * num_results);
  prices.resize(count);
  is_complete = false;
}

/// A list of strategies under construction, by the states of operands and results.
struct StrategyMaker::Draft {
  using Key = std::pair<std::vector<int32_t>, std::vector<int32_t>>;
  struct Row {
    Key states;
    int64_t price = 0;
    int64_t shards = 1;   // number of shards with different elements
    int64_t swapped = 0;  // number of atoms of a factor that are not in mesh order
  };

  void add(Key states, int64_t price) {
    const auto [found, is_new] = numbers.try_emplace(std::move(states), rows.size());
    if (is_new) {
      rows.push_back({found->first, price, shards, swapped});
    } else {
      rows[found->second].price = std::min(rows[found->second].price, price);
    }
  }

  std::map<Key, std::size_t> numbers;
  std::vector<Row> rows;
  std::map<std::vector<int64_t>, int64_t> exchanges;  // prices of ops that exchange data
  int64_t shards = 1;                                 // number of shards of the current assignment
  int64_t swapped = 0;  // number of its atoms that are not in mesh order
};

namespace {

/// Returns the sets of operands that can be partial sums at the same time, so that the results are
/// partial sums, too. Constants are complete.
std::vector<std::vector<std::size_t>> partial_operands(const Module& module,
                                                       const StrategyQuery& query) {
  using ir::OperandRole;
  const auto roles = ir::operand_roles(module, query.op, OpKind::Add);
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::size_t> summands;
  bool are_partial = true;
  for (std::size_t operand = 0; operand < roles.size(); ++operand) {
    const bool may_be_partial = query.may_be_partial[operand];
    if (roles[operand] == OperandRole::Factor && may_be_partial) sets.push_back({operand});
    if (roles[operand] != OperandRole::Summand || query.is_constant[operand]) continue;
    summands.push_back(operand);
    are_partial = are_partial && may_be_partial;
  }
  if (are_partial && !summands.empty()) sets.push_back(std::move(summands));
  return sets;
}

/// Returns flags of the factors that a result has.
std::vector<bool> factors_of_results(const OpShardingRule& rule, std::size_t num_operands) {
  std::vector<bool> flags(static_cast<std::size_t>(rule.num_factors()), false);
  for (std::size_t tensor = num_operands; tensor < rule.num_tensors(); ++tensor) {
    for (const DimMapping& dim : rule.tensor(tensor).dims) {
      for (const int32_t factor : dim) flags[static_cast<std::size_t>(factor)] = true;
    }
  }
  return flags;
}

/// Returns the sizes of factors that can have axes; -1 for other factors. A factor that only
/// operands have is reduced, or the op needs it whole: reshape<8x6 to 3x16> has ([i, lm])->([j,
/// km]). Permutation factors have axes only with `can_exchange`.
std::vector<int64_t> assignable_sizes(const OpShardingRule& rule, std::size_t num_operands,
                                      bool can_reduce, bool can_exchange) {
  std::vector<int64_t> sizes;
  const std::vector<bool> is_in_result = factors_of_results(rule, num_operands);
  for (int32_t factor = 0; factor < rule.num_factors(); ++factor) {
    const FactorKind kind = rule.factor_kind(factor);
    const bool is_kept =
        kind == FactorKind::PassThrough || (kind == FactorKind::Permutation && can_exchange);
    const bool passes = is_kept && is_in_result[static_cast<std::size_t>(factor)];
    const bool takes = passes || (kind == FactorKind::Reduction && can_reduce);
    const bool is_free = takes && !rule.is_blocked(factor) && rule.factor_size(factor) > 1;
    sizes.push_back(is_free ? rule.factor_size(factor) : -1);
  }
  return sizes;
}

/// Returns the type of a tensor of an op: operands come first, then results.
const ir::Type& type_of_tensor(const Module& module, OpId op, std::size_t tensor) {
  const std::size_t num_operands = module.num_operands(op);
  return module.type(tensor < num_operands ? module.operand(op, tensor)
                                           : module.result(op, tensor - num_operands));
}

/// Returns the number of shards of a dim, the product of those of its factors. Returns std::nullopt
/// if a minor factor has axes though a major one is not fully sharded, or if one of several factors
/// has uneven shards.
std::optional<int64_t> shards_of_dim(const OpShardingRule& rule, const DimMapping& factors,
                                     std::span<const int64_t> shards) {
  bool is_full = true;
  int64_t all = 1;
  for (const int32_t factor : factors) {
    const int64_t count = shards[static_cast<std::size_t>(factor)];
    if (count > 1 && !is_full) return std::nullopt;
    if (factors.size() > 1 && rule.factor_size(factor) % count != 0) return std::nullopt;
    is_full = is_full && count == rule.factor_size(factor);
    all *= count;
  }
  return all;
}

/// Checks that each dim can have the shards. The dims of a permutation factor have different sizes.
bool fits_dims(const Module& module, OpId op, const OpShardingRule& rule,
               std::span<const int64_t> shards, double uneven) {
  for (std::size_t tensor = 0; tensor < rule.num_tensors(); ++tensor) {
    const auto sizes = type_of_tensor(module, op, tensor).dims();
    const std::vector<DimMapping>& dims = rule.tensor(tensor).dims;
    for (std::size_t at = 0; at < dims.size(); ++at) {
      const auto count = shards_of_dim(rule, dims[at], shards);
      if (!count || !can_shard(sizes[at], *count, dims[at].size() > 1 ? 0 : uneven)) return false;
    }
  }
  return true;
}

}  // namespace

StrategyMaker::StrategyMaker(const Module& module, const MeshAtoms& atoms,
                             report::DeviceRates rates, ReshardPrices& reshards,
                             SecondsOfProgram seconds_of, std::stop_token stop)
    : module_(module),
      atoms_(atoms),
      rates_(rates),
      reshards_(reshards),
      seconds_of_(std::move(seconds_of)),
      stop_(std::move(stop)),
      scratch_(module) {
  const ir::BlockId block = module.entry(*module.main_function());
  for (const OpId op : searched_ops(module, block)) {
    if (module.has_trait(op, ir::kTerminator)) continue;
    for (std::size_t index = 0; index < module.num_operands(op); ++index) {
      const ir::Type& type = module.type(module.operand(op, index));
      scratch_.set_operand(op, index, scratch_.add_argument(block, type));
    }
  }
}

/// Returns the reduction of partial results; std::nullopt if no collective performs it.
std::optional<ReductionOp> StrategyMaker::combiner(OpId op) const {
  if (!module_.is(op, OpKind::Reduce) && !module_.is(op, OpKind::Scatter)) return ReductionOp::Sum;
  const auto reducers = ir::recognized_reducers(module_, op, module_.num_results(op));
  if (!reducers || reducers->empty()) return std::nullopt;
  for (const OpKind reducer : *reducers) {
    if (reducer != reducers->front()) return std::nullopt;
  }
  const ir::Type& type = module_.type(module_.result(op));
  if (type.is_tensor() && type.element() == ir::ElementType::I1) return std::nullopt;
  return ir::reduction_of(reducers->front());
}

/// Returns the price of one run on local types: operations, waiting for memory, and the constants
/// that the op reads.
int64_t StrategyMaker::price(const StrategyQuery& query, const std::vector<TensorSharding>& used) {
  double flops = 0;
  const std::size_t num_operands = scratch_.num_operands(query.op);
  for (std::size_t tensor = 0; tensor < used.size(); ++tensor) {
    const bool is_operand = tensor < num_operands;
    const ir::ValueId value = is_operand ? scratch_.operand(query.op, tensor)
                                         : scratch_.result(query.op, tensor - num_operands);
    const ir::ValueId global = is_operand ? module_.operand(query.op, tensor) : value;
    const ir::Type& type = module_.type(global);
    const ir::Type local = type.with_dims(used[tensor].local_shape(type.dims()));
    if (is_operand && type.num_elements() > 0) {
      flops += query.constant_flops[tensor] * static_cast<double>(local.num_elements()) /
               static_cast<double>(type.num_elements());
    }
    scratch_.set_type(value, local);
  }
  flops += report::flops_of_op(scratch_, query.op);
  return femtoseconds(flops / rates_.operations_per_second +
                      report::memory_seconds_of_op(scratch_, query.op, rates_));
}

/// Checks whether devices exchange data to execute the op: a window or a shift crosses the borders
/// of shards, or a batch normalization sums over them. Reductions and windows of padded dims mask
/// the padding, which only the report of the op prices.
bool StrategyMaker::needs_exchange(const StrategyQuery& query,
                                   std::span<const std::vector<int32_t>> factors) const {
  if (!seconds_of_) return false;
  const bool has_window = module_.is(query.op, OpKind::Convolution);
  const bool sums = module_.is(query.op, OpKind::BatchNormTraining) ||
                    module_.is(query.op, OpKind::BatchNormGrad);
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    const auto number = static_cast<int32_t>(factor);
    const FactorKind kind = query.rule->factor_kind(number);
    const int64_t shards = sharding_size(axes_of(atoms_, factors[factor]));
    const bool is_even = query.rule->factor_size(number) % shards == 0;
    const bool is_reduced = kind == FactorKind::Reduction;
    const bool crosses = sums || kind == FactorKind::Permutation ||
                         (has_window && (is_reduced || !is_even)) || (is_reduced && !is_even);
    if (crosses && !factors[factor].empty()) return true;
  }
  return false;
}

/// Returns the price of a program with only this op, for complete results; kForbidden if it does
/// not compile. Assignments of equally large atoms share a program if all links cost the same.
int64_t StrategyMaker::exchange_price(const StrategyQuery& query, Draft& draft,
                                      const std::vector<TensorSharding>& used,
                                      std::span<const std::vector<int32_t>> factors) {
  std::vector<int64_t> key;
  for (const std::vector<int32_t>& list : factors) {
    key.push_back(-1);
    for (const int32_t atom : list) {
      const AxisRef& axis = atoms_.atoms[static_cast<std::size_t>(atom)];
      key.push_back(reshards_.is_uniform() ? axis.size : atom);
    }
  }
  const auto [known, is_new] = draft.exchanges.try_emplace(std::move(key), kForbidden);
  if (!is_new) return known->second;
  const std::span<const TensorSharding> all(used);
  const std::size_t num_operands = module_.num_operands(query.op);
  const auto seconds = seconds_of_(
      program_of_op(module_, query.op, all.first(num_operands), all.subspan(num_operands)));
  if (seconds) known->second = femtoseconds(*seconds);
  return known->second;
}

/// Returns the price of the all-reduces that complete the results.
int64_t StrategyMaker::reduction_price(const StrategyQuery& query,
                                       const std::vector<TensorSharding>& used,
                                       const AxisList& reduced, ReductionOp reduction) {
  int64_t sum = 0;
  for (std::size_t tensor = module_.num_operands(query.op); tensor < used.size(); ++tensor) {
    StateSpace& space = *query.spaces[tensor];
    const TensorSharding partial = used[tensor].with_unreduced(sort_and_merge(reduced), reduction);
    sum += space.price(space.intern(partial), space.intern(used[tensor]), reshards_);
  }
  return sum;
}

/// Returns the sets of atoms that neither a dim nor a sum uses, as lists, except the empty set.
std::vector<AxisList> StrategyMaker::unused_sets(const std::vector<TensorSharding>& used,
                                                 const AxisList& reduced) const {
  AxisList taken = reduced;
  for (const TensorSharding& sharding : used) append(taken, sharding.dim_axes());
  AxisList unused;
  for (const AxisRef& atom : atoms_.atoms) {
    if (!overlaps(atom, taken)) unused.push_back(atom);
  }
  std::vector<AxisList> sets;
  for (std::size_t subset = 1; subset < (std::size_t{1} << unused.size()); ++subset) {
    AxisList& axes = sets.emplace_back();
    for (std::size_t bit = 0; bit < unused.size(); ++bit) {
      if ((subset >> bit & 1U) != 0) axes.push_back(unused[bit]);
    }
  }
  return sets;
}

/// Adds the strategy, then variants that forward partial sums of operands along unused atoms.
void StrategyMaker::add_variants(const StrategyQuery& query, Draft& draft,
                                 const std::vector<TensorSharding>& used, const AxisList& reduced,
                                 int64_t price) {
  const std::size_t num_operands = module_.num_operands(query.op);
  const auto add = [&](std::span<const std::size_t> partial, const AxisList& axes) {
    Draft::Key key;
    for (std::size_t tensor = 0; tensor < used.size(); ++tensor) {
      const bool is_operand = tensor < num_operands;
      const bool takes = std::ranges::find(partial, tensor) != partial.end();
      AxisList unreduced = is_operand ? (takes ? axes : AxisList()) : reduced;
      if (!is_operand) append(unreduced, axes);
      const TensorSharding state = used[tensor].with_unreduced(sort_and_merge(unreduced));
      (is_operand ? key.first : key.second).push_back(query.spaces[tensor]->intern(state));
    }
    draft.add(std::move(key), price);
  };
  add({}, {});
  const auto sets = partial_operands(module_, query);
  if (sets.empty()) return;
  for (const AxisList& axes : unused_sets(used, reduced)) {
    for (const std::vector<std::size_t>& set : sets) add(set, axes);
  }
}

namespace {

/// Returns the axes of a dim for the axes of all factors.
AxisList mapped_axes(const DimMapping& dim, std::span<const AxisList> axes) {
  AxisList list;
  for (const int32_t factor : dim) {
    for (const AxisRef& axis : axes[static_cast<std::size_t>(factor)]) append_or_merge(list, axis);
  }
  return list;
}

}  // namespace

/// Returns the shardings of all tensors of a rule for the axes of its factors.
std::vector<TensorSharding> StrategyMaker::shardings_of(const OpShardingRule& rule,
                                                        std::span<const AxisList> axes) const {
  std::vector<TensorSharding> used;
  for (std::size_t tensor = 0; tensor < rule.num_tensors(); ++tensor) {
    std::vector<AxisList> dims;
    dims.reserve(rule.tensor(tensor).dims.size());
    for (const DimMapping& dim : rule.tensor(tensor).dims) dims.push_back(mapped_axes(dim, axes));
    used.push_back(TensorSharding::closed(atoms_.mesh, std::move(dims)));
  }
  return used;
}

void StrategyMaker::add_assignment(const StrategyQuery& query, Draft& draft,
                                   std::span<const std::vector<int32_t>> factors) {
  const OpShardingRule& rule = *query.rule;
  std::vector<AxisList> axes;
  std::vector<int64_t> shards;
  AxisList reduced;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    axes.push_back(axes_of(atoms_, factors[factor]));
    shards.push_back(sharding_size(axes.back()));
    const FactorKind kind = rule.factor_kind(static_cast<int32_t>(factor));
    if (kind == FactorKind::Reduction) append(reduced, axes.back());
  }
  if (!fits_dims(module_, query.op, rule, shards, atoms_.uneven)) return;
  const std::vector<TensorSharding> used = shardings_of(rule, axes);
  draft.swapped = 0;
  for (const std::vector<int32_t>& list : factors) {
    for (std::size_t place = 1; place < list.size(); ++place) {
      if (list[place] < list[place - 1]) ++draft.swapped;
    }
  }
  draft.shards = 1;
  for (const int64_t count : shards) draft.shards *= count;
  int64_t cost = price(query, used);
  const ReductionOp reduction = combiner(query.op).value_or(ReductionOp::Sum);
  const bool is_completed = !reduced.empty() && reduction != ReductionOp::Sum;
  if (needs_exchange(query, factors)) {
    const int64_t whole = exchange_price(query, draft, used, factors);
    if (whole >= kForbidden) return;
    const bool is_partial = !reduced.empty() && !is_completed;
    const int64_t rest = is_partial ? reduction_price(query, used, reduced, reduction) : 0;
    cost = std::max(cost, whole - rest);
  } else if (is_completed) {
    cost += reduction_price(query, used, reduced, reduction);
  }
  if (is_completed) reduced.clear();
  add_variants(query, draft, used, reduced, cost);
}

/// Checks whether two ops of one kind have the same strategies: equal rules, spaces, attributes,
/// element types and reductions.
bool StrategyMaker::is_alike(const StrategyQuery& one, const StrategyQuery& other) const {
  if (one.spaces != other.spaces || one.rule != other.rule ||
      one.may_be_partial != other.may_be_partial || one.is_constant != other.is_constant ||
      one.constant_flops != other.constant_flops ||
      module_.num_results(one.op) != module_.num_results(other.op) ||
      module_.name(one.op) != module_.name(other.op) ||
      module_.attributes(one.op) != module_.attributes(other.op)) {
    return false;
  }
  for (std::size_t index = 0; index < module_.num_operands(one.op); ++index) {
    const ir::ValueId value = module_.operand(one.op, index);
    if (module_.type(value) != module_.type(module_.operand(other.op, index))) return false;
  }
  for (std::size_t index = 0; index < module_.num_results(one.op); ++index) {
    const ir::ValueId value = module_.result(one.op, index);
    if (module_.type(value) != module_.type(module_.result(other.op, index))) return false;
  }
  return combiner(one.op) == combiner(other.op);
}

OpStrategies StrategyMaker::make(const StrategyQuery& query) {
  // The price of an op with regions depends on the regions, except for reductions by known ops.
  const bool is_reduction =
      module_.is(query.op, OpKind::Reduce) || module_.is(query.op, OpKind::Scatter);
  const bool is_shared =
      module_.regions(query.op).empty() || (is_reduction && combiner(query.op).has_value());
  auto& known = known_[module_.kind(query.op)];
  for (const auto& [earlier, strategies] : known) {
    if (is_shared && is_alike(earlier, query)) return strategies;
  }
  OpStrategies strategies = compute(query);
  if (is_shared) known.emplace_back(query, strategies);
  return strategies;
}

OpStrategies StrategyMaker::compute(const StrategyQuery& query) {
  OpStrategies strategies{
      module_.num_operands(query.op), module_.num_results(query.op), {}, {}, {}, true};
  Draft draft;
  if (query.rule) {
    const bool can_reduce = combiner(query.op).has_value();
    const auto sizes = assignable_sizes(*query.rule, strategies.num_operands, can_reduce,
                                        static_cast<bool>(seconds_of_));
    for_each_assignment(atoms_, sizes, [&](std::span<const std::vector<int32_t>> factors) {
      add_assignment(query, draft, factors);
      return !stop_.stop_requested();
    });
  } else {
    std::vector<TensorSharding> whole;
    for (const StateSpace* space : query.spaces) whole.push_back(space->state(0));
    const int64_t cost = price(query, whole);
    Draft::Key key;
    key.first.assign(strategies.num_operands, 0);
    key.second.assign(strategies.num_results, 0);
    draft.add(std::move(key), cost);
  }
  if (draft.rows.size() > kMaxStrategies || atoms_.atoms.size() >= kManyAtoms) {
    std::ranges::stable_sort(
        draft.rows, {}, [](const Draft::Row& row) { return std::pair(-row.shards, row.swapped); });
  }
  for (const Draft::Row& row : draft.rows) {
    strategies.add(row.states.first, row.states.second, row.price);
  }
  if (strategies.size() > kMaxStrategies) strategies.keep_first(kMaxStrategies);
  return strategies;
}

OpStrategies StrategyMaker::identity(const StateSpace& space, const std::vector<int32_t>& allowed) {
  OpStrategies strategies{1, 1, {}, {}, {}, true};
  for (const int32_t state : allowed) {
    if (state < space.size()) strategies.add({state}, {state}, 0);
  }
  return strategies;
}

}  // namespace shardy::autoshard

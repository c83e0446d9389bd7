// Changes shardings that propagation chose, so that the reshards of all ops around a value cost
// less. Spec: resharding C.7.
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   %0 = dot %a [{"y"}, {"x"}, {}], %u [{}, {"x"}] : [{"y"}, {"x"}, {}]    all-gather of %u
//   %1 = dot %0, %v [{"x"}, {}]                    : [{"y"}, {"x"}, {}]    all-gather of %v
// ->
//   %0 = dot %a [{"y"}, {"x"}, {}], %u [{}, {"x"}] : [{"y"}, {}, {"x"}]    all-gather of %a
//   %1 = dot %0, %v [{"x"}, {}]                    : [{"y"}, {"x"}, {}]    reduce-scatter of %1
//
// A move gives the free tensors of one op the shardings that its cheapest common axes have, and
// then the tensors of ops around it whose tensors agreed before, layer by layer. Moves are tried at
// ops that reshard, in the order of the program and in reverse. Only moves that lower the sum of
// prices of the ops around the moved values are kept.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/export/explicit_reshards.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

constexpr std::size_t kMaxMoved = 24;    // values of one move
constexpr std::size_t kMaxUses = 16;     // a value with more uses does not move
constexpr std::size_t kMaxTensors = 64;  // nor a value of an op with more tensors
constexpr int kMaxSweeps = 4;

/// An op whose tensors have priced reshards, and its tensors: operands, then results.
struct PricedOp {
  OpTensors tensors;
  CommonAxesQuery query;
  std::vector<ValueId> values;
  std::vector<bool> may_move;
  std::size_t form = 0;  // equal for ops with equal rules and types
};

/// The axes of an op, and what they imply.
struct OpChoice {
  std::vector<TensorSharding> used;  // per tensor: the sharding with which the op uses it
  StepCost results;                  // reductions and reshards of results
  bool agrees = true;                // no tensor is resharded
  bool has_price = false;
};

/// The input of a choice. Ops of repeated layers have equal ones.
struct ChoiceKey {
  std::size_t form;
  std::vector<OptionalSharding> shardings;  // per tensor
  FreeTensors free;
  friend bool operator==(const ChoiceKey&, const ChoiceKey&) = default;
};

struct ChoiceKeyHash {
  std::size_t operator()(const ChoiceKey& key) const {
    std::size_t seed = hash_combine(key.form, std::hash<FreeTensors>()(key.free));
    for (const OptionalSharding& each : key.shardings) {
      seed = hash_combine(seed, each ? hash_of_axes(*each) : 0);
    }
    return seed;
  }
};

/// Checks whether equal shardings of the tensors of both ops have equal choices.
bool has_equal_form(const PricedOp& a, const PricedOp& b) {
  const auto equal = [](const QueryTensor& x, const QueryTensor& y) {
    return x.element_bytes == y.element_bytes && x.shape == y.shape;
  };
  return a.query.num_operands == b.query.num_operands && a.query.rule == b.query.rule &&
         a.query.bound == b.query.bound && a.tensors.mesh == b.tensors.mesh &&
         std::ranges::equal(a.query.tensors, b.query.tensors, equal);
}

bool is_cheaper(const StepCost& after, const StepCost& before) {
  constexpr double kEqual = 1e-9;  // relative error of sums
  if (after.seconds < before.seconds * (1 - kEqual)) return true;
  return after.seconds <= before.seconds * (1 + kEqual) && after.bytes < before.bytes;
}

class ValueSearch {
 public:
  ValueSearch(Module& module, const rules::Registry& registry, MeshPlanners& planners,
              const InsertExplicitReshardsOptions& options)
      : module_(module), registry_(registry), planners_(planners), options_(options) {}

  void run(OpId function) {
    std::vector<OpId> ops;
    const auto enters = [&](OpId op) { return !has_element_regions(module_, op); };
    for (const OpId op : ir::post_order(module_, module_.entry(function), enters)) {
      if (priced(op) != nullptr) ops.push_back(op);
    }
    bool has_changed = true;
    for (int sweep = 0; sweep < kMaxSweeps && has_changed; ++sweep) {
      has_changed = false;
      for (const OpId op : ops) {
        if (options_.limits != nullptr && !options_.limits->may_continue()) return;
        has_changed = improve(op) || has_changed;
      }
      std::ranges::reverse(ops);
    }
    write();
  }

 private:
  using Moved = std::map<ValueId, TensorSharding>;

  // ---- Ops --------------------------------------------------------------------------------------

  /// Returns the op if its reshards have prices, else null.
  PricedOp* priced(OpId op) {
    const auto known = ops_.find(op);
    if (known != ops_.end()) return known->second ? &*known->second : nullptr;
    std::optional<PricedOp>& made = ops_[op];
    made = read(op);
    if (!made) return nullptr;
    made->form = form_of(*made);
    return &*made;
  }

  /// Returns the number of the form of the op.
  std::size_t form_of(const PricedOp& op) {
    std::size_t seed = op.query.num_operands;
    for (const QueryTensor& tensor : op.query.tensors) {
      seed = hash_combine(seed, hash_range(tensor.shape));
    }
    std::vector<const PricedOp*>& known = forms_[seed];
    const auto found = std::ranges::find_if(
        known, [&](const PricedOp* other) { return has_equal_form(*other, op); });
    if (found != known.end()) return (*found)->form;
    known.push_back(&op);
    return num_forms_++;
  }

  /// Checks whether the op has a few tensors, and the common axes of its rule reshard them.
  bool takes_part(OpId op) const {
    return module_.num_operands(op) + module_.num_results(op) <= kMaxTensors &&
           is_resharded_by_rule(module_, op, options_.lowering_rules);
  }

  std::optional<PricedOp> read(OpId op) const {
    if (!takes_part(op)) return std::nullopt;
    auto tensors = read_op(module_, op, registry_, options_.lowering_rules);
    if (!tensors || !*tensors || !has_own_shardings(**tensors)) return std::nullopt;
    keep_exchanged_dims(module_, **tensors);
    if (!(*tensors)->kept.empty() || is_reshape_with_overflow(module_, **tensors)) {
      return std::nullopt;
    }
    auto query = priced_query(module_, **tensors, planners_.bound_at(op));
    if (!query) return std::nullopt;
    PricedOp made{**std::move(tensors), *std::move(query), {}, {}};
    for (const ValueId operand : module_.operands(op)) made.values.push_back(operand);
    for (const ValueId result : module_.results(op)) made.values.push_back(result);
    for (const ValueId value : made.values) made.may_move.push_back(may_move(value));
    return made;
  }

  /// Checks that no barrier hides the sharding of an operand.
  bool has_own_shardings(const OpTensors& tensors) const {
    for (std::size_t index = 0; index < module_.num_operands(tensors.op); ++index) {
      if (ir::get_sharding(module_, module_.operand(tensors.op, index)) !=
          tensors.shardings[index]) {
        return false;
      }
    }
    return true;
  }

  /// Checks whether propagation chose the sharding of the value, and all of its uses are resharded.
  bool may_move(ValueId value) const {
    if (!module_.owner(value).is_result() || module_.num_uses(value) > kMaxUses) return false;
    const OpId op = module_.defining_op(value);
    if (!takes_part(op) || module_.attributes(op).contains(kWrittenAttr)) return false;
    return std::ranges::all_of(module_.uses(value), [&](const ir::Use& use) {
      if (module_.parent_block(use.op) != module_.parent_block(op)) return false;
      return module_.is(use.op, OpKind::SdyReshard) || module_.is(use.op, OpKind::FuncReturn) ||
             takes_part(use.op);
    });
  }

  OptionalSharding sharding_of(ValueId value, const Moved& moved) const {
    if (const auto found = moved.find(value); found != moved.end()) return found->second;
    if (const auto found = current_.find(value); found != current_.end()) return found->second;
    return ir::get_sharding(module_, value);
  }

  /// Returns the sharding of a tensor of the op with closed dims; replicated if it has none.
  TensorSharding closed_sharding(const PricedOp& op, std::size_t tensor, const Moved& moved) const {
    const OptionalSharding have = sharding_of(op.values[tensor], moved);
    if (have) return have->closed_like();
    return TensorSharding::fully_closed(op.tensors.mesh.mesh, op.tensors.mesh.name,
                                        op.query.tensors[tensor].shape.size());
  }

  // ---- Prices -----------------------------------------------------------------------------------

  PricedPlanner& planner(const PricedOp& op) {
    return planners_.planner(op.tensors.mesh.name.value_or(""));
  }

  /// Returns the choice of the op; tensors that are `free` have any sharding.
  const OpChoice& choose(PricedOp& op, const Moved& moved, const FreeTensors& free = {}) {
    ChoiceKey key{op.form, {}, free};
    for (const ValueId value : op.values) key.shardings.push_back(sharding_of(value, moved));
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    op.tensors.shardings = key.shardings;
    for (std::size_t tensor = 0; tensor < op.values.size(); ++tensor) {
      op.query.tensors[tensor].sharding = closed_sharding(op, tensor, moved);
    }
    project_all(op.tensors);
    const FactorAxes factors = factor_axes(module_, op.tensors);
    std::vector<AxisList> common = common_axes(factors);
    PricedPlanner& plans = planner(op);
    if (!free.empty() || !compatible_axes(factors)) {
      common = planners_.best_axes(plans).find(op.query, common, plans, options_.limits, free).axes;
    }
    return known_.emplace(std::move(key), implied(op, common, plans)).first->second;
  }

  static OpChoice implied(const PricedOp& op, std::span<const AxisList> common,
                          PricedPlanner& plans) {
    OpChoice choice;
    choice.has_price = can_price(op.query);
    choice.results = results_cost(op.query, common, plans);
    for (std::size_t tensor = 0; tensor < op.values.size(); ++tensor) {
      choice.used.push_back(used_sharding(op.query, tensor, common));
      if (!is_equivalent(choice.used.back(), op.query.tensors[tensor].sharding)) {
        choice.agrees = false;
      }
    }
    return choice;
  }

  const OpChoice& chosen(OpId op, PricedOp& at) {
    const OpChoice*& choice = choices_[op];
    if (choice == nullptr) choice = &choose(at, {});
    return *choice;
  }

  using Choices = std::map<OpId, const OpChoice*>;

  /// Returns the shardings to which the uses of a value reshard it, each one once.
  std::vector<TensorSharding> targets(ValueId value, const TensorSharding& have,
                                      const Choices& choices) {
    std::vector<TensorSharding> all;
    const auto add = [&](const TensorSharding& to) {
      const auto equal = [&](const TensorSharding& other) { return is_equivalent(other, to); };
      if (!equal(have) && std::ranges::none_of(all, equal)) all.push_back(to);
    };
    if (module_.num_uses(value) <= kMaxUses) {
      for (const ir::Use& use : module_.uses(value)) {
        if (const auto to = target(use, have, choices)) add(*to);
      }
      return all;
    }
    for (const auto& [op, choice] : choices) {
      const PricedOp& at = *ops_.at(op);
      for (std::size_t tensor = 0; tensor < at.query.num_operands; ++tensor) {
        if (at.values[tensor] == value) add(choice->used[tensor]);
      }
    }
    return all;
  }

  /// Returns the sharding to which a use reshards its value, if the use needs a certain one.
  std::optional<TensorSharding> target(const ir::Use& use, const TensorSharding& have,
                                       const Choices& choices) {
    const auto changed = choices.find(use.op);
    if (changed != choices.end()) return changed->second->used[use.operand];
    if (PricedOp* at = priced(use.op)) return chosen(use.op, *at).used[use.operand];
    if (module_.is(use.op, OpKind::SdyReshard)) {
      return ir::get_sharding(module_, module_.result(use.op));
    }
    if (!module_.is(use.op, OpKind::FuncReturn)) return std::nullopt;
    const auto to = ir::result_sharding(module_, module_.parent_op(use.op), use.operand);
    return to ? to->closed_like() : have.fully_closed_like();
  }

  /// Returns the cost of these ops, and of the reshards of their operands for all of their uses.
  StepCost price(const Choices& choices, const Moved& moved) {
    StepCost all;
    std::vector<ValueId> seen;
    for (const auto& [op, choice] : choices) {
      PricedOp& at = *ops_.at(op);
      add_cost(all, choice->results);
      for (std::size_t tensor = 0; tensor < at.values.size(); ++tensor) {
        if (std::ranges::find(seen, at.values[tensor]) != seen.end()) continue;
        seen.push_back(at.values[tensor]);
        const TensorSharding have = closed_sharding(at, tensor, moved);
        for (const TensorSharding& to : targets(at.values[tensor], have, choices)) {
          add_cost(all, reshard_cost(at.query, tensor, have, to, planner(at)));
        }
      }
    }
    return all;
  }

  // ---- Moves ------------------------------------------------------------------------------------

  /// Adds the free tensors that the choice uses with other shardings. Returns whether any was
  /// added; std::nullopt if one has fewer shards than before.
  std::optional<bool> add_moves(const PricedOp& op, const OpChoice& choice, const FreeTensors& free,
                                Moved& moved) const {
    bool has_added = false;
    for (std::size_t tensor = 0; tensor < op.values.size(); ++tensor) {
      if (!free[tensor] || moved.contains(op.values[tensor])) continue;
      const TensorSharding& to = choice.used[tensor];
      const OptionalSharding have = sharding_of(op.values[tensor], moved);
      if (have && is_equivalent(have->closed_like(), to)) continue;
      if (have && sharding_size(to.dim_axes()) < sharding_size(have->dim_axes()))
        return std::nullopt;
      moved.emplace(op.values[tensor], to);
      has_added = true;
    }
    return has_added;
  }

  /// Returns the priced ops that define or use moved values; std::nullopt if an op has no price.
  std::optional<std::vector<OpId>> affected(const Moved& moved) {
    std::vector<OpId> ops;
    const auto add = [&](OpId op) {
      if (module_.is(op, OpKind::SdyReshard) || module_.is(op, OpKind::FuncReturn)) return true;
      if (priced(op) == nullptr) return false;
      if (std::ranges::find(ops, op) == ops.end()) ops.push_back(op);
      return true;
    };
    for (const auto& [value, to] : moved) {
      if (!add(module_.defining_op(value))) return std::nullopt;
      for (const ir::Use& use : module_.uses(value)) {
        if (!add(use.op)) return std::nullopt;
      }
    }
    return ops;
  }

  struct Trial {
    Moved moved;
    Choices choices;
    StepCost before, after;
  };

  /// Grows a move through ops whose tensors agreed before. Returns the cheapest part from the start
  /// that is cheaper than no move.
  std::optional<Trial> grown(Moved moved) {
    std::optional<Trial> best;
    while (moved.size() <= kMaxMoved) {
      const auto ops = affected(moved);
      if (!ops) break;
      Choices before;
      Choices after;
      for (const OpId op : *ops) {
        PricedOp& at = *priced(op);
        before.emplace(op, &chosen(op, at));
        const OpChoice& choice = choose(at, moved);
        if (!choice.has_price) return best;
        after.emplace(op, &choice);
      }
      Trial trial{moved, std::move(after), price(before, {}), {}};
      trial.after = price(trial.choices, moved);
      if (is_cheaper(trial.after, trial.before) && (!best || gains_more(trial, *best)))
        best = trial;
      if (!grow(*ops, before, trial.choices, moved)) break;
    }
    return best;
  }

  static bool gains_more(const Trial& a, const Trial& b) {
    const double gain_a = a.before.seconds - a.after.seconds;
    const double gain_b = b.before.seconds - b.after.seconds;
    if (gain_a != gain_b) return gain_a > gain_b;
    return a.before.bytes - a.after.bytes > b.before.bytes - b.after.bytes;
  }

  /// Adds tensors of ops that agreed before and no longer do. Returns whether any was added.
  bool grow(const std::vector<OpId>& ops, const Choices& before, const Choices& after,
            Moved& moved) {
    bool has_grown = false;
    for (const OpId op : ops) {
      if (!before.at(op)->agrees || after.at(op)->agrees) continue;
      PricedOp& at = *priced(op);
      FreeTensors free = at.may_move;
      for (std::size_t tensor = 0; tensor < free.size(); ++tensor) {
        if (moved.contains(at.values[tensor])) free[tensor] = false;
      }
      const auto added = add_moves(at, choose(at, moved, free), free, moved);
      if (!added) return false;
      has_grown = has_grown || *added;
    }
    return has_grown;
  }

  /// Moves the tensors of an op that reshards, if this costs less. Returns whether it does.
  bool improve(OpId op) {
    PricedOp& at = *priced(op);
    if (const OpChoice& now = chosen(op, at); now.agrees && now.results.bytes == 0) return false;
    std::vector<FreeTensors> masks;
    for (std::size_t tensor = 0; tensor < at.values.size(); ++tensor) {
      if (!at.may_move[tensor]) continue;
      masks.emplace_back(at.values.size()).at(tensor) = true;
    }
    if (masks.size() > 1) masks.push_back(at.may_move);
    std::optional<Trial> best;
    for (const FreeTensors& free : masks) {
      Moved moved;
      const auto added = add_moves(at, choose(at, {}, free), free, moved);
      if (!added || !*added) continue;
      std::optional<Trial> trial = grown(std::move(moved));
      if (trial && (!best || gains_more(*trial, *best))) best = std::move(trial);
    }
    if (!best) return false;
    for (const auto& [value, to] : best->moved) current_.insert_or_assign(value, to);
    for (const auto& [changed, choice] : best->choices) choices_[changed] = choice;
    report(op, best->before, best->after);
    return true;
  }

  void report(OpId op, const StepCost& before, const StepCost& after) const {
    if (!options_.chosen) return;
    options_.chosen({.rule = std::string(kMoveShardings),
                     .op = std::string(module_.name(op)),
                     .location = module_.source_location(op),
                     .bytes_before = before.bytes,
                     .bytes_after = after.bytes,
                     .messages_before = before.messages,
                     .messages_after = after.messages});
  }

  void write() {
    for (const auto& [value, to] : current_) ir::set_sharding(module_, value, to);
  }

  Module& module_;
  const rules::Registry& registry_;
  MeshPlanners& planners_;
  const InsertExplicitReshardsOptions& options_;
  std::unordered_map<OpId, std::optional<PricedOp>> ops_;  // never iterated
  // Forms of ops by hash, with the first op of each form; never iterated.
  std::unordered_map<std::size_t, std::vector<const PricedOp*>> forms_;
  std::size_t num_forms_ = 0;
  std::unordered_map<ChoiceKey, OpChoice, ChoiceKeyHash> known_;  // never iterated
  std::unordered_map<OpId, const OpChoice*> choices_;             // of known_; never iterated
  Moved current_;  // shardings that differ from the program
};

}  // namespace

void choose_value_shardings(Module& module, OpId function, const rules::Registry& registry,
                            MeshPlanners& planners, const InsertExplicitReshardsOptions& options) {
  ValueSearch(module, registry, planners, options).run(function);
}

}  // namespace shardy::passes::explicit_reshards

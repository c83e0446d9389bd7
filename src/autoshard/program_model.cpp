// The cost network of a program without regions.
//
//   %0 = dot %x, %w                nodes: %x, %w, dot, copies of %0, tanh, add, result 0
//   %1 = tanh %0                   edges: %x - dot, %w - dot, dot - copies, copies - tanh,
//   %2 = add %0, %1          ->           copies - add, tanh - add, add - result 0
//   return %2
#include "autoshard/program_model.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

#include "autoshard/model_network.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/mesh_planners.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using Kind = ModelNode::Kind;

namespace {

/// Checks whether a sharding keeps to an annotation: closed dims have its axes, open dims begin
/// with them, replicated axes shard nothing.
bool keeps_to(const TensorSharding& state, const TensorSharding& pin) {
  if (pin.rank() != state.rank() || !(pin.mesh() == state.mesh())) return false;
  if (pin.unreduced_axes() != state.unreduced_axes()) return false;
  for (std::size_t dim = 0; dim < pin.rank(); ++dim) {
    const AxisList& wanted = pin.dim(dim).axes;
    const AxisList& axes = state.dim(dim).axes;
    const bool fits =
        pin.is_closed(dim) ? wanted == axes : wanted == axes || strict_prefix_of(wanted, axes);
    if (!fits) return false;
  }
  return !overlaps(pin.replicated_axes(), state.dim_axes());
}

tl::unexpected<Error> op_error(const Module& module, OpId op, const std::string& message) {
  return fail_at(module.location_text(op), std::string(module.name(op)) + ": " + message);
}

Status check_type(const Module& module, OpId op, ValueId value) {
  const ir::Type& type = module.type(value);
  if (type.is_static_tensor()) return {};
  return op_error(module, op,
                  "a value of type " + ir::to_string(type) +
                      " has no states; autoshard needs tensors of static shape");
}

}  // namespace

/// Builds the model of one program.
class ModelBuilder {
 public:
  ModelBuilder(const Module& module, const rules::Registry& rules, const ModelOptions& options)
      : module_(module),
        rules_(rules),
        options_(options),
        planners_(module, options.plans, {.model = options.costs}) {}

  Result<ProgramModel> run() {
    SHARDY_TRY_STATUS(find_mesh());
    SHARDY_TRY_STATUS(check_ops());
    find_live_ops();
    find_constants();
    SHARDY_TRY_STATUS(find_rules());
    make_spaces();
    SHARDY_TRY_STATUS(add_arguments());
    SHARDY_TRY_STATUS(add_ops());
    SHARDY_TRY_STATUS(add_results());
    SHARDY_TRY_STATUS(add_readers());
    sort_nodes();
    model_.network_ = make_network();
    SHARDY_TRY_STATUS(check_problem(model_.network_));
    return std::move(model_);
  }

 private:
  /// An output of a node.
  struct Source {
    int32_t node = -1;
    uint32_t output = 0;
  };
  /// A use of a value by a node.
  struct Reader {
    int32_t node = -1;
    uint32_t input = 0;
    ir::Use use = {};
  };

  // ---- The program ------------------------------------------------------------------------------

  Status find_mesh() {
    const auto main = module_.main_function();
    if (!main || module_.is_external(*main)) return fail("the program has no main function");
    main_ = *main;
    std::vector<OpId> meshes;
    for (const OpId op : module_.meshes()) {
      const auto mesh = module_.find_mesh(module_.symbol_name(op));
      if (mesh && mesh->num_axes() > 0) meshes.push_back(op);
    }
    if (meshes.empty()) {
      return fail("the program has no mesh with axes; add sdy.mesh @mesh = <[\"x\"=8]>");
    }
    if (meshes.size() > 1) {
      return fail("the program has " + std::to_string(meshes.size()) +
                  " meshes; autoshard needs a program with one");
    }
    const std::string name(module_.symbol_name(meshes.front()));
    mesh_ = {*module_.find_mesh(name), name};
    if (!planners_.errors().empty()) return tl::unexpected(planners_.errors().front());
    return {};
  }

  Status check_ops() {
    for (const OpId op : module_.ops(module_.entry(main_))) {
      const bool is_flow = module_.has_trait(op, ir::kControlFlow) ||
                           module_.has_trait(op, ir::kDataFlow) || module_.is(op, OpKind::FuncCall);
      if (is_flow) {
        return op_error(module_, op,
                        "autoshard does not support loops, branches, calls, barriers "
                        "and manual computations");
      }
      const bool is_sdy = module_.has_trait(op, ir::kSdyAnnotation) && !is_annotation(module_, op);
      if (is_sdy || module_.has_trait(op, ir::kCollective)) {
        return op_error(module_, op, "autoshard does not support this op");
      }
      for (const ValueId value : module_.results(op)) {
        SHARDY_TRY_STATUS(check_type(module_, op, value));
      }
    }
    for (const ValueId value : module_.args(module_.entry(main_))) {
      SHARDY_TRY_STATUS(check_type(module_, main_, value));
    }
    return {};
  }

  /// Keeps ops with effects and ops whose results are used by kept ops.
  void find_live_ops() {
    OpId op = module_.last_op(module_.entry(main_));
    for (; op.valid(); op = module_.prev(op)) {
      const bool has_effects =
          !module_.has_trait(op, ir::kPure) && !ir::has_trait(module_.kind(op), ir::kSdyAnnotation);
      bool is_live = module_.has_trait(op, ir::kTerminator) || has_effects;
      for (const ValueId result : module_.results(op)) {
        for (const ir::Use& use : module_.uses(result)) is_live = is_live || live_.contains(use.op);
      }
      if (is_live) live_.insert(op);
    }
    for (const OpId each : module_.ops(module_.entry(main_))) {
      const bool is_kept = live_.contains(each) && !module_.has_trait(each, ir::kTerminator);
      if (is_kept) ops_.push_back(each);
    }
  }

  /// Finds ops whose results are copied for each use, with the operations of their expressions.
  void find_constants() {
    for (const OpId op : ops_) {
      const bool is_source =
          module_.has_trait(op, ir::kConstantLike) || module_.is(op, OpKind::Iota);
      bool is_constant = is_source || (passes::is_pure_static(module_, op) &&
                                       passes::keeps_constants(module_, op));
      double flops = report::flops_of_op(module_, op);
      for (const ValueId operand : module_.operands(op)) {
        const auto found = constant_flops_.find(operand);
        is_constant = is_constant && found != constant_flops_.end();
        if (is_constant) flops += found->second;
      }
      if (!is_constant || (module_.num_operands(op) == 0 && !is_source)) continue;
      for (const ValueId result : module_.results(op)) constant_flops_.emplace(result, flops);
    }
    std::erase_if(ops_, [&](OpId op) {
      return module_.num_results(op) > 0 && constant_flops_.contains(module_.result(op));
    });
  }

  Status find_rules() {
    for (const OpId op : ops_) {
      std::optional<OpShardingRule>& rule = op_rules_.emplace_back();
      if (is_annotation(module_, op)) continue;
      SHARDY_TRY(rule, rules_.lowering_rule_for(rules::OpView(module_, op)));
      if (!rule) continue;
      for (const int64_t size : rule->factor_sizes()) factor_sizes_.push_back(size);
    }
    model_.atoms_ =
        std::make_unique<MeshAtoms>(cut_atoms(mesh_, factor_sizes_, options_.all_orders));
    return {};
  }

  void make_spaces() {
    model_.space_of_.resize(module_.num_values(), nullptr);
    const auto add = [&](ValueId value) {
      const ir::Type& type = module_.type(value);
      const auto bytes = static_cast<int64_t>(ir::size_bytes(type.element()));
      std::vector<int64_t> shape(type.dims().begin(), type.dims().end());
      auto& space = model_.spaces_[{shape, bytes}];
      if (!space) space = std::make_unique<StateSpace>(*model_.atoms_, std::move(shape), bytes);
      model_.space_of_[value.index()] = space.get();
    };
    for (const ValueId value : module_.args(module_.entry(main_))) add(value);
    for (const OpId op : module_.ops(module_.entry(main_))) {
      for (const ValueId value : module_.results(op)) add(value);
    }
  }

  ReshardPlanner& planner() { return planners_.planner(*mesh_.name); }
  StateSpace& space(ValueId value) const { return *model_.space_of_[value.index()]; }

  // ---- Nodes ------------------------------------------------------------------------------------

  /// Returns the states without unreduced axes that keep to the pin.
  Result<std::vector<int32_t>> allowed(ValueId value, const std::optional<TensorSharding>& pin,
                                       const std::string& what) const {
    std::vector<int32_t> states;
    for (int32_t state = 0; state < space(value).num_complete(); ++state) {
      if (!pin || keeps_to(space(value).state(state), *pin)) states.push_back(state);
    }
    if (!states.empty()) return states;
    return fail(what + ": the annotation " + to_string(*pin) + " of " +
                ir::to_string(module_.type(value)) +
                " is not in the search: its axes do not divide the dims, or it is partial; "
                "change it, or give --free");
  }

  int32_t add_node(ModelNode node) {
    model_.nodes_.push_back(std::move(node));
    return static_cast<int32_t>(model_.nodes_.size()) - 1;
  }

  Status add_arguments() {
    const auto args = module_.args(module_.entry(main_));
    for (uint32_t index = 0; index < args.size(); ++index) {
      const std::string what = "argument " + std::to_string(index);
      SHARDY_TRY(const std::vector<int32_t> states,
                 allowed(args[index], ir::arg_sharding(module_, main_, index), what));
      ModelNode node{Kind::Argument, {}, index,
                     args[index],    0,  StrategyMaker::identity(space(args[index]), states)};
      sources_[args[index]] = {add_node(std::move(node)), 0};
    }
    return {};
  }

  Status add_ops() {
    StrategyMaker maker(module_, *model_.atoms_, options_.rates, planner());
    int64_t time = 0;
    for (std::size_t at = 0; at < ops_.size(); ++at) {
      const OpId op = ops_[at];
      SHARDY_TRY(OpStrategies states, strategies_of(op, op_rules_[at], maker));
      model_.is_complete_ = model_.is_complete_ && states.is_complete;
      const int32_t node = add_node({Kind::Op, op, 0, {}, ++time, std::move(states)});
      for (uint32_t index = 0; index < module_.num_operands(op); ++index) {
        const ValueId operand = module_.operand(op, index);
        if (constant_flops_.contains(operand)) continue;
        readers_[operand].push_back({node, index, {op, index}});
      }
      for (uint32_t index = 0; index < module_.num_results(op); ++index) {
        sources_[module_.result(op, index)] = {node, index};
        note_partial(module_.result(op, index), node, index);
      }
    }
    end_ = time + 1;
    return {};
  }

  void note_partial(ValueId value, int32_t node, uint32_t output) {
    const OpStrategies& states = model_.nodes_[static_cast<std::size_t>(node)].states;
    for (std::size_t choice = 0; choice < states.size(); ++choice) {
      if (states.results[choice * states.num_results + output] >= space(value).num_complete()) {
        partial_.insert(value);
        return;
      }
    }
  }

  Result<OpStrategies> strategies_of(OpId op, const std::optional<OpShardingRule>& rule,
                                     StrategyMaker& maker) {
    if (is_annotation(module_, op)) {
      const ValueId value = module_.result(op);
      SHARDY_TRY(const std::vector<int32_t> states,
                 allowed(value, ir::get_sharding(module_, value), module_.location_text(op)));
      return StrategyMaker::identity(space(value), states);
    }
    StrategyQuery query{op, rule, {}, {}, {}};
    for (const ValueId operand : module_.operands(op)) {
      const auto constant = constant_flops_.find(operand);
      query.spaces.push_back(&space(operand));
      query.may_be_partial.push_back(partial_.contains(operand));
      query.constant_flops.push_back(constant != constant_flops_.end() ? constant->second : 0);
    }
    for (const ValueId result : module_.results(op)) query.spaces.push_back(&space(result));
    return maker.make(query);
  }

  Status add_results() {
    const OpId end = module_.last_op(module_.entry(main_));
    for (uint32_t index = 0; index < module_.num_operands(end); ++index) {
      const ValueId value = module_.operand(end, index);
      const std::optional<TensorSharding> pin = ir::result_sharding(module_, main_, index);
      const auto tie = std::ranges::find(options_.ties, index, &ModelTie::result);
      SHARDY_TRY(const std::vector<int32_t> states,
                 allowed(value, pin, "result " + std::to_string(index)));
      if (constant_flops_.contains(value)) continue;
      if (tie != options_.ties.end()) {
        SHARDY_TRY_STATUS(restrict_argument(tie->argument, states));
        const ValueId argument = module_.args(module_.entry(main_))[tie->argument];
        readers_[value].push_back({sources_.at(argument).node, 0, {end, index}});
        continue;
      }
      const int32_t node = add_node(
          {Kind::Result, {}, index, value, end_, StrategyMaker::identity(space(value), states)});
      readers_[value].push_back({node, 0, {end, index}});
    }
    return {};
  }

  /// Keeps the states of an argument that its tied result may have. Both have one type.
  Status restrict_argument(uint32_t argument, const std::vector<int32_t>& states) {
    const ValueId value = module_.args(module_.entry(main_))[argument];
    ModelNode& node = model_.nodes_[static_cast<std::size_t>(sources_.at(value).node)];
    std::vector<int32_t> kept;
    std::ranges::copy_if(node.states.results, std::back_inserter(kept), [&](int32_t state) {
      return std::ranges::find(states, state) != states.end();
    });
    if (kept.empty()) {
      return fail("argument " + std::to_string(argument) +
                  ": the annotations of the argument and of the result in its buffer differ; "
                  "both need one sharding");
    }
    node.states = StrategyMaker::identity(space(value), kept);
    return {};
  }

  /// Adds copies nodes, and the links from sources to readers. In program order, so that equal
  /// programs give equal networks.
  Status add_readers() {
    std::vector<ValueId> values;
    for (const auto& [value, readers] : readers_) values.push_back(value);
    std::ranges::sort(values, {}, [](ValueId value) { return value.index(); });
    for (const ValueId value : values) {
      const std::vector<Reader>& readers = readers_.at(value);
      Source source = sources_.at(value);
      const OpId op = module_.defining_op(value);
      const bool is_pinned =
          op.valid() && !is_annotation(module_, op) && ir::get_sharding(module_, value).has_value();
      if (readers.size() > 1 || is_pinned) {
        SHARDY_TRY(source, add_copies(value, source, readers, is_pinned));
      }
      for (const Reader& reader : readers) {
        model_.links_.push_back(
            {value, source.node, source.output, reader.node, reader.input, reader.use});
      }
    }
    return {};
  }

  Result<Source> add_copies(ValueId value, const Source& source, const std::vector<Reader>& readers,
                            bool is_pinned) {
    std::vector<int32_t> states;
    if (is_pinned) {
      const std::string place = module_.location_text(module_.defining_op(value));
      SHARDY_TRY(states, allowed(value, ir::get_sharding(module_, value), place));
    } else {
      states.resize(static_cast<std::size_t>(space(value).size()));
      for (std::size_t state = 0; state < states.size(); ++state) {
        states[state] = static_cast<int32_t>(state);
      }
    }
    int64_t first = end_;
    for (const Reader& reader : readers) first = std::min(first, time_of(reader));
    const int32_t node = add_node(
        {Kind::Copies, {}, 0, value, first, StrategyMaker::identity(space(value), states)});
    model_.links_.push_back({value, source.node, source.output, node, 0, {}});
    return Source{node, 0};
  }

  /// Numbers the nodes in program order, copies before their first reader.
  void sort_nodes() {
    std::vector<int32_t> order(model_.nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int32_t node) {
      const ModelNode& at = model_.nodes_[static_cast<std::size_t>(node)];
      return std::pair(at.time, at.kind != Kind::Copies);
    });
    std::vector<int32_t> number(order.size());
    std::vector<ModelNode> sorted;
    for (std::size_t at = 0; at < order.size(); ++at) {
      number[static_cast<std::size_t>(order[at])] = static_cast<int32_t>(at);
      sorted.push_back(std::move(model_.nodes_[static_cast<std::size_t>(order[at])]));
    }
    model_.nodes_ = std::move(sorted);
    const auto renumber = [&](int32_t& node) { node = number[static_cast<std::size_t>(node)]; };
    for (auto& [value, source] : sources_) renumber(source.node);
    for (ModelLink& link : model_.links_) {
      renumber(link.source);
      renumber(link.reader);
    }
  }

  int64_t time_of(const Reader& reader) const {
    const ModelNode& node = model_.nodes_[static_cast<std::size_t>(reader.node)];
    return node.kind == Kind::Argument ? end_ : node.time;  // of a tied result
  }

  // ---- The network ------------------------------------------------------------------------------

  CostNetwork make_network() {
    NetworkParts parts{module_,
                       model_.nodes_,
                       model_.links_,
                       model_.space_of_,
                       planner(),
                       {},
                       {},
                       end_,
                       options_.limit,
                       options_.rates.hidden_share,
                       options_.feed_bytes_per_second,
                       {}};
    parts.is_tied.resize(module_.args(module_.entry(main_)).size(), false);
    for (const ModelTie& tie : options_.ties) parts.is_tied[tie.argument] = true;
    for (const auto& [value, source] : sources_) {
      parts.sources.push_back({value, source.node, source.output});
    }
    std::ranges::sort(parts.sources, {}, [](const NetworkSource& at) { return at.value.index(); });
    int64_t time = 0;
    for (const OpId op : module_.ops(module_.entry(main_))) {
      if (time < static_cast<int64_t>(ops_.size()) && ops_[static_cast<std::size_t>(time)] == op) {
        ++time;
      }
      for (const ValueId result : module_.results(op)) {
        if (constant_flops_.contains(result)) parts.constant_begin.emplace(result, time + 1);
      }
    }
    return network_of(parts);
  }

  const Module& module_;
  const rules::Registry& rules_;
  const ModelOptions& options_;
  passes::MeshPlanners planners_;
  ProgramModel model_;
  OpId main_ = {};
  MeshRef mesh_;
  int64_t end_ = 0;                                      // time point of the return
  std::unordered_set<OpId> live_;                        // for look-ups only
  std::vector<OpId> ops_;                                // live, without constant expressions
  std::vector<std::optional<OpShardingRule>> op_rules_;  // of ops_
  std::vector<int64_t> factor_sizes_;
  std::unordered_map<ValueId, double> constant_flops_;  // for look-ups only
  std::unordered_set<ValueId> partial_;                 // the same
  std::unordered_map<ValueId, Source> sources_;
  std::unordered_map<ValueId, std::vector<Reader>> readers_;
};

Result<ProgramModel> ProgramModel::make(const Module& module, const rules::Registry& rules,
                                        const ModelOptions& options) {
  return ModelBuilder(module, rules, options).run();
}

const TensorSharding& ProgramModel::output_state(int32_t node, int32_t choice, uint32_t output,
                                                 ValueId value) const {
  const OpStrategies& states = nodes_[static_cast<std::size_t>(node)].states;
  const std::size_t at = static_cast<std::size_t>(choice) * states.num_results + output;
  return space_of_[value.index()]->state(states.results[at]);
}

const TensorSharding& ProgramModel::input_state(int32_t node, int32_t choice, uint32_t input,
                                                ValueId value) const {
  const OpStrategies& states = nodes_[static_cast<std::size_t>(node)].states;
  const std::size_t at = static_cast<std::size_t>(choice) * states.num_operands + input;
  return space_of_[value.index()]->state(states.operands[at]);
}

}  // namespace shardy::autoshard

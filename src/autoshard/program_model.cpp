// Builds the cost network of a program.
//
//   %0 = dot %x, %w                nodes: %x, %w, dot, copies of %0, tanh, add, result 0
//   %1 = tanh %0                   edges: %x - dot, %w - dot, dot - copies, copies - tanh,
//   %2 = add %0, %1          ->           copies - add, tanh - add, add - result 0
//   return %2
#include "autoshard/program_model.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "autoshard/model_network.hpp"
#include "autoshard/program_ops.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/mesh_planners.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::autoshard {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using Kind = ModelNode::Kind;

namespace {

/// States of a value with phases. A later phase has four choices per state, and two for an argument
/// with more than kMostStatesOfPhases.
constexpr int32_t kMostStatesOfPhases = 64;
constexpr int32_t kMostStatesOfArgumentPhases = 256;
/// States of a value whose users have copies by group.
constexpr int32_t kMostStatesOfGroups = 128;
/// Ops between two phases, if an eighth of the program is less.
constexpr int64_t kLeastDistance = 8;
/// Atoms up to which axes are split into parts and dims are padded: with more, the states are too
/// many.
constexpr std::size_t kMostAtomsOfParts = 3;

/// Checks whether a sharding satisfies an annotation: closed dims have its axes, open dims begin
/// with its axes, its replicated axes shard nothing. States have no axes of size 1.
bool keeps_to(const TensorSharding& state, const TensorSharding& pin) {
  if (pin.rank() != state.rank() || !(pin.mesh() == state.mesh())) return false;
  if (pin.unreduced_axes() != state.unreduced_axes()) return false;
  for (std::size_t dim = 0; dim < pin.rank(); ++dim) {
    AxisList wanted = pin.dim(dim).axes;
    std::erase_if(wanted, [](const AxisRef& axis) { return axis.size == 1; });
    const AxisList& axes = state.dim(dim).axes;
    const bool fits =
        pin.is_closed(dim) ? wanted == axes : wanted == axes || strict_prefix_of(wanted, axes);
    if (!fits) return false;
  }
  return !overlaps(pin.replicated_axes(), state.dim_axes());
}

}  // namespace

/// Builds the model of one program.
class ModelBuilder {
 public:
  /// `source` is the module before calls were inlined; values of main have their ids in both.
  ModelBuilder(const Module& module, const Module& source, const rules::Registry& rules,
               const ModelOptions& options)
      : module_(module),
        source_(source),
        rules_(rules),
        options_(options),
        planners_(module, options.plans, {.model = options.costs}),
        times_(module) {}

  Result<ProgramModel> run() {
    SHARDY_TRY_STATUS(find_mesh());
    SHARDY_TRY(const ProgramOps program, ProgramOps::make(module_));
    program_ = &program;
    Result<ProgramModel> model = build();
    if (options_.stop.stop_requested() && options_.on_stop) options_.on_stop(least_price());
    return model;
  }

 private:
  Result<ProgramModel> build() {
    for (const OpId op : written_ops(source_)) source_ops_.insert(op);
    SHARDY_TRY_STATUS(find_rules());
    make_spaces();
    if (options_.stop.stop_requested()) return fail("the search was stopped");
    SHARDY_TRY_STATUS(add_arguments());
    SHARDY_TRY_STATUS(add_ops());
    SHARDY_TRY_STATUS(add_results());
    SHARDY_TRY_STATUS(add_readers());
    sort_nodes();
    find_equal_ops(module_, *program_, main_, model_.nodes_);
    const bool is_large = model_.atoms_->atoms.size() >= kManyAtoms;
    if (is_large && drop_strategies(model_.nodes_, model_.links_, model_.space_of_)) {
      model_.is_complete_ = false;
    }
    model_.network_ = make_network();
    if (options_.stop.stop_requested()) return fail("the search was stopped");
    SHARDY_TRY_STATUS(check_problem(model_.network_));
    return std::move(model_);
  }

  /// Returns the sum of the least prices of the nodes, of equal ones once: no choice has a lower
  /// price.
  int64_t least_price() {
    find_equal_ops(module_, *program_, main_, model_.nodes_);
    int64_t sum = 0;
    for (const ModelNode& node : model_.nodes_) {
      if (node.equal_to >= 0) continue;
      const auto least = std::ranges::min_element(node.states.prices);
      if (least != node.states.prices.end() && *least < kForbidden) sum += *least;
    }
    return sum;
  }

  /// An output of a node.
  struct NodeOutput {
    int32_t node = -1;
    uint32_t output = 0;
  };
  /// A use of a value by a node.
  struct Reader {
    int32_t node = -1;
    uint32_t input = 0;
    ir::Use use = {};
  };
  /// The times of an outermost loop.
  struct Loop {
    int64_t begin = 0;
    int64_t end = 0;
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

  Status find_rules() {
    for (const OpId op : program_->ops()) {
      if (is_annotation(module_, op) || module_.has_trait(op, ir::kControlFlow) ||
          module_.has_trait(op, ir::kDataFlow)) {
        continue;
      }
      SHARDY_TRY(std::optional<OpShardingRule> rule,
                 rules_.lowering_rule_for(rules::OpView(module_, op)));
      if (!rule) continue;
      for (const int64_t size : rule->factor_sizes()) factor_sizes_.push_back(size);
      op_rules_.emplace(op, *std::move(rule));
    }
    const std::size_t most =
        program_->is_annotated_with_parts(mesh_.mesh) ? SIZE_MAX : kMostAtomsOfParts;
    model_.atoms_ =
        std::make_unique<MeshAtoms>(cut_atoms(mesh_, factor_sizes_, options_.all_orders, most));
    if (model_.atoms_->atoms.size() <= kMostAtomsOfParts) model_.atoms_->uneven = options_.uneven;
    reshards_.emplace(*model_.atoms_, planners_.planner(*mesh_.name), options_.stop);
    manual_.emplace(module_, *model_.atoms_, options_.seconds_of, options_.propagate,
                    options_.rates.operations_per_second);
    return {};
  }

  void make_spaces() {
    model_.space_of_.resize(module_.num_values(), nullptr);
    const auto add = [&](ValueId value) {
      const ir::Type& type = module_.type(value);
      const auto bytes = static_cast<int64_t>(ir::size_bytes(type.element()));
      std::vector<int64_t> shape(type.dims().begin(), type.dims().end());
      auto& space = model_.spaces_[{shape, bytes}];
      if (!space) {
        space =
            std::make_unique<StateSpace>(*model_.atoms_, std::move(shape), bytes, options_.stop);
      }
      model_.space_of_[value.index()] = space.get();
    };
    for (const ValueId value : module_.args(module_.entry(main_))) add(value);
    for (const OpId op : searched_ops(module_, module_.entry(main_))) {
      for (const ValueId value : module_.results(op)) add(value);
      if (!has_searched_regions(module_, op)) continue;
      for (const ir::RegionId region : module_.regions(op)) {
        for (const BlockId block : module_.blocks(region)) {
          for (const ValueId value : module_.args(block)) add(value);
        }
      }
    }
  }

  StateSpace& space(ValueId value) const { return *model_.space_of_[value.index()]; }

  // ---- Nodes ------------------------------------------------------------------------------------

  /// Returns the states without unreduced axes that satisfy the annotation `pin`.
  Result<std::vector<int32_t>> allowed(ValueId value, const std::optional<TensorSharding>& pin,
                                       const std::string& what) const {
    std::vector<int32_t> states;
    for (int32_t state = 0; state < space(value).num_complete(); ++state) {
      if (!pin || keeps_to(space(value).state(state), *pin)) states.push_back(state);
    }
    if (!states.empty()) return states;
    return fail(what + ": the annotation " + to_string(*pin) + " of " +
                ir::to_string(module_.type(value)) + " is not in the search: " +
                why_not_searched(module_.type(value), *pin) + "; change it, or give --free");
  }

  /// Returns why no state of the search has the annotation.
  static std::string why_not_searched(const ir::Type& type, const TensorSharding& pin) {
    if (!pin.unreduced_axes().empty()) return "it is partial";
    for (std::size_t dim = 0; dim < pin.rank(); ++dim) {
      const bool is_empty = type.dim(dim) == 0 && !pin.dim(dim).axes.empty();
      if (is_empty) return "dim " + std::to_string(dim) + " has no elements and is not sharded";
    }
    return "its axes pad the dims by more than --uneven";
  }

  int32_t add_node(ModelNode node) {
    node.loop = loop_;
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
    StrategyMaker maker(module_, *model_.atoms_, options_.rates, *reshards_,
                        options_.plain_seconds_of, options_.stop);
    SHARDY_TRY_STATUS(add_block(module_.entry(main_), maker));
    end_ = time_ + 1;
    return {};
  }

  /// Adds the nodes of the ops of a block, and of the loops and branches in it.
  Status add_block(BlockId block, StrategyMaker& maker) {  // NOLINT(misc-no-recursion)
    for (const OpId op : module_.ops(block)) {
      const bool is_constant =
          module_.num_results(op) > 0 && program_->is_constant(module_.result(op));
      if (!program_->is_live(op) || is_constant || module_.has_trait(op, ir::kTerminator)) continue;
      if (options_.stop.stop_requested()) return fail("the search was stopped");
      if (module_.is(op, OpKind::While)) {
        SHARDY_TRY_STATUS(add_loop(op, maker));
      } else if (has_searched_regions(module_, op)) {
        SHARDY_TRY_STATUS(add_branches(op, maker));
      } else if (module_.is(op, OpKind::OptimizationBarrier)) {
        SHARDY_TRY_STATUS(add_barrier(op));
      } else {
        SHARDY_TRY_STATUS(add_op(op, maker));
      }
    }
    return {};
  }

  /// Checks whether a constraint has one user, an op in its block whose operand is resharded. Then
  /// partitioning joins both reshards to one.
  bool is_joined(OpId op) const {
    if (!is_annotation(module_, op) || module_.num_uses(module_.result(op)) != 1) return false;
    const OpId user = module_.uses(module_.result(op)).front().op;
    const OpId maker = module_.defining_op(module_.operand(op, 0));
    const BlockId block = module_.parent_block(op);
    const bool is_op = op_rules_.contains(user) || is_annotation(module_, user);
    const bool is_local = maker.valid() ? module_.parent_block(maker) == block
                                        : module_.owner(module_.operand(op, 0)).block == block;
    return is_op && is_local && module_.parent_block(user) == block &&
           !module_.attributes(op).contains(passes::kCopyAttr);
  }

  Status add_op(OpId op, StrategyMaker& maker) {
    if (is_joined(op)) return {};  // add_reader
    SHARDY_TRY(OpStrategies states, module_.is(op, OpKind::SdyManualComputation)
                                        ? manual_strategies(op)
                                        : strategies_of(op, maker));
    if (options_.stop.stop_requested()) return fail("the search was stopped");
    model_.is_complete_ = model_.is_complete_ && states.is_complete;
    const int64_t runs = runs_of(module_.parent_block(op));
    for (int64_t& price : states.prices) price = times_runs(price, runs);
    const int32_t node = add_node({Kind::Op, op, 0, {}, ++time_, std::move(states)});
    time_of_op_.emplace_back(op, time_);
    for (uint32_t index = 0; index < module_.num_operands(op); ++index) {
      add_reader({node, index, {op, index}});
    }
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      sources_[module_.result(op, index)] = {node, index};
      note_partial(module_.result(op, index), node, index);
    }
    return {};
  }

  /// Adds a use of a value, unless the value is a constant. The user of a joined constraint uses
  /// the operand of the constraint.
  void add_reader(const Reader& reader) {
    ValueId operand = module_.operand(reader.use.op, reader.use.operand);
    for (OpId op = module_.defining_op(operand); op.valid() && is_joined(op);
         op = module_.defining_op(operand)) {
      operand = module_.operand(op, 0);
    }
    if (!program_->is_constant(operand)) readers_[operand].push_back(reader);
  }

  /// Adds the node of a value that a loop carries, or that branches or a barrier return.
  Result<int32_t> add_carried(OpId op, uint32_t index) {
    const ValueId value = module_.result(op, index);
    SHARDY_TRY(const std::vector<int32_t> states,
               allowed(value, ir::get_sharding(module_, value), module_.location_text(op)));
    const int32_t node = add_node(
        {Kind::Carried, op, index, value, time_, StrategyMaker::identity(space(value), states)});
    sources_[value] = {node, 0};
    return node;
  }

  /// Adds a loop. Each carried value has one state in all iterations.
  Status add_loop(OpId op, StrategyMaker& maker) {  // NOLINT(misc-no-recursion)
    ++time_;
    const bool is_outermost = loop_ < 0;
    std::vector<int32_t> carried;
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      SHARDY_TRY(const int32_t node, add_carried(op, index));
      carried.push_back(node);
      add_reader({node, 0, {op, index}});
    }
    if (is_outermost) {
      loop_ = static_cast<int32_t>(loops_.size());
      loops_.push_back({time_, 0});
    }
    for (const ir::RegionId region : module_.regions(op)) {
      for (const BlockId block : module_.blocks(region)) {
        const auto args = module_.args(block);
        for (std::size_t index = 0; index < args.size(); ++index) {
          sources_[args[index]] = {carried[index], 0};
        }
        SHARDY_TRY_STATUS(add_block(block, maker));
        const OpId last = module_.last_op(block);
        for (uint32_t index = 0; index < module_.num_operands(last); ++index) {
          const bool is_body =
              module_.num_operands(last) == carried.size() && region == module_.regions(op).back();
          if (is_body) add_reader({carried[index], 0, {last, index}});
        }
      }
    }
    if (!is_outermost) return {};
    loops_.back().end = ++time_;
    for (const int32_t node : carried) {
      model_.nodes_[static_cast<std::size_t>(node)].loop_end = time_;
    }
    loop_ = -1;
    return {};
  }

  /// Adds branches. All branches return a result in one state.
  Status add_branches(OpId op, StrategyMaker& maker) {  // NOLINT(misc-no-recursion)
    for (const ir::RegionId region : module_.regions(op)) {
      for (const BlockId block : module_.blocks(region)) {
        SHARDY_TRY_STATUS(add_block(block, maker));
      }
    }
    ++time_;
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      SHARDY_TRY(const int32_t node, add_carried(op, index));
      for (const ir::RegionId region : module_.regions(op)) {
        for (const BlockId block : module_.blocks(region)) {
          add_reader({node, 0, {module_.last_op(block), index}});
        }
      }
    }
    return {};
  }

  Status add_barrier(OpId op) {
    ++time_;
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      SHARDY_TRY(const int32_t node, add_carried(op, index));
      add_reader({node, 0, {op, index}});
    }
    return {};
  }

  /// Returns the strategies of a manual computation: its variants.
  Result<OpStrategies> manual_strategies(OpId op) {
    const std::size_t num_in = passes::shardings_in(module_, op, ir::attr::kInShardings).size();
    const std::size_t num_out = passes::shardings_in(module_, op, ir::attr::kOutShardings).size();
    if (num_in != module_.num_operands(op) || num_out != module_.num_results(op)) {
      return fail_at(module_.source_location(op), "sdy.manual_computation: shardings are missing");
    }
    OpStrategies states{num_in, num_out, {}, {}, {}, true};
    for (const ManualVariant& variant : manual_->of(op)) {
      std::vector<int32_t> in;
      std::vector<int32_t> out;
      for (uint32_t index = 0; index < num_in; ++index) {
        in.push_back(space(module_.operand(op, index)).intern(variant.in[index]));
      }
      for (uint32_t index = 0; index < num_out; ++index) {
        out.push_back(space(module_.result(op, index)).intern(variant.out[index]));
      }
      states.add(in, out, femtoseconds(variant.seconds));
    }
    return states;
  }

  /// Returns how often the program runs a block.
  int64_t runs_of(BlockId block) const { return std::max<int64_t>(1, times_.of(block).count); }

  /// Checks whether a value is an operand of a call, or a result of a function other than main.
  /// Both are complete.
  bool is_passed(ValueId value) const {
    if (value.index() >= source_.num_values()) return false;
    return std::ranges::any_of(source_.uses(value),
                               [&](const ir::Use& use) { return passes_value(source_, use.op); });
  }

  /// Notes a value that can be partial. Values of functions with several calls have no annotation
  /// that keeps them so.
  void note_partial(ValueId value, int32_t node, uint32_t output) {
    if (!source_ops_.contains(module_.defining_op(value))) return;
    const OpStrategies& states = model_.nodes_[static_cast<std::size_t>(node)].states;
    for (std::size_t choice = 0; choice < states.size(); ++choice) {
      if (states.results[choice * states.num_results + output] >= space(value).num_complete()) {
        partial_.insert(value);
        return;
      }
    }
  }

  Result<OpStrategies> strategies_of(OpId op, StrategyMaker& maker) {
    if (is_annotation(module_, op)) {
      const ValueId value = module_.result(op);
      SHARDY_TRY(const std::vector<int32_t> states,
                 allowed(value, ir::get_sharding(module_, value), module_.location_text(op)));
      return StrategyMaker::identity(space(value), states);
    }
    const auto rule = op_rules_.find(op);
    StrategyQuery query{op, {}, {}, {}, {}, {}};
    if (rule != op_rules_.end()) query.rule = rule->second;
    for (const ValueId operand : module_.operands(op)) {
      query.spaces.push_back(&space(operand));
      query.may_be_partial.push_back(source_ops_.contains(op) && partial_.contains(operand));
      query.is_constant.push_back(program_->is_constant(operand));
      query.constant_flops.push_back(program_->constant_flops(operand));
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
      if (program_->is_constant(value)) continue;
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

  /// Keeps only the states of an argument that its tied result can have, too. Both have one type.
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

  /// Adds copies nodes, and the links from sources to users. Uses program order, so that equal
  /// programs have equal networks.
  Status add_readers() {
    std::vector<ValueId> values;
    for (const auto& [value, readers] : readers_) values.push_back(value);
    std::ranges::sort(values, {}, [](ValueId value) { return value.index(); });
    for (const ValueId value : values) {
      const std::vector<Reader>& readers = readers_.at(value);
      NodeOutput source = sources_.at(value);
      const OpId op = module_.defining_op(value);
      const bool is_pinned =
          op.valid() && !is_annotation(module_, op) && ir::get_sharding(module_, value).has_value();
      const bool has_copies = readers.size() > 1 || is_pinned || is_passed(value);
      if (!has_copies) {
        add_links(value, source, readers);
        continue;
      }
      std::vector<std::vector<Reader>> phases = phases_of(value, source, readers);
      if (is_pinned || phases.size() < 2) {
        SHARDY_TRY(source, add_copies(value, source, readers, is_pinned));
        SHARDY_TRY_STATUS(add_groups(value, source, readers));
        continue;
      }
      SHARDY_TRY_STATUS(add_phases(value, source, phases));
    }
    return {};
  }

  void add_links(ValueId value, const NodeOutput& source, const std::vector<Reader>& readers) {
    for (const Reader& reader : readers) {
      model_.links_.push_back({value, source.node, source.output, reader.node, reader.input,
                               reader.use, reading_time(reader, source.node),
                               runs_of(module_.parent_block(reader.use.op))});
    }
  }

  /// Checks whether two ops in the function of a value use it alike: in most cases they need it in
  /// one state.
  bool is_alike(ValueId value, const Reader& one, const Reader& other) const {
    const auto is_op = [&](const Reader& reader) {
      const ir::Use& use = reader.use;
      return node_at(reader.node).kind == Kind::Op && source_ops_.contains(use.op) &&
             source_.operand(use.op, use.operand) == value && !is_annotation(module_, use.op);
    };
    return is_op(one) && is_op(other) && one.input == other.input &&
           module_.name(one.use.op) == module_.name(other.use.op) &&
           module_.attributes(one.use.op) == module_.attributes(other.use.op);
  }

  /// Adds the links of users to the copies of a value. A part of the users that are alike have a
  /// copies node of their own, so that the value can be kept in several states.
  Status add_groups(ValueId value, const NodeOutput& copies, const std::vector<Reader>& readers) {
    std::vector<std::vector<Reader>> groups;
    for (const Reader& reader : readers) {
      const auto found = std::ranges::find_if(groups, [&](const std::vector<Reader>& group) {
        return is_alike(value, group.front(), reader);
      });
      if (found == groups.end()) {
        groups.push_back({reader});
      } else {
        found->push_back(reader);
      }
    }
    const bool is_divided = groups.size() > 1 && space(value).size() <= kMostStatesOfGroups;
    uint32_t number = 0;
    for (const std::vector<Reader>& group : groups) {
      NodeOutput source = copies;
      if (is_divided && group.size() > 1) {
        SHARDY_TRY(source, add_copies(value, copies, group, false));
        model_.nodes_[static_cast<std::size_t>(source.node)].index = ++number;
      }
      add_links(value, source, group);
    }
    return {};
  }

  /// Returns the readers in groups that are more than an eighth of the program apart.
  std::vector<std::vector<Reader>> phases_of(ValueId value, const NodeOutput& source,
                                             std::vector<Reader> readers) {
    const bool is_argument = node_at(source.node).kind == Kind::Argument;
    const int32_t most = is_argument ? kMostStatesOfArgumentPhases : kMostStatesOfPhases;
    const bool is_whole =
        !options_.has_phases || is_passed(value) || num_states_of_copies(source, value) > most;
    if (is_whole) return {std::move(readers)};
    const int64_t distance = std::max(kLeastDistance, end_ / 8);
    std::ranges::stable_sort(
        readers, {}, [&](const Reader& reader) { return making_time(reader, source.node); });
    std::vector<std::vector<Reader>> phases;
    int64_t last = 0;
    for (const Reader& reader : readers) {
      const bool is_far = making_time(reader, source.node) - last > distance;
      if (phases.empty() || is_far) phases.emplace_back();
      last = reading_time(reader, source.node);
      phases.back().push_back(reader);
    }
    return phases;
  }

  /// Returns the number of states of copies of a value. Copies of a complete value are complete.
  int32_t num_states_of_copies(const NodeOutput& source, ValueId value) const {
    const OpStrategies& states = node_at(source.node).states;
    for (std::size_t choice = 0; choice < states.size(); ++choice) {
      const int32_t state = states.results[choice * states.num_results + source.output];
      if (state >= space(value).num_complete()) return space(value).size();
    }
    return space(value).num_complete();
  }

  /// Gives a copies node the roles that are possible in its phase, with all states in each role.
  static void add_roles(ModelNode& node, bool is_first, bool is_last) {
    // An argument of many states stays live until its last phase.
    const bool is_live = node.states.size() > kMostStatesOfPhases;
    for (const bool is_kept : {false, true}) {
      for (const bool is_needed : {false, true}) {
        const bool is_possible = (!is_first || !is_kept) && (!is_last || !is_needed) &&
                                 (!is_live || is_last != is_needed);
        if (is_possible) node.roles.push_back({is_kept, is_needed});
      }
    }
    const OpStrategies once = node.states;
    for (std::size_t role = 1; role < node.roles.size(); ++role) {
      for (std::size_t state = 0; state < once.size(); ++state) {
        node.states.add({once.operands[state]}, {once.results[state]}, 0);
      }
    }
  }

  /// Adds a copies node per phase. Each keeps the copy of the phase before, or makes a new one of
  /// the value, which is live until then.
  Status add_phases(ValueId value, const NodeOutput& source,
                    const std::vector<std::vector<Reader>>& phases) {
    int32_t before = -1;
    for (uint32_t phase = 0; phase < phases.size(); ++phase) {
      SHARDY_TRY(const NodeOutput copies, add_copies(value, source, phases[phase], false));
      ModelNode& node = model_.nodes_[static_cast<std::size_t>(copies.node)];
      node.phase = phase;
      add_roles(node, phase == 0, phase + 1 == phases.size());
      if (phase > 0) {
        ModelLink& make = model_.links_.back();
        make.kind = ModelLink::Kind::Make;
        ModelLink keep = make;
        keep.source = before;
        keep.output = 0;
        keep.kind = ModelLink::Kind::Keep;
        model_.links_.push_back(keep);
      }
      before = copies.node;
      add_links(value, copies, phases[phase]);
    }
    return {};
  }

  Result<NodeOutput> add_copies(ValueId value, const NodeOutput& source,
                                const std::vector<Reader>& readers, bool is_pinned) {
    std::vector<int32_t> states;
    if (is_pinned) {
      const std::string place = module_.location_text(module_.defining_op(value));
      SHARDY_TRY(states, allowed(value, ir::get_sharding(module_, value), place));
    } else {
      const int32_t count =
          is_passed(value) ? space(value).num_complete() : num_states_of_copies(source, value);
      states.resize(static_cast<std::size_t>(count));
      for (std::size_t state = 0; state < states.size(); ++state) {
        states[state] = static_cast<int32_t>(state);
      }
    }
    // Copies are created in the block of the value, before the first op of this block that contains
    // a user.
    int64_t first = end_;
    for (const Reader& reader : readers) first = std::min(first, making_time(reader, source.node));
    ModelNode copies{Kind::Copies, {},    0,
                     value,        first, StrategyMaker::identity(space(value), states)};
    const int32_t loop = node_at(source.node).loop;
    const int32_t node = add_node(std::move(copies));
    model_.nodes_[static_cast<std::size_t>(node)].loop = loop;
    const OpId maker = module_.defining_op(value);
    const BlockId block = maker.valid() ? module_.parent_block(maker) : module_.owner(value).block;
    model_.links_.push_back(
        {value, source.node, source.output, node, 0, {}, first, runs_of(block)});
    return NodeOutput{node, 0};
  }

  const ModelNode& node_at(int32_t node) const {
    return model_.nodes_[static_cast<std::size_t>(node)];
  }

  /// Numbers the nodes in program order; copies come before their first user.
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

  /// Returns the outermost loop around a user if the source is outside of the loop; else null.
  const Loop* entered_loop(const Reader& reader, int32_t source) const {
    const int32_t loop = node_at(reader.node).loop;
    const bool enters = loop >= 0 && node_at(source).loop != loop;
    return enters ? &loops_[static_cast<std::size_t>(loop)] : nullptr;
  }
  /// Checks whether each iteration of a loop has a new value of a source: a value that the loop
  /// carries, or copies of it.
  bool is_iterated(int32_t source, const Loop& loop) const {
    const ModelNode& node = node_at(source);
    if (node.kind == Kind::Carried) return node.loop_end == loop.end;
    return node.kind == Kind::Copies && !module_.defining_op(node.value).valid() &&
           module_.owner(node.value).block != module_.entry(main_);
  }
  /// Returns the first time at which a copy for the user can be created.
  int64_t making_time(const Reader& reader, int32_t source) const {
    const Loop* loop = entered_loop(reader, source);
    const bool is_before = loop != nullptr && !is_iterated(source, *loop);
    return is_before ? loop->begin : reading_time(reader, source);
  }
  /// Returns the last time at which the user needs its input. Values from outside of a loop live to
  /// the end of the loop; so does the next value of one that the loop carries.
  int64_t reading_time(const Reader& reader, int32_t source) const {
    const ModelNode& node = node_at(reader.node);
    if (node.kind == Kind::Argument) return end_;  // of a tied result
    if (node.loop_end >= 0 && reader.use.op != node.op) return node.loop_end;
    if (const Loop* loop = entered_loop(reader, source)) {
      return is_iterated(source, *loop) ? node.time : loop->end;
    }
    return std::max(node.time, node_at(source).time);
  }

  // ---- The network ------------------------------------------------------------------------------

  /// Keeps one value per output. The values of an output that a loop carries have one buffer.
  static void keep_first_of_outputs(std::vector<NetworkSource>& sources) {
    std::set<std::pair<int32_t, uint32_t>> known;
    std::erase_if(sources, [&](const NetworkSource& source) {
      return !known.emplace(source.node, source.output).second;
    });
  }

  CostNetwork make_network() {
    NetworkParts parts{module_,
                       model_.nodes_,
                       model_.links_,
                       model_.space_of_,
                       *reshards_,
                       {},
                       {},
                       end_,
                       options_.limit,
                       options_.rates.hidden_share,
                       options_.feed_bytes_per_second,
                       {}};
    parts.is_tied.resize(module_.args(module_.entry(main_)).size(), false);
    for (const ModelTie& tie : options_.ties) parts.is_tied[tie.argument] = true;
    parts.stop = options_.stop;
    for (const auto& [value, source] : sources_) {
      parts.sources.push_back({value, source.node, source.output});
    }
    std::ranges::sort(parts.sources, {}, [](const NetworkSource& at) { return at.value.index(); });
    keep_first_of_outputs(parts.sources);
    int64_t time = 0;
    std::size_t next = 0;
    for (const OpId op : searched_ops(module_, module_.entry(main_))) {
      if (next < time_of_op_.size() && time_of_op_[next].first == op) {
        time = time_of_op_[next++].second;
      }
      for (const ValueId result : module_.results(op)) {
        if (program_->is_constant(result)) parts.constant_begin.emplace(result, time + 1);
      }
    }
    return network_of(parts);
  }

  const Module& module_;
  const Module& source_;
  std::unordered_set<OpId> source_ops_;  // written_ops of the source; never iterated
  const rules::Registry& rules_;
  const ModelOptions& options_;
  passes::MeshPlanners planners_;
  std::optional<ReshardPrices> reshards_;  // with the mesh
  report::RunTimes times_;
  ProgramModel model_;
  OpId main_ = {};
  MeshRef mesh_;
  int64_t end_ = 0;    // time of the return
  int64_t time_ = 0;   // time of the last node
  int32_t loop_ = -1;  // outermost loop around the current op
  std::vector<Loop> loops_;
  std::vector<std::pair<OpId, int64_t>> time_of_op_;  // in program order
  const ProgramOps* program_ = nullptr;
  std::optional<ManualVariants> manual_;               // with the mesh
  std::unordered_map<OpId, OpShardingRule> op_rules_;  // never iterated
  std::vector<int64_t> factor_sizes_;
  std::unordered_set<ValueId> partial_;  // never iterated
  std::unordered_map<ValueId, NodeOutput> sources_;
  std::unordered_map<ValueId, std::vector<Reader>> readers_;
};

Result<ProgramModel> ProgramModel::make(const Module& module, const rules::Registry& rules,
                                        const ModelOptions& options) {
  auto flat = std::make_unique<Module>(module);
  passes::move_single_calls(*flat);
  if (Diagnostics errors = passes::inline_calls(*flat); !errors.empty()) {
    return tl::unexpected(errors.front());
  }
  SHARDY_TRY(ProgramModel model, ModelBuilder(*flat, module, rules, options).run());
  model.module_ = std::move(flat);
  return model;
}

std::optional<CostNetwork> ProgramModel::network_of_kept_copies() const {
  if (std::ranges::all_of(nodes_, &std::vector<ModelNode::CopyRole>::empty, &ModelNode::roles)) {
    return std::nullopt;
  }
  CostNetwork kept = network_;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].phase == 0) continue;
    for (std::size_t choice = 0; choice < nodes_[node].states.size(); ++choice) {
      if (nodes_[node].role_of(static_cast<int32_t>(choice)).is_kept) continue;
      kept.unary[static_cast<std::size_t>(kept.first_choice[node]) + choice] = kForbidden;
    }
  }
  return kept;
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

// Converts a choice to annotations.
//
//   choice: %w [{"a"}, {}], dot reads %w [{}, {}]   ->   %w: tensor<8x4xf32> [{"a"}, {}]
//                                                        %0 = sdy.sharding_constraint %w [{}, {}]
//                                                        %1 = dot %x, %0
#include "autoshard/emission.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "autoshard/program_ops.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Collects the changes for one choice.
class ChangeList {
 public:
  ChangeList(const ProgramModel& model, std::span<const int32_t> choice, const Module& module)
      : model_(model),
        choice_(choice),
        module_(module),
        main_(*module.main_function()),
        single_(passes::single_calls(module)) {
    for (const OpId op : written_ops(module)) known_.emplace(op, known_.size());
  }

  std::vector<SourceChange> run() {
    for (std::size_t node = 0; node < model_.nodes().size(); ++node) {
      add_node(static_cast<int32_t>(node));
    }
    for (const ModelLink& link : model_.links()) {
      add_link(link);
      note_call(link);
    }
    for (const auto& [op, results] : calls_) add_call(op, results);
    for (const auto& [call, function] : single_) {
      if (is_known(call)) add_function_arguments(call, function);
    }
    std::vector<SourceChange> all;
    for (auto* list : {&ops_, &copies_, &constraints_, &results_, &arguments_}) {
      all.insert(all.end(), list->rbegin(), list->rend());
    }
    return all;
  }

 private:
  using Kind = SourceChange::Kind;

  int32_t chosen(int32_t node) const { return choice_[static_cast<std::size_t>(node)]; }

  void add_node(int32_t number) {
    const ModelNode& node = model_.nodes()[static_cast<std::size_t>(number)];
    switch (node.kind) {
      case ModelNode::Kind::Argument: {
        const TensorSharding& state = model_.output_state(number, chosen(number), 0, node.value);
        if (ir::arg_sharding(module_, main_, node.index) == state) return;
        arguments_.push_back({Kind::Argument, node.index, {}, {}, {}, {state}, false, number});
        return;
      }
      case ModelNode::Kind::Result:
        return add_result(number, node.index,
                          model_.input_state(number, chosen(number), 0, node.value));
      case ModelNode::Kind::Op:
        return add_op(number, node.op);
      case ModelNode::Kind::Carried:
        return add_carried(number, node);
      case ModelNode::Kind::Copies:
        return;
    }
  }

  /// Checks whether the search writes annotations of an op. Ops of functions with several calls are
  /// only in the model.
  bool is_known(OpId op) const { return known_.contains(op); }

  /// Adds a result of a loop, a branch op or a barrier to the change of this op.
  void add_carried(int32_t number, const ModelNode& node) {
    if (!is_known(node.op)) return;
    if (node.index == 0) ops_.push_back({Kind::OpResults, 0, node.op, {}, {}, {}, false, number});
    SourceChange& change = ops_.back();
    change.shardings.push_back(model_.output_state(number, chosen(number), 0, node.value));
    if (change.shardings.size() < module_.num_results(node.op)) return;
    bool differs = false;
    for (uint32_t index = 0; index < change.shardings.size(); ++index) {
      const ValueId result = module_.result(node.op, index);
      differs = differs || ir::get_sharding(module_, result) != change.shardings[index];
    }
    if (!differs) ops_.pop_back();
  }

  void add_result(int32_t number, uint32_t index, const TensorSharding& state) {
    if (ir::result_sharding(module_, main_, index) == state) return;
    results_.push_back({Kind::Result, index, {}, {}, {}, {state}, false, number});
  }

  void add_op(int32_t number, OpId op) {
    if (!is_known(op)) return;
    if (module_.is(op, OpKind::SdyManualComputation)) return add_manual(number, op);
    SourceChange change{Kind::OpResults, 0, op, {}, {}, {}, false, number};
    bool differs = false;
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      const ValueId value = module_.result(op, index);
      change.shardings.push_back(model_.output_state(number, chosen(number), index, value));
      differs = differs || ir::get_sharding(module_, value) != change.shardings.back();
    }
    if (!differs) return;
    if (is_annotation(module_, op)) {
      change.kind = Kind::Constraint;
      constraints_.push_back(std::move(change));
    } else {
      ops_.push_back(std::move(change));
    }
  }

  void add_manual(int32_t number, OpId op) {
    SourceChange change{Kind::Manual, 0, op, {}, {}, {}, false, number};
    for (uint32_t index = 0; index < module_.num_operands(op); ++index) {
      change.shardings.push_back(
          model_.input_state(number, chosen(number), index, model_.module().operand(op, index)));
    }
    for (uint32_t index = 0; index < module_.num_results(op); ++index) {
      change.shardings.push_back(
          model_.output_state(number, chosen(number), index, module_.result(op, index)));
    }
    if (manual_shardings(module_, op) != change.shardings) ops_.push_back(std::move(change));
  }

  /// Notes the state of a value of a function that an op outside of the function uses: it is the
  /// result of a call.
  void note_call(const ModelLink& link) {
    if (!link.use.op.valid() || !is_known(link.use.op)) return;
    const ValueId value = module_.operand(link.use.op, link.use.operand);
    if (value == link.value) return;
    const OpId call = module_.defining_op(value);
    if (!call.valid() || !module_.is(call, OpKind::FuncCall)) return;
    const TensorSharding& state =
        model_.output_state(link.source, chosen(link.source), link.output, link.value);
    calls_[call].insert_or_assign(value, CallResult{state, link.source, link.output});
  }

  /// The state of a result of a call, and the output of the node that determines it.
  struct CallResult {
    TensorSharding state;
    int32_t node = -1;
    uint32_t output = 0;
  };

  /// Adds the annotation of a call if the states of all its results are known and complete.
  void add_call(OpId op, const std::map<ValueId, CallResult>& results) {
    if (results.size() != module_.num_results(op)) return;
    const CallResult& first = results.at(module_.result(op, 0));
    SourceChange change{Kind::OpResults, 0, op, {}, {}, {}, false, first.node, first.output};
    bool differs = false;
    for (const ValueId value : module_.results(op)) {
      const TensorSharding& state = results.at(value).state;
      if (!state.unreduced_axes().empty()) return;
      change.shardings.push_back(state);
      differs = differs || ir::get_sharding(module_, value) != state;
    }
    if (differs) ops_.push_back(std::move(change));
  }

  /// Returns the value of the model for a value that calls and functions pass on.
  ValueId passed_value(ValueId value) const {
    for (;;) {
      const OpId maker = module_.defining_op(value);
      if (maker.valid() && module_.is(maker, OpKind::FuncCall)) {
        const auto call = std::ranges::find(single_, maker, &passes::FunctionCall::call);
        if (call == single_.end()) return value;
        const OpId end = module_.last_op(module_.entry(call->function));
        value = module_.operand(end, module_.owner(value).index);
        continue;
      }
      if (maker.valid()) return value;
      const OpId function = module_.parent_op(module_.owner(value).block);
      const auto call = std::ranges::find(single_, function, &passes::FunctionCall::function);
      if (call == single_.end()) return value;
      value = module_.operand(call->call, module_.owner(value).index);
    }
  }

  /// Annotates the arguments of a function with one call with the states of the operands, so that
  /// propagation from its ops does not change them.
  void add_function_arguments(OpId call, OpId function) {
    for (uint32_t index = 0; index < module_.num_operands(call); ++index) {
      const ValueId value = passed_value(module_.operand(call, index));
      const auto copies = std::ranges::find_if(model_.nodes(), [&](const ModelNode& node) {
        return node.kind == ModelNode::Kind::Copies && node.value == value && node.index == 0;
      });
      if (copies == model_.nodes().end()) continue;  // a constant
      const auto node = static_cast<int32_t>(copies - model_.nodes().begin());
      const TensorSharding& state = model_.output_state(node, chosen(node), 0, value);
      if (ir::arg_sharding(module_, function, index) == state) continue;
      arguments_.push_back({Kind::Argument, index, function, {}, {}, {state}, false, node});
    }
  }

  /// Returns the sharding of the constraint between a value and the user; std::nullopt without one.
  std::optional<TensorSharding> joined_sharding(const ModelLink& link) const {
    if (!link.use.op.valid() || !is_known(link.use.op)) return std::nullopt;
    const ValueId used = module_.operand(link.use.op, link.use.operand);
    const OpId maker = module_.defining_op(used);
    const bool is_joined = used != link.value && maker.valid() && is_annotation(module_, maker);
    return is_joined ? ir::get_sharding(module_, used) : std::nullopt;
  }

  /// Adds a copy if a user needs another state than the source. Constraints and results of main
  /// reshard their operands themselves, except that a result is never returned as a partial value.
  void add_link(const ModelLink& link) {
    const TensorSharding& have =
        model_.output_state(link.source, chosen(link.source), link.output, link.value);
    const TensorSharding& want =
        model_.input_state(link.reader, chosen(link.reader), link.input, link.value);
    const ModelNode& reader = model_.nodes()[static_cast<std::size_t>(link.reader)];
    const bool is_tied = reader.kind == ModelNode::Kind::Argument;
    if (is_tied) add_result(link.reader, link.use.operand, want);
    const bool is_returned = is_tied || reader.kind == ModelNode::Kind::Result;
    if (link.kind == ModelLink::Kind::Keep || reader.role_of(chosen(link.reader)).is_kept) return;
    // After a joined constraint, the user reads the sharding of the constraint.
    const std::optional<TensorSharding> joined = joined_sharding(link);
    if (joined.value_or(have) == want || (is_returned && have.unreduced_axes().empty())) return;
    if (reader.kind == ModelNode::Kind::Op && is_annotation(model_.module(), reader.op)) return;
    if (reader.kind != ModelNode::Kind::Copies && !is_known(link.use.op)) return;
    SourceChange copy{Kind::Copy, 0, {}, link.value, {}, {want}, false, link.reader, link.input};
    if (reader.kind != ModelNode::Kind::Copies) {
      const uint32_t phase = model_.nodes()[static_cast<std::size_t>(link.source)].phase;
      copy.uses = {link.use};
      copy.is_input = true;
      copy.copy = phase > 0 ? phase + 1 : 0;  // not merged with a copy of an earlier phase
    } else {
      copy.uses = uses_of(link.reader);
      copy.is_shared = true;
      copy.is_group = reader.index > 0;
      copy.copy = reader.phase > 0 ? reader.phase + 1 : 0;
      if (copy.uses.empty()) return;
    }
    copy.value = module_.operand(copy.uses.front().op, copy.uses.front().operand);
    copies_.push_back(std::move(copy));
  }

  /// Returns the use of the value, or of its constraint with this use; std::nullopt for a use in
  /// another function.
  std::optional<ir::Use> own_use(ValueId value, ir::Use use) const {
    while (module_.operand(use.op, use.operand) != value) {
      const OpId maker = module_.defining_op(module_.operand(use.op, use.operand));
      if (!maker.valid() || !is_annotation(module_, maker)) return std::nullopt;
      use = {maker, 0};
    }
    return use;
  }

  /// Adds the uses of a value by calls, and by the return of its function: users in other functions
  /// get it from these.
  void add_passing_uses(ValueId value, std::vector<ir::Use>& uses) const {
    if (value.index() >= module_.num_values()) return;
    for (const ir::Use& use : module_.uses(value)) {
      const bool is_new = passes_value(module_, use.op) && is_known(use.op) &&
                          std::ranges::find(uses, use) == uses.end();
      if (is_new) uses.push_back(use);
    }
  }

  /// Returns the uses that read a copies node, copies of it for groups, or later phases that keep
  /// its copy, in program order.
  std::vector<ir::Use> uses_of(int32_t copies) const {
    std::vector<ir::Use> uses;
    for (const ModelLink& link : model_.links()) {
      if (link.source != copies) continue;
      if (!link.use.op.valid()) {  // of other copies
        const ModelNode& other = model_.nodes()[static_cast<std::size_t>(link.reader)];
        const bool is_other =
            link.kind == ModelLink::Kind::Keep && !other.role_of(chosen(link.reader)).is_kept;
        const std::vector<ir::Use> more = is_other ? std::vector<ir::Use>() : uses_of(link.reader);
        uses.insert(uses.end(), more.begin(), more.end());
        continue;
      }
      const auto use = is_known(link.use.op) ? own_use(link.value, link.use) : std::nullopt;
      if (use) uses.push_back(*use);
      if (!use) add_passing_uses(link.value, uses);
    }
    std::ranges::sort(
        uses, {}, [&](const ir::Use& use) { return std::pair(known_.at(use.op), use.operand); });
    return uses;
  }

  const ProgramModel& model_;
  std::span<const int32_t> choice_;
  const Module& module_;
  OpId main_;
  std::vector<passes::FunctionCall> single_;
  std::unordered_map<OpId, std::size_t> known_;  // index in program order; never iterated
  std::map<OpId, std::map<ValueId, CallResult>> calls_;
  std::vector<SourceChange> ops_;
  std::vector<SourceChange> copies_;
  std::vector<SourceChange> constraints_;
  std::vector<SourceChange> results_;
  std::vector<SourceChange> arguments_;
};

/// Returns the op before which the copy is inserted. A copy for one user: the user. A copy for all
/// users: the op in the block of the value that is the first user or contains it.
OpId place_of_copy(const Module& module, const SourceChange& copy) {
  OpId op = copy.uses.front().op;
  if (!copy.is_shared) return op;
  const OpId maker = module.defining_op(copy.value);
  const ir::BlockId block =
      maker.valid() ? module.parent_block(maker) : module.owner(copy.value).block;
  while (module.parent_block(op) != block) op = module.parent_op(module.parent_block(op));
  return op;
}

void insert_copy(Module& module, const SourceChange& copy) {
  const OpId place = place_of_copy(module, copy);
  const ir::Use first = copy.uses.front();
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSharding, copy.shardings.front());
  if (copy.copy > 0) attributes.set(passes::kCopyAttr, ir::IntegerAttr{copy.copy});
  ir::OpSpec spec{.kind = OpKind::SdyShardingConstraint};
  spec.operands = {module.operand(first.op, first.operand)};
  spec.result_types = {module.type(copy.value)};
  spec.attributes = std::move(attributes);
  spec.location = module.location(place);
  const OpId constraint = module.create(std::move(spec));
  module.insert_before(place, constraint);
  for (const ir::Use& use : copy.uses) {
    module.set_operand(use.op, use.operand, module.result(constraint));
  }
}

void apply_one(Module& module, const SourceChange& change) {
  const OpId main = *module.main_function();
  switch (change.kind) {
    case SourceChange::Kind::Argument:
      return ir::set_arg_sharding(module, change.op.valid() ? change.op : main, change.index,
                                  change.shardings.front());
    case SourceChange::Kind::Result:
      return ir::set_result_sharding(module, main, change.index, change.shardings.front());
    case SourceChange::Kind::Constraint:
    case SourceChange::Kind::OpResults:
      for (std::size_t index = 0; index < change.shardings.size(); ++index) {
        ir::set_sharding(module, module.result(change.op, index), change.shardings[index]);
      }
      return;
    case SourceChange::Kind::Manual:
      return set_manual_shardings(module, change.op, change.shardings);
    case SourceChange::Kind::Copy:
      return insert_copy(module, change);
  }
}

}  // namespace

std::vector<SourceChange> changes_of(const ProgramModel& model, std::span<const int32_t> choice,
                                     const Module& module) {
  return ChangeList(model, choice, module).run();
}

void apply_changes(Module& module, std::span<const SourceChange> changes) {
  const auto turn_of = [](const SourceChange& change) {
    return change.is_group ? 1 : change.is_shared ? 0 : 2;
  };
  for (int turn = 0; turn < 3; ++turn) {
    for (const SourceChange& change : changes) {
      if (turn_of(change) == turn) apply_one(module, change);
    }
  }
}

}  // namespace shardy::autoshard

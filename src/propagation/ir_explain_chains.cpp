#include "ir_explain_chains.hpp"

#include <algorithm>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/built_in.hpp"

namespace shardy::propagation::detail {
using Reason = AbsentAxis::Reason;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

SlotOrigin origin_of(const Module& module, const WrittenProgram& written, ValueId value) {
  if (const auto origin = written.origin(module, value)) return {SlotOrigin::Kind::Value, origin};
  const OpId op = module.defining_op(value);
  if (!op.valid() || module.num_operands(op) != 1) return {};
  const bool is_edge =
      module.is(op, ir::OpKind::SdyDataFlowEdge) || module.is(op, ir::OpKind::SdyFuncDataFlowEdge);
  const bool is_constraint = module.is(op, ir::OpKind::SdyShardingConstraint);
  const auto input = written.origin(module, module.operand(op, 0));
  if (!input || (!is_edge && !is_constraint)) return {};
  return {is_edge ? SlotOrigin::Kind::Edge : SlotOrigin::Kind::Constraint, input};
}

constexpr std::size_t kCallsAtEnds = 4;

/// Returns the factor of an axis that comes after `shards` shards of the dim. Axes fill the factors
/// from major to minor. Spec: propagation 5.
uint32_t factor_at(const FlatRule& layout, EntryRange entries, int64_t shards) {
  for (std::size_t entry = entries.begin; entry + 1 < entries.end; ++entry) {
    const int64_t size = layout.factor_size(layout.entry_factor(entry));
    if (shards < size) return static_cast<uint32_t>(layout.entry_factor(entry));
    shards /= std::max<int64_t>(1, size);
  }
  return static_cast<uint32_t>(layout.entry_factor(entries.end - 1));
}

/// Returns the dim of a tensor that has the factor.
std::optional<std::size_t> dim_of(const FlatRule& layout, std::size_t tensor, std::size_t factor) {
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    const EntryRange entries = layout.dim_entries(tensor, dim);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      if (layout.entry_factor(entry) == factor) return dim;
    }
  }
  return std::nullopt;
}

bool has_whole_or_part(const TensorSharding& sharding, int32_t axis) {
  const auto is_it = [&](const AxisRef& each) { return each.axis == axis; };
  return sharding.is_bound(axis) || std::ranges::any_of(sharding.unreduced_axes(), is_it);
}

bool is_replicated(const TensorSharding& sharding, int32_t axis) {
  return std::ranges::any_of(sharding.replicated_axes(),
                             [&](const AxisRef& each) { return each.axis == axis; });
}

/// Builds a chain from its last decision back to its start.
class ChainWriter {
 public:
  explicit ChainWriter(std::vector<Decision>& decisions) : decisions_(decisions) {}

  std::size_t add(Decision decision) {
    decisions_.push_back(std::move(decision));
    link(decisions_.size() - 1);
    return decisions_.size() - 1;
  }
  /// Continues the chain with a decision that is already in the explanation.
  void link(std::size_t decision) {
    (end_ == kNoDecision ? last_ : decisions_[end_].previous) = decision;
    end_ = decision;
  }
  std::size_t last() const { return last_; }

 private:
  std::vector<Decision>& decisions_;
  std::size_t last_ = kNoDecision;  // last decision, which is the first element of the chain
  std::size_t end_ = kNoDecision;
};

}  // namespace

std::vector<SlotOrigin> slot_origins(const ModuleProblem& solved, const Module& module,
                                     const WrittenProgram& written) {
  std::vector<SlotOrigin> origins;
  for (const ValueId value : solved.values) {
    origins.push_back(value.valid() ? origin_of(module, written, value) : SlotOrigin());
  }
  return origins;
}

std::optional<ValueId> ExplainContext::returned_value(SlotId result) const {
  const auto* of_function = function_result(result);
  const auto function =
      of_function != nullptr ? written.origin(module, of_function->function) : std::nullopt;
  const auto body = function ? ir::entry_block(written.module(), *function) : std::nullopt;
  const auto last = body ? ir::return_op(written.module(), *body) : std::nullopt;
  if (!last || of_function->index >= written.module().num_operands(*last)) return std::nullopt;
  return written.module().operand(*last, of_function->index);
}

// ---- Calls --------------------------------------------------------------------------------------

void CallPaths::add_call(Path& path, OpId call) const {
  const bool has_name = written_.module().num_results(call) > 0;
  std::string name = has_name ? written_.name(written_.module().result(call))
                              : "the call " + written_.module().location_text(call);
  ++path.depth;
  if (path.first.size() < kCallsAtEnds) return path.first.push_back(std::move(name));
  if (path.last.size() == kCallsAtEnds) path.last.erase(path.last.begin());
  path.last.push_back(std::move(name));
}

/// Returns the calls around the ops in the regions of `op`.
const CallPaths::Path& CallPaths::inside(OpId op) {
  std::vector<OpId> unknown;
  for (; op.valid() && !inside_.contains(op); op = module_.parent_op(op)) unknown.push_back(op);
  Path path = op.valid() ? inside_.at(op) : Path();
  for (auto at = unknown.rbegin(); at != unknown.rend(); ++at) {
    const std::optional<OpId> written = written_.origin(module_, *at);
    if (written && written_.module().is(*written, OpKind::FuncCall)) add_call(path, *written);
    inside_[*at] = path;
  }
  return inside_[unknown.empty() ? op : unknown.front()];
}

std::vector<std::string> CallPaths::around(OpId op) {
  const OpId parent = module_.parent_op(op);
  if (!parent.valid()) return {};
  const Path& path = inside(parent);
  std::vector<std::string> calls = path.first;
  const std::size_t num_shown = path.first.size() + path.last.size();
  if (num_shown < path.depth)
    calls.push_back("... " + std::to_string(path.depth - num_shown) + " more ...");
  calls.insert(calls.end(), path.last.begin(), path.last.end());
  return calls;
}

// ---- Names --------------------------------------------------------------------------------------

std::string ExplainContext::name_of(SlotId slot) const {
  if (const auto* result = function_result(slot)) return "result " + std::to_string(result->index);
  const SlotOrigin& origin = origins[slot.index()];
  if (!origin.written) return "inserted value";
  const bool is_constraint = origin.kind == SlotOrigin::Kind::Constraint;
  return (is_constraint ? "constraint of " : "") + written.name(*origin.written);
}

std::string ExplainContext::full_name_of(SlotId slot) const {
  const std::optional<ValueId> value = origins[slot.index()].written;
  if (!value) return name_of(slot);
  const ir::ValueOwner owner = written.module().owner(*value);
  const OpId op = owner.is_result() ? owner.op : written.module().parent_op(owner.block);
  const std::optional<OpId> main = written.module().main_function();
  if (main && written.function_around(op) == *main) return name_of(slot);
  return "@" + written.function_of(op) + ":" + name_of(slot);
}

const ModuleProblem::FunctionResult* ExplainContext::function_result(SlotId slot) const {
  // The slots of an op are consecutive.
  const auto found = std::ranges::lower_bound(solved.function_results, slot.value, {},
                                              [](const auto& result) { return result.slot.value; });
  const bool is_found = found != solved.function_results.end() && found->slot == slot;
  return is_found ? &*found : nullptr;
}

std::string op_text(const Module& module, OpId op) {
  const rules::OpView view(module, op);
  const std::string_view target = rules::call_target(view);
  return target.empty() ? std::string(view.name()) : "custom call '" + std::string(target) + "'";
}

std::string ExplainContext::op_name(NodeId node) const {
  const OpId op = solved.ops[node.index()];
  return op.valid() ? op_text(module, op) : "function result";
}

Location ExplainContext::location(NodeId node) const {
  const OpId op = solved.ops[node.index()];
  return op.valid() ? module.source_location(op) : Location();
}

std::string ExplainContext::function_of(OpId op) const {
  if (const auto origin = written.origin(module, op)) return written.function_of(*origin);
  const OpId function = ir::enclosing_function(module, op);
  return function.valid() ? std::string(module.symbol_name(function)) : std::string();
}

std::optional<TensorSharding> ExplainContext::written_sharding(SlotId slot) const {
  if (const auto* result = function_result(slot)) {
    const std::optional<OpId> function = written.origin(module, result->function);
    return function ? ir::result_sharding(written.module(), *function, result->index)
                    : std::nullopt;
  }
  const std::optional<ValueId> value = origins[slot.index()].written;
  return value ? ir::get_sharding(written.module(), *value) : std::nullopt;
}

bool has_axis(const std::optional<TensorSharding>& sharding, const Mesh& mesh,
              const AxisRef& axis) {
  if (!sharding) return false;
  const std::optional<int32_t> index = sharding->mesh().find_axis(mesh.axis_name(axis.axis));
  if (!index) return false;
  const AxisRef wanted{*index, axis.pre, axis.size};
  return std::ranges::any_of(sharding->dims(), [&](const DimSharding& dim) {
    return std::ranges::any_of(dim.axes,
                               [&](const AxisRef& each) { return touches(each, wanted); });
  });
}

MissingAxes::MissingAxes(const ExplainContext& context)
    : context_(context),
      manual_ops_(context.module.num_ops()),
      holders_(context.problem().num_nodes()),
      uses_(context.problem().num_slots()) {
  for (const OpId op : ir::pre_order(context.module)) {
    const OpId parent = context.module.parent_op(op);
    const bool is_manual = !ir::detail::manual_axes_of(context.module, op).empty();
    if (is_manual || parent.valid()) {
      manual_ops_[op.index()] = is_manual ? op : manual_ops_[parent.index()];
    }
  }
  for (uint32_t slot = 0; slot < context.problem().num_slots() && mesh_.num_axes() == 0; ++slot) {
    const auto& sharding = context.problem().sharding(SlotId(slot));
    if (sharding) mesh_ = sharding->mesh();
  }
  for (uint32_t node = 0; node < context.problem().num_nodes(); ++node) add_node(NodeId(node));
}

void MissingAxes::add_node(NodeId node) {
  const OpId op = context_.solved.ops[node.index()];
  if (op.valid() && context_.module.is_erased(op)) return;
  const std::span<const TensorUse> tensors = context_.problem().tensors(node);
  for (uint32_t tensor = 0; tensor < tensors.size(); ++tensor) {
    const SlotId storage = context_.storage(node, tensor);
    if (!storage.valid()) continue;
    uses_[storage.index()].push_back({node, tensor});
    add_holders(node, tensor);
  }
}

void MissingAxes::add_holders(NodeId node, uint32_t tensor) {
  const Problem& problem = context_.problem();
  const auto& sharding = problem.sharding(problem.tensors(node)[tensor].slot);
  if (!sharding) return;
  const RuleId rule = problem.node(node).rule;
  const FlatRule* layout = rule.valid() ? &problem.rule(rule) : nullptr;
  for (uint32_t dim = 0; dim < sharding->rank(); ++dim) {
    int64_t shards = 1;
    for (const AxisRef& axis : sharding->dim(dim).axes) {
      AxisHolder holder{axis.axis, kNoFactor, tensor, dim};
      if (layout != nullptr) {
        const EntryRange entries = layout->dim_entries(tensor, dim);
        if (entries.begin == entries.end) continue;  // a dim without factors
        holder.factor = factor_at(*layout, entries, shards);
      }
      shards *= axis.size;
      std::vector<AxisHolder>& known = holders_[node.index()];
      const bool is_known = std::ranges::any_of(known, [&](const AxisHolder& each) {
        return each.axis == holder.axis && each.factor == holder.factor;
      });
      if (!is_known) known.push_back(holder);
    }
  }
}

bool MissingAxes::is_manual(const Mesh& mesh, int32_t axis, OpId around) const {
  while (around.valid() && manual_ops_[around.index()].valid()) {
    const OpId op = manual_ops_[around.index()];
    const AxisNames names = ir::detail::manual_axes_of(context_.module, op);
    if (std::ranges::find(names, mesh.axis_name(axis)) != names.end()) return true;
    around = context_.module.parent_op(op);
  }
  return false;
}

/// Returns why the value of the use did not get the axis of the holder.
std::optional<Reason> MissingAxes::why(const NodeUse& use, const AxisHolder& holder) const {
  if (holder.factor == kNoFactor) return Reason::NoRule;
  const Problem& problem = context_.problem();
  const FlatRule& layout = problem.rule(problem.node(use.node).rule);
  const std::optional<std::size_t> dim = dim_of(layout, use.tensor, holder.factor);
  if (!dim) return Reason::NoFactor;
  const auto& sharding = problem.sharding(problem.tensors(use.node)[use.tensor].slot);
  const bool is_closed = sharding && *dim < sharding->rank() && sharding->is_closed(*dim);
  return is_closed ? Reason::Closed : Reason::Lost;
}

AbsentAxis MissingAxes::reason(SlotId slot, int32_t axis) const {
  AbsentAxis reason;
  const SlotId storage = context_.storage(slot);
  if (!storage.valid()) return reason;
  for (const NodeUse& use : uses_[storage.index()]) {
    for (const AxisHolder& holder : holders_[use.node.index()]) {
      if (holder.axis != axis) continue;
      const std::optional<Reason> found = why(use, holder);
      if (!found || *found >= reason.why) continue;
      reason = {
          .why = *found,
          .axis = {},
          .axis_name = {},
          .op = context_.op_name(use.node),
          .location = context_.location(use.node),
          .holder = context_.name_of(context_.problem().tensors(use.node)[holder.tensor].slot),
          .dim = holder.dim,
          .factor = holder.factor == kNoFactor
                        ? std::string()
                        : factor_symbol(static_cast<int64_t>(holder.factor))};
    }
  }
  return reason;
}

std::vector<AbsentAxis> MissingAxes::of(SlotId slot, OpId around) const {
  std::vector<AbsentAxis> absent;
  if (context_.problem().shape(slot).empty()) return absent;
  const std::optional<TensorSharding>& sharding = context_.problem().sharding(slot);
  const Mesh& mesh = sharding ? sharding->mesh() : mesh_;
  for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.num_axes()); ++axis) {
    if (mesh.axis_size(axis) == 1 || is_manual(mesh, axis, around)) continue;
    const bool is_written = sharding && is_replicated(*sharding, axis);
    if (!is_written && sharding && has_whole_or_part(*sharding, axis)) continue;
    AbsentAxis reason = is_written ? AbsentAxis{.why = Reason::Written} : this->reason(slot, axis);
    reason.axis = to_string(mesh, AxisRef{axis, 1, mesh.axis_size(axis)});
    reason.axis_name = mesh.axis_name(axis);
    absent.push_back(std::move(reason));
  }
  return absent;
}

AxisMoveIndex::AxisMoveIndex(const ExplainContext& context)
    : context_(context), by_slot_(context.problem().num_slots()) {
  add_arrivals();
  add_groups();
}

/// If an axis arrives at a slot several times in one step, keeps the last arrival.
void AxisMoveIndex::add_arrivals() {
  for (const LoggedStep& step : context_.log.steps()) {
    for (const AxisMove& move : step.moves) {
      const SlotId to = context_.storage(step.node, move.target);
      if (!to.valid()) continue;
      std::vector<uint32_t>& of_slot = by_slot_[to.index()];
      std::erase_if(of_slot, [&](uint32_t index) {
        return arrivals_[index].step == &step && arrivals_[index].move->axis == move.axis;
      });
      of_slot.push_back(static_cast<uint32_t>(arrivals_.size()));
      arrivals_.push_back({&step, &move, to});
    }
  }
}

// ---- Groups -------------------------------------------------------------------------------------

void AxisMoveIndex::add_groups() {
  std::vector<bool> copied(context_.problem().num_groups());
  for (const GroupCopy& copy : context_.log.group_copies()) {
    copied[context_.problem().slot(copy.member).group.index()] = true;
  }
  for (uint32_t index = 0; index < context_.problem().num_groups(); ++index) {
    const std::span<const SlotId> members = context_.problem().members(GroupId(index));
    groups_.push_back(
        {copied[index] ? arrivals_of(members) : std::vector<uint32_t>(), beginnings_of(members)});
  }
}

/// Returns the arrivals at all members of a group. If an axis arrives at several members in one
/// step, keeps the arrival at the first member.
std::vector<uint32_t> AxisMoveIndex::arrivals_of(std::span<const SlotId> members) const {
  std::vector<uint32_t> all;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const SlotId stored = context_.storage(*member);
    if (!stored.valid()) continue;
    all.insert(all.end(), by_slot_[stored.index()].begin(), by_slot_[stored.index()].end());
  }
  std::ranges::stable_sort(all, {}, [&](uint32_t index) { return arrivals_[index].step->number; });
  std::vector<uint32_t> kept;
  for (const uint32_t index : all) {
    std::erase_if(kept, [&](uint32_t other) {
      return arrivals_[other].step == arrivals_[index].step &&
             arrivals_[other].move->axis == arrivals_[index].move->axis;
    });
    kept.push_back(index);
  }
  return kept;
}

/// Returns the axes that members of the group had before the first step.
std::vector<AxisMoveIndex::InitialAxis> AxisMoveIndex::beginnings_of(
    std::span<const SlotId> members) const {
  std::vector<InitialAxis> found;
  const auto is_known = [&](const std::string& name, const AxisRef& axis) {
    return std::ranges::any_of(found, [&](const InitialAxis& each) {
      return each.name == name && each.axis.pre == axis.pre && each.axis.size == axis.size;
    });
  };
  for (const SlotId member : members) {
    const SlotId stored = context_.storage(member);
    if (!stored.valid() || !context_.before[stored.index()]) continue;
    const TensorSharding& sharding = *context_.before[stored.index()];
    for (const AxisRef& axis : sharding.dim_axes()) {
      const std::string& name = sharding.mesh().axis_name(axis.axis);
      if (!is_known(name, axis)) found.push_back({name, axis, member});
    }
  }
  return found;
}

/// Returns the member whose sharding initialized the group; std::nullopt if the slot itself had the
/// axis before the first step. Spec: propagation 13.
std::optional<SlotId> AxisMoveIndex::sharded_member(SlotId slot, const AxisRef& axis,
                                                    const Mesh& mesh) const {
  if (has_axis(context_.before[slot.index()], mesh, axis)) return std::nullopt;
  const GroupId group = context_.problem().slot(slot).group;
  if (!group.valid()) return std::nullopt;
  for (const InitialAxis& each : groups_[group.index()].beginnings) {
    const AxisRef here{axis.axis, each.axis.pre, each.axis.size};
    if (each.name == mesh.axis_name(axis.axis) && touches(here, axis)) return each.member;
  }
  return std::nullopt;
}

// ---- Arrivals -----------------------------------------------------------------------------------

const LoggedStep* AxisMoveIndex::first_arrival(SlotId slot, const AxisRef& axis,
                                               int64_t limit) const {
  if (!slot.valid()) return nullptr;
  for (const uint32_t index : by_slot_[slot.index()]) {
    const LoggedArrival& arrival = arrivals_[index];
    if (arrival.step->number > limit) break;
    if (touches(arrival.move->axis, axis)) return arrival.step;
  }
  return nullptr;
}

std::optional<uint32_t> AxisMoveIndex::last_of(std::span<const uint32_t> arrivals,
                                               const AxisRef& axis, int64_t limit) const {
  for (auto at = arrivals.rbegin(); at != arrivals.rend(); ++at) {
    const LoggedArrival& arrival = arrivals_[*at];
    if (arrival.step->number < limit && touches(arrival.move->axis, axis)) return *at;
  }
  return std::nullopt;
}

/// An axis that arrives at one member of a sharding group arrives at all members.
std::optional<uint32_t> AxisMoveIndex::last_arrival(SlotId slot, const AxisRef& axis,
                                                    int64_t limit) const {
  const std::optional<uint32_t> own = last_of(by_slot_[slot.index()], axis, limit);
  const GroupId group = context_.problem().slot(slot).group;
  if (!group.valid()) return own;
  const std::optional<uint32_t> any = last_of(groups_[group.index()].arrivals, axis, limit);
  const bool is_later =
      any && (!own || arrivals_[*own].step->number < arrivals_[*any].step->number);
  return is_later ? any : own;
}

std::vector<AxisArrival> AxisMoveIndex::arrivals_of_axis(SlotId slot, const AxisRef& axis) const {
  std::vector<AxisArrival> found;
  const auto add = [&](int64_t step, const AxisRef& part) {
    if (touches(part, axis)) found.push_back({step, part});
  };
  if (const auto& before = context_.before[slot.index()]) {
    for (const AxisRef& part : before->dim_axes()) add(-1, part);
  }
  for (const uint32_t index : by_slot_[slot.index()]) {
    add(arrivals_[index].step->number, arrivals_[index].move->axis);
  }
  const GroupId group = context_.problem().slot(slot).group;
  if (!group.valid()) return found;
  for (const uint32_t index : groups_[group.index()].arrivals) {
    add(arrivals_[index].step->number, arrivals_[index].move->axis);
  }
  return found;
}

// ---- Decisions ----------------------------------------------------------------------------------

// After an arrival, the rest of the chain does not depend on where the chain began. An arrival
// therefore gets one decision, which later chains share.
std::size_t AxisMoveIndex::chain(SlotId slot, AxisRef axis, const Mesh& mesh,
                                 std::vector<Decision>& decisions) {
  ChainWriter chain(decisions);
  int64_t limit = INT64_MAX;  // only steps before this one count
  while (const std::optional<uint32_t> found = last_arrival(slot, axis, limit)) {
    LoggedArrival& arrival = arrivals_[*found];
    if (arrival.slot != slot) {
      chain.add({.kind = Decision::Kind::Group,
                 .step = arrival.step->number,
                 .axis = to_string(mesh, axis),
                 .from = context_.full_name_of(arrival.slot)});
    }
    if (arrival.decision != kNoDecision) {
      chain.link(arrival.decision);
      return chain.last();
    }
    arrival.decision = chain.add(decision(arrival, mesh));
    limit = arrival.step->number;
    axis = arrival.move->axis;
    slot = context_.storage(arrival.step->node, arrival.move->source);
  }
  chain.link(beginning(slot, axis, mesh, decisions));
  return chain.last();
}

Decision AxisMoveIndex::decision(const LoggedArrival& arrival, const Mesh& mesh) const {
  const LoggedStep& step = *arrival.step;
  const std::size_t num_operands = context_.problem().node(step.node).num_operands;
  const bool from_operand = arrival.move->source < num_operands;
  const bool to_operand = arrival.move->target < num_operands;
  Decision made{.kind = Decision::Kind::Step,
                .step = step.number,
                .op = context_.op_name(step.node),
                .location = context_.location(step.node)};
  made.factor = factor_symbol(static_cast<int64_t>(arrival.move->factor));
  made.axis = to_string(mesh, arrival.move->axis);
  made.from =
      context_.full_name_of(context_.problem().tensors(step.node)[arrival.move->source].slot);
  made.direction =
      from_operand == to_operand ? "sideways" : (from_operand ? "forward" : "backward");
  made.user_priority = step.sweep.user_priority;
  made.level = step.sweep.level;
  made.strategy = step.sweep.strategy == FactorStrategy::Basic ? "basic" : "aggressive";
  return made;
}

/// Adds the origin that an axis had before the first step: an annotation, the sharding group, or a
/// pass before propagation.
std::size_t AxisMoveIndex::beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                                     std::vector<Decision>& decisions) {
  const auto [known, is_new] = beginnings_.try_emplace({slot.value, axis}, kNoDecision);
  if (!is_new) return known->second;
  ChainWriter chain(decisions);
  if (const auto member = sharded_member(slot, axis, mesh)) {
    chain.add({.kind = Decision::Kind::Group,
               .axis = to_string(mesh, axis),
               .from = context_.full_name_of(*member)});
    slot = context_.storage(*member);
  }
  const bool is_written = has_axis(context_.written_sharding(slot), mesh, axis);
  const bool is_known = context_.origins[slot.index()].written.has_value() ||
                        context_.function_result(slot) != nullptr;
  if (!is_written && is_known) {
    chain.add({.kind = Decision::Kind::Import,
               .axis = to_string(mesh, axis),
               .from = imported_from(slot, axis, mesh),
               .to = context_.full_name_of(slot)});
  } else {
    chain.add({.kind = Decision::Kind::Annotation,
               .axis = to_string(mesh, axis),
               .from = context_.full_name_of(slot)});
  }
  return known->second = chain.last();
}

const std::string& AxisMoveIndex::imported_from(SlotId slot, const AxisRef& axis,
                                                const Mesh& mesh) {
  const std::optional<ir::ValueId> written = context_.function_result(slot) != nullptr
                                                 ? context_.returned_value(slot)
                                                 : context_.origins[slot.index()].written;
  if (!written) return no_import_;
  const ir::ValueId value = *written;
  const auto [known, is_new] = imports_.try_emplace({value.value, axis});
  if (is_new) known->second = find_import(value, axis, mesh);
  return known->second;
}

/// Returns the source of the axis: a constraint on the value, or the callee of a call.
std::string AxisMoveIndex::find_import(ir::ValueId value, const AxisRef& axis,
                                       const Mesh& mesh) const {
  const ir::Module& written = context_.written.module();
  for (const ir::Use& use : written.uses(value)) {
    if (!written.is(use.op, ir::OpKind::SdyShardingConstraint)) continue;
    const ir::ValueId constraint = written.result(use.op);
    if (has_axis(ir::get_sharding(written, constraint), mesh, axis)) {
      return context_.written.name(constraint);
    }
  }
  const ir::OpId op = written.defining_op(value);
  const auto* target =
      op.valid() ? written.attribute<std::string>(op, ir::attr::kCallTargetName) : nullptr;
  if (target != nullptr && *target == "xla.sdy.FuncResultSharding") {
    return context_.written.name(value);
  }
  if (!op.valid() || !written.is(op, ir::OpKind::FuncCall)) return {};
  const auto* callee = written.attribute<ir::SymbolAttr>(op, ir::attr::kCallee);
  return callee != nullptr ? "the results of @" + callee->name : std::string();
}

}  // namespace shardy::propagation::detail

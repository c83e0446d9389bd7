#include "ir_explain_chains.hpp"

#include <algorithm>
#include <tuple>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::propagation::detail {

Moves::Moves(const Story& story) : story_(story), by_slot_(story.problem().num_slots()) {
  add_arrivals();
  add_groups();
}

/// Keeps the last one of equal arrivals in one step.
void Moves::add_arrivals() {
  for (const LoggedStep& step : story_.log.steps()) {
    for (const AxisMove& move : step.moves) {
      const SlotId to = story_.storage(step.node, move.target);
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

void Moves::add_groups() {
  std::vector<bool> copied(story_.problem().num_groups());
  for (const GroupCopy& copy : story_.log.group_copies()) {
    copied[story_.problem().slot(copy.member).group.index()] = true;
  }
  for (uint32_t index = 0; index < story_.problem().num_groups(); ++index) {
    const std::span<const SlotId> members = story_.problem().members(GroupId(index));
    groups_.push_back(
        {copied[index] ? arrivals_of(members) : std::vector<uint32_t>(), beginnings_of(members)});
  }
}

/// Returns the arrivals of the first member per step and axis, first members last.
std::vector<uint32_t> Moves::arrivals_of(std::span<const SlotId> members) const {
  std::vector<uint32_t> all;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const SlotId stored = story_.storage(*member);
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

/// The members that were the first to have an axis.
std::vector<Moves::Beginning> Moves::beginnings_of(std::span<const SlotId> members) const {
  std::vector<Beginning> found;
  const auto is_known = [&](const std::string& name, const AxisRef& axis) {
    return std::ranges::any_of(found, [&](const Beginning& each) {
      return each.name == name && each.axis.pre == axis.pre && each.axis.size == axis.size;
    });
  };
  for (const SlotId member : members) {
    const SlotId stored = story_.storage(member);
    if (!stored.valid() || !story_.before[stored.index()]) continue;
    const TensorSharding& sharding = *story_.before[stored.index()];
    for (const AxisRef& axis : sharding.dim_axes()) {
      const std::string& name = sharding.mesh().axis_name(axis.axis);
      if (!is_known(name, axis)) found.push_back({name, axis, member});
    }
  }
  return found;
}

/// The member whose sharding its group took over in the beginning; nothing if the slot had the
/// axis by itself. Spec: propagation 13.
std::optional<SlotId> Moves::sharded_member(SlotId slot, const AxisRef& axis,
                                            const Mesh& mesh) const {
  if (has_axis(story_.before[slot.index()], mesh, axis)) return std::nullopt;
  const GroupId group = story_.problem().slot(slot).group;
  if (!group.valid()) return std::nullopt;
  for (const Beginning& each : groups_[group.index()].beginnings) {
    const AxisRef here{axis.axis, each.axis.pre, each.axis.size};
    if (each.name == mesh.axis_name(axis.axis) && touches(here, axis)) return each.member;
  }
  return std::nullopt;
}

// ---- Arrivals -----------------------------------------------------------------------------------

const LoggedStep* Moves::first_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const {
  if (!slot.valid()) return nullptr;
  for (const uint32_t index : by_slot_[slot.index()]) {
    const Arrival& arrival = arrivals_[index];
    if (arrival.step->number > limit) break;
    if (touches(arrival.move->axis, axis)) return arrival.step;
  }
  return nullptr;
}

std::optional<uint32_t> Moves::last_of(std::span<const uint32_t> arrivals, const AxisRef& axis,
                                       int64_t limit) const {
  for (auto at = arrivals.rbegin(); at != arrivals.rend(); ++at) {
    const Arrival& arrival = arrivals_[*at];
    if (arrival.step->number < limit && touches(arrival.move->axis, axis)) return *at;
  }
  return std::nullopt;
}

/// Arrivals at one member of a sharding group are arrivals at all of them.
std::optional<uint32_t> Moves::last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const {
  const std::optional<uint32_t> own = last_of(by_slot_[slot.index()], axis, limit);
  const GroupId group = story_.problem().slot(slot).group;
  if (!group.valid()) return own;
  const std::optional<uint32_t> any = last_of(groups_[group.index()].arrivals, axis, limit);
  const bool is_later =
      any && (!own || arrivals_[*own].step->number < arrivals_[*any].step->number);
  return is_later ? any : own;
}

std::vector<AxisArrival> Moves::arrivals_of_axis(SlotId slot, const AxisRef& axis) const {
  std::vector<AxisArrival> found;
  const auto add = [&](int64_t step, const AxisRef& part) {
    if (touches(part, axis)) found.push_back({step, part});
  };
  if (const auto& before = story_.before[slot.index()]) {
    for (const AxisRef& part : before->dim_axes()) add(-1, part);
  }
  for (const uint32_t index : by_slot_[slot.index()]) {
    add(arrivals_[index].step->number, arrivals_[index].move->axis);
  }
  const GroupId group = story_.problem().slot(slot).group;
  if (!group.valid()) return found;
  for (const uint32_t index : groups_[group.index()].arrivals) {
    add(arrivals_[index].step->number, arrivals_[index].move->axis);
  }
  return found;
}

// ---- Decisions ----------------------------------------------------------------------------------

namespace {

/// A chain that grows from its last decision back to its beginning.
class ChainWriter {
 public:
  explicit ChainWriter(std::vector<Decision>& decisions) : decisions_(decisions) {}

  std::size_t add(Decision decision) {
    decisions_.push_back(std::move(decision));
    link(decisions_.size() - 1);
    return decisions_.size() - 1;
  }
  /// Goes on with a decision that is told already.
  void link(std::size_t decision) {
    (end_ == kNoDecision ? last_ : decisions_[end_].previous) = decision;
    end_ = decision;
  }
  std::size_t last() const { return last_; }

 private:
  std::vector<Decision>& decisions_;
  std::size_t last_ = kNoDecision;  // decision of the chain, its first element
  std::size_t end_ = kNoDecision;
};

}  // namespace

// The rest of a chain depends on its arrival only, so it is printed once.
std::size_t Moves::chain(SlotId slot, AxisRef axis, const Mesh& mesh,
                         std::vector<Decision>& decisions) {
  ChainWriter chain(decisions);
  int64_t limit = INT64_MAX;  // steps before this one count
  while (const std::optional<uint32_t> found = last_arrival(slot, axis, limit)) {
    Arrival& arrival = arrivals_[*found];
    if (arrival.slot != slot) {
      chain.add({.kind = Decision::Kind::Group,
                 .step = arrival.step->number,
                 .axis = to_string(mesh, axis),
                 .from = story_.full_name_of(arrival.slot)});
    }
    if (arrival.decision != kNoDecision) {
      chain.link(arrival.decision);
      return chain.last();
    }
    arrival.decision = chain.add(decision(arrival, mesh));
    limit = arrival.step->number;
    axis = arrival.move->axis;
    slot = story_.storage(arrival.step->node, arrival.move->source);
  }
  chain.link(beginning(slot, axis, mesh, decisions));
  return chain.last();
}

Decision Moves::decision(const Arrival& arrival, const Mesh& mesh) const {
  const LoggedStep& step = *arrival.step;
  const std::size_t num_operands = story_.problem().node(step.node).num_operands;
  const bool from_operand = arrival.move->source < num_operands;
  const bool to_operand = arrival.move->target < num_operands;
  Decision made{.kind = Decision::Kind::Step,
                .step = step.number,
                .op = story_.op_name(step.node),
                .location = story_.location(step.node)};
  made.factor = factor_symbol(static_cast<int64_t>(arrival.move->factor));
  made.axis = to_string(mesh, arrival.move->axis);
  made.from = story_.full_name_of(story_.problem().tensors(step.node)[arrival.move->source].slot);
  made.direction =
      from_operand == to_operand ? "sideways" : (from_operand ? "forward" : "backward");
  made.user_priority = step.sweep.user_priority;
  made.level = step.sweep.level;
  made.strategy = step.sweep.strategy == FactorStrategy::Basic ? "basic" : "aggressive";
  return made;
}

/// How a slot had the axis before the first step: the user wrote it there, its sharding group
/// began with it, or the passes before propagation put it there.
std::size_t Moves::beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                             std::vector<Decision>& decisions) {
  const auto [known, is_new] = beginnings_.try_emplace({slot.value, axis}, kNoDecision);
  if (!is_new) return known->second;
  ChainWriter chain(decisions);
  if (const auto member = sharded_member(slot, axis, mesh)) {
    chain.add({.kind = Decision::Kind::Group,
               .axis = to_string(mesh, axis),
               .from = story_.full_name_of(*member)});
    slot = story_.storage(*member);
  }
  const bool is_written = has_axis(story_.written_sharding(slot), mesh, axis);
  const bool is_known =
      story_.origins[slot.index()].written.has_value() || story_.function_result(slot) != nullptr;
  if (!is_written && is_known) {
    chain.add({.kind = Decision::Kind::Import,
               .axis = to_string(mesh, axis),
               .from = imported_from(slot, axis, mesh),
               .to = story_.full_name_of(slot)});
  } else {
    chain.add({.kind = Decision::Kind::Annotation,
               .axis = to_string(mesh, axis),
               .from = story_.full_name_of(slot)});
  }
  return known->second = chain.last();
}

const std::string& Moves::imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh) {
  const std::optional<ir::ValueId> written = story_.function_result(slot) != nullptr
                                                 ? story_.returned_value(slot)
                                                 : story_.origins[slot.index()].written;
  if (!written) return no_import_;
  const ir::ValueId value = *written;
  const auto [known, is_new] = imports_.try_emplace({value.value, axis});
  if (is_new) known->second = find_import(value, axis, mesh);
  return known->second;
}

/// Returns the source of the axis: a constraint on the value, or the callee of a call.
std::string Moves::find_import(ir::ValueId value, const AxisRef& axis, const Mesh& mesh) const {
  const ir::Module& written = story_.written.module();
  for (const ir::Use& use : written.uses(value)) {
    if (!written.is(use.op, ir::OpKind::SdyShardingConstraint)) continue;
    const ir::ValueId constraint = written.result(use.op);
    if (has_axis(ir::get_sharding(written, constraint), mesh, axis)) {
      return story_.written.name(constraint);
    }
  }
  const ir::OpId op = written.defining_op(value);
  const auto* target =
      op.valid() ? written.attribute<std::string>(op, ir::attr::kCallTargetName) : nullptr;
  if (target != nullptr && *target == "xla.sdy.FuncResultSharding") {
    return story_.written.name(value);
  }
  if (!op.valid() || !written.is(op, ir::OpKind::FuncCall)) return {};
  const auto* callee = written.attribute<ir::SymbolAttr>(op, ir::attr::kCallee);
  return callee != nullptr ? "the results of @" + callee->name : std::string();
}

}  // namespace shardy::propagation::detail

#include "ir_explain_chains.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::propagation::detail {

Moves::Moves(const Story& story) : story_(story), by_slot_(story.problem().num_slots()) {
  for (const LoggedStep& step : story.log.steps()) {
    for (const AxisMove& move : step.moves) {
      const SlotId to = story.storage(step.node, move.target);
      if (to.valid()) by_slot_[to.index()].push_back({&step, &move, to});
    }
  }
  for (const GroupCopy& copy : story.log.group_copies()) {
    tied_.insert(story.problem().slot(copy.member).group);
  }
}

std::vector<Decision> Moves::chain(SlotId slot, AxisRef axis, const Mesh& mesh) const {
  std::vector<Decision> chain;
  int64_t limit = INT64_MAX;  // steps before this one count
  while (const Arrival* arrival = last_arrival_in_group(slot, axis, limit)) {
    if (arrival->slot != slot) {
      chain.push_back({.kind = Decision::Kind::Group,
                       .step = arrival->step->number,
                       .axis = to_string(mesh, axis),
                       .from = story_.full_name_of(arrival->slot)});
    }
    chain.push_back(decision(*arrival, mesh));
    limit = arrival->step->number;
    axis = arrival->move->axis;
    slot = story_.storage(arrival->step->node, arrival->move->source);
  }
  add_beginning(slot, axis, mesh, chain);
  return chain;
}

const Moves::Arrival* Moves::last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const {
  const std::vector<Arrival>& all = by_slot_[slot.index()];
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if (at->step->number < limit && touches(at->move->axis, axis)) return &*at;
  }
  return nullptr;
}

/// What came to one member of a sharding group came to all of them at once.
const Moves::Arrival* Moves::last_arrival_in_group(SlotId slot, const AxisRef& axis,
                                                   int64_t limit) const {
  const Arrival* last = last_arrival(slot, axis, limit);
  const GroupId group = story_.problem().slot(slot).group;
  if (!group.valid() || !tied_.contains(group)) return last;
  for (const SlotId member : story_.problem().members(group)) {
    const SlotId stored = story_.storage(member);
    const Arrival* other = stored.valid() ? last_arrival(stored, axis, limit) : nullptr;
    const bool is_later =
        other != nullptr && (last == nullptr || last->step->number < other->step->number);
    if (is_later) last = other;
  }
  return last;
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
void Moves::add_beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                          std::vector<Decision>& chain) const {
  if (const auto member = sharded_member(slot, axis, mesh)) {
    chain.push_back({.kind = Decision::Kind::Group,
                     .axis = to_string(mesh, axis),
                     .from = story_.full_name_of(*member)});
    slot = story_.storage(*member);
  }
  const bool is_written = has_axis(story_.written_sharding(slot), mesh, axis);
  const bool is_known = story_.origins[slot.index()].written.has_value();
  if (!is_written && is_known) {
    chain.push_back({.kind = Decision::Kind::Import,
                     .axis = to_string(mesh, axis),
                     .from = imported_from(slot, axis, mesh),
                     .to = story_.full_name_of(slot)});
    return;
  }
  chain.push_back({.kind = Decision::Kind::Annotation,
                   .axis = to_string(mesh, axis),
                   .from = story_.full_name_of(slot)});
}

/// The member whose sharding its group took over in the beginning; nothing if the slot had the
/// axis by itself. Spec: propagation 13.
std::optional<SlotId> Moves::sharded_member(SlotId slot, const AxisRef& axis,
                                            const Mesh& mesh) const {
  if (has_axis(story_.before[slot.index()], mesh, axis)) return std::nullopt;
  const GroupId group = story_.problem().slot(slot).group;
  if (!group.valid()) return std::nullopt;
  for (const SlotId member : story_.problem().members(group)) {
    const SlotId stored = story_.storage(member);
    if (stored.valid() && has_axis(story_.before[stored.index()], mesh, axis)) return member;
  }
  return std::nullopt;
}

/// What wanted the axis there: a constraint on the value, or the function that a call calls.
std::string Moves::imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh) const {
  const ir::Module& written = story_.written.module();
  const ir::ValueId value = *story_.origins[slot.index()].written;
  for (const ir::Use& use : written.uses(value)) {
    if (!written.is(use.op, ir::OpKind::SdyShardingConstraint)) continue;
    const ir::ValueId constraint = written.result(use.op);
    if (has_axis(ir::get_sharding(written, constraint), mesh, axis)) {
      return story_.written.name(constraint);
    }
  }
  const ir::OpId op = written.defining_op(value);
  if (!op.valid() || !written.is(op, ir::OpKind::FuncCall)) return {};
  const auto* callee = written.attribute<ir::SymbolAttr>(op, "callee");
  return callee != nullptr ? "the results of @" + callee->name : std::string();
}

}  // namespace shardy::propagation::detail

#include "ir_explain_absent.hpp"

#include <algorithm>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::propagation::detail {

using ir::OpId;
using Why = AbsentAxis::Why;

namespace {

/// Returns the factor of an axis that follows `shards` of the dim: axes fill the
/// factors major to minor. Spec: propagation 5.
uint32_t factor_at(const RuleLayout& layout, EntryRange entries, int64_t shards) {
  for (std::size_t entry = entries.begin; entry + 1 < entries.end; ++entry) {
    const int64_t size = layout.factor_size(layout.entry_factor(entry));
    if (shards < size) return static_cast<uint32_t>(layout.entry_factor(entry));
    shards /= std::max<int64_t>(1, size);
  }
  return static_cast<uint32_t>(layout.entry_factor(entries.end - 1));
}

/// The dim of a tensor that has a factor.
std::optional<std::size_t> dim_of(const RuleLayout& layout, std::size_t tensor,
                                  std::size_t factor) {
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

}  // namespace

Absences::Absences(const Story& story)
    : story_(story), holders_(story.problem().num_nodes()), uses_(story.problem().num_slots()) {
  for (uint32_t slot = 0; slot < story.problem().num_slots() && mesh_.num_axes() == 0; ++slot) {
    const auto& sharding = story.problem().sharding(SlotId(slot));
    if (sharding) mesh_ = sharding->mesh();
  }
  for (uint32_t node = 0; node < story.problem().num_nodes(); ++node) add_node(NodeId(node));
}

void Absences::add_node(NodeId node) {
  const OpId op = story_.solved.ops[node.index()];
  if (op.valid() && story_.module.is_erased(op)) return;
  const std::span<const TensorUse> tensors = story_.problem().tensors(node);
  for (uint32_t tensor = 0; tensor < tensors.size(); ++tensor) {
    const SlotId storage = story_.storage(node, tensor);
    if (!storage.valid()) continue;
    uses_[storage.index()].push_back({node, tensor});
    add_holders(node, tensor);
  }
}

void Absences::add_holders(NodeId node, uint32_t tensor) {
  const Problem& problem = story_.problem();
  const auto& sharding = problem.sharding(problem.tensors(node)[tensor].slot);
  if (!sharding) return;
  const RuleId rule = problem.node(node).rule;
  const RuleLayout* layout = rule.valid() ? &problem.rule(rule) : nullptr;
  for (uint32_t dim = 0; dim < sharding->rank(); ++dim) {
    int64_t shards = 1;
    for (const AxisRef& axis : sharding->dim(dim).axes) {
      Holder holder{axis.axis, kNoFactor, tensor, dim};
      if (layout != nullptr) {
        const EntryRange entries = layout->dim_entries(tensor, dim);
        if (entries.begin == entries.end) continue;  // a dim without factors
        holder.factor = factor_at(*layout, entries, shards);
      }
      shards *= axis.size;
      std::vector<Holder>& known = holders_[node.index()];
      const bool is_known = std::ranges::any_of(known, [&](const Holder& each) {
        return each.axis == holder.axis && each.factor == holder.factor;
      });
      if (!is_known) known.push_back(holder);
    }
  }
}

bool Absences::is_manual(const Mesh& mesh, int32_t axis, OpId around) const {
  for (OpId op = around; op.valid(); op = story_.module.parent_op(op)) {
    const AxisNames names = ir::detail::manual_axes_of(story_.module, op);
    if (std::ranges::find(names, mesh.axis_name(axis)) != names.end()) return true;
  }
  return false;
}

/// std::nullopt: the op does not relate the value and that axis.
std::optional<Why> Absences::why(const Use& use, const Holder& holder) const {
  if (holder.factor == kNoFactor) return Why::NoRule;
  const Problem& problem = story_.problem();
  const RuleLayout& layout = problem.rule(problem.node(use.node).rule);
  const std::optional<std::size_t> dim = dim_of(layout, use.tensor, holder.factor);
  if (!dim) return Why::NoFactor;
  const auto& sharding = problem.sharding(problem.tensors(use.node)[use.tensor].slot);
  const bool is_closed = sharding && *dim < sharding->rank() && sharding->is_closed(*dim);
  return is_closed ? Why::Closed : Why::Lost;
}

AbsentAxis Absences::reason(SlotId slot, int32_t axis) const {
  AbsentAxis reason;
  const SlotId storage = story_.storage(slot);
  if (!storage.valid()) return reason;
  for (const Use& use : uses_[storage.index()]) {
    for (const Holder& holder : holders_[use.node.index()]) {
      if (holder.axis != axis) continue;
      const std::optional<Why> found = why(use, holder);
      if (!found || *found >= reason.why) continue;
      reason = {.why = *found,
                .axis = {},
                .op = story_.op_name(use.node),
                .location = story_.location(use.node),
                .holder = story_.name_of(story_.problem().tensors(use.node)[holder.tensor].slot),
                .dim = holder.dim,
                .factor = holder.factor == kNoFactor
                              ? std::string()
                              : factor_symbol(static_cast<int64_t>(holder.factor))};
    }
  }
  return reason;
}

std::vector<AbsentAxis> Absences::of(SlotId slot, OpId around) const {
  std::vector<AbsentAxis> absent;
  if (story_.problem().shape(slot).empty()) return absent;
  const std::optional<TensorSharding>& sharding = story_.problem().sharding(slot);
  const Mesh& mesh = sharding ? sharding->mesh() : mesh_;
  for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.num_axes()); ++axis) {
    if (mesh.axis_size(axis) == 1 || is_manual(mesh, axis, around)) continue;
    const bool is_written = sharding && is_replicated(*sharding, axis);
    if (!is_written && sharding && has_whole_or_part(*sharding, axis)) continue;
    AbsentAxis reason = is_written ? AbsentAxis{.why = Why::Written} : this->reason(slot, axis);
    reason.axis = to_string(mesh, AxisRef{axis, 1, mesh.axis_size(axis)});
    absent.push_back(std::move(reason));
  }
  return absent;
}

}  // namespace shardy::propagation::detail

// The steps through which a slot got the axes of its sharding.
#pragma once

#include <cstdint>
#include <functional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <vector>

namespace shardy::propagation {

/// A propagation step, or a copy within a group, that added a sub-axis to a slot.
struct SlotStep {
  int64_t step = 0;  // number in the log; a copy has the number of its step
  NodeId node;       // node of the step; invalid: a copy from another member of the group
  AxisRef axis;      // the sub-axis that was added
  SlotId source;     // slot that had the axis
  SlotId target;     // slot that got the axis
  SweepInfo sweep;   // sweep of the step
};

/// Returns the steps through which axes came to `slot`, and the steps through which these axes came
/// to their sources, back to the initial shardings. Steps are in the order of the log, without
/// duplicates. Requires: `log` is of a propagation of `problem`; `slot` is an id of the problem.
/// Cost: number of logged steps times number of returned steps.
std::vector<SlotStep> explain(const Problem& problem, const DecisionLog& log, SlotId slot);

/// Names of slots and nodes in explanation_text.
struct ExplainNames {
  std::function<std::string(SlotId)> slot = {};  // default: `slot 3`, or `slot tag 7`
  std::function<std::string(NodeId)> node = {};  // default: `node 3`, or `node tag 7`
};

/// Returns one line per step of `explain`: `step 4: "data" from h to y through add, priority 1`.
/// Requires: as explain.
std::string explanation_text(const Problem& problem, const DecisionLog& log, SlotId slot,
                             const ExplainNames& names = {});

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <shardy/algebra/text.hpp>
#include <span>
#include <tuple>

namespace shardy::propagation::detail {

/// A tracer that follows axes back through a log.
class SlotTracer {
 public:
  SlotTracer(const Problem& problem, const DecisionLog& log) : problem_(problem), log_(log) {}

  /// Returns the steps before step `end` by which `axis` came to the slot; any axis if `axis` is
  /// null.
  std::vector<SlotStep> arrivals(SlotId slot, const AxisRef* axis, int64_t end) const;
  bool is_same_storage(SlotId a, SlotId b) const {
    return problem_.slot(a).storage == problem_.slot(b).storage;
  }

 private:
  void add_moves(const LoggedStep& step, SlotId slot, const AxisRef* axis,
                 std::vector<SlotStep>& found) const;
  void add_copies(SlotId slot, const AxisRef* axis, int64_t end,
                  std::vector<SlotStep>& found) const;

  const Problem& problem_;
  const DecisionLog& log_;
};

SHARDY_INLINE void SlotTracer::add_moves(const LoggedStep& step, SlotId slot, const AxisRef* axis,
                                         std::vector<SlotStep>& found) const {
  const std::span<const TensorUse> tensors = problem_.tensors(step.node);
  for (const AxisMove& move : step.moves) {
    const SlotId target = tensors[move.target].slot;
    if (!is_same_storage(target, slot)) continue;
    if (axis != nullptr && !overlaps(move.axis, *axis)) continue;
    found.push_back(
        {step.number, step.node, move.axis, tensors[move.source].slot, target, step.sweep});
  }
}

/// Adds the group copies to `slot`. A copy passes on the axes that its source got in the copied
/// step.
SHARDY_INLINE void SlotTracer::add_copies(SlotId slot, const AxisRef* axis, int64_t end,
                                          std::vector<SlotStep>& found) const {
  for (const GroupCopy& copy : log_.group_copies()) {
    if (copy.step >= end || !is_same_storage(copy.member, slot)) continue;
    for (const LoggedStep& step : log_.steps()) {
      if (step.number != copy.step) continue;
      std::vector<SlotStep> moves;
      add_moves(step, copy.from, axis, moves);
      for (const SlotStep& move : moves) {
        found.push_back({copy.step, {}, move.axis, copy.from, copy.member, step.sweep});
      }
    }
  }
}

SHARDY_INLINE std::vector<SlotStep> SlotTracer::arrivals(SlotId slot, const AxisRef* axis,
                                                         int64_t end) const {
  std::vector<SlotStep> found;
  for (const LoggedStep& step : log_.steps()) {
    if (step.number >= end) break;
    add_moves(step, slot, axis, found);
  }
  add_copies(slot, axis, end, found);
  return found;
}

inline auto identity_of(const SlotStep& step) {
  return std::tuple(step.step, !step.node.valid(), step.target, step.axis, step.source);
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE std::vector<SlotStep> explain(const Problem& problem, const DecisionLog& log,
                                            SlotId slot) {
  SHARDY_EXPECTS(slot.valid() && slot.index() < problem.num_slots());
  const detail::SlotTracer tracer(problem, log);
  const int64_t end = log.steps().empty() ? 0 : log.steps().back().number + 1;
  std::vector<SlotStep> steps = tracer.arrivals(slot, nullptr, end);
  for (std::size_t next = 0; next < steps.size(); ++next) {
    const SlotStep step = steps[next];
    // A copy has the number of the step in which its source got the axis, so this step is included.
    const int64_t before = step.node.valid() ? step.step : step.step + 1;
    for (const SlotStep& earlier : tracer.arrivals(step.source, &step.axis, before)) {
      const auto is_known = [&](const SlotStep& known) {
        return detail::identity_of(known) == detail::identity_of(earlier);
      };
      if (std::ranges::none_of(steps, is_known)) steps.push_back(earlier);
    }
  }
  std::ranges::sort(steps, [](const SlotStep& a, const SlotStep& b) {
    return detail::identity_of(a) < detail::identity_of(b);
  });
  return steps;
}

SHARDY_INLINE std::string explanation_text(const Problem& problem, const DecisionLog& log,
                                           SlotId slot, const ExplainNames& names) {
  const auto name = [&](const auto& callback, auto id, const char* kind) {
    if (callback) return callback(id);
    const uint64_t tag = problem.tag(id);
    return std::string(kind) +
           (tag == 0 ? " " + std::to_string(id.value) : " tag " + std::to_string(tag));
  };
  std::string text;
  for (const SlotStep& step : explain(problem, log, slot)) {
    const Mesh& mesh = problem.sharding(step.target)->mesh();
    text += "step " + std::to_string(step.step) + ": " + to_string(mesh, step.axis) + " from " +
            name(names.slot, step.source, "slot") + " to " + name(names.slot, step.target, "slot");
    text +=
        step.node.valid() ? " through " + name(names.node, step.node, "node") : ", of its group";
    text += ", priority " + std::to_string(step.sweep.user_priority) + "\n";
  }
  return text;
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES

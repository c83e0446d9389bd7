#pragma once

#include <map>
#include <optional>
#include <shardy/propagation/log.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>

namespace shardy::propagation {

/// The origins of the axes of each value: per slot and axis, the name of the input, output,
/// constraint or manual computation that had it first. Spec: propagation 16.1.
class Origins {
 public:
  using OfSlot = std::map<AxisRef, std::string>;

  /// Adds an origin; the first origin of an axis stays.
  void add(SlotId storage, const AxisRef& axis, const std::string& origin) {
    origins_[storage].emplace(axis, origin);
  }
  /// `slot` shares the origins of `storage`: a function result has those of the returned value.
  void share(SlotId slot, SlotId storage) { shared_[slot] = storage; }
  /// Gives every axis moved by a step the origin that it has on its source.
  void follow(const Problem& problem, const DecisionLog& log);

  const OfSlot& of(SlotId storage) const {
    static const OfSlot kNone;
    const auto found = origins_.find(storage);
    return found == origins_.end() ? kNone : found->second;
  }
  /// Returns the origin of `axis`, or of a recorded ref that contains it or is part of it.
  std::optional<std::string> find(SlotId storage, const AxisRef& axis) const;

 private:
  std::map<SlotId, OfSlot> origins_;
  std::map<SlotId, SlotId> shared_;
};

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
namespace shardy::propagation {

SHARDY_INLINE std::optional<std::string> Origins::find(SlotId storage, const AxisRef& axis) const {
  const OfSlot& origins = of(storage);
  if (const auto exact = origins.find(axis); exact != origins.end()) return exact->second;
  for (const auto& [other, origin] : origins) {
    if (contains(other, axis) || contains(axis, other)) return origin;
  }
  return std::nullopt;
}

SHARDY_INLINE void Origins::follow(const Problem& problem, const DecisionLog& log) {
  for (const LoggedStep& step : log.steps()) {
    const auto tensors = problem.tensors(step.node);
    const auto storage = [&](std::size_t tensor) {
      const SlotId stored = problem.slot(tensors[tensor].slot).storage;
      const auto shared = shared_.find(stored);
      return shared != shared_.end() ? shared->second : stored;
    };
    for (const AxisMove& move : step.moves) {
      const auto origin = find(storage(move.source), move.axis);
      if (origin) add(storage(move.target), move.axis, *origin);
    }
  }
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES

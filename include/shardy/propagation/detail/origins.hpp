#pragma once

#include <map>
#include <optional>
#include <shardy/propagation/log.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>

namespace shardy::propagation {

/// The origin of each axis of each value: the name of the input, output, constraint or manual
/// computation that had the axis first. Spec: propagation 16.1.
class Origins {
 public:
  using SlotOrigins = std::map<AxisRef, std::string>;

  /// Records an origin, unless the axis already has one.
  void add(SlotId storage, const AxisRef& axis, const std::string& origin) {
    origins_[storage].emplace(axis, origin);
  }
  /// Records that `slot` has the origins of `storage`. Example: a function result has the origins
  /// of the returned value.
  void share(SlotId slot, SlotId storage) { shared_[slot] = storage; }
  /// Records the origins of all axes that steps moved: an axis has the origin that it has in the
  /// source tensor.
  void follow(const Problem& problem, const DecisionLog& log);

  const SlotOrigins& of(SlotId storage) const {
    static const SlotOrigins kNone;
    const auto found = origins_.find(storage);
    return found == origins_.end() ? kNone : found->second;
  }
  /// Returns the origin recorded for `axis`, or for an axis ref that contains `axis` or is
  /// contained in it.
  std::optional<std::string> find(SlotId storage, const AxisRef& axis) const;

 private:
  std::map<SlotId, SlotOrigins> origins_;
  std::map<SlotId, SlotId> shared_;
};

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
namespace shardy::propagation {

SHARDY_INLINE std::optional<std::string> Origins::find(SlotId storage, const AxisRef& axis) const {
  const SlotOrigins& origins = of(storage);
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

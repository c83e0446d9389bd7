#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_ref.hpp>
#include <string_view>
#include <vector>

namespace shardy::propagation {

/// Why an axis did not go where it was wanted.
enum class ConflictReason : uint8_t {
  TensorsDisagree,  // two tensors shard the factor differently (5.2)
  OtherFactor,      // the tensor uses the axis on another factor, or in its overflow (5.3)
  Replicated,       // the tensor replicates the axis explicitly
  Unreduced,        // the tensor is unreduced along the axis
  Closed,           // the dim may not be sharded further
  Overflow,         // an earlier axis of the dim does not fit the factors of the dim
  DoesNotDivide,    // the factor has no room left that the axis divides
  SubAxis,          // conservative propagation moves whole axes only
  ResultAccepts,    // an operand of an elementwise op takes no more than its result did (6)
};

/// Name of `reason` in reports: "other factor", "closed", ...
constexpr std::string_view to_string(ConflictReason reason) {
  constexpr std::string_view kNames[] = {
      "tensors disagree", "other factor", "replicated", "unreduced",      "closed",
      "overflow",         "not dividing", "sub-axis",   "result accepts",
  };
  return kNames[static_cast<std::size_t>(reason)];
}

/// An axis that propagation cut or dropped, and the tightest obstacle it met.
struct Conflict {
  std::size_t factor = 0;
  AxisRef wanted;
  std::optional<AxisRef> kept;  // the part that went on; nullopt: nothing
  ConflictReason reason = ConflictReason::TensorsDisagree;
  std::size_t tensor = 0;                   // that is in the way: operands, then results
  std::optional<std::size_t> other_factor;  // that holds the axis there
  std::optional<std::size_t> target;        // tensor that goes without; nullopt: all of them

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// Discards conflicts, for runs without an observer.
struct NoConflicts {
  static constexpr bool enabled = false;  // NOLINT(readability-identifier-naming): as ConflictList

  void add(const Conflict& /*conflict*/) {}
  void clear() {}
};

/// Conflicts of one step, if anybody wants to know.
class ConflictList {
 public:
  bool enabled = false;

  void add(const Conflict& conflict) {
    if (enabled) conflicts_.push_back(conflict);
  }
  void clear() { conflicts_.clear(); }
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  std::vector<Conflict> conflicts_;
};

}  // namespace shardy::propagation

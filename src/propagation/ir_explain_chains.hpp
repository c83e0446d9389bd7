// The way of an axis from the annotation that it comes from to a value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir_explain_story.hpp"

namespace shardy::propagation::detail {

/// Who moved axes to each slot, and which groups copied to it, in the order of the steps.
class Moves {
 public:
  explicit Moves(const Story& story);

  /// From the last decision back to the annotation. `slot` is a storage.
  std::vector<Decision> chain(SlotId slot, AxisRef axis, const Mesh& mesh) const;

 private:
  struct Arrival {
    const LoggedStep* step;
    const AxisMove* move;
    SlotId slot;
  };

  const Arrival* last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  const Arrival* last_arrival_in_group(SlotId slot, const AxisRef& axis, int64_t limit) const;
  Decision decision(const Arrival& arrival, const Mesh& mesh) const;
  void add_beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                     std::vector<Decision>& chain) const;
  std::optional<SlotId> sharded_member(SlotId slot, const AxisRef& axis, const Mesh& mesh) const;
  std::string imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh) const;

  const Story& story_;
  std::vector<std::vector<Arrival>> by_slot_;
  std::set<GroupId> tied_;  // whose members copied from each other
};

}  // namespace shardy::propagation::detail

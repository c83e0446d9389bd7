// The way of an axis from the annotation that it comes from to a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir_explain_story.hpp"

namespace shardy::propagation::detail {

/// Moves of axes to each slot, by nodes and groups, in the order of the steps.
class Moves {
 public:
  explicit Moves(const Story& story);

  /// Adds the decisions that are not there yet; returns the last one. `slot` is a storage.
  std::size_t chain(SlotId slot, AxisRef axis, const Mesh& mesh, std::vector<Decision>& decisions);
  /// The first step that moved the axis, a part of it or more of it to the slot, up to `limit`.
  const LoggedStep* first_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  /// The parts in which the axis came to the slot, and when; those of its group as well.
  std::vector<AxisArrival> arrivals_of_axis(SlotId slot, const AxisRef& axis) const;

 private:
  struct Arrival {
    const LoggedStep* step;
    const AxisMove* move;
    SlotId slot;
    std::size_t decision = kNoDecision;  // among those of the explanation, once it is told
  };
  /// An axis that a member of a group had before the first step.
  struct Beginning {
    std::string name;  // of the axis
    AxisRef axis;
    SlotId member;
  };
  struct Group {
    std::vector<uint32_t> arrivals;  // at any member, if they copied from each other
    std::vector<Beginning> beginnings;
  };
  using Place = std::pair<uint32_t, AxisRef>;  // a slot or a value, and an axis of it

  void add_arrivals();
  void add_groups();
  std::vector<uint32_t> arrivals_of(std::span<const SlotId> members) const;
  std::vector<Beginning> beginnings_of(std::span<const SlotId> members) const;
  std::optional<uint32_t> last_of(std::span<const uint32_t> arrivals, const AxisRef& axis,
                                  int64_t limit) const;
  std::optional<uint32_t> last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const;
  Decision decision(const Arrival& arrival, const Mesh& mesh) const;
  std::size_t beginning(SlotId slot, const AxisRef& axis, const Mesh& mesh,
                        std::vector<Decision>& decisions);
  std::optional<SlotId> sharded_member(SlotId slot, const AxisRef& axis, const Mesh& mesh) const;
  const std::string& imported_from(SlotId slot, const AxisRef& axis, const Mesh& mesh);
  std::string find_import(ir::ValueId value, const AxisRef& axis, const Mesh& mesh) const;

  const Story& story_;
  std::vector<Arrival> arrivals_;
  std::vector<std::vector<uint32_t>> by_slot_;
  std::vector<Group> groups_;
  std::map<Place, std::size_t> beginnings_;  // by slot: decisions that were told
  const std::string no_import_;
  std::map<Place, std::string> imports_;  // by value, as written
};

}  // namespace shardy::propagation::detail

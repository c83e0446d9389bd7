// Why values are replicated along axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir_explain_story.hpp"

namespace shardy::propagation::detail {

/// Axes of the ops around a value that the value lacks.
class Absences {
 public:
  /// Cost: linear in the tensors of all ops.
  explicit Absences(const Story& story);

  /// `around`: the op in whose region the value is. Cost: axes times ops at the value.
  std::vector<AbsentAxis> of(SlotId slot, ir::OpId around) const;

 private:
  static constexpr uint32_t kNoFactor = UINT32_MAX;
  /// A tensor of a node that has an axis; the first one of that factor.
  struct Holder {
    int32_t axis = 0;
    uint32_t factor = kNoFactor;  // of nodes without a rule
    uint32_t tensor = 0;
    uint32_t dim = 0;
  };
  struct Use {
    NodeId node;
    uint32_t tensor = 0;
  };

  void add_node(NodeId node);
  void add_holders(NodeId node, uint32_t tensor);
  bool is_manual(const Mesh& mesh, int32_t axis, ir::OpId around) const;
  AbsentAxis reason(SlotId slot, int32_t axis) const;
  std::optional<AbsentAxis::Why> why(const Use& use, const Holder& holder) const;

  const Story& story_;
  Mesh mesh_;                                 // of values without a sharding
  std::vector<std::vector<Holder>> holders_;  // by node
  std::vector<std::vector<Use>> uses_;        // by storage
};

}  // namespace shardy::propagation::detail

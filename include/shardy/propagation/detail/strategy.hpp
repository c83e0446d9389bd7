#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/propagation/detail/conflict.hpp>
#include <shardy/propagation/detail/op_priority.hpp>
#include <shardy/propagation/rule_layout.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// How conflicts between factors are resolved: an axis moves only if no tensor objects (basic), or
/// as far as each tensor lets it (aggressive).
enum class FactorStrategy : uint8_t { Basic, Aggressive };

namespace detail {
class PartAnswers;
}

/// Inputs of a strategy besides the projection.
struct FactorProblem {
  const RuleLayout& layout;
  std::span<const Direction> directions;  // one per factor
  bool is_elementwise = false;
  const Mesh* conservative_mesh = nullptr;  // if set, only whole axes of this mesh may move
  const Mesh* mesh = nullptr;               // of all axes; for parts
  detail::PartAnswers* parts = nullptr;     // none: nothing that a step asks is replaced
};

/// Sort key of factors that compete for an axis. Spec: propagation 6.3.
struct FactorKey {
  int64_t source_size = -1;  // -1: no tensor has the candidate axes
  int64_t shards = 0;        // of the candidate; elementwise ops only
  std::size_t source = 0;    // index of the source tensor
};

/// Memory that the strategies reuse from step to step.
struct StrategyMemory {
  std::vector<uint8_t> is_updated;    // one per tensor: the answer of a strategy
  std::vector<AxisList> candidates;   // one per factor
  std::vector<FactorKey> keys;        // one per factor
  std::vector<std::size_t> order;     // the factors, most urgent first
  std::vector<std::size_t> urgency;   // position of each factor in that order
  std::vector<std::size_t> entries;   // of one tensor
  std::vector<int64_t> tensor_sizes;  // products of factor sizes
  AxisList axes;
};

/// The same, with the receiver of conflicts: a ConflictList, or none (NoConflicts).
template <class Conflicts>
struct BasicStrategyScratch : StrategyMemory {
  Conflicts conflicts;  // of the last step
};
using StrategyScratch = BasicStrategyScratch<ConflictList>;

}  // namespace shardy::propagation

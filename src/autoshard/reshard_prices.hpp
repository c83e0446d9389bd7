// The shardings that values can have, and the prices of reshards between them: one plan for all
// equivalent reshards.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "autoshard/reshard_graph.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2.1, U.3.

namespace shardy::autoshard {

/// Returns a time as an integer number of femtoseconds.
int64_t femtoseconds(double seconds);

/// Prices of the plans of one planner on one mesh. The price of the cheapest plan does not change
///   - with the order of the dims of the tensor,
///   - if mesh axes of equal size are exchanged, and all links are direct and have equal costs,
///   - per byte, with the size of the element and of dims that all axes of the mesh divide, if
///     messages have no latency.
/// Reshards that differ only in these ways are equivalent and share a plan. Plans of other kinds
/// than the cheapest depend on order, axes and size, so they are not shared.
///
/// A planner needs long for all paths on meshes with more than five prime factors, and does not try
/// all of them with more than six. There, tensors with many states have the prices of a
/// ReshardGraph.
class ReshardPrices {
 public:
  /// `atoms` and `planner` must outlive it. After a stop, its prices must not be used.
  ReshardPrices(const MeshAtoms& atoms, ReshardPlanner& planner, std::stop_token stop = {});

  /// Returns the price in fs of a reshard between shardings on the mesh; kForbidden without a
  /// plan. Cost: a look-up, or one plan for all equivalent reshards.
  int64_t price(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to);

  /// Returns true if all links of the mesh are direct and cost the same.
  bool is_uniform() const { return is_uniform_; }

  /// Returns the number of reshards that were planned.
  std::size_t num_plans() const { return seconds_.size(); }

  /// A graph that several shapes share, with the factor of its seconds for one of them.
  struct ScaledGraph {
    ReshardGraph* graph = nullptr;
    double scale = 1;
    /// Returns the price in fs; kForbidden without a path.
    int64_t price(const GraphState& from, const GraphState& to) const;
  };
  /// Returns the graph that has the prices of a tensor with so many states; null: `price` has them.
  ScaledGraph graph_of(const TensorSize& tensor, std::size_t num_states);

 private:
  /// A dim with its axes before and after.
  struct DimMove {
    int64_t size = 1;
    AxisList from = {};
    AxisList to = {};
    friend auto operator<=>(const DimMove&, const DimMove&) = default;
    friend bool operator==(const DimMove&, const DimMove&) = default;
  };
  /// A reshard; the axes of partial sums are sorted.
  struct PricedReshard {
    std::vector<DimMove> dims = {};
    AxisList from_unreduced = {};
    AxisList to_unreduced = {};
    friend auto operator<=>(const PricedReshard&, const PricedReshard&) = default;
    friend bool operator==(const PricedReshard&, const PricedReshard&) = default;
  };

  PricedReshard renamed(const PricedReshard& move, const std::vector<int32_t>& names) const;
  double plan_seconds(const PricedReshard& move, int64_t element_bytes, ReductionOp op);

  const MeshAtoms& atoms_;
  const MeshRef& mesh_;
  ReshardPlanner& planner_;
  std::stop_token stop_;
  bool is_symmetric_ = false;                // in the order of dims
  bool is_uniform_ = false;                  // in the axes
  bool is_linear_ = false;                   // in bytes
  std::vector<std::vector<int32_t>> names_;  // of axes, by axis: all exchanges that change no price
  bool has_graphs_ = false;                  // for tensors with many states
  std::unordered_map<std::string, double> seconds_;  // below 0: no plan; for look-ups only
  std::map<std::pair<std::vector<int64_t>, int64_t>, ReshardGraph> graphs_;  // by shape and bytes
};

/// The states of tensors with one shape and element size, and the prices between them. States are
/// numbered. Partial states are added when strategies need them.
class StateSpace {
 public:
  /// `atoms` must outlive it. After a stop, the space lacks states and must not be used.
  StateSpace(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes,
             const std::stop_token& stop = {});

  /// Returns the number of states without unreduced axes. These states come first.
  int32_t num_complete() const { return num_complete_; }
  /// Returns the number of all states.
  int32_t size() const { return static_cast<int32_t>(states_.size()); }
  const TensorSharding& state(int32_t index) const {
    return states_[static_cast<std::size_t>(index)];
  }
  /// Returns the bytes of a device in the state.
  int64_t bytes(int32_t index) const { return bytes_[static_cast<std::size_t>(index)]; }
  /// Returns the number of a state. Adds the state if it is new.
  int32_t intern(const TensorSharding& state);
  /// Returns the price of a reshard in fs; kForbidden if no plan exists. Cost: one query of
  /// `prices` per new pair; later queries are cached. Requires: the same `prices` in all calls.
  int64_t price(int32_t from, int32_t to, ReshardPrices& prices);

 private:
  TensorSize size_of() const { return {shape_, element_bytes_}; }
  GraphState graph_state(const TensorSharding& state) const;

  const MeshAtoms& atoms_;
  std::vector<int64_t> shape_;
  int64_t element_bytes_;
  int32_t num_complete_ = 0;
  std::vector<TensorSharding> states_;
  std::vector<int64_t> bytes_;
  std::map<TensorSharding, int32_t> numbers_;
  std::vector<GraphState> graph_states_;         // by state
  std::unordered_map<int64_t, int64_t> prices_;  // key: from * 2^32 + to
  std::optional<ReshardPrices::ScaledGraph> graph_;
};

}  // namespace shardy::autoshard

// The shardings that values can have, and the prices of reshards between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "autoshard/reshard_graph.hpp"
#include "autoshard/reshard_prices.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2.1, U.3.3.

namespace shardy::autoshard {

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

// Shardings that values may have, with the prices of reshards between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "autoshard/reshard_graph.hpp"
#include "autoshard/reshard_prices.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2.1, U.3.3.

namespace shardy::autoshard {

/// All states of the tensors of one shape and element size, and prices between them. States are
/// numbered; partial states are added as strategies make them.
class StateSpace {
 public:
  /// `atoms` must outlive it.
  StateSpace(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes);

  /// Number of states without unreduced axes, which come first.
  int32_t num_complete() const { return num_complete_; }
  /// Number of all states.
  int32_t size() const { return static_cast<int32_t>(states_.size()); }
  const TensorSharding& state(int32_t index) const {
    return states_[static_cast<std::size_t>(index)];
  }
  /// Bytes of a device.
  int64_t bytes(int32_t index) const { return bytes_[static_cast<std::size_t>(index)]; }
  /// Returns the number of a state, which is added if it is new.
  int32_t intern(const TensorSharding& state);
  /// Returns the price of a reshard in fs; kForbidden if there is none. Cost: that of `prices` once
  /// per pair. Requires: always the same prices.
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
  std::unordered_map<int64_t, int64_t> prices_;  // by from * 2^32 + to
  std::optional<ReshardPrices::ScaledGraph> graph_;
};

}  // namespace shardy::autoshard

// Prices of all reshards from one state of a tensor, by paths of collectives along full atoms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "autoshard/mesh_atoms.hpp"
#include "shardy/resharding/cost.hpp"

// Spec: autoshard U.3.

namespace shardy::autoshard {

/// A state of a tensor in a graph: an assignment of atoms to dims, and the atoms of partial sums.
struct GraphState {
  int32_t assignment = -1;  // by for_each_assignment; -1: none
  uint32_t partial = 0;     // a bit per atom
};

/// The states of tensors of one shape, and the collectives between them that move full atoms and
/// keep shards even.
class ReshardGraph {
 public:
  /// `atoms` must outlive it. After a stop, the graph must not be used. Requires: at most 16 atoms.
  ReshardGraph(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes,
               CostModel model, std::stop_token stop = {});

  /// Returns the seconds of the cheapest path; below 0: none. Cost: one search for all states that
  /// can be reached from `from`, or from a state that exchanges of dims and atoms turn into it.
  double seconds(const GraphState& from, const GraphState& to);
  /// Number of searches so far.
  std::size_t num_searches() const { return rows_.size(); }

 private:
  using Lists = std::vector<std::vector<int32_t>>;
  /// A collective that keeps partial sums.
  struct Edge {
    int32_t to = 0;
    uint32_t taken = 0;  // atoms of the state after it
    double seconds = 0;
  };
  /// Seconds of an exchange by the bytes that a device holds before.
  struct AffineCost {
    double latency = 0;
    double per_byte = 0;
    double of(double bytes) const { return bytes == 0 ? 0 : latency + per_byte * bytes; }
  };

  void add_edges(int32_t state);
  void add_gathers(int32_t state);
  void add_slices(int32_t state);
  void add_exchanges(int32_t state);
  /// Adds edges to `rest` with the moved atoms at the end of a dim, in any order.
  void add_arrivals(int32_t state, Lists rest, std::size_t dim, std::vector<int32_t> moved,
                    double seconds);
  void add_scatters(int32_t state);
  void add_permutes();
  void add(int32_t from, const Lists& to, double seconds);
  double permute_seconds(int32_t from, int32_t to) const;
  AffineCost cost(StepKind kind, uint32_t atoms);
  int32_t number_of(const Lists& lists) const;
  uint32_t atoms_of(const Lists& lists) const;
  TensorSharding sharding(const Lists& lists) const;
  class Search;
  std::vector<double> search(const GraphState& from);

  /// An exchange of dims of equal size, and of atoms of equal size, that changes no price.
  struct Exchange {
    std::vector<int32_t> states;  // image of each state
    std::vector<int32_t> atoms;   // image of each atom
  };
  /// The result of a search, and the exchange that leads to its first state.
  struct Row {
    const std::vector<double>* seconds = nullptr;
    const Exchange* exchange = nullptr;
  };
  void find_exchanges();
  void add_exchange(std::span<const int32_t> dims, std::span<const int32_t> atoms);
  bool keeps_costs(std::span<const int32_t> atoms);
  const Row& row_of(const GraphState& from);

  /// States with as many shards in each dim, if all permutes between them cost the same.
  struct PermuteGroup {
    std::vector<int32_t> states;
    double seconds = 0;  // of a permute
  };

  const MeshAtoms& atoms_;
  std::vector<int64_t> shape_;
  int64_t element_bytes_;
  CostModel model_;
  std::stop_token stop_;
  bool is_uniform_ = false;  // all links are direct and cost the same
  std::vector<Lists> states_;
  std::map<Lists, int32_t> numbers_;
  std::vector<double> bytes_;             // of a device, by state
  std::vector<uint32_t> taken_;           // atoms, by state
  std::vector<std::vector<Edge>> edges_;  // by state
  std::vector<PermuteGroup> groups_;
  std::vector<int32_t> group_of_;            // by state; -1: `edges_` has the permutes
  std::vector<std::vector<Edge>> scatters_;  // by state; `taken` are the atoms of the sum
  std::map<std::pair<StepKind, uint32_t>, AffineCost> costs_;
  std::vector<AffineCost> sums_;     // costs of all-reduces, by atoms
  std::vector<Exchange> exchanges_;  // first the one that changes nothing
  // By assignment and partial atoms: seconds of searches, and rows of all states.
  std::unordered_map<uint64_t, std::vector<double>> rows_;
  std::unordered_map<uint64_t, Row> row_of_;
};

}  // namespace shardy::autoshard

// Cheapest paths between the states of a tensor.
//
//   mesh <["a"=2, "b"=4]>, tensor<8x8xf32>, from [{"a"}, {}]:
//     [{}, {}] by a gather, [{"a", "b"}, {}] by a slice, [{}, {"a"}] by an all-to-all,
//     then the states next to these
#include "autoshard/reshard_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/resharding/step.hpp"

namespace shardy::autoshard {

namespace {

constexpr std::size_t slot(int64_t index) { return static_cast<std::size_t>(index); }

constexpr uint32_t bit_of(int32_t atom) { return uint32_t{1} << static_cast<uint32_t>(atom); }

/// Exchanges that a graph uses. More of them cost more than the searches that they save.
constexpr std::size_t kMostExchanges = 72;
/// Dims or atoms of which all orders are tried.
constexpr std::size_t kMostExchanged = 6;

constexpr uint64_t key_of(const GraphState& state) {
  return (static_cast<uint64_t>(state.assignment) << 32U) | state.partial;
}

/// Returns all orders of so many places that keep `sizes`; the first one changes nothing.
std::vector<std::vector<int32_t>> orders_of(const std::vector<int64_t>& sizes) {
  std::vector<int32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int32_t>> orders{order};
  if (sizes.size() > kMostExchanged) return orders;
  while (std::next_permutation(order.begin(), order.end())) {
    bool keeps = true;
    for (std::size_t place = 0; place < sizes.size(); ++place) {
      keeps = keeps && sizes[place] == sizes[slot(order[place])];
    }
    if (keeps) orders.push_back(order);
  }
  return orders;
}

uint32_t image_of(uint32_t atoms, std::span<const int32_t> order) {
  uint32_t image = 0;
  for (std::size_t atom = 0; atom < order.size(); ++atom) {
    if ((atoms >> atom & 1U) != 0) image |= bit_of(order[atom]);
  }
  return image;
}

/// Calls `visit` with each order of each set of `atoms` but the empty one.
template <class Visit>
void for_each_order(uint32_t atoms, std::vector<int32_t>& list, const Visit& visit) {
  for (int32_t atom = 0; atoms >> static_cast<uint32_t>(atom) != 0; ++atom) {
    if ((atoms & bit_of(atom)) == 0) continue;
    list.push_back(atom);
    visit(list);
    for_each_order(atoms & ~bit_of(atom), list, visit);
    list.pop_back();
  }
}

/// Returns all subsets of a set, in decreasing order.
std::vector<uint32_t> subsets_of(uint32_t all) {
  std::vector<uint32_t> sets;
  for (uint32_t set = all; set != 0; set = (set - 1) & all) sets.push_back(set);
  sets.push_back(0);
  return sets;
}

}  // namespace

ReshardGraph::ReshardGraph(const MeshAtoms& atoms, std::vector<int64_t> shape,
                           int64_t element_bytes, CostModel model, std::stop_token stop)
    : atoms_(atoms),
      shape_(std::move(shape)),
      element_bytes_(element_bytes),
      model_(std::move(model)),
      stop_(std::move(stop)) {
  const auto axes = atoms_.mesh.mesh.axes();
  is_uniform_ = std::ranges::all_of(axes, [&](const MeshAxis& axis) {
    const AxisCost& cost = model_.of(axis.name);
    return cost.topology == Topology::Full && cost == model_.of(axes.front().name);
  });
  for_each_assignment(atoms, shape_, [&](std::span<const std::vector<int32_t>> dims) {
    Lists lists(dims.begin(), dims.end());
    numbers_.emplace(lists, static_cast<int32_t>(states_.size()));
    taken_.push_back(atoms_of(lists));
    bytes_.push_back(static_cast<double>(local_bytes({shape_, element_bytes_}, sharding(lists))));
    states_.push_back(std::move(lists));
    return !stop_.stop_requested();
  });
  for (uint32_t sum = 0; sum >> atoms.atoms.size() == 0; ++sum) {
    sums_.push_back(sum == 0 ? AffineCost{} : cost(StepKind::AllReduce, sum));
  }
  edges_.resize(states_.size());
  scatters_.resize(states_.size());
  for (std::size_t state = 0; state < states_.size() && !stop_.stop_requested(); ++state) {
    add_edges(static_cast<int32_t>(state));
  }
  add_permutes();
  find_exchanges();
}

uint32_t ReshardGraph::atoms_of(const Lists& lists) const {
  uint32_t atoms = 0;
  for (const std::vector<int32_t>& list : lists) {
    for (const int32_t atom : list) atoms |= bit_of(atom);
  }
  return atoms;
}

TensorSharding ReshardGraph::sharding(const Lists& lists) const {
  std::vector<AxisList> dims;
  for (const std::vector<int32_t>& list : lists) dims.push_back(axes_of(atoms_, list));
  return TensorSharding::closed(atoms_.mesh, std::move(dims));
}

int32_t ReshardGraph::number_of(const Lists& lists) const {
  const auto found = numbers_.find(lists);
  return found == numbers_.end() ? -1 : found->second;
}

/// Returns the cost of exchanges along a set of atoms: its price is linear in bytes.
ReshardGraph::AffineCost ReshardGraph::cost(StepKind kind, uint32_t atoms) {
  const auto [found, is_new] = costs_.try_emplace({kind, atoms});
  if (!is_new) return found->second;
  AxisList axes;
  for (int32_t atom = 0; slot(atom) < atoms_.atoms.size(); ++atom) {
    if ((atoms & bit_of(atom)) != 0) append_or_merge(axes, atoms_.atoms[slot(atom)]);
  }
  const Mesh& mesh = atoms_.mesh.mesh;
  // A multiple of the devices of a group, far from the largest number.
  constexpr int64_t kSquared = int64_t{1} << 30;
  constexpr int64_t kLargest = int64_t{1} << 61;
  const int64_t devices = std::min(sharding_size(axes), kLargest);
  const int64_t bytes = devices <= kSquared ? devices * devices : devices;
  const double once = exchange_cost(kind, bytes, mesh, axes, model_).seconds;
  const double twice = exchange_cost(kind, 2 * bytes, mesh, axes, model_).seconds;
  const double per_byte = (twice - once) / static_cast<double>(bytes);
  found->second = {std::max(0.0, 2 * once - twice), per_byte};
  return found->second;
}

void ReshardGraph::add(int32_t from, const Lists& to, double seconds) {
  const int32_t number = number_of(to);
  if (number >= 0) edges_[slot(from)].push_back({number, taken_[slot(number)], seconds});
}

void ReshardGraph::add_edges(int32_t state) {
  add_gathers(state);
  add_slices(state);
  add_exchanges(state);
  add_scatters(state);
}

void ReshardGraph::add_gathers(int32_t state) {
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    Lists to = states_[slot(state)];
    uint32_t gathered = 0;
    while (!to[dim].empty()) {
      gathered |= bit_of(to[dim].back());
      to[dim].pop_back();
      add(state, to, cost(StepKind::AllGather, gathered).of(bytes_[slot(state)]));
    }
  }
}

void ReshardGraph::add_slices(int32_t state) {
  Lists to = states_[slot(state)];
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    for (int32_t atom = 0; slot(atom) < atoms_.atoms.size(); ++atom) {
      if ((taken_[slot(state)] & bit_of(atom)) != 0) continue;
      to[dim].push_back(atom);
      add(state, to, 0);
      to[dim].pop_back();
    }
  }
}

/// Adds all-to-alls from the end of one dim to the end of another, in any order of the moved atoms.
void ReshardGraph::add_exchanges(int32_t state) {
  for (std::size_t source = 0; source < shape_.size(); ++source) {
    Lists rest = states_[slot(state)];
    std::vector<int32_t> moved;
    uint32_t atoms = 0;
    while (!rest[source].empty()) {
      moved.push_back(rest[source].back());
      atoms |= bit_of(moved.back());
      rest[source].pop_back();
      const double seconds = cost(StepKind::AllToAll, atoms).of(bytes_[slot(state)]);
      for (std::size_t target = 0; target < shape_.size(); ++target) {
        if (target != source) add_arrivals(state, rest, target, moved, seconds);
      }
    }
  }
}

void ReshardGraph::add_arrivals(int32_t state, Lists rest, std::size_t dim,
                                std::vector<int32_t> moved, double seconds) {
  const std::size_t kept = rest[dim].size();
  std::ranges::sort(moved);
  do {
    rest[dim].resize(kept);
    rest[dim].insert(rest[dim].end(), moved.begin(), moved.end());
    add(state, rest, seconds);
  } while (std::next_permutation(moved.begin(), moved.end()));
}

/// Adds sums along unused atoms that are scattered to the end of a dim, in any order of the atoms.
void ReshardGraph::add_scatters(int32_t state) {
  const uint32_t all = (uint32_t{1} << atoms_.atoms.size()) - 1;
  Lists to = states_[slot(state)];
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    const std::vector<int32_t> kept = to[dim];
    std::vector<int32_t> order;
    for_each_order(all & ~taken_[slot(state)], order, [&](const std::vector<int32_t>& added) {
      to[dim] = kept;
      to[dim].insert(to[dim].end(), added.begin(), added.end());
      const int32_t number = number_of(to);
      if (number < 0) return;
      const uint32_t sum = taken_[slot(number)] & ~taken_[slot(state)];
      const double seconds = cost(StepKind::ReduceScatter, sum).of(bytes_[slot(state)]);
      scatters_[slot(state)].push_back({number, sum, seconds});
    });
    to[dim] = kept;
  }
}

double ReshardGraph::permute_seconds(int32_t from, int32_t to) const {
  const ReshardStep step{.kind = StepKind::CollectivePermute, .out = sharding(states_[slot(to)])};
  const TensorSharding before = sharding(states_[slot(from)]);
  return step_cost({shape_, element_bytes_}, before, step, model_).seconds;
}

/// Adds permutes between states with as many shards in each dim. If all links have equal costs, so
/// do
/// all permutes of a group: then the group is stored instead of its edges, whose number is
/// quadratic.
void ReshardGraph::add_permutes() {
  std::map<std::vector<int64_t>, std::vector<int32_t>> alike;
  for (std::size_t state = 0; state < states_.size(); ++state) {
    const std::vector<int64_t> local = sharding(states_[state]).local_shape(shape_);
    alike[local].push_back(static_cast<int32_t>(state));
  }
  group_of_.assign(states_.size(), -1);
  for (auto& [local, group] : alike) {
    if (group.size() < 2) continue;
    if (is_uniform_) {
      const auto number = static_cast<int32_t>(groups_.size());
      for (const int32_t state : group) group_of_[slot(state)] = number;
      const double seconds = permute_seconds(group[0], group[1]);
      groups_.push_back({std::move(group), seconds});
      continue;
    }
    for (const int32_t from : group) {
      for (const int32_t to : group) {
        if (from == to) continue;
        edges_[slot(from)].push_back({to, taken_[slot(to)], permute_seconds(from, to)});
      }
    }
  }
}

/// A search for the cheapest paths from one state (Dijkstra). A place is a state and the set of
/// partial atoms that are left.
class ReshardGraph::Search {
 public:
  Search(const ReshardGraph& graph, const GraphState& from)
      : graph_(graph),
        sets_(subsets_of(from.partial)),
        best_(sets_.size() * graph.states_.size(), std::numeric_limits<double>::infinity()),
        is_left_(sets_.size() * graph.groups_.size(), 0) {
    reach(place_of(from.partial) + slot(from.assignment), 0);
  }

  /// Returns the seconds to each place.
  std::vector<double> run() {
    while (!queue_.empty() && !graph_.stop_.stop_requested()) {
      const auto [seconds, place] = queue_.top();
      queue_.pop();
      if (seconds > best_[place]) continue;
      leave_by_group(place, seconds);
      leave_by_edges(place, seconds);
      leave_by_sums(place, seconds);
    }
    return std::move(best_);
  }

 private:
  using QueuedState = std::pair<double, std::size_t>;

  std::size_t place_of(uint32_t set) const {
    return slot(std::ranges::find(sets_, set) - sets_.begin()) * graph_.states_.size();
  }
  uint32_t set_of(std::size_t place) const { return sets_[place / graph_.states_.size()]; }
  std::size_t state_of(std::size_t place) const { return place % graph_.states_.size(); }

  void reach(std::size_t place, double seconds) {
    if (!(seconds < best_[place])) return;
    best_[place] = seconds;
    queue_.emplace(seconds, place);
  }

  /// Permutes to the other states of the group. The first state that is reached is the nearest one:
  /// from the other states, permutes cost at least as much.
  void leave_by_group(std::size_t place, double seconds) {
    const std::size_t state = state_of(place);
    const int32_t group = graph_.group_of_[state];
    if (group < 0) return;
    const std::size_t set = place / graph_.states_.size();
    if (std::exchange(is_left_[set * graph_.groups_.size() + slot(group)], 1) != 0) return;
    const PermuteGroup& permutes = graph_.groups_[slot(group)];
    for (const int32_t to : permutes.states) {
      if ((graph_.taken_[slot(to)] & sets_[set]) != 0) continue;
      reach(place - state + slot(to), seconds + permutes.seconds);
    }
  }

  void leave_by_edges(std::size_t place, double seconds) {
    const std::size_t state = state_of(place);
    const uint32_t set = set_of(place);
    for (const Edge& edge : graph_.edges_[state]) {
      if ((edge.taken & set) != 0) continue;
      reach(place - state + slot(edge.to), seconds + edge.seconds);
    }
  }

  /// All-reduces and reduce-scatters.
  void leave_by_sums(std::size_t place, double seconds) {
    const std::size_t state = state_of(place);
    const uint32_t set = set_of(place);
    for (uint32_t sum = set; sum != 0; sum = (sum - 1) & set) {
      reach(place_of(set & ~sum) + state, seconds + graph_.sums_[sum].of(graph_.bytes_[state]));
    }
    if (set == 0) return;
    for (const Edge& edge : graph_.scatters_[state]) {
      if ((edge.taken & ~set) != 0) continue;
      reach(place_of(set & ~edge.taken) + slot(edge.to), seconds + edge.seconds);
    }
  }

  const ReshardGraph& graph_;
  const std::vector<uint32_t> sets_;  // of partial atoms
  std::vector<double> best_;          // by place
  std::vector<char> is_left_;         // by set and group: permutes done
  std::priority_queue<QueuedState, std::vector<QueuedState>, std::greater<>> queue_;
};

/// Returns the seconds to each state, by partial atoms of `from` that are left, then assignment.
std::vector<double> ReshardGraph::search(const GraphState& from) {
  return Search(*this, from).run();
}

// ---- Exchanges ----------------------------------------------------------------------------------

/// Checks whether collectives along exchanged atoms cost the same.
bool ReshardGraph::keeps_costs(std::span<const int32_t> atoms) {
  constexpr StepKind kKinds[] = {StepKind::AllGather, StepKind::AllToAll, StepKind::AllReduce,
                                 StepKind::ReduceScatter};
  for (uint32_t set = 1; set >> atoms.size() == 0; ++set) {
    for (const StepKind kind : kKinds) {
      const AffineCost one = cost(kind, set);
      const AffineCost other = cost(kind, image_of(set, atoms));
      if (one.latency != other.latency || one.per_byte != other.per_byte) return false;
    }
  }
  return true;
}

/// Adds an exchange, unless it leads to a state that is not in the graph.
void ReshardGraph::add_exchange(std::span<const int32_t> dims, std::span<const int32_t> atoms) {
  Exchange exchange{{}, {atoms.begin(), atoms.end()}};
  for (const Lists& state : states_) {
    Lists image(state.size());
    for (std::size_t dim = 0; dim < state.size(); ++dim) {
      for (const int32_t atom : state[dim]) image[slot(dims[dim])].push_back(atoms[slot(atom)]);
    }
    exchange.states.push_back(number_of(image));
    if (exchange.states.back() < 0) return;
  }
  exchanges_.push_back(std::move(exchange));
}

void ReshardGraph::find_exchanges() {
  std::vector<int64_t> sizes;
  for (const AxisRef& atom : atoms_.atoms) sizes.push_back(atom.size);
  std::vector<std::vector<int32_t>> orders = orders_of(sizes);
  if (!is_uniform_) orders.resize(1);
  std::erase_if(orders, [&](const std::vector<int32_t>& atoms) { return !keeps_costs(atoms); });
  const auto all_dims = orders_of(shape_);
  for (const std::vector<int32_t>& atoms : orders) {
    for (const std::vector<int32_t>& dims : all_dims) {
      if (exchanges_.size() < kMostExchanges) add_exchange(dims, atoms);
    }
  }
}

/// Returns the row of the first of the states that exchanges make from `from`.
const ReshardGraph::Row& ReshardGraph::row_of(const GraphState& from) {
  const auto [known, is_new] = row_of_.try_emplace(key_of(from));
  if (!is_new) return known->second;
  GraphState first;
  for (const Exchange& exchange : exchanges_) {
    const GraphState image{exchange.states[slot(from.assignment)],
                           image_of(from.partial, exchange.atoms)};
    const bool is_first = known->second.exchange == nullptr || key_of(image) < key_of(first);
    if (!is_first) continue;
    first = image;
    known->second.exchange = &exchange;
  }
  const auto [row, is_searched] = rows_.try_emplace(key_of(first));
  if (is_searched) row->second = search(first);
  known->second.seconds = &row->second;
  return known->second;
}

double ReshardGraph::seconds(const GraphState& from, const GraphState& to) {
  if ((to.partial & ~from.partial) != 0) return -1;
  const Row& row = row_of(from);
  const uint32_t start = image_of(from.partial, row.exchange->atoms);
  const uint32_t end = image_of(to.partial, row.exchange->atoms);
  std::size_t place = 0;
  for (uint32_t set = start; set != end; set = (set - 1) & start) place += states_.size();
  const double found = (*row.seconds)[place + slot(row.exchange->states[slot(to.assignment)])];
  return found < std::numeric_limits<double>::infinity() ? found : -1;
}

}  // namespace shardy::autoshard

// Splits a mesh into atoms, lists the states of tensors, and prices reshards between states.
//
//   mesh <["a"=2, "b"=2]>, tensor<8x3xf32>   ->   [{}, {}], [{"a"}, {}], [{"b"}, {}],
//                                                 [{"a", "b"}, {}], [{"b", "a"}, {}]
#include "autoshard/state_space.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "shardy/resharding/cost.hpp"

namespace shardy::autoshard {

namespace {

/// Returns the divisors at which an axis is split into atoms, ascending. Each divides the next one.
std::vector<int64_t> cuts_of(int64_t axis_size, std::span<const int64_t> factor_sizes) {
  std::vector<int64_t> wanted;
  for (const int64_t size : factor_sizes) {
    const int64_t common = std::gcd(axis_size, size);
    if (size > 0 && common > 1 && common < axis_size) wanted.push_back(common);
  }
  std::ranges::sort(wanted, std::greater<>());
  std::vector<int64_t> divisors;
  for (const int64_t divisor : wanted) {
    const int64_t above = divisors.empty() ? axis_size : divisors.back();
    if (divisor < above && above % divisor == 0) divisors.push_back(divisor);
  }
  std::ranges::reverse(divisors);
  return divisors;
}

}  // namespace

MeshAtoms cut_atoms(const MeshRef& mesh, std::span<const int64_t> factor_sizes, bool all_orders,
                    std::size_t most) {
  MeshAtoms atoms{mesh, {}, all_orders};
  std::vector<std::vector<int64_t>> cuts;  // by axis
  std::size_t num_atoms = 0;
  for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
    const int64_t size = mesh.mesh.full_axis(axis).size;
    cuts.push_back(cuts_of(size, factor_sizes));
    num_atoms += cuts.back().size() + (size > 1 ? 1 : 0);
  }
  for (; num_atoms > most; --num_atoms) {
    std::vector<int64_t>* least = nullptr;
    for (std::vector<int64_t>& each : cuts) {
      const bool is_less = !each.empty() && (least == nullptr || each.front() <= least->front());
      if (is_less) least = &each;
    }
    if (least == nullptr) break;
    least->erase(least->begin());
  }
  for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
    const int64_t size = mesh.mesh.full_axis(axis).size;
    if (size == 1) continue;
    int64_t done = 1;
    std::vector<int64_t>& ends = cuts[static_cast<std::size_t>(axis)];
    ends.push_back(size);
    for (const int64_t end : ends) {
      atoms.atoms.push_back({axis, done, end / done});
      done = end;
    }
  }
  return atoms;
}

AxisList axes_of(const MeshAtoms& atoms, std::span<const int32_t> list) {
  AxisList axes;
  for (const int32_t atom : list) {
    append_or_merge(axes, atoms.atoms[static_cast<std::size_t>(atom)]);
  }
  return axes;
}

StateSpace::StateSpace(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes,
                       const std::stop_token& stop)
    : atoms_(atoms), shape_(std::move(shape)), element_bytes_(element_bytes) {
  for_each_assignment(atoms, shape_, [&](std::span<const std::vector<int32_t>> dims) {
    std::vector<AxisList> lists;
    for (const std::vector<int32_t>& dim : dims) lists.push_back(axes_of(atoms, dim));
    intern(TensorSharding::closed(atoms.mesh, std::move(lists)));
    return !stop.stop_requested();
  });
  num_complete_ = size();
}

/// Returns the position of a state in a graph: complete states are in the order of assignments.
GraphState StateSpace::graph_state(const TensorSharding& state) const {
  GraphState place;
  if (state.unreduced_axes().empty()) {
    const int32_t number = numbers_.at(state);
    const bool is_known = num_complete_ == 0 || number < num_complete_;
    place.assignment = is_known ? number : -1;
    return place;
  }
  const auto complete = numbers_.find(state.with_unreduced({}, ReductionOp::Sum));
  if (complete == numbers_.end() || complete->second >= num_complete_) return place;
  AxisList rest = state.unreduced_axes();
  for (std::size_t atom = 0; atom < atoms_.atoms.size(); ++atom) {
    if (!overlaps(atoms_.atoms[atom], state.unreduced_axes())) continue;
    place.partial |= uint32_t{1} << atom;
    rest = set_difference(rest, AxisList{atoms_.atoms[atom]});
  }
  if (rest.empty()) place.assignment = complete->second;
  return place;
}

int32_t StateSpace::intern(const TensorSharding& state) {
  const auto [found, is_new] = numbers_.try_emplace(state, size());
  if (is_new) {
    states_.push_back(state);
    bytes_.push_back(local_bytes(size_of(), state));
    graph_states_.push_back(graph_state(state));
  }
  return found->second;
}

int64_t StateSpace::price(int32_t from, int32_t to, ReshardPrices& prices) {
  if (from == to) return 0;
  if (!graph_) graph_ = prices.graph_of(size_of(), static_cast<std::size_t>(num_complete_));
  const GraphState& start = graph_states_[static_cast<std::size_t>(from)];
  const GraphState& end = graph_states_[static_cast<std::size_t>(to)];
  const bool is_in_graph = start.assignment >= 0 && end.assignment >= 0;
  if (graph_->graph != nullptr && is_in_graph) return graph_->price(start, end);
  const auto [found, is_new] = prices_.try_emplace((int64_t{from} << 32U) + to, 0);
  if (is_new) found->second = prices.price(size_of(), state(from), state(to));
  return found->second;
}

}  // namespace shardy::autoshard

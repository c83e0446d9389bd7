// Splits a mesh into atoms, lists the states of tensors, and prices reshards between states.
//
//   mesh <["a"=2, "b"=2]>, tensor<8x3xf32>   ->   [{}, {}], [{"a"}, {}], [{"b"}, {}],
//                                                 [{"a", "b"}, {}], [{"b", "a"}, {}]
//
// Prices of equivalent reshards. The price of the second is derived from the first:
//
//   mesh <["a"=2, "b"=2]>
//   tensor<8x4xf32>   [{"a"}, {}] -> [{}, {"a"}]
//   tensor<4x16xf32>  [{}, {"b"}] -> [{"b"}, {}]   dims and axes exchanged, twice the
//   bytes
#include "autoshard/reshard_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "shardy/autoshard/problem.hpp"
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

namespace {

/// Exchanges of axes that are tried for a reshard: more cost more than the plans that they save.
constexpr std::size_t kMostNames = 24;

/// Returns all ways to exchange axes of equal size; the one without exchanges alone if they are
/// many.
std::vector<std::vector<int32_t>> exchanges_of_axes(const Mesh& mesh) {
  std::vector<int32_t> names(static_cast<std::size_t>(mesh.num_axes()));
  std::iota(names.begin(), names.end(), 0);
  std::vector<std::vector<int32_t>> all{names};
  std::vector<int32_t> order = names;
  while (std::next_permutation(order.begin(), order.end())) {
    const bool keeps_sizes = std::ranges::all_of(names, [&](int32_t axis) {
      return mesh.full_axis(axis).size ==
             mesh.full_axis(order[static_cast<std::size_t>(axis)]).size;
    });
    if (keeps_sizes) all.push_back(order);
    if (all.size() > kMostNames) return {names};
  }
  return all;
}

/// Prime factors of a mesh up to which planners try all paths.
constexpr int kMostPrimes = 5;
/// States of a tensor up to which it has no graph.
constexpr std::size_t kFewStates = 24;
/// Atoms of a graph.
constexpr std::size_t kMostAtoms = 8;

int num_primes(int64_t number) {
  constexpr int64_t kLargest = int64_t{1} << 20;  // a rest without smaller factors counts as one
  int count = 0;
  for (int64_t prime = 2; prime <= kLargest && prime * prime <= number; ++prime) {
    for (; number % prime == 0; number /= prime) ++count;
  }
  return number > 1 ? count + 1 : count;
}

void add_number(std::string& key, int64_t number) {
  for (int64_t rest = number;; rest >>= 7) {
    key.push_back(static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
    if (rest <= 0x7f) return;
  }
}

void add_axes(std::string& key, const AxisList& axes) {
  add_number(key, static_cast<int64_t>(axes.size()));
  for (const AxisRef& ref : axes) {
    add_number(key, ref.axis);
    add_number(key, ref.pre);
    add_number(key, ref.size);
  }
}

}  // namespace

int64_t femtoseconds(double seconds) {
  constexpr double kPerSecond = 1e15;
  const double time = seconds * kPerSecond;
  return time < static_cast<double>(kForbidden) ? std::llround(time) : kForbidden;
}

ReshardPrices::ReshardPrices(const MeshAtoms& atoms, ReshardPlanner& planner, std::stop_token stop)
    : atoms_(atoms), mesh_(atoms.mesh), planner_(planner), stop_(std::move(stop)) {
  const CostModel& model = planner.options().model;
  const auto axes = mesh_.mesh.axes();
  is_symmetric_ = planner.kind() == PlanKind::Best;
  const bool has_limit = planner.options().max_live_bytes > 0;
  is_linear_ = is_symmetric_ && !has_limit && std::ranges::all_of(axes, [&](const MeshAxis& axis) {
                 return model.of(axis.name).latency_seconds == 0;
               });
  is_uniform_ = std::ranges::all_of(axes, [&](const MeshAxis& axis) {
    const AxisCost& cost = model.of(axis.name);
    return cost.topology == Topology::Full && cost == model.of(axes.front().name);
  });
  if (is_symmetric_ && is_uniform_ && axes.size() <= 8) names_ = exchanges_of_axes(mesh_.mesh);
  has_graphs_ = is_symmetric_ && !has_limit && num_primes(mesh_.mesh.num_devices()) > kMostPrimes &&
                atoms.atoms.size() <= kMostAtoms;
}

ReshardPrices::PricedReshard ReshardPrices::renamed(const PricedReshard& move,
                                                    const std::vector<int32_t>& names) const {
  const auto rename = [&](AxisList& axes) {
    for (AxisRef& ref : axes) ref.axis = names[static_cast<std::size_t>(ref.axis)];
  };
  PricedReshard other = move;
  for (DimMove& dim : other.dims) {
    rename(dim.from);
    rename(dim.to);
  }
  for (AxisList* axes : {&other.from_unreduced, &other.to_unreduced}) {
    rename(*axes);
    std::ranges::sort(*axes);
  }
  std::ranges::sort(other.dims);
  return other;
}

double ReshardPrices::plan_seconds(const PricedReshard& move, int64_t element_bytes,
                                   ReductionOp op) {
  std::vector<int64_t> shape;
  std::vector<AxisList> before;
  std::vector<AxisList> after;
  for (const DimMove& dim : move.dims) {
    shape.push_back(dim.size);
    before.push_back(dim.from);
    after.push_back(dim.to);
  }
  const auto sharding = [&](std::vector<AxisList> dims, const AxisList& unreduced) {
    return TensorSharding::closed(mesh_, std::move(dims))
        .with_unreduced(unreduced, unreduced.empty() ? ReductionOp::Sum : op);
  };
  const TensorSize tensor{shape, element_bytes};
  const TensorSharding from = sharding(std::move(before), move.from_unreduced);
  const TensorSharding to = sharding(std::move(after), move.to_unreduced);
  const auto steps = planner_.plan(tensor, from, to, BoundAxes::none());
  if (!steps) return -1;
  return plan_cost(tensor, from, *steps, planner_.options().model).seconds;
}

int64_t ReshardPrices::ScaledGraph::price(const GraphState& from, const GraphState& to) const {
  const double seconds = graph->seconds(from, to);
  return seconds < 0 ? kForbidden : femtoseconds(scale * seconds);
}

ReshardPrices::ScaledGraph ReshardPrices::graph_of(const TensorSize& tensor,
                                                   std::size_t num_states) {
  if (!has_graphs_ || num_states <= kFewStates) return {};
  double scale = 1;
  std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
  for (int64_t& size : shape) {
    if (!is_linear_ || size < 1) continue;
    const int64_t split = std::gcd(size, mesh_.mesh.num_devices());  // all that shards depend on
    const int64_t repeats = size / split;
    scale *= static_cast<double>(repeats);
    size = split;
  }
  if (is_linear_) scale *= static_cast<double>(tensor.element_bytes);
  const int64_t bytes = is_linear_ ? 1 : tensor.element_bytes;
  const auto [found, is_new] = graphs_.try_emplace(std::pair(shape, bytes), atoms_, shape, bytes,
                                                   planner_.options().model, stop_);
  return {&found->second, scale};
}

int64_t ReshardPrices::price(const TensorSize& tensor, const TensorSharding& from,
                             const TensorSharding& to) {
  if (!set_difference(to.unreduced_axes(), from.unreduced_axes()).empty()) return kForbidden;
  PricedReshard move{{}, from.unreduced_axes(), to.unreduced_axes()};
  double scale = 1;
  const int64_t devices = mesh_.mesh.num_devices();
  for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    int64_t size = tensor.shape[dim];
    if (is_linear_ && size > 0 && size % devices == 0) {
      const int64_t repeats = size / devices;
      scale *= static_cast<double>(repeats);
      size = devices;
    }
    move.dims.push_back({size, from.dim(dim).axes, to.dim(dim).axes});
  }
  if (is_linear_) scale *= static_cast<double>(tensor.element_bytes);
  const int64_t element_bytes = is_linear_ ? 1 : tensor.element_bytes;
  if (is_symmetric_) std::ranges::sort(move.dims);
  if (names_.size() > 1) {
    PricedReshard least = move;
    for (std::size_t exchange = 1; exchange < names_.size(); ++exchange) {
      PricedReshard other = renamed(move, names_[exchange]);
      if (other < least) least = std::move(other);
    }
    move = std::move(least);
  }
  std::string key;
  add_number(key, element_bytes);
  for (const DimMove& dim : move.dims) {
    add_number(key, dim.size);
    add_axes(key, dim.from);
    add_axes(key, dim.to);
  }
  add_axes(key, move.from_unreduced);
  add_axes(key, move.to_unreduced);
  const auto [found, is_new] = seconds_.try_emplace(std::move(key), 0);
  if (is_new) found->second = plan_seconds(move, element_bytes, from.reduction_op());
  return found->second < 0 ? kForbidden : femtoseconds(scale * found->second);
}

}  // namespace shardy::autoshard

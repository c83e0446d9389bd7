// Splits a mesh into atoms, lists the states of tensors, and prices reshards between states.
//
//   mesh <["a"=2, "b"=2]>, tensor<8x3xf32>   ->   [{}, {}], [{"a"}, {}], [{"b"}, {}],
//                                                 [{"a", "b"}, {}], [{"b", "a"}, {}]
#include "autoshard/state_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
  std::vector<int64_t> cuts;
  for (const int64_t cut : wanted) {
    const int64_t above = cuts.empty() ? axis_size : cuts.back();
    if (cut < above && above % cut == 0) cuts.push_back(cut);
  }
  std::ranges::reverse(cuts);
  return cuts;
}

}  // namespace

MeshAtoms cut_atoms(const MeshRef& mesh, std::span<const int64_t> factor_sizes, bool all_orders) {
  MeshAtoms atoms{mesh, {}, all_orders};
  for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
    const int64_t size = mesh.mesh.full_axis(axis).size;
    if (size == 1) continue;
    int64_t done = 1;
    std::vector<int64_t> ends = cuts_of(size, factor_sizes);
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

int64_t femtoseconds(double seconds) {
  constexpr double kPerSecond = 1e15;
  const double time = seconds * kPerSecond;
  return time < static_cast<double>(kForbidden) ? std::llround(time) : kForbidden;
}

StateSpace::StateSpace(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes)
    : shape_(std::move(shape)), element_bytes_(element_bytes) {
  for_each_assignment(atoms, shape_, [&](std::span<const std::vector<int32_t>> dims) {
    std::vector<AxisList> lists;
    for (const std::vector<int32_t>& dim : dims) lists.push_back(axes_of(atoms, dim));
    intern(TensorSharding::closed(atoms.mesh, std::move(lists)));
  });
  num_complete_ = size();
}

int32_t StateSpace::intern(const TensorSharding& state) {
  const auto [found, is_new] = numbers_.try_emplace(state, size());
  if (is_new) {
    states_.push_back(state);
    bytes_.push_back(local_bytes(size_of(), state));
  }
  return found->second;
}

int64_t StateSpace::price(int32_t from, int32_t to, ReshardPlanner& planner) {
  if (from == to) return 0;
  const int64_t key = (int64_t{from} << 32U) + to;
  if (const auto known = prices_.find(key); known != prices_.end()) return known->second;
  const TensorSharding& start = state(from);
  const TensorSharding& end = state(to);
  int64_t price = kForbidden;
  if (set_difference(end.unreduced_axes(), start.unreduced_axes()).empty()) {
    const auto steps = planner.plan(size_of(), start, end, BoundAxes::none());
    if (steps) {
      price = femtoseconds(plan_cost(size_of(), start, *steps, planner.options().model).seconds);
    }
  }
  prices_.emplace(key, price);
  return price;
}

}  // namespace shardy::autoshard

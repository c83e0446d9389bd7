// An exhaustive search for the cheapest paths between shardings, with which tests compare the best
// plans. Spec: resharding C.1, C.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <shardy/algebra/tensor_sharding.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace shardy::paths {

/// The number of elements that a device sends, and the number of consecutive messages.
using Cost = std::pair<int64_t, int64_t>;

/// A sharding as lists of numbers of atoms (sub-axes of prime size). Each dim has a list, major to
/// minor. The last list, sorted, has the atoms along which the tensor is partial.
using State = std::vector<std::vector<int>>;

struct Rules {
  bool reorders = true;  // all_to_alls may bring axes in another order (E8)
};

/// All paths of a tensor whose dims are divisible by any atoms. Every device sends directly to
/// every other one. The search uses no code of the planner.
class Paths {
 public:
  Paths(std::vector<int64_t> shape, std::vector<int64_t> atoms, Rules rules = {})
      : shape_(std::move(shape)), atoms_(std::move(atoms)), rules_(rules) {}

  /// Returns the cost of the cheapest path from `start` to every reachable state.
  std::map<State, Cost> from(const State& start) {
    best_.clear();
    best_[start] = {0, 0};
    queue_.push({{0, 0}, start});
    while (!queue_.empty()) {
      auto [cost, state] = queue_.top();
      queue_.pop();
      if (cost != best_.at(state)) continue;
      here_ = cost;
      slices(state);
      gathers(state);
      exchanges(state);
      permutes(state);
      reductions(state);
    }
    return best_;
  }

 private:
  int64_t size(const std::vector<int>& list) const {
    int64_t product = 1;
    for (const int atom : list) product *= atoms_[static_cast<std::size_t>(atom)];
    return product;
  }
  int64_t local(const State& state) const {
    int64_t elements = 1;
    for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
      elements *= shape_[dim] / size(state[dim]);
    }
    return elements;
  }
  std::vector<int> unused(const State& state) const {
    std::vector<int> all;
    for (int atom = 0; atom < static_cast<int>(atoms_.size()); ++atom) {
      const bool used = std::any_of(state.begin(), state.end(), [&](const auto& list) {
        return std::count(list.begin(), list.end(), atom) != 0;
      });
      if (!used) all.push_back(atom);
    }
    return all;
  }
  void reach(const State& state, int64_t sent, int64_t exchanges) {
    const Cost cost = {here_.first + sent, here_.second + exchanges};
    const auto [found, is_new] = best_.try_emplace(state, cost);
    if (!is_new && !(cost < found->second)) return;
    found->second = cost;
    queue_.push({cost, state});
  }

  void slices(const State& state) {
    for (const int atom : unused(state)) {
      for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
        State next = state;
        next[dim].push_back(atom);
        reach(next, 0, 0);
      }
    }
  }
  void gathers(const State& state) {
    for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
      for (State next = state; !next[dim].empty();) {
        next[dim].pop_back();
        reach(next, local(next) - local(state), 1);
      }
    }
  }
  void exchanges(const State& state) {
    for (std::size_t source = 0; source < shape_.size(); ++source) {
      for (std::size_t keep = 0; keep < state[source].size(); ++keep) {
        const auto first_moved = state[source].begin() + static_cast<std::ptrdiff_t>(keep);
        std::vector<int> moved(first_moved, state[source].end());
        const int64_t members = size(moved);
        const std::vector<int> order = moved;
        std::sort(moved.begin(), moved.end());
        do {
          if (!rules_.reorders && moved != order) continue;
          for (std::size_t target = 0; target < shape_.size(); ++target) {
            if (target == source) continue;
            State next = state;
            next[source].resize(keep);
            next[target].insert(next[target].end(), moved.begin(), moved.end());
            reach(next, local(state) / members * (members - 1), 1);
          }
        } while (std::next_permutation(moved.begin(), moved.end()));
      }
    }
  }
  void permutes(const State& state) {
    State next(state.size());
    next.back() = state.back();
    arrange(state, next, 0);
  }
  void arrange(const State& state, State& next, std::size_t dim) {
    if (dim == shape_.size()) {
      if (next != state) reach(next, local(state), 1);
      return;
    }
    if (size(next[dim]) == size(state[dim])) return arrange(state, next, dim + 1);
    for (const int atom : unused(next)) {
      next[dim].push_back(atom);
      if (size(state[dim]) % size(next[dim]) == 0) arrange(state, next, dim);
      next[dim].pop_back();
    }
  }
  void reductions(const State& state) {
    const std::vector<int>& partial = state.back();
    for (std::size_t set = 1; set < std::size_t{1} << partial.size(); ++set) {
      std::vector<int> reduced;
      State next = state;
      next.back().clear();
      for (std::size_t i = 0; i < partial.size(); ++i) {
        (set >> i & 1 ? reduced : next.back()).push_back(partial[i]);
      }
      const int64_t scattered = local(state) / size(reduced) * (size(reduced) - 1);
      reach(next, 2 * scattered, 2);  // scattered, then gathered
      do {
        for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
          State sliced = next;
          sliced[dim].insert(sliced[dim].end(), reduced.begin(), reduced.end());
          reach(sliced, scattered, 1);
        }
      } while (std::next_permutation(reduced.begin(), reduced.end()));
    }
  }

  std::vector<int64_t> shape_;
  std::vector<int64_t> atoms_;
  Rules rules_;
  Cost here_ = {};
  std::map<State, Cost> best_;
  std::priority_queue<std::pair<Cost, State>, std::vector<std::pair<Cost, State>>, std::greater<>>
      queue_;
};

/// Returns the dims and unreduced axes of `sharding` as numbers of `atoms`. Requires: no axis ref
/// splits an atom.
inline State state_of(const TensorSharding& sharding, const std::vector<AxisRef>& atoms) {
  const auto numbers = [&](const std::vector<AxisRef>& refs) {
    std::vector<int> list;
    for (const AxisRef& ref : refs) {
      for (std::size_t i = 0; i < atoms.size(); ++i) {
        const bool inside = atoms[i].axis == ref.axis && atoms[i].pre >= ref.pre &&
                            atoms[i].pre * atoms[i].size <= ref.pre * ref.size;
        if (inside) list.push_back(static_cast<int>(i));
      }
    }
    return list;
  };
  State state;
  for (const DimSharding& dim : sharding.dims()) state.push_back(numbers(dim.axes));
  state.push_back(numbers(sharding.unreduced_axes()));
  return state;
}

/// Returns the atoms of a mesh: its axes, split into ascending prime factors.
inline std::vector<AxisRef> prime_atoms(const Mesh& mesh) {
  std::vector<AxisRef> atoms;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    int64_t pre = 1;
    for (int64_t rest = mesh.axis_size(axis), prime = 2; rest > 1; ++prime) {
      for (; rest % prime == 0; rest /= prime, pre *= prime) atoms.push_back({axis, pre, prime});
    }
  }
  return atoms;
}

}  // namespace shardy::paths

// The shardings that values can have, and the prices of reshards between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/support/result.hpp"

// Spec: autoshard U.2.1, U.3.3.

namespace shardy::autoshard {

/// Axes and sub-axes of a mesh that are assigned to dims as a whole.
struct MeshAtoms {
  MeshRef mesh;
  AxisList atoms;          // in mesh order, disjoint, without atoms of size 1
  bool all_orders = true;  // atoms of a dim may have any order; false: mesh order only
};

/// Splits each axis of the mesh at its greatest common divisors with factor sizes that the axis
/// does not divide. The split points of an axis must divide one another; otherwise the larger one
/// is kept. Spec: U.2.1.
MeshAtoms cut_atoms(const MeshRef& mesh, std::span<const int64_t> factor_sizes, bool all_orders);

/// Calls `visit` with each assignment of ordered atoms to `places` whose shards divide the sizes.
/// An assignment is one list of atom indices per place; unassigned atoms are in no list. A place
/// with size -1 gets no atoms.
template <class Visit>
void for_each_assignment(const MeshAtoms& atoms, std::span<const int64_t> sizes, Visit visit);

/// Returns the axes of a list of atoms.
AxisList axes_of(const MeshAtoms& atoms, std::span<const int32_t> list);

/// The states of tensors with one shape and element size, and the prices between them. States are
/// numbered. Partial states are added when strategies need them.
class StateSpace {
 public:
  StateSpace(const MeshAtoms& atoms, std::vector<int64_t> shape, int64_t element_bytes);

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
  /// Returns the price of a reshard in fs; kForbidden if no plan exists. Cost: one plan per pair.
  int64_t price(int32_t from, int32_t to, ReshardPlanner& planner);

 private:
  TensorSize size_of() const { return {shape_, element_bytes_}; }

  std::vector<int64_t> shape_;
  int64_t element_bytes_;
  int32_t num_complete_ = 0;
  std::vector<TensorSharding> states_;
  std::vector<int64_t> bytes_;
  std::map<TensorSharding, int32_t> numbers_;
  std::unordered_map<int64_t, int64_t> prices_;  // key: from * 2^32 + to
};

/// Converts a time to an integer number of femtoseconds.
int64_t femtoseconds(double seconds);

// ---- Definitions --------------------------------------------------------------------------------

namespace detail {

/// An assignment under construction.
template <class Visit>
class AssignmentWalk {
 public:
  AssignmentWalk(const MeshAtoms& atoms, std::span<const int64_t> sizes, Visit& visit)
      : atoms_(atoms),
        sizes_(sizes),
        visit_(visit),
        lists_(sizes.size()),
        shards_(sizes.size(), 1) {}

  void run(std::size_t atom) {
    if (atom == atoms_.atoms.size()) {
      visit_(std::span<const std::vector<int32_t>>(lists_));
      return;
    }
    run(atom + 1);
    const int64_t size = atoms_.atoms[atom].size;
    for (std::size_t place = 0; place < sizes_.size(); ++place) {
      if (sizes_[place] < 1 || sizes_[place] % (shards_[place] * size) != 0) continue;
      shards_[place] *= size;
      insert(atom, lists_[place]);
      shards_[place] /= size;
    }
  }

 private:
  void insert(std::size_t atom, std::vector<int32_t>& list) {
    const std::size_t first = atoms_.all_orders ? 0 : list.size();
    for (std::size_t at = first; at <= list.size(); ++at) {
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), static_cast<int32_t>(atom));
      run(atom + 1);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  const MeshAtoms& atoms_;
  std::span<const int64_t> sizes_;
  Visit& visit_;
  std::vector<std::vector<int32_t>> lists_;
  std::vector<int64_t> shards_;
};

}  // namespace detail

template <class Visit>
void for_each_assignment(const MeshAtoms& atoms, std::span<const int64_t> sizes, Visit visit) {
  detail::AssignmentWalk<Visit>(atoms, sizes, visit).run(0);
}

}  // namespace shardy::autoshard

// Atoms of a mesh, and assignments of sub-axes to dims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"

// Spec: autoshard U.2.

namespace shardy::autoshard {

/// Sub-axes of a mesh, each of which is assigned to one dim.
struct MeshAtoms {
  MeshRef mesh;
  AxisList atoms;          // in mesh order, disjoint, none of size 1
  bool all_orders = true;  // any order of atoms in a dim, or only mesh order
  double uneven = 0;       // largest share of padding in a dim that its shards do not divide
};

/// Checks whether so many shards divide a dim, or pad it by at most the share `uneven`, with no
/// shard empty. Requires: shards >= 1.
inline bool can_shard(int64_t size, int64_t shards, double uneven) {
  if (size % shards == 0) return true;
  const int64_t local = size / shards + 1;
  const auto padding = static_cast<double>(local * shards - size);
  return local * (shards - 1) < size && padding <= uneven * static_cast<double>(local * shards);
}

/// Splits each axis of the mesh at the greatest common divisors with factor sizes that the axis
/// does not divide. Split points of an axis divide one another; otherwise the larger one is kept.
/// While the atoms are more than `most`, the smallest split point of all axes is dropped; of equal
/// split points, the one of the last axis. Spec: U.2.1.
MeshAtoms cut_atoms(const MeshRef& mesh, std::span<const int64_t> factor_sizes, bool all_orders,
                    std::size_t most = SIZE_MAX);

/// Calls `visit` with each assignment of ordered atoms to places with shards of the sizes
/// (can_shard): one list of atom indices per place. Unassigned atoms are in no list. Size -1: takes
/// no atoms. Ends when `visit` returns false.
template <class Visit>
void for_each_assignment(const MeshAtoms& atoms, std::span<const int64_t> sizes, Visit visit);

/// Returns the axes of a list of atoms.
AxisList axes_of(const MeshAtoms& atoms, std::span<const int32_t> list);

// ---- Definitions --------------------------------------------------------------------------------

namespace detail {

/// An incomplete assignment of atoms to dims.
template <class Visit>
class AssignmentWalk {
 public:
  AssignmentWalk(const MeshAtoms& atoms, std::span<const int64_t> sizes, Visit& visit)
      : atoms_(atoms),
        sizes_(sizes),
        visit_(visit),
        lists_(sizes.size()),
        shards_(sizes.size(), 1) {}

  /// Returns false if the walk ends.
  bool run(std::size_t atom) {
    if (atom == atoms_.atoms.size()) return visit_(std::span<const std::vector<int32_t>>(lists_));
    if (!run(atom + 1)) return false;
    const int64_t size = atoms_.atoms[atom].size;
    for (std::size_t place = 0; place < sizes_.size(); ++place) {
      if (sizes_[place] < 1 || !can_shard(sizes_[place], shards_[place] * size, atoms_.uneven)) {
        continue;
      }
      shards_[place] *= size;
      if (!insert(atom, lists_[place])) return false;
      shards_[place] /= size;
    }
    return true;
  }

 private:
  bool insert(std::size_t atom, std::vector<int32_t>& list) {
    const std::size_t first = atoms_.all_orders ? 0 : list.size();
    for (std::size_t at = first; at <= list.size(); ++at) {
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), static_cast<int32_t>(atom));
      if (!run(atom + 1)) return false;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return true;
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

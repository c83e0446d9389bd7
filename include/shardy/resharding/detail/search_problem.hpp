#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/bound_axes.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/support/math.hpp>
#include <vector>

namespace shardy::search {

constexpr std::size_t kMaxAtoms = 8;
constexpr std::size_t kMaxDims = 6;

/// Up to this many atoms, axes are split at all their prime factors, and a search that ends has
/// found the best plan there is.
constexpr std::size_t kMaxPrimeAtoms = 6;

/// Where each atom is: a dim and a place in it, or free, or holding a part of a sum. One byte per
/// atom, so that a state is one number.
struct State {
  uint64_t places = ~uint64_t{0};
  bool on_target = false;  // in the order of devices of the end

  friend bool operator==(const State&, const State&) = default;
};

constexpr uint8_t kFree = 0xff;
constexpr uint8_t kPartial = 0xfe;

constexpr uint8_t place_of(const State& state, std::size_t atom) {
  return static_cast<uint8_t>(state.places >> (8 * atom));
}

/// A state with its dims spelled out.
struct Lists {
  std::array<std::array<uint8_t, kMaxAtoms>, kMaxDims> atoms = {};
  std::array<uint8_t, kMaxDims> sizes = {};
  uint32_t partial = 0;  // a set of atoms
  uint32_t free = 0;

  std::span<const uint8_t> dim(std::size_t dim) const { return {atoms[dim].data(), sizes[dim]}; }
  void push(std::size_t dim, uint8_t atom) { atoms[dim][sizes[dim]++] = atom; }
  uint8_t pop(std::size_t dim) { return atoms[dim][--sizes[dim]]; }

  friend bool operator==(const Lists&, const Lists&) = default;
};

/// A dim of the tensor that the search may change.
struct Dim {
  std::size_t tensor_dim = 0;
  int64_t size = 0;    // elements of the global tensor
  int64_t shards = 1;  // that are there from the start and stay
  AxisList kept;       // the axes that make them
};

/// A change of dim axes cut into atoms. Requires of both ends: the same rank, meshes that differ at
/// most in device ids, refs that can coexist, none of size 1; the unreduced axes of the end are
/// some of those of the start.
struct Problem {
  TensorSharding from;
  TensorSharding to;
  AxisList atoms = {};
  std::vector<Dim> dims = {};
  int64_t other_bytes = 1;  // of a device, the dims that do not change and the element
  Lists start = {};
  Lists goal = {};
  uint32_t usable = 0;  // atoms that are not of dims that stay
  bool needs_target_mesh = false;
  bool all_primes = false;

  int64_t shards(const Lists& lists, std::size_t dim) const {
    int64_t count = dims[dim].shards;
    for (const uint8_t atom : lists.dim(dim)) count *= atoms[atom].size;
    return count;
  }
  int64_t extent(std::size_t dim, int64_t shards) const { return ceil_div(dims[dim].size, shards); }
};

/// Nothing where there are too many atoms or dims. No atom is part of a bound axis.
std::optional<Problem> make_problem(const TensorSize& tensor, const TensorSharding& from,
                                    const TensorSharding& to, const BoundAxes& bound);

State pack(const Problem& problem, const Lists& lists, bool on_target);
Lists unpack(const Problem& problem, const State& state);

/// The axes of all dims of the tensor.
AxisLists dim_axes(const Problem& problem, const Lists& lists);

/// The sharding of a value on the way.
TensorSharding sharding(const Problem& problem, const Lists& lists, bool on_target);

}  // namespace shardy::search

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/search_problem_inl.hpp>
#endif

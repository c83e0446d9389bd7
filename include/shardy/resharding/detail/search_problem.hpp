// The states of the search for the cheapest plan, and the steps between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <span>
#include <vector>

namespace shardy::search {

constexpr std::size_t kMaxAtoms = 8;
constexpr std::size_t kMaxDims = 6;

/// Maximal number of atoms for which axes are split into all their prime factors. A search that
/// ends has then found the optimal plan.
constexpr std::size_t kMaxPrimeAtoms = 6;

/// The location of each atom, one byte per atom: a position in a dim, unused (kFree), or unreduced
/// (kPartial).
struct SearchState {
  uint64_t places = ~uint64_t{0};
  bool on_target = false;  // true for the device order of the end

  friend bool operator==(const SearchState&, const SearchState&) = default;
};

constexpr uint8_t kFree = 0xff;
constexpr uint8_t kPartial = 0xfe;

constexpr uint8_t place_of(const SearchState& state, std::size_t atom) {
  return static_cast<uint8_t>(state.places >> (8 * atom));
}

/// A search state with the atoms of each dim as lists.
struct AtomLists {
  std::array<std::array<uint8_t, kMaxAtoms>, kMaxDims> atoms = {};
  std::array<uint8_t, kMaxDims> sizes = {};
  uint32_t partial = 0;  // unreduced atoms, as a bit set
  uint32_t free = 0;

  std::span<const uint8_t> dim(std::size_t dim) const { return {atoms[dim].data(), sizes[dim]}; }
  void push(std::size_t dim, uint8_t atom) { atoms[dim][sizes[dim]++] = atom; }
  uint8_t pop(std::size_t dim) { return atoms[dim][--sizes[dim]]; }

  friend bool operator==(const AtomLists&, const AtomLists&) = default;
};

/// A dim of the tensor that the search may change.
struct SearchDim {
  std::size_t tensor_dim = 0;
  int64_t size = 0;    // global size
  int64_t shards = 1;  // number of shards along `kept`
  AxisList kept;       // common prefix of the dim's axes at both ends
};

/// A change of dim axes. The axes are split into atoms: sub-axes that each step moves in full.
/// Requires, for both ends: the same rank; meshes that differ at most in device ids; refs that can
/// coexist and have no size 1; all unreduced axes of the end are unreduced at the start.
struct SearchProblem {
  TensorSharding from;
  TensorSharding to;
  AxisList atoms = {};
  std::vector<SearchDim> dims = {};
  int64_t other_bytes = 1;  // bytes on a device of one element and all dims that do not change
  AtomLists start = {};
  AtomLists goal = {};
  /// Atoms that steps may use, as a bit set: atoms of dims that may change
  uint32_t usable = 0;
  bool needs_target_mesh = false;
  bool all_primes = false;

  int64_t shards(const AtomLists& lists, std::size_t dim) const {
    int64_t count = dims[dim].shards;
    for (const uint8_t atom : lists.dim(dim)) count *= atoms[atom].size;
    return count;
  }
  int64_t extent(std::size_t dim, int64_t shards) const { return ceil_div(dims[dim].size, shards); }
};

/// Returns the search problem; std::nullopt if it has too many atoms or dims. No atom is part of a
/// bound axis.
std::optional<SearchProblem> make_problem(const TensorSize& tensor, const TensorSharding& from,
                                          const TensorSharding& to, const BoundAxes& bound);

SearchState pack(const SearchProblem& problem, const AtomLists& lists, bool on_target);
AtomLists unpack(const SearchProblem& problem, const SearchState& state);

/// Returns the axes of all dims of the tensor in a state.
AxisLists dim_axes(const SearchProblem& problem, const AtomLists& lists);

/// Returns the sharding of the tensor in a state.
TensorSharding sharding(const SearchProblem& problem, const AtomLists& lists, bool on_target);

/// Returns the step from `before` to `after`. Requires: a step of this kind leads from `before` to
/// `after`.
ReshardStep make_step(const SearchProblem& problem, const AtomLists& before, const AtomLists& after,
                      StepKind kind, bool on_target);

/// Joins slices that directly follow each other into one step; with `all_kinds` also all-gathers
/// and reduce-scatters.
std::vector<ReshardStep> joined(std::vector<ReshardStep> steps, bool all_kinds);

}  // namespace shardy::search

#ifdef SHARDY_BODIES
#include <numeric>
#include <shardy/algebra/axis_list.hpp>
#include <utility>

namespace shardy::search {

SHARDY_INLINE int64_t smallest_prime(int64_t size) {
  for (int64_t prime = 2; prime * prime <= size; ++prime) {
    if (size % prime == 0) return prime;
  }
  return size;
}

/// Returns the sub-axes of `ref` of prime size, in ascending order of size.
SHARDY_INLINE AxisList prime_pieces(const AxisRef& ref) {
  AxisList pieces;
  for (AxisRef rest = ref; rest.size > 1;) {
    const int64_t prime = smallest_prime(rest.size);
    pieces.push_back({rest.axis, rest.pre, prime});
    rest = {rest.axis, rest.pre * prime, rest.size / prime};
  }
  return pieces;
}

/// Splits axes into few atoms, which a plan is likely to move separately.
class AxisSplitter {
 public:
  AxisSplitter(const TensorSharding& from, const TensorSharding& to, const BoundAxes& bound)
      : from_(from), to_(to) {
    AxisList refs = from.dim_axes();
    append(refs, to.dim_axes());
    append(refs, from.unreduced_axes());
    append(refs, to.unreduced_axes());
    for (const AxisRef& piece : ordered_axis_refs(from.mesh(), refs)) {
      const bool is_free = !bound.has(from.mesh(), piece) && !overlaps(piece, to.unreduced_axes());
      if (piece.size > 1 && is_free) pieces_.push_back(piece);
    }
  }

  /// Returns all sub-axes split into prime factors; std::nullopt if these are too many.
  std::optional<AxisList> primes() const {
    AxisList all;
    for (const AxisRef& piece : pieces_) append(all, prime_pieces(piece));
    if (all.size() > kMaxPrimeAtoms) return std::nullopt;
    return all;
  }

  /// Returns the atoms outside of `frozen`, split only where the number of shards of a dim changes
  /// by a factor. Unused atoms are dropped first. Returns std::nullopt if too many remain.
  std::optional<AxisList> coarse(AxisSpan frozen);

 private:
  bool is_used(const AxisRef& piece) const {
    return overlaps(piece, from_.dim_axes()) || overlaps(piece, to_.dim_axes()) ||
           overlaps(piece, from_.unreduced_axes());
  }
  void split_at(AxisList& pieces, int64_t factor, bool used) const;

  const TensorSharding& from_;
  const TensorSharding& to_;
  AxisList pieces_;
};

SHARDY_INLINE void AxisSplitter::split_at(AxisList& pieces, int64_t factor, bool used) const {
  for (std::size_t i = 0; i < pieces.size() && pieces.size() < kMaxPrimeAtoms; ++i) {
    const AxisRef piece = pieces[i];
    const int64_t size = gcd(piece.size, factor);
    if (size == 1 || size == piece.size || is_used(piece) != used) continue;
    pieces[i] = {piece.axis, piece.pre, size};
    const AxisRef rest{piece.axis, piece.pre * size, piece.size / size};
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
  }
}

SHARDY_INLINE std::optional<AxisList> AxisSplitter::coarse(AxisSpan frozen) {
  AxisList pieces;
  for (const AxisRef& piece : pieces_) {
    if (!overlaps(piece, frozen)) pieces.push_back(piece);
  }
  for (std::size_t i = pieces.size(); i-- > 0 && pieces.size() > kMaxPrimeAtoms;) {
    if (!is_used(pieces[i])) pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (pieces.size() > kMaxPrimeAtoms) return std::nullopt;
  for (const bool used : {false, true}) {
    for (std::size_t dim = 0; dim < from_.rank(); ++dim) {
      const int64_t before = from_.dim(dim).sharded_size();
      const int64_t after = to_.dim(dim).sharded_size();
      split_at(pieces, after / gcd(before, after), used);
      split_at(pieces, before / gcd(before, after), used);
    }
  }
  return pieces;
}

/// Returns the indices of the atoms of `list` after its prefix `kept`.
SHARDY_INLINE std::vector<uint8_t> atoms_of(AxisSpan list, AxisSpan kept, AxisSpan atoms) {
  std::vector<uint8_t> indices;
  for (const AxisRef& ref : rest_after(list, kept)) {
    for (std::size_t atom = 0; atom < atoms.size(); ++atom) {
      if (contains(ref, atoms[atom])) indices.push_back(static_cast<uint8_t>(atom));
    }
  }
  return indices;
}

/// Returns the dims that a plan may change: dims with different axes at both ends, then the largest
/// other dims.
SHARDY_INLINE std::vector<std::size_t> dims_to_change(const TensorSize& tensor,
                                                      const TensorSharding& from,
                                                      const TensorSharding& to, bool all_primes) {
  const auto weight = [&](std::size_t dim) {
    const bool same = from.dim(dim).axes == to.dim(dim).axes;
    const bool empty = from.dim(dim).axes.empty() && to.dim(dim).axes.empty();
    return std::pair(same ? (empty ? 0 : 1) : 2, tensor.shape[dim]);
  };
  std::vector<std::size_t> order(from.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  const auto needed = static_cast<std::size_t>(
      std::ranges::count_if(order, [&](std::size_t dim) { return weight(dim).first == 2; }));
  const std::size_t most = all_primes ? kMaxDims : std::max<std::size_t>(needed, 2);
  order.resize(std::min(order.size(), most));
  std::ranges::sort(order);
  return order;
}

/// Returns the common prefix of the axes of each dim, which every plan keeps. These axes are not
/// split into primes.
SHARDY_INLINE AxisLists kept_axes(const TensorSharding& from, const TensorSharding& to) {
  AxisLists kept(from.rank());
  for (std::size_t dim = 0; dim < from.rank(); ++dim) {
    kept[dim] = greatest_common_prefix(from.dim(dim).axes, to.dim(dim).axes);
  }
  return kept;
}

/// Adds the dims of `changing` with the atoms that they have at both ends. Returns false if any
/// other dim would have to change.
SHARDY_INLINE bool add_dims(SearchProblem& problem, const TensorSize& tensor, AxisLists kept,
                            std::span<const std::size_t> changing) {
  for (std::size_t dim = 0; dim < problem.from.rank(); ++dim) {
    const AxisList& axes = problem.from.dim(dim).axes;
    const AxisList& wanted = problem.to.dim(dim).axes;
    if (!std::ranges::binary_search(changing, dim)) {
      if (axes != wanted) return false;
      problem.other_bytes *= ceil_div(tensor.shape[dim], sharding_size(axes));
      continue;
    }
    const std::size_t index = problem.dims.size();
    problem.dims.push_back(
        {dim, tensor.shape[dim], sharding_size(kept[dim]), std::move(kept[dim])});
    const AxisList& stay = problem.dims.back().kept;
    for (const uint8_t atom : atoms_of(axes, stay, problem.atoms)) problem.start.push(index, atom);
    for (const uint8_t atom : atoms_of(wanted, stay, problem.atoms)) problem.goal.push(index, atom);
  }
  return true;
}

/// Returns the atoms of dims that do not change, as a bit set; no step may use them.
SHARDY_INLINE uint32_t atoms_that_stay(const SearchProblem& problem,
                                       std::span<const std::size_t> changing) {
  uint32_t used = 0;
  for (std::size_t dim = 0; dim < problem.from.rank(); ++dim) {
    if (std::ranges::binary_search(changing, dim)) continue;
    for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
      if (overlaps(problem.atoms[atom], problem.from.dim(dim).axes)) used |= uint32_t{1} << atom;
    }
  }
  return used;
}

SHARDY_INLINE void add_atoms(SearchProblem& problem, std::span<const std::size_t> changing) {
  const std::size_t count = problem.atoms.size();
  for (std::size_t atom = 0; atom < count; ++atom) {
    if (!overlaps(problem.atoms[atom], problem.from.unreduced_axes())) continue;
    problem.start.partial |= uint32_t{1} << atom;
  }
  problem.usable = ((uint32_t{1} << count) - 1) & ~atoms_that_stay(problem, changing);
  for (AtomLists* lists : {&problem.start, &problem.goal}) {
    lists->free = problem.usable & ~lists->partial;
    for (std::size_t dim = 0; dim < problem.dims.size(); ++dim) {
      for (const uint8_t atom : lists->dim(dim)) lists->free &= ~(uint32_t{1} << atom);
    }
  }
}

SHARDY_INLINE std::optional<SearchProblem> make_problem(const TensorSize& tensor,
                                                        const TensorSharding& from,
                                                        const TensorSharding& to,
                                                        const BoundAxes& bound) {
  SearchProblem problem{.from = from, .to = to};
  AxisSplitter splitter(from, to, bound);
  const std::optional<AxisList> primes = splitter.primes();
  AxisLists kept = primes ? AxisLists(from.rank()) : kept_axes(from, to);
  const std::optional<AxisList> atoms = primes ? primes : splitter.coarse(flatten(kept));
  if (!atoms || atoms->size() > kMaxAtoms) return std::nullopt;
  problem.atoms = *atoms;
  problem.all_primes = primes.has_value();
  problem.needs_target_mesh = from.mesh() != to.mesh();
  problem.other_bytes = tensor.element_bytes;

  const std::vector<std::size_t> changing = dims_to_change(tensor, from, to, problem.all_primes);
  if (!add_dims(problem, tensor, std::move(kept), changing)) return std::nullopt;
  add_atoms(problem, changing);
  return problem;
}

SHARDY_INLINE SearchState pack(const SearchProblem& problem, const AtomLists& lists,
                               bool on_target) {
  SearchState state{~uint64_t{0}, on_target};
  const auto set = [&](std::size_t atom, uint8_t place) {
    state.places &= ~(uint64_t{0xff} << (8 * atom));
    state.places |= uint64_t{place} << (8 * atom);
  };
  for (std::size_t dim = 0; dim < problem.dims.size(); ++dim) {
    for (std::size_t i = 0; i < lists.sizes[dim]; ++i) {
      set(lists.atoms[dim][i], static_cast<uint8_t>(dim * kMaxAtoms + i));
    }
  }
  for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
    if ((lists.partial >> atom & 1) != 0) set(atom, kPartial);
  }
  return state;
}

SHARDY_INLINE AtomLists unpack(const SearchProblem& problem, const SearchState& state) {
  AtomLists lists;
  lists.free = problem.usable;
  for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
    const uint8_t place = place_of(state, atom);
    if (place == kFree) continue;
    lists.free &= ~(uint32_t{1} << atom);
    if (place == kPartial) {
      lists.partial |= uint32_t{1} << atom;
    } else {
      const std::size_t dim = place / kMaxAtoms;
      lists.atoms[dim][place % kMaxAtoms] = static_cast<uint8_t>(atom);
      ++lists.sizes[dim];
    }
  }
  return lists;
}

SHARDY_INLINE AxisLists dim_axes(const SearchProblem& problem, const AtomLists& lists) {
  AxisLists all = shardy::dim_axes(problem.from);
  for (std::size_t dim = 0; dim < problem.dims.size(); ++dim) {
    AxisList& axes = all[problem.dims[dim].tensor_dim];
    axes = problem.dims[dim].kept;
    for (const uint8_t atom : lists.dim(dim)) append_or_merge(axes, problem.atoms[atom]);
  }
  return all;
}

SHARDY_INLINE TensorSharding sharding(const SearchProblem& problem, const AtomLists& lists,
                                      bool on_target) {
  AxisList unreduced = problem.to.unreduced_axes();
  for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
    if ((lists.partial >> atom & 1) != 0) unreduced.push_back(problem.atoms[atom]);
  }
  unreduced = sort_and_merge(std::move(unreduced));
  const ReductionOp op = unreduced.empty() ? ReductionOp::Sum : problem.from.reduction_op();
  return problem.from.with_replicated({})
      .with_mesh(on_target ? problem.to.mesh_ref() : problem.from.mesh_ref())
      .with_unreduced({}, ReductionOp::Sum)
      .with_dims(closed_dims(dim_axes(problem, lists)))
      .with_unreduced(std::move(unreduced), op);
}

SHARDY_INLINE AxisList axes_of(const SearchProblem& problem, std::span<const uint8_t> atoms) {
  AxisList list;
  for (const uint8_t atom : atoms) append_or_merge(list, problem.atoms[atom]);
  return list;
}

SHARDY_INLINE ReshardStep make_step(const SearchProblem& problem, const AtomLists& before,
                                    const AtomLists& after, StepKind kind, bool on_target) {
  ReshardStep step{.kind = kind, .out = sharding(problem, after, on_target)};
  const bool on_dims =
      kind == StepKind::AllGather || kind == StepKind::AllSlice || kind == StepKind::ReduceScatter;
  if (on_dims) step.dim_axes.resize(problem.from.rank());
  AllToAllMove move;
  for (std::size_t dim = 0; dim < problem.dims.size(); ++dim) {
    const std::size_t tensor_dim = problem.dims[dim].tensor_dim;
    const auto old = before.dim(dim);
    const auto now = after.dim(dim);
    if (on_dims && now.size() > old.size()) {
      step.dim_axes[tensor_dim] = axes_of(problem, now.subspan(old.size()));
    } else if (on_dims) {
      step.dim_axes[tensor_dim] = axes_of(problem, old.subspan(now.size()));
    } else if (kind == StepKind::AllToAll && now.size() < old.size()) {
      move.source = static_cast<int64_t>(tensor_dim);
      move.axes = axes_of(problem, old.subspan(now.size()));
    } else if (kind == StepKind::AllToAll && now.size() > old.size()) {
      move.target = static_cast<int64_t>(tensor_dim);
    }
  }
  if (kind == StepKind::AllToAll) step.params.push_back(std::move(move));
  if (kind == StepKind::AllReduce) {
    for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
      if (((before.partial & ~after.partial) >> atom & 1) != 0) {
        step.axes.push_back(problem.atoms[atom]);
      }
    }
    step.axes = sort_and_merge(std::move(step.axes));
  }
  const bool reduces = kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
  if (reduces) step.reduction_op = problem.from.reduction_op();
  return step;
}

/// Joins the axes of `next` to `step`. The steps are of one kind, and `next` applies to the result
/// of `step`.
SHARDY_INLINE void join_lists(ReshardStep& step, ReshardStep& next) {
  const bool gathers = step.kind == StepKind::AllGather;
  for (std::size_t dim = 0; dim < step.dim_axes.size(); ++dim) {
    AxisList all = gathers ? next.dim_axes[dim] : step.dim_axes[dim];
    for (const AxisRef& ref : gathers ? step.dim_axes[dim] : next.dim_axes[dim]) {
      append_or_merge(all, ref);
    }
    step.dim_axes[dim] = std::move(all);
  }
  step.out = std::move(next.out);
}

SHARDY_INLINE std::vector<ReshardStep> joined(std::vector<ReshardStep> steps, bool all_kinds) {
  std::vector<ReshardStep> result;
  for (ReshardStep& step : steps) {
    const bool lists =
        step.kind == StepKind::AllSlice ||
        (all_kinds && (step.kind == StepKind::AllGather || step.kind == StepKind::ReduceScatter));
    if (lists && !result.empty() && result.back().kind == step.kind) {
      join_lists(result.back(), step);
    } else {
      result.push_back(std::move(step));
    }
  }
  return result;
}

}  // namespace shardy::search
#endif  // SHARDY_BODIES

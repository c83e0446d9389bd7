// The plan with the steps of Shardy: slices, all-to-alls and permutes of the dims, phase by phase.
// Spec: resharding B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <utility>
#include <vector>

/// The reference planner, which follows Shardy; one phase per file. Spec: resharding B.4, B.5.
namespace shardy::reference {

/// Position of an axis ref in the lists of the goal.
struct GoalPosition {
  std::size_t dim = 0;
  std::size_t index = 0;

  friend bool operator==(const GoalPosition&, const GoalPosition&);
};

/// Remaining work between two shardings. A ref is an AxisRef.
///
/// `in`: refs on each dim that must still be moved or gathered. `out`: refs that each dim still
/// needs. `cur`: all refs that each dim has now, merged. `used`: the refs of `in`, and refs that
/// phases have placed. Refs of `in` and `out` are either equal or do not overlap, so they serve as
/// keys.
struct ReferenceState {
  AxisLists in;
  AxisLists out;
  AxisLists cur;
  AxisList used;

  std::size_t rank() const { return in.size(); }
  bool placed() const;
  bool is_used(const AxisRef& ref) const;
  void unuse(const AxisRef& ref) { std::erase(used, ref); }

  /// Returns the first position in `out` that needs `ref`.
  std::optional<GoalPosition> wanted(const AxisRef& ref) const;

  friend bool operator==(const ReferenceState&, const ReferenceState&);
};

/// Splits every ref of `lists` at the ends of the refs of `others`; the pieces stay unmerged.
inline void align(AxisLists& lists, AxisSpan others) {
  for (AxisList& list : lists) list = align_by_decomposition(list, others);
}

void drop_common_prefix(AxisList& a, AxisList& b);

/// Returns the initial state. Requires: all refs of `from` and `to` can coexist. Spec: resharding
/// B.4.
ReferenceState make_state(const AxisLists& from, const AxisLists& to);

/// Removes `refs` from the end of the merged list `cur`.
void remove_suffix(AxisList& cur, AxisSpan refs);

/// A ref or its major sub-axis, and the rest of the ref.
struct SplitRef {
  AxisRef part;
  std::optional<AxisRef> rest;
};

SplitRef split_at(const AxisRef& ref, int64_t size);

/// Takes the major sub-axis of `ref` that fits `capacity`, and reduces `capacity`. Returns
/// std::nullopt if neither size divides the other, or if nothing fits.
std::optional<SplitRef> take(const AxisRef& ref, int64_t& capacity);

/// Takes the major sub-axis of `ref` whose size is the greatest common divisor of its size and
/// `capacity`, and reduces `capacity`. Returns std::nullopt if that divisor is 1.
std::optional<SplitRef> take_common_factor(const AxisRef& ref, int64_t& capacity);

enum class FillSide { Front, Back };

/// Fills dims of a state with refs from a pool, up to a capacity per dim.
class Filler {
 public:
  using SplitFunction = std::optional<SplitRef> (*)(const AxisRef&, int64_t&);

  Filler(ReferenceState& state, std::vector<int64_t> capacity)
      : state_(state), capacity_(std::move(capacity)) {}

  std::vector<int64_t>& capacity() { return capacity_; }

  /// Moves the refs that fit from `pool` to `in` of `dim`, in the order of the pool: at the end, or
  /// before the existing refs. Returns the moved refs. The rest of a split ref is put at the
  /// front of the pool.
  AxisList fill(std::size_t dim, AxisList& pool, FillSide side, SplitFunction take_from = &take);

  /// Splits the refs of `out` in the same way as fill() split refs. Call this after the last
  /// fill().
  void align_wanted() {
    align(state_.out, sliced_);
    sliced_.clear();
  }

 private:
  ReferenceState& state_;
  std::vector<int64_t> capacity_;
  AxisList sliced_;
};

}  // namespace shardy::reference

namespace shardy {

/// A builder of the steps that change the dims of a tensor from one sharding to another.
///
/// Each step has closed dims, no replicated axes, and the unreduced axes of both ends. Until the
/// first permute, steps are on the mesh of the start; from the first permute on, on the mesh of the
/// end. Requires: the meshes differ at most in device ids; the unreduced axes are equal. Spec:
/// resharding B.3.
class StepMaker {
 public:
  StepMaker(const TensorSharding& from, const TensorSharding& to)
      : here_(from.with_replicated({}).with_unreduced(to.unreduced_axes(), to.reduction_op())),
        target_(to.with_replicated({})) {}

  /// Compares the contents of the meshes, not their names: between two names of one mesh no permute
  /// is needed.
  bool on_target_mesh() const { return here_.mesh() == target_.mesh(); }

  void all_gather(AxisLists axes, const AxisLists& result);
  void all_slice(AxisLists axes, const AxisLists& result);
  void all_to_all(AllToAllMove param, const AxisLists& result) {
    add({.kind = StepKind::AllToAll, .params = {std::move(param)}, .out = sharding(result)});
  }
  void collective_permute(const AxisLists& result) {
    if (!on_target_mesh()) here_ = target_;
    add({.kind = StepKind::CollectivePermute, .out = sharding(result)});
  }

  std::vector<ReshardStep> take_steps() { return std::move(steps_); }

 private:
  TensorSharding sharding(const AxisLists& lists) const {
    return here_.with_dims(closed_dims(lists));
  }
  void add(ReshardStep step) { steps_.push_back(std::move(step)); }

  TensorSharding here_;
  TensorSharding target_;
  std::vector<ReshardStep> steps_;
};

}  // namespace shardy

namespace shardy::reference {

enum class TargetOrder { Required, Any };

/// Returns the longest suffix of `in` of dim `source` that one other dim needs. If `order` requires
/// it, the refs must be the next ones of that dim, in order. Phases 3 and 4 of resharding B.5.
std::optional<AllToAllMove> movable(const ReferenceState& state, std::size_t source,
                                    TargetOrder order);

/// Moves the refs that movable() returned to the target dim: to their final positions if all
/// earlier refs of the dim are placed, else to the end of the dim.
void move(ReferenceState& state, const AllToAllMove& param);

/// Removes refs that no dim needs from the end of `in` of dim `dim`, and returns them. Phase 5 of
/// resharding B.5.
AxisList gather(ReferenceState& state, std::size_t dim);

/// Phase 1: slices each dim towards its final number of shards. Spec: resharding B.5, phase 1.
class SlicePhase {
 public:
  SlicePhase(ReferenceState& state, std::span<const int64_t> shape)
      : state_(state), shape_(shape), capacity_(state.rank()), slice_(state.rank()) {}

  /// Returns the axes to slice by, per dim. `cur` of the state then contains these axes.
  AxisLists run();

 private:
  void slice(std::size_t dim, AxisSpan refs) {
    for (const AxisRef& ref : refs) {
      append_or_merge(slice_[dim], ref);
      append_or_merge(state_.cur[dim], ref);
    }
  }

  /// Returns how many refs at the end of `in` of dim `source` match the goal, read backwards from
  /// `place`.
  std::size_t matched(std::size_t source, const GoalPosition& place) const;

  /// Returns the refs of the goal from `place` on that are on no dim yet.
  AxisList free_run(const GoalPosition& place) const;

  /// (1a) Slices dim `source` by refs that follow, in the goal, the refs that a later all-to-all
  /// takes from `source`. The all-to-all then moves both.
  void slice_at_source(std::size_t source);

  /// (1b) Slices the dim by refs that the dim itself needs, as far as its capacity allows.
  void slice_in_place(std::size_t dim);

  /// Records that the ref at `index` of the goal of `dim` was taken. Returns the index of the next
  /// ref.
  std::size_t settle(std::size_t dim, std::size_t index, const SplitRef& taken);

  /// (1c) Fills the remaining capacity with refs that other dims need. Later steps move these refs.
  void slice_elsewhere();

  ReferenceState& state_;
  std::span<const int64_t> shape_;
  std::vector<int64_t> capacity_;
  AxisLists slice_;
  AxisList available_;
};

constexpr bool divide_one_another(const AxisRef& a, const AxisRef& b) {
  return a.size % b.size == 0 || b.size % a.size == 0;
}

/// The test whether moving and gathering refs from the end of each dim would need extra steps, so
/// that phase 2 permutes first. Spec: resharding B.5, phase 2, (c1) to (c5).
class PermuteTest {
 public:
  explicit PermuteTest(const ReferenceState& state) : state_(state) {}

  bool run();

 private:
  /// Checks (c1). Records the last needed ref that is on no dim, for (c2).
  bool swaps_in_place(std::size_t dim);

  /// Checks (c3) and (c4): refs for one other dim are not adjacent or not in its order; and (c5): a
  /// ref to gather follows a ref to move. Records the last ref to gather, for (c2).
  bool out_of_order(std::size_t dim);

  const ReferenceState& state_;
  std::optional<AxisRef> free_out_;
  std::optional<AxisRef> free_in_;
};

/// Phase 2: one permutation of refs that keeps the number of shards of each dim. Each dim gets its
/// own needed refs first, then refs to gather, then refs for other dims. Spec: resharding B.5,
/// phase 2.
class Rearrangement {
 public:
  explicit Rearrangement(ReferenceState& state)
      : state_(state), capacity_(state.rank()), leaving_(state.rank()) {}

  void run();

 private:
  /// Places the needed refs of the dim at their positions, as far as the number of shards allows.
  void place_wanted(std::size_t dim);

  /// Removes refs that the dim does not need. Refs that needed refs replaced are last.
  void collect_leaving(std::size_t dim, int64_t replaced, const AxisLists& wanted_before);

  static void replace_front(AxisList& list, const std::optional<AxisRef>& rest) {
    if (rest) {
      list.front() = *rest;
    } else {
      list.erase(list.begin());
    }
  }

  void distribute();

  void fill_all(Filler& filler, AxisList& pool, FillSide side, Filler::SplitFunction take_from) {
    for (std::size_t dim = 0; dim < state_.rank(); ++dim) filler.fill(dim, pool, side, take_from);
  }

  ReferenceState& state_;
  std::vector<int64_t> capacity_;
  AxisList arriving_;  // refs that some dim needs and that could not be placed yet
  AxisLists leaving_;  // refs that are not needed, for each dim that had them
};

/// The steps between two lists of dim axes, and the number of rounds of phases that found them.
struct Sequence {
  std::vector<ReshardStep> steps;
  int rounds = 0;
};

/// The main loop of the reference planner. Spec: resharding B.5.
class ReferenceLoop {
 public:
  ReferenceLoop(ReferenceState state, StepMaker maker)
      : state_(std::move(state)), maker_(std::move(maker)) {}

  bool done() const { return state_.placed() && maker_.on_target_mesh(); }
  const ReferenceState& state() const { return state_; }

  void round(std::span<const int64_t> shape) {
    slice(shape);
    permute();
    exchange(TargetOrder::Required);
    exchange(TargetOrder::Any);
    gather_rest();
  }

  /// Ends a loop that makes no progress: gathers each dim to its common prefix with `end`, then
  /// slices. Requires: at least one round.
  void finish(const AxisLists& end);

  std::vector<ReshardStep> take_steps() { return maker_.take_steps(); }

 private:
  void slice(std::span<const int64_t> shape) {
    maker_.all_slice(SlicePhase(state_, shape).run(), state_.cur);
  }

  void permute();

  void exchange(TargetOrder order);

  void gather_rest();

  ReferenceState state_;
  StepMaker maker_;
};

/// Limit of rounds: more than twice the number that any pair of shardings on small meshes needs.
/// Spec: resharding B.8.
constexpr int kMaxRounds = 16;

/// Returns the steps that change the dim axes and the mesh from `from` to `to`. Requires: equal
/// unreduced axes, meshes that differ at most in device ids, `shape` of the rank of the shardings.
/// Spec: resharding B.4, B.5, B.8.
Sequence sequence(std::span<const int64_t> shape, const TensorSharding& from,
                  const TensorSharding& to);

}  // namespace shardy::reference

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/support/detail/math.hpp>

namespace shardy::reference {

SHARDY_INLINE bool operator==(const GoalPosition&, const GoalPosition&) = default;
SHARDY_INLINE bool operator==(const ReferenceState&, const ReferenceState&) = default;

SHARDY_INLINE bool ReferenceState::placed() const {
  const auto empty = [](const AxisList& list) { return list.empty(); };
  return std::ranges::all_of(in, empty) && std::ranges::all_of(out, empty);
}

SHARDY_INLINE bool ReferenceState::is_used(const AxisRef& ref) const {
  return std::ranges::find(used, ref) != used.end();
}

SHARDY_INLINE std::optional<GoalPosition> ReferenceState::wanted(const AxisRef& ref) const {
  for (std::size_t dim = 0; dim < out.size(); ++dim) {
    const auto found = std::ranges::find(out[dim], ref);
    if (found != out[dim].end())
      return GoalPosition{dim, static_cast<std::size_t>(found - out[dim].begin())};
  }
  return std::nullopt;
}

SHARDY_INLINE void drop_common_prefix(AxisList& a, AxisList& b) {
  const auto [end_a, end_b] = std::ranges::mismatch(a, b);
  a.erase(a.begin(), end_a);
  b.erase(b.begin(), end_b);
}

SHARDY_INLINE ReferenceState make_state(const AxisLists& from, const AxisLists& to) {
  ReferenceState state{from, to, from, {}};
  align(state.in, flatten(to));
  align(state.out, flatten(from));
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    drop_common_prefix(state.in[dim], state.out[dim]);
  }
  state.used = flatten(state.in);
  return state;
}

SHARDY_INLINE void remove_suffix(AxisList& cur, AxisSpan refs) {
  for (std::size_t index = refs.size(); index-- > 0;) {
    SHARDY_ASSERT(!cur.empty());
    const std::optional<AxisRef> rest = prefix_without_overlap(cur.back(), refs[index]);
    cur.pop_back();
    if (rest) cur.push_back(*rest);
  }
}

SHARDY_INLINE SplitRef split_at(const AxisRef& ref, int64_t size) {
  if (size == ref.size) return {ref, std::nullopt};
  return {{ref.axis, ref.pre, size}, AxisRef{ref.axis, ref.pre * size, ref.size / size}};
}

SHARDY_INLINE std::optional<SplitRef> take(const AxisRef& ref, int64_t& capacity) {
  if (capacity <= 1) return std::nullopt;
  if (capacity % ref.size != 0 && ref.size % capacity != 0) return std::nullopt;
  const int64_t size = std::min(ref.size, capacity);
  capacity /= size;
  return split_at(ref, size);
}

SHARDY_INLINE std::optional<SplitRef> take_common_factor(const AxisRef& ref, int64_t& capacity) {
  const int64_t size = gcd(ref.size, capacity);
  if (size <= 1) return std::nullopt;
  capacity /= size;
  return split_at(ref, size);
}

SHARDY_INLINE AxisList Filler::fill(std::size_t dim, AxisList& pool, FillSide side,
                                    SplitFunction take_from) {
  AxisList moved;
  for (std::size_t index = 0; index < pool.size() && capacity_[dim] > 1;) {
    const std::optional<SplitRef> taken = take_from(pool[index], capacity_[dim]);
    if (!taken) {
      ++index;
      continue;
    }
    pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(index));
    moved.push_back(taken->part);
    if (!taken->rest) continue;
    pool.insert(pool.begin(), *taken->rest);
    sliced_.push_back(taken->part);
    index = 0;
  }
  AxisList& in = state_.in[dim];
  in.insert(side == FillSide::Front ? in.begin() : in.end(), moved.begin(), moved.end());
  append(state_.used, moved);
  return moved;
}

}  // namespace shardy::reference

namespace shardy {

SHARDY_INLINE void StepMaker::all_gather(AxisLists axes, const AxisLists& result) {
  if (all_empty(axes)) return;
  add({.kind = StepKind::AllGather, .dim_axes = std::move(axes), .out = sharding(result)});
}

SHARDY_INLINE void StepMaker::all_slice(AxisLists axes, const AxisLists& result) {
  if (all_empty(axes)) return;
  add({.kind = StepKind::AllSlice, .dim_axes = std::move(axes), .out = sharding(result)});
}

}  // namespace shardy

namespace shardy::reference {

SHARDY_INLINE std::optional<AllToAllMove> movable(const ReferenceState& state, std::size_t source,
                                                  TargetOrder order) {
  const AxisList& in = state.in[source];
  if (in.empty()) return std::nullopt;
  const std::optional<GoalPosition> place = state.wanted(in.back());
  if (!place || place->dim == source) return std::nullopt;
  std::size_t begin = in.size();
  for (; begin > 0; --begin) {
    const std::optional<GoalPosition> next = state.wanted(in[begin - 1]);
    if (!next || next->dim != place->dim) break;
  }
  AxisList segment(in.begin() + static_cast<std::ptrdiff_t>(begin), in.end());
  const AxisList& out = state.out[place->dim];
  if (order == TargetOrder::Required &&
      (segment.size() > out.size() || !std::equal(segment.begin(), segment.end(), out.begin()))) {
    return std::nullopt;
  }
  return AllToAllMove{std::move(segment), static_cast<int64_t>(source),
                      static_cast<int64_t>(place->dim)};
}

SHARDY_INLINE void move(ReferenceState& state, const AllToAllMove& param) {
  const auto source = static_cast<std::size_t>(param.source);
  const auto target = static_cast<std::size_t>(param.target);
  remove_suffix(state.cur[source], param.axes);
  state.in[source].resize(state.in[source].size() - param.axes.size());
  AxisList& in = state.in[target];
  AxisList& out = state.out[target];
  for (const AxisRef& ref : param.axes) {
    append_or_merge(state.cur[target], ref);
    if (in.empty() && !out.empty() && out.front() == ref) {
      out.erase(out.begin());
      state.unuse(ref);
    } else {
      in.push_back(ref);
    }
  }
}

SHARDY_INLINE AxisList gather(ReferenceState& state, std::size_t dim) {
  AxisList& in = state.in[dim];
  std::size_t begin = in.size();
  while (begin > 0 && !state.wanted(in[begin - 1])) --begin;
  const AxisList segment(in.begin() + static_cast<std::ptrdiff_t>(begin), in.end());
  in.resize(begin);
  remove_suffix(state.cur[dim], segment);
  for (const AxisRef& ref : segment) state.unuse(ref);
  return merged(segment);
}

SHARDY_INLINE AxisLists SlicePhase::run() {
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    const int64_t wanted = sharding_size(state_.out[dim]);
    capacity_[dim] = wanted / gcd(sharding_size(state_.in[dim]), wanted);
  }
  for (std::size_t source = 0; source < state_.rank(); ++source) slice_at_source(source);
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) slice_in_place(dim);
  slice_elsewhere();
  return std::move(slice_);
}

SHARDY_INLINE std::size_t SlicePhase::matched(std::size_t source, const GoalPosition& place) const {
  const AxisList& in = state_.in[source];
  const AxisList& out = state_.out[place.dim];
  std::size_t count = 0;
  while (count < in.size() && count <= place.index &&
         in[in.size() - 1 - count] == out[place.index - count]) {
    ++count;
  }
  return count;
}

SHARDY_INLINE AxisList SlicePhase::free_run(const GoalPosition& place) const {
  const AxisList& out = state_.out[place.dim];
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(place.index);
  return {begin,
          std::find_if(begin, out.end(), [&](const AxisRef& ref) { return state_.is_used(ref); })};
}

SHARDY_INLINE void SlicePhase::slice_at_source(std::size_t source) {
  AxisList& in = state_.in[source];
  if (in.empty() || !state_.out[source].empty()) return;
  const std::optional<GoalPosition> last = state_.wanted(in.back());
  if (!last || !state_.in[last->dim].empty()) return;
  const AxisList run = free_run({last->dim, last->index + 1});
  if (run.empty()) return;
  const std::size_t count = matched(source, *last);
  const AxisSpan rest(in.data(), in.size() - count);
  const AxisSpan common = AxisSpan(in).last(count);
  for (const AxisRef& ref : rest) {
    const std::optional<GoalPosition> place = state_.wanted(ref);
    if (place && place->dim == last->dim) return;
  }
  const int64_t added = sharding_size(run);
  if (shape_[source] % (sharding_size(state_.cur[source]) * added) != 0) return;
  capacity_[last->dim] /= sharding_size(common) * added;
  slice(source, run);
  append(in, run);
  append(state_.used, run);
}

SHARDY_INLINE void SlicePhase::slice_in_place(std::size_t dim) {
  AxisList& out = state_.out[dim];
  for (std::size_t index = 0; index < out.size();) {
    const AxisRef ref = out[index];
    if (state_.is_used(ref)) {
      ++index;
      continue;
    }
    const std::optional<SplitRef> taken = take(ref, capacity_[dim]);
    if (!taken) {
      available_.push_back(ref);
      ++index;
      continue;
    }
    slice(dim, AxisSpan(&taken->part, 1));
    index = settle(dim, index, *taken);
  }
}

SHARDY_INLINE std::size_t SlicePhase::settle(std::size_t dim, std::size_t index,
                                             const SplitRef& taken) {
  AxisList& out = state_.out[dim];
  if (state_.in[dim].empty() && index == 0) {
    out.erase(out.begin());
  } else {
    state_.used.push_back(taken.part);
    state_.in[dim].push_back(taken.part);
    out[index++] = taken.part;
  }
  if (taken.rest) {
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(index++), *taken.rest);
    available_.push_back(*taken.rest);
  }
  return index;
}

SHARDY_INLINE void SlicePhase::slice_elsewhere() {
  Filler filler(state_, capacity_);
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    slice(dim, filler.fill(dim, available_, FillSide::Back));
  }
  filler.align_wanted();
}

SHARDY_INLINE bool PermuteTest::run() {
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    if (swaps_in_place(dim) || out_of_order(dim)) return true;
  }
  return free_out_ && free_in_ && divide_one_another(*free_out_, *free_in_);  // condition (c2)
}

SHARDY_INLINE bool PermuteTest::swaps_in_place(std::size_t dim) {
  const AxisList& in = state_.in[dim];
  const AxisList& out = state_.out[dim];
  if (!in.empty() && !out.empty() && divide_one_another(in.front(), out.front())) return true;
  for (const AxisRef& ref : out) {
    if (!state_.is_used(ref)) free_out_ = ref;
  }
  return false;
}

SHARDY_INLINE bool PermuteTest::out_of_order(std::size_t dim) {
  std::optional<GoalPosition> last;
  std::vector<std::size_t> seen;
  for (const AxisRef& ref : state_.in[dim]) {
    const std::optional<GoalPosition> place = state_.wanted(ref);
    if (!place) {
      if (last && state_.out[dim].empty()) return true;
      free_in_ = ref;
      last.reset();
      continue;
    }
    const bool known = place->dim == dim || std::ranges::find(seen, place->dim) != seen.end();
    if (known && !(last && *place == GoalPosition{last->dim, last->index + 1})) return true;
    seen.push_back(place->dim);
    last = place;
  }
  return false;
}

SHARDY_INLINE void Rearrangement::run() {
  const AxisLists before = state_.out;
  state_.used.clear();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    capacity_[dim] = sharding_size(state_.in[dim]);
    remove_suffix(state_.cur[dim], state_.in[dim]);
    const int64_t freed = capacity_[dim];
    place_wanted(dim);
    collect_leaving(dim, freed / capacity_[dim], before);
  }
  distribute();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    for (const AxisRef& ref : state_.in[dim]) append_or_merge(state_.cur[dim], ref);
  }
}

SHARDY_INLINE void Rearrangement::place_wanted(std::size_t dim) {
  AxisList& out = state_.out[dim];
  while (!out.empty()) {
    const std::optional<SplitRef> taken = take(out.front(), capacity_[dim]);
    if (!taken) break;
    append_or_merge(state_.cur[dim], taken->part);
    replace_front(out, taken->rest);
  }
  append(arriving_, out);
}

SHARDY_INLINE void Rearrangement::collect_leaving(std::size_t dim, int64_t replaced,
                                                  const AxisLists& wanted_before) {
  AxisList rest;
  for (const AxisRef& ref : state_.in[dim]) {
    const auto has_ref = [&](const AxisList& list) { return std::ranges::count(list, ref) != 0; };
    if (std::ranges::none_of(wanted_before, has_ref)) rest.push_back(ref);
  }
  state_.in[dim].clear();
  AxisList last;
  while (!rest.empty()) {
    const std::optional<SplitRef> taken = take(rest.front(), replaced);
    if (!taken) break;
    last.push_back(taken->part);
    replace_front(rest, taken->rest);
  }
  leaving_[dim] = std::move(rest);
  append(leaving_[dim], last);
}

SHARDY_INLINE void Rearrangement::distribute() {
  Filler filler(state_, std::move(capacity_));
  fill_all(filler, arriving_, FillSide::Back, &take);
  filler.align_wanted();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    filler.fill(dim, leaving_[dim], FillSide::Front);
  }
  AxisList leftovers = flatten(leaving_);
  fill_all(filler, leftovers, FillSide::Front, &take);
  // Two sizes that do not divide each other could leave a gap in a dim, and a wrong number of
  // shards.
  fill_all(filler, arriving_, FillSide::Back, &take_common_factor);
  fill_all(filler, leftovers, FillSide::Front, &take_common_factor);
  filler.align_wanted();
}

SHARDY_INLINE void ReferenceLoop::finish(const AxisLists& end) {
  const AxisLists begin = std::move(state_.cur);
  AxisLists common;
  for (std::size_t dim = 0; dim < begin.size(); ++dim) {
    common.push_back(greatest_common_prefix(begin[dim], end[dim]));
  }
  maker_.all_gather(rest_after(begin, common), common);
  maker_.all_slice(rest_after(end, common), end);
}

SHARDY_INLINE void ReferenceLoop::permute() {
  const bool rearrange = PermuteTest(state_).run();
  if (rearrange) Rearrangement(state_).run();
  if (rearrange || !maker_.on_target_mesh()) maker_.collective_permute(state_.cur);
}

SHARDY_INLINE void ReferenceLoop::exchange(TargetOrder order) {
  for (std::size_t source = 0; source < state_.rank(); ++source) {
    while (std::optional<AllToAllMove> param = movable(state_, source, order)) {
      move(state_, *param);
      param->axes = merged(param->axes);
      maker_.all_to_all(*std::move(param), state_.cur);
    }
  }
}

SHARDY_INLINE void ReferenceLoop::gather_rest() {
  AxisLists gathered;
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    gathered.push_back(gather(state_, dim));
  }
  maker_.all_gather(gathered, state_.cur);
}

SHARDY_INLINE Sequence sequence(std::span<const int64_t> shape, const TensorSharding& from,
                                const TensorSharding& to) {
  const AxisLists begin = dim_axes(from);
  const AxisLists end = dim_axes(to);
  const AxisList wanted = flatten(end);
  AxisLists kept;
  for (const AxisList& list : begin) kept.push_back(coexisting_prefix(list, wanted));
  StepMaker maker(from, to);
  maker.all_gather(rest_after(begin, kept), kept);

  ReferenceLoop loop(make_state(kept, end), std::move(maker));
  int rounds = 0;
  for (std::vector<ReferenceState> seen; !loop.done(); ++rounds) {
    // Shardy asserts that two rounds suffice. An axis of size 1 may never be placed, so the loop
    // also ends when a state repeats.
    if (rounds == kMaxRounds || std::ranges::find(seen, loop.state()) != seen.end()) {
      loop.finish(end);
      break;
    }
    seen.push_back(loop.state());
    loop.round(shape);
  }
  return {loop.take_steps(), rounds};
}

}  // namespace shardy::reference
#endif  // SHARDY_BODIES

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/support/detail/inline.hpp>
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
#endif  // SHARDY_BODIES

// Projection of tensor shardings to the factors of a rule and back, for propagation and lowering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::propagation::detail {

/// The axes of a dim that are not yet assigned to factors, major to minor. The first one may be the
/// rest of an axis.
class AxisCursor {
 public:
  explicit AxisCursor(std::span<const AxisRef> axes) : rest_(axes) {
    if (!done()) current_ = rest_.front();
  }

  bool done() const { return rest_.empty(); }
  const AxisRef& current() const { return current_; }
  AxisRef take() {
    const AxisRef taken = current_;
    rest_ = rest_.subspan(1);
    if (!done()) current_ = rest_.front();
    return taken;
  }
  /// Removes the major sub-axis of size `size` from the current axis and returns it. The minor rest
  /// stays.
  AxisRef take_part(int64_t size) {
    const AxisRef taken{current_.axis, current_.pre, size};
    current_ = {current_.axis, current_.pre * size, current_.size / size};
    return taken;
  }

 private:
  std::span<const AxisRef> rest_;
  AxisRef current_;
};

/// Rows of `T` of different lengths in one array (compressed sparse rows). Requires: fewer than
/// 2^32 elements.
template <class T>
class RowLists {
 public:
  RowLists() = default;
  /// Groups elements by row. `for_each(visit)` calls `visit(row, element)` for each element. The
  /// constructor calls `for_each` twice; both calls must visit equal elements in equal order. The
  /// elements of a row keep that order.
  template <class ForEach>
  RowLists(std::size_t num_rows, ForEach for_each);

  std::size_t size() const { return ends_.size(); }
  std::span<const T> operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::span<const T>(items_).subspan(begin, ends_[row] - begin);
  }

  void reserve(std::size_t num_rows, std::size_t num_items) {
    ends_.reserve(num_rows);
    items_.reserve(num_items);
  }
  void add_row(std::span<const T> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(static_cast<uint32_t>(items_.size()));
  }

 private:
  std::vector<uint32_t> ends_;
  std::vector<T> items_;
};

template <class T>
template <class ForEach>
RowLists<T>::RowLists(std::size_t num_rows, ForEach for_each) : ends_(num_rows, 0) {
  for_each([&](std::size_t row, const T& /*item*/) { ++ends_[row]; });
  uint32_t begin = 0;
  for (uint32_t& end : ends_) {
    const uint32_t count = end;
    end = begin;  // position of the next element of the row
    begin += count;
  }
  items_.resize(begin);
  for_each([&](std::size_t row, const T& item) { items_[ends_[row]++] = item; });
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

/// A half-open range of entry indices.
struct EntryRange {
  std::size_t begin = 0;  // first index
  std::size_t end = 0;    // index after the last one
};

/// A sharding rule in flat arrays.
///
/// An *entry* is one factor of one dim of one tensor. Entries are ordered by tensor (operands, then
/// results), dim, and major to minor. A projection has one factor sharding per entry.
class FlatRule {
 public:
  /// Copies the layout of a rule. `rule` need not outlive this object.
  explicit FlatRule(const OpShardingRule& rule);

  /// Returns the number of factors.
  std::size_t num_factors() const { return factors_.size(); }
  /// Returns the number of operands.
  std::size_t num_operands() const { return num_operands_; }
  /// Returns the number of operands and results.
  std::size_t num_tensors() const { return first_dim_.empty() ? 0 : first_dim_.size() - 1; }
  /// Returns the number of factors of all dims of all tensors.
  std::size_t num_entries() const { return entries_.size(); }

  /// Returns the size of a factor. Requires: factor < num_factors().
  int64_t factor_size(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].size;
  }
  /// Returns the kind of a factor. Requires: factor < num_factors().
  FactorKind factor_kind(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].kind;
  }
  /// Returns whether a factor is blocked for propagation. Requires: factor < num_factors().
  bool is_blocked(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].is_blocked;
  }

  /// Returns the rank of a tensor. Requires: tensor < num_tensors().
  std::size_t rank(std::size_t tensor) const {
    SHARDY_EXPECTS(tensor < num_tensors());
    return first_dim_[tensor + 1] - first_dim_[tensor];
  }
  /// Returns the factor of an entry. Requires: entry < num_entries().
  std::size_t entry_factor(std::size_t entry) const {
    SHARDY_EXPECTS(entry < entries_.size());
    return entries_[entry].factor;
  }
  /// Returns the tensor of an entry. Requires: entry < num_entries().
  std::size_t entry_tensor(std::size_t entry) const {
    SHARDY_EXPECTS(entry < entries_.size());
    return entries_[entry].tensor;
  }
  /// Returns the entries of one dim, major to minor. Requires: tensor < num_tensors(), dim <
  /// rank(tensor).
  EntryRange dim_entries(std::size_t tensor, std::size_t dim) const {
    SHARDY_EXPECTS(dim < rank(tensor));
    const std::size_t row = first_dim_[tensor] + dim;
    return {dim_begin_[row], dim_begin_[row + 1]};
  }
  /// Returns the entries of a tensor. Requires: tensor < num_tensors().
  EntryRange tensor_entries(std::size_t tensor) const {
    SHARDY_EXPECTS(tensor < num_tensors());
    return {dim_begin_[first_dim_[tensor]], dim_begin_[first_dim_[tensor + 1]]};
  }
  /// Returns the entries of `factor`, in tensor order. Requires: factor < num_factors().
  std::span<const uint32_t> factor_entries(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factor_entries_[factor];
  }

 private:
  struct FlatFactor {
    int64_t size = 1;
    FactorKind kind = FactorKind::PassThrough;
    bool is_blocked = false;
  };
  struct FactorEntry {
    uint32_t factor = 0;
    uint32_t tensor = 0;
  };

  void add_tensor(const TensorMapping& mapping);

  std::size_t num_operands_ = 0;
  std::vector<FlatFactor> factors_;
  std::vector<FactorEntry> entries_;
  std::vector<std::size_t> first_dim_ = {0};  // first dim of each tensor, then the number of dims
  std::vector<std::size_t> dim_begin_ = {0};  // first entry of each dim, then the number of entries
  detail::RowLists<uint32_t> factor_entries_;
};

/// The axes of one factor in one tensor.
struct FactorSharding {
  AxisList axes;  // axes of the factor, major to minor
  /// Axes of the dim after the axes that fit the factor; no factor of the dim can then be extended.
  AxisList overflow;
  bool is_mapped = false;      // false if an earlier factor of the dim has overflow axes
  bool is_closed = false;      // true if no axis may be added
  bool is_minor_most = false;  // true for the last factor of a dim

  friend bool operator==(const FactorSharding&, const FactorSharding&) = default;
};

/// Axes of a tensor that belong to no factor. Steps never change them.
struct TensorAxes {
  AxisList replicated;  // axes along which the tensor must stay replicated
  AxisList unreduced;   // axes along which the tensor is unreduced

  friend bool operator==(const TensorAxes&, const TensorAxes&) = default;
};

/// The shardings of all tensors of an op, projected to the factors of the op's rule.
///
/// `reset` keeps allocated memory, so the lists may be longer than the layout: only the first
/// layout.num_entries() and layout.num_tensors() elements are valid. Spec: propagation 3.
struct Projection {
  std::vector<FactorSharding> entries;  // one per entry of the layout
  std::vector<TensorAxes> tensors;      // one per tensor, operands first

  /// Returns whether the lists are long enough for `layout`.
  bool holds(const FlatRule& layout) const {
    return entries.size() >= layout.num_entries() && tensors.size() >= layout.num_tensors();
  }
  /// Prepares the projection for `layout`, without any axes.
  void reset(const FlatRule& layout);
  /// Copies the valid elements of `other`. Requires: other.holds(layout).
  void assign(const FlatRule& layout, const Projection& other);
};

/// Appends `axis` to `axes`. If the list from index `begin` on is not empty and `axis` is adjacent
/// to the last axis ref, both refs are merged.
void append_merged(AxisList& axes, std::size_t begin, const AxisRef& axis);

/// Assigns the axes of one dim to its factors. Requires: projection.holds(layout); `factors` are
/// entries of the layout. Spec: propagation 3.
void project_dim(const FlatRule& layout, EntryRange factors, std::span<const AxisRef> axes,
                 bool is_closed, Projection& projection);

/// Appends the axes of one dim to `axes`, and returns whether the dim is closed. Axes of a factor
/// are dropped if the next major factor is not fully sharded. Requires: as project_dim. Spec:
/// propagation 4.
bool back_project_dim(const FlatRule& layout, EntryRange factors, const Projection& projection,
                      AxisList& axes);

/// Projects the sharding of one tensor. Requires: projection.holds(layout); the sharding and the
/// tensor have equal rank.
void project(const FlatRule& layout, std::size_t tensor, const TensorSharding& sharding,
             Projection& projection);

/// Projects a tensor that has no sharding. Requires: projection.holds(layout), tensor <
/// layout.num_tensors().
void project_absent(const FlatRule& layout, std::size_t tensor, bool is_closed,
                    Projection& projection);

/// Returns the dim shardings of one tensor, without priorities. Requires: as project_absent.
std::vector<DimSharding> back_project(const FlatRule& layout, std::size_t tensor,
                                      const Projection& projection);

// Functions that the lowering of ops uses. Spec: propagation 18.

/// Returns for each factor the common prefix of its axes in all tensors that have the factor.
/// Requires: projection.holds(layout).
std::vector<AxisList> common_factor_axes(const FlatRule& layout, const Projection& projection);

/// Returns the projection in which all tensors have the given axes on their factors. All dims are
/// closed. Requires: one list per factor.
Projection uniform_projection(const FlatRule& layout, std::span<const AxisList> axes_per_factor);

/// Sets the axes and the overflow of `factor` in all tensors that have the factor. Returns the
/// changed tensors. Requires: projection.holds(layout), factor < layout.num_factors().
std::vector<std::size_t> update_factor(const FlatRule& layout, std::size_t factor,
                                       const AxisList& axes, const AxisList& overflow,
                                       Projection& projection);

/// Returns the number of shards of a tensor, including overflow axes. Requires:
/// projection.holds(layout), tensor < layout.num_tensors().
int64_t sharding_size(const FlatRule& layout, std::size_t tensor, const Projection& projection);

/// Returns whether any dim of the tensor has overflow axes. Requires: projection.holds(layout),
/// tensor < layout.num_tensors().
bool has_overflow(const FlatRule& layout, std::size_t tensor, const Projection& projection);

/// A factor of distribute_axes, with the axes that it gets.
struct FactorShare {
  int64_t size = 1;        // size of the factor, the upper bound of its shards
  AxisList axes = {};      // axes of the factor, major to minor
  AxisList overflow = {};  // last factor only: axes that fit no factor
};

/// Assigns `axes`, major to minor, to `factors`. Each axis goes to the first factor whose remaining
/// size is divisible by the size of the axis. Requires: sizes >= 0; the factors have no axes and no
/// overflow yet.
void distribute_axes(std::span<FactorShare> factors, std::span<const AxisRef> axes);

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <limits>

namespace shardy::propagation {

SHARDY_INLINE FlatRule::FlatRule(const OpShardingRule& rule)
    : num_operands_(rule.operands().size()) {
  for (int32_t factor = 0; factor < rule.num_factors(); ++factor) {
    factors_.push_back(
        {rule.factor_size(factor), rule.factor_kind(factor), rule.is_blocked(factor)});
  }
  for (const TensorMapping& mapping : rule.operands()) add_tensor(mapping);
  for (const TensorMapping& mapping : rule.results()) add_tensor(mapping);

  factor_entries_ = detail::RowLists<uint32_t>(factors_.size(), [&](auto visit) {
    for (uint32_t entry = 0; entry < entries_.size(); ++entry) {
      visit(entries_[entry].factor, entry);
    }
  });
}

SHARDY_INLINE void FlatRule::add_tensor(const TensorMapping& mapping) {
  const auto tensor = static_cast<uint32_t>(num_tensors());
  for (const DimMapping& dim : mapping.dims) {
    for (const int32_t factor : dim) entries_.push_back({static_cast<uint32_t>(factor), tensor});
    dim_begin_.push_back(entries_.size());
  }
  first_dim_.push_back(first_dim_.back() + mapping.dims.size());
}

SHARDY_INLINE void append_merged(AxisList& axes, std::size_t begin, const AxisRef& axis) {
  if (axes.size() > begin && can_merge(axes.back(), axis)) {
    axes.back() = merge(axes.back(), axis);
    return;
  }
  axes.push_back(axis);
}

SHARDY_INLINE void Projection::reset(const FlatRule& layout) {
  if (entries.size() < layout.num_entries()) entries.resize(layout.num_entries());
  if (tensors.size() < layout.num_tensors()) tensors.resize(layout.num_tensors());
  for (std::size_t entry = 0; entry < layout.num_entries(); ++entry) {
    FactorSharding& factor = entries[entry];
    factor.axes.clear();
    factor.overflow.clear();
    factor.is_mapped = factor.is_closed = factor.is_minor_most = false;
  }
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    tensors[tensor].replicated.clear();
    tensors[tensor].unreduced.clear();
  }
}

SHARDY_INLINE void Projection::assign(const FlatRule& layout, const Projection& other) {
  SHARDY_EXPECTS(other.holds(layout));
  reset(layout);
  std::copy_n(other.entries.begin(), layout.num_entries(), entries.begin());
  std::copy_n(other.tensors.begin(), layout.num_tensors(), tensors.begin());
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Assigns axes to a factor that is not the minor-most of its dim. Axes that do not fit become
/// overflow.
SHARDY_INLINE void fill_major_factor(int64_t size, AxisCursor& cursor, FactorSharding& factor) {
  while (!cursor.done()) {
    const int64_t left = cursor.current().size;
    const int64_t fitting = gcd(size, left);
    // An axis of size 1 is assigned to the current factor, even if the factor is fully sharded.
    if (fitting == 1 && left != 1) break;
    if (size != 0) size /= fitting;
    factor.axes.push_back(left > fitting ? cursor.take_part(fitting) : cursor.take());
  }
  if (size <= 1) return;
  while (!cursor.done()) factor.overflow.push_back(cursor.take());
}

/// Appends `factor_axes`, and merges the first one with the previous axis if they are adjacent.
/// Returns the number of shards of `factor_axes`.
SHARDY_INLINE int64_t append_joined(AxisList& axes, std::size_t begin,
                                    std::span<const AxisRef> factor_axes) {
  int64_t shards = 1;
  for (const AxisRef& axis : factor_axes) {
    append_merged(axes, begin, axis);
    begin = axes.size();
    shards *= axis.size;
  }
  return shards;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE void project_dim(const FlatRule& layout, EntryRange factors,
                               std::span<const AxisRef> axes, bool is_closed,
                               Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout) && factors.end <= layout.num_entries());
  detail::AxisCursor cursor(axes);
  bool is_frozen = false;
  for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
    FactorSharding& factor = projection.entries[entry];
    factor.is_mapped = true;
    factor.is_minor_most = entry + 1 == factors.end;
    factor.is_closed = is_closed || is_frozen;
    if (is_frozen) return;  // later factors of the dim have no entry
    if (factor.is_minor_most) {
      while (!cursor.done()) append_merged(factor.axes, 0, cursor.take());
      return;
    }
    detail::fill_major_factor(layout.factor_size(layout.entry_factor(entry)), cursor, factor);
    is_frozen = !factor.overflow.empty();
  }
}

SHARDY_INLINE bool back_project_dim(const FlatRule& layout, EntryRange factors,
                                    const Projection& projection, AxisList& axes) {
  SHARDY_EXPECTS(projection.holds(layout) && factors.end <= layout.num_entries());
  const std::size_t begin = axes.size();
  bool is_closed = false;
  for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
    const FactorSharding& factor = projection.entries[entry];
    is_closed |= factor.is_closed;
    const int64_t shards = detail::append_joined(axes, begin, factor.axes);
    detail::append_joined(axes, begin, factor.overflow);
    const bool is_full = shards >= layout.factor_size(layout.entry_factor(entry));
    if (!factor.overflow.empty() || !is_full) break;
  }
  return is_closed;
}

SHARDY_INLINE void project(const FlatRule& layout, std::size_t tensor,
                           const TensorSharding& sharding, Projection& projection) {
  SHARDY_EXPECTS(sharding.dims().size() == layout.rank(tensor) && projection.holds(layout));
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    const DimSharding& from = sharding.dims()[dim];
    project_dim(layout, layout.dim_entries(tensor, dim), from.axes, from.is_closed, projection);
  }
  const auto& replicated = sharding.replicated_axes();
  const auto& unreduced = sharding.unreduced_axes();
  projection.tensors[tensor].replicated.assign(replicated.begin(), replicated.end());
  projection.tensors[tensor].unreduced.assign(unreduced.begin(), unreduced.end());
}

SHARDY_INLINE void project_absent(const FlatRule& layout, std::size_t tensor, bool is_closed,
                                  Projection& projection) {
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    project_dim(layout, layout.dim_entries(tensor, dim), {}, is_closed, projection);
  }
}

SHARDY_INLINE std::vector<DimSharding> back_project(const FlatRule& layout, std::size_t tensor,
                                                    const Projection& projection) {
  std::vector<DimSharding> dims(layout.rank(tensor));
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const EntryRange factors = layout.dim_entries(tensor, dim);
    dims[dim].is_closed = back_project_dim(layout, factors, projection, dims[dim].axes);
  }
  return dims;
}

SHARDY_INLINE std::vector<AxisList> common_factor_axes(const FlatRule& layout,
                                                       const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  std::vector<AxisList> common(layout.num_factors());
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    bool is_first = true;
    for (const uint32_t entry : layout.factor_entries(factor)) {
      const FactorSharding& sharding = projection.entries[entry];
      if (!sharding.is_mapped) continue;
      common[factor] =
          is_first ? sharding.axes : greatest_common_prefix(common[factor], sharding.axes);
      is_first = false;
    }
  }
  return common;
}

SHARDY_INLINE Projection uniform_projection(const FlatRule& layout,
                                            std::span<const AxisList> axes_per_factor) {
  SHARDY_EXPECTS(axes_per_factor.size() == layout.num_factors());
  Projection projection;
  projection.reset(layout);
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
      const EntryRange factors = layout.dim_entries(tensor, dim);
      for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
        FactorSharding& sharding = projection.entries[entry];
        sharding.axes = axes_per_factor[layout.entry_factor(entry)];
        sharding.is_mapped = sharding.is_closed = true;
        sharding.is_minor_most = entry + 1 == factors.end;
      }
    }
  }
  return projection;
}

SHARDY_INLINE std::vector<std::size_t> update_factor(const FlatRule& layout, std::size_t factor,
                                                     const AxisList& axes, const AxisList& overflow,
                                                     Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  std::vector<std::size_t> changed;
  for (const uint32_t entry : layout.factor_entries(factor)) {
    FactorSharding& sharding = projection.entries[entry];
    if (!sharding.is_mapped) continue;
    if (sharding.axes == axes && sharding.overflow == overflow) continue;
    sharding.axes = axes;
    sharding.overflow = overflow;
    changed.push_back(layout.entry_tensor(entry));
  }
  return changed;
}

SHARDY_INLINE int64_t sharding_size(const FlatRule& layout, std::size_t tensor,
                                    const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  const EntryRange entries = layout.tensor_entries(tensor);
  int64_t shards = 1;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    const FactorSharding& sharding = projection.entries[entry];
    for (const AxisList* axes : {&sharding.axes, &sharding.overflow}) {
      shards = checked_mul(shards, shardy::sharding_size(*axes))
                   .value_or(std::numeric_limits<int64_t>::max());
    }
  }
  return shards;
}

SHARDY_INLINE bool has_overflow(const FlatRule& layout, std::size_t tensor,
                                const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  const EntryRange entries = layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    if (!projection.entries[entry].overflow.empty()) return true;
  }
  return false;
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Assigns the current axis to the factors in order; the rest of the axis goes to the next factors.
/// Returns false if no part fits any factor.
SHARDY_INLINE bool distribute_current(std::span<FactorShare> factors, AxisCursor& cursor,
                                      std::vector<int64_t>& room) {
  bool has_placed = false;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    const int64_t size = cursor.current().size;
    const int64_t fitting = gcd(room[factor], size);
    if (room[factor] <= 1 || (fitting == 1 && size != 1)) continue;
    has_placed = true;
    room[factor] /= fitting;
    const bool is_whole = size == fitting;
    append_merged(factors[factor].axes, 0, is_whole ? cursor.take() : cursor.take_part(fitting));
    if (is_whole) return true;
  }
  return has_placed;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE void distribute_axes(std::span<FactorShare> factors, std::span<const AxisRef> axes) {
  detail::AxisCursor cursor(axes);
  std::vector<int64_t> room;
  for (const FactorShare& factor : factors) room.push_back(factor.size);
  while (!cursor.done() && detail::distribute_current(factors, cursor, room)) {
  }
  if (factors.empty()) return;
  while (!cursor.done()) append_merged(factors.back().overflow, 0, cursor.take());
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES

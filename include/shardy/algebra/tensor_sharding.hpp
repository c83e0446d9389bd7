// The sharding of one tensor: a mesh, the axes of each dim, replicated and unreduced axes. Spec:
// algebra 4, 5.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// Maximal rank of a tensor. The limit is far above the ranks in programs, and bounds the time and
/// memory that a small text can require.
inline constexpr std::size_t kMaxRank = 1000;
/// Returns the error message for a shape of more than kMaxRank dims.
std::string too_many_dims();

/// The part of a value's type that the algebra needs: the kind, the dims if the value is ranked,
/// and the text of the type for messages. Does not own the dims and the text. A tuple of one
/// element has the shape of the element.
struct ValueShape {
  /// Kind of the value.
  enum class Kind { Ranked, Unranked, NotShaped, Tuple };

  Kind kind = Kind::Ranked;            // the kind of value
  std::span<const int64_t> dims = {};  // Ranked: size of each dim; negative: dynamic
  std::string_view text = {};          // NotShaped: text of the type, for messages
};

/// The sharding of one dim: its axes, major to minor. Propagation may append axes to an open dim;
/// dims with a lower priority number propagate first. Text: `{"a", ?}p1`. Spec: algebra 4.
///
/// A missing priority has the effect of 0, but does not compare equal to 0.
struct DimSharding {
  AxisList axes;           // axes of the dim, major to minor
  bool is_closed = false;  // true if propagation must not add axes
  /// User priority; 0 is the highest. Only a dim that has axes or is open has a priority.
  std::optional<int64_t> priority = std::nullopt;

  /// Returns whether the dim has no axes.
  bool empty() const { return axes.empty(); }
  /// Returns the number of shards of the dim.
  int64_t sharded_size() const { return sharding_size(axes); }
  /// Returns the priority; 0 if it is missing.
  int64_t priority_or_default() const { return priority.value_or(0); }

  /// Returns the dim with only `count` axes, starting at index `skipped`; `is_closed` and priority
  /// are kept. Requires: skipped + count <= axes.size().
  DimSharding slice_axes(std::size_t skipped, std::size_t count) const;
  /// Returns the dim without its first `count` axes. Requires: count <= axes.size().
  DimSharding drop_front(std::size_t count) const { return slice_axes(count, axes.size() - count); }
  /// Returns the dim with only its first `count` axes. Requires: count <= axes.size().
  DimSharding take_front(std::size_t count) const { return slice_axes(0, count); }

  /// Returns the dim with the full axis `axis` appended. The result is open and has no priority.
  /// Requires: the dim is open and uses neither the axis nor a sub-axis of it.
  DimSharding sharded(const AxisRef& axis) const {
    SHARDY_EXPECTS(!is_closed && !overlaps(axis, AxisSpan(axes)));
    DimSharding result{axes, false, std::nullopt};
    result.axes.push_back(axis);
    return result;
  }
  /// Returns the dim without a priority.
  DimSharding drop_priority() const { return {axes, is_closed, std::nullopt}; }
  /// Returns the dim with is_closed = true.
  DimSharding closed_like() const { return {axes, true, priority}; }
  /// Returns the dim with is_closed = false.
  DimSharding open_like() const { return {axes, false, priority}; }

  friend bool operator==(const DimSharding&, const DimSharding&);
  friend std::strong_ordering operator<=>(const DimSharding&, const DimSharding&);
};

}  // namespace shardy

template <>
struct std::hash<shardy::DimSharding> {
  std::size_t operator()(const shardy::DimSharding& dim) const;
};

namespace shardy {

/// Reduction that combines the partial values along unreduced axes.
enum class ReductionOp { Sum, Max, Min };

/// Returns "sum", "max" or "min".
constexpr std::string_view to_string(ReductionOp op) {
  constexpr std::array<std::string_view, 3> kNames = {"sum", "max", "min"};
  return kNames[static_cast<std::size_t>(op)];
}

/// A mesh and the form of the reference to it: a name, or an inlined mesh. References by name and
/// inlined meshes are never equal.
struct MeshRef {
  Mesh mesh;                        // the mesh itself
  std::optional<std::string> name;  // name in the program; std::nullopt: inlined in the sharding

  friend bool operator==(const MeshRef&, const MeshRef&);
  friend std::strong_ordering operator<=>(const MeshRef&, const MeshRef&);
};

/// The distribution of a tensor over the devices of a mesh. Each dim has axes that shard it.
/// Replicated axes are axes along which the tensor must stay replicated. Along unreduced axes,
/// devices have partial values. Immutable; cheap to copy.
///
/// Invariant: the rules of algebra 9.1 and 9.2 that do not depend on a type. A sharding on a
/// maximal mesh has rank 0 and no axes. The reduction op is Sum without unreduced axes. Text: `<@m,
/// [{"a", ?}p1, {}], replicated={"b"}>`. Spec: algebra 5.
class TensorSharding {
 public:
  /// Makes a sharding. `mesh_name` is std::nullopt if the mesh is inlined. `replicated` and
  /// `unreduced` must be in mesh order. Errors: algebra 9.2 steps 2, 6 to 8; `axis index out of
  /// range: <i>, num_axes: <n>`.
  static Result<TensorSharding> make(Mesh mesh, std::optional<std::string> mesh_name,
                                     std::vector<DimSharding> dims, AxisList replicated = {},
                                     AxisList unreduced = {},
                                     ReductionOp reduction_op = ReductionOp::Sum);
  /// Parses a sharding on `mesh` in any notation: `[{"x"}, {?}]`, `P("x", None)`, `[["x"], null]`.
  /// The last two need the tensor's `rank` to fill up missing dims. Header-only programs include
  /// `shardy/algebra/partition_spec.hpp`. Errors: those of parse_any_sharding and resolve; another
  /// mesh in the text.
  static Result<TensorSharding> parse(const Mesh& mesh, std::string_view text,
                                      std::optional<std::size_t> rank = std::nullopt);
  /// Returns a sharding whose dims have no axes and are closed. On a maximal mesh the result has no
  /// dims, for any `rank`. Requires: rank <= kMaxRank.
  static TensorSharding fully_closed(Mesh mesh, std::optional<std::string> mesh_name,
                                     std::size_t rank) {
    return empty_dims({std::move(mesh), std::move(mesh_name)}, rank, true);
  }
  /// Returns a sharding whose dims have no axes and are open. On a maximal mesh the result has no
  /// dims, for any `rank`. Requires: rank <= kMaxRank.
  static TensorSharding fully_open(Mesh mesh, std::optional<std::string> mesh_name,
                                   std::size_t rank) {
    return empty_dims({std::move(mesh), std::move(mesh_name)}, rank, false);
  }
  /// Returns a sharding with closed dims of these axes, without replicated axes. Requires: the
  /// invariant holds.
  static TensorSharding closed(MeshRef mesh, std::vector<AxisList> axes_per_dim,
                               AxisList unreduced = {});

  /// Returns the mesh of the sharding.
  const Mesh& mesh() const { return held().mesh.mesh; }
  /// Returns the name of the mesh; std::nullopt if the mesh is inlined.
  const std::optional<std::string>& mesh_name() const { return held().mesh.name; }
  /// Returns the mesh with its name.
  const MeshRef& mesh_ref() const { return held().mesh; }
  /// Returns the number of dims.
  std::size_t rank() const { return held().dims.size(); }
  /// Returns one DimSharding per dim of the tensor.
  std::span<const DimSharding> dims() const { return span_of(held().dims); }
  /// Returns the sharding of one dim. Requires: dim < rank().
  const DimSharding& dim(std::size_t dim) const {
    SHARDY_EXPECTS(dim < rank());
    return held().dims[dim];
  }
  /// Returns the axes along which the tensor must stay replicated, in mesh order.
  const AxisList& replicated_axes() const { return held().replicated; }
  /// Returns the axes along which devices have partial values, in mesh order.
  const AxisList& unreduced_axes() const { return held().unreduced; }
  /// Returns the reduction that combines the partial values.
  ReductionOp reduction_op() const { return held().reduction_op; }

  // Queries: algebra 5.2.
  /// Checks whether dim i is closed. Requires: i < rank().
  bool is_closed(std::size_t i) const { return dim(i).is_closed; }
  /// Returns whether all dims are closed.
  bool is_fully_closed() const;
  /// Checks whether no dim has axes. Replicated and unreduced axes are ignored.
  bool is_fully_replicated() const;
  /// Returns whether no dim has axes and all dims are open.
  bool is_fully_replicated_and_open() const;
  /// Returns whether the sharding uses no axis.
  bool empty_axes() const {
    return is_fully_replicated() && replicated_axes().empty() && unreduced_axes().empty();
  }
  /// Checks whether one device has the full tensor: the mesh is maximal.
  bool is_single_device() const { return mesh().is_maximal(); }
  /// Calls `visit` with each axis ref: refs of the dims in order, then replicated, then unreduced
  /// axes.
  template <class Visit>
  void for_each_axis(Visit visit) const {
    any_axis([&](const AxisRef& ref) {
      visit(ref);
      return false;
    });
  }
  /// Returns whether `predicate` is true for any axis ref of the dims, the replicated or the
  /// unreduced axes.
  template <class Predicate>
  bool any_axis(Predicate predicate) const {
    return any_dim_or_replicated_axis(predicate) || any_of(unreduced_axes(), predicate);
  }
  /// Returns whether `predicate` is true for any axis ref of the dims or the replicated axes.
  template <class Predicate>
  bool any_dim_or_replicated_axis(Predicate predicate) const {
    for (const DimSharding& dim : dims()) {
      if (any_of(dim.axes, predicate)) return true;
    }
    return any_of(replicated_axes(), predicate);
  }
  /// Checks whether the sharding uses the mesh axis `axis` or a sub-axis of it.
  bool is_bound(int32_t axis) const;
  /// Returns whether the full axis `axis` may be added to dim i: the dim is open and the axis is
  /// unused. Requires: i < rank().
  bool can_shard(std::size_t i, int32_t axis) const { return !is_bound(axis) && !is_closed(i); }
  /// Returns whether the full axis `axis` may be added to the replicated axes.
  bool can_replicate(int32_t axis) const { return !is_bound(axis); }
  /// Returns the axes of all dims, in order.
  AxisList dim_axes() const;
  /// Returns the sub-axes into which dim axes and unreduced axes split the axes of the mesh. Spec:
  /// algebra 3.8.
  AxisList ordered_axis_refs() const;

  // Updates: algebra 5.3. All other members are kept, except that a dim that becomes empty and
  // closed loses its priority, as the invariant requires. Callers ensure the rest of the invariant.

  /// Returns the sharding with dim i closed. Requires: i < rank().
  TensorSharding with_closed_dim(std::size_t i) const { return with_dim(i, dim(i).closed_like()); }
  /// Returns the sharding with dim i open. Requires: i < rank().
  TensorSharding with_open_dim(std::size_t i) const { return with_dim(i, dim(i).open_like()); }
  /// Returns the sharding with the dims `which` closed. Requires: each below rank().
  TensorSharding with_closed_dims(std::span<const std::size_t> which) const;
  /// Returns the sharding with the dims `which` open. Requires: each below rank().
  TensorSharding with_open_dims(std::span<const std::size_t> which) const;
  /// Returns the sharding with dim i replaced by `dim`. Requires: i < rank(); no axis twice.
  TensorSharding with_dim(std::size_t i, DimSharding dim) const;
  /// Returns the sharding with other dims. Requires: no axis twice.
  TensorSharding with_dims(std::vector<DimSharding> dims) const;
  /// Returns the sharding with other axes in each dim; closed flags and priorities are kept.
  /// Requires: one list per dim; no axis twice.
  TensorSharding with_dim_axes(std::vector<AxisList> axes_per_dim) const;
  /// Returns the sharding with other replicated axes. Requires: in mesh order; no axis twice.
  TensorSharding with_replicated(AxisList axes) const;
  /// Returns the sharding with other unreduced axes. Requires: in mesh order; no axis twice.
  TensorSharding with_unreduced(AxisList axes) const;
  /// Returns the sharding with other unreduced axes and reduction op. Requires: in mesh order; no
  /// axis twice.
  TensorSharding with_unreduced(AxisList axes, ReductionOp reduction_op) const;
  /// Returns the sharding on another mesh. Requires: the mesh has the axes of the sharding.
  TensorSharding with_mesh(MeshRef mesh) const;
  /// Returns the sharding with the full axis `axis` appended to dim i, whose priority is dropped.
  /// Requires: can_shard(i, axis).
  TensorSharding sharded(std::size_t i, int32_t axis) const {
    SHARDY_EXPECTS(can_shard(i, axis));
    return with_dim(i, dim(i).sharded(mesh().full_axis(axis)));
  }
  /// Returns the sharding with the full axis `axis` added to the replicated axes. Requires:
  /// can_replicate(axis).
  TensorSharding replicated(int32_t axis) const;
  /// Returns the sharding with all dims closed and without replicated axes, which have no effect on
  /// closed dims.
  TensorSharding closed_like() const;
  /// Returns the sharding with all dims open; replicated axes are kept.
  TensorSharding open_like() const;
  /// Returns the sharding on the same mesh whose dims have no axes and are closed.
  TensorSharding fully_closed_like() const { return empty_dims(mesh_ref(), rank(), true); }
  /// Returns the sharding on the same mesh whose dims have no axes and are open.
  TensorSharding fully_open_like() const { return empty_dims(mesh_ref(), rank(), false); }
  /// Returns the sharding with an inlined mesh instead of a mesh name.
  TensorSharding with_inlined_mesh() const { return with_mesh({mesh(), std::nullopt}); }

  // Shapes: algebra 5.5. A sharding of rank 0 changes no shape; a dynamic (negative) dim stays
  // dynamic.
  /// Returns the shape of the local buffers: each dim divided by its number of shards, rounded up.
  /// Requires: as many dims as the sharding has, or a sharding of rank 0.
  std::vector<int64_t> local_shape(std::span<const int64_t> global) const;
  /// Returns the local shape; std::nullopt if a dim is not divisible by its shards. Requires: as
  /// local_shape.
  std::optional<std::vector<int64_t>> evenly_divided_shape(std::span<const int64_t> global) const;
  /// Returns local size * shards for each dim; std::nullopt on overflow of int64. The result is the
  /// global shape, rounded up to a multiple of the shards. Requires: as local_shape.
  std::optional<std::vector<int64_t>> global_shape(std::span<const int64_t> local) const;

  friend bool operator==(const TensorSharding& a, const TensorSharding& b) {
    return a.data_ == b.data_ || a.held() == b.held();
  }
  friend std::strong_ordering operator<=>(const TensorSharding& a, const TensorSharding& b) {
    return a.data_ == b.data_ ? std::strong_ordering::equal : a.held() <=> b.held();
  }

 private:
  struct Data {
    MeshRef mesh;
    std::vector<DimSharding> dims;
    AxisList replicated;
    AxisList unreduced;
    ReductionOp reduction_op = ReductionOp::Sum;

    bool operator==(const Data&) const;
    std::strong_ordering operator<=>(const Data&) const;
  };
  /// The content with the number of its owners.
  struct Held : OwnerCount {
    explicit Held(Data content);
    static void destroy(const Held* held);

    Data data;
  };

  /// Replaces std::ranges::any_of, whose header costs more than this one.
  template <class Predicate>
  static bool any_of(AxisSpan axes, Predicate& predicate) {
    for (const AxisRef& axis : axes) {
      if (predicate(axis)) return true;
    }
    return false;
  }

  explicit TensorSharding(Data data);
  static Status verify(const Data& data);
  static bool is_plain(const Data& data);
  static TensorSharding normalized(Data data);
  static TensorSharding checked(Data data);
  static TensorSharding empty_dims(MeshRef mesh, std::size_t rank, bool is_closed);
  bool leaves_shape(std::span<const int64_t> shape) const {
    SHARDY_EXPECTS(rank() == 0 || rank() == shape.size());
    return rank() != shape.size();
  }

  /// Returns the content. A moved-from sharding has none.
  const Data& held() const { return data_->data; }

  Shared<Held> data_;
};

}  // namespace shardy

template <>
struct std::hash<shardy::MeshRef> {
  std::size_t operator()(const shardy::MeshRef& ref) const;
};

template <>
struct std::hash<shardy::TensorSharding> {
  std::size_t operator()(const shardy::TensorSharding& sharding) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/detail/axis_check.hpp>

namespace shardy {

SHARDY_INLINE std::string too_many_dims() {
  return "a tensor has at most " + std::to_string(kMaxRank) + " dims";
}

SHARDY_INLINE bool operator==(const DimSharding&, const DimSharding&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const DimSharding&, const DimSharding&) = default;

SHARDY_INLINE DimSharding DimSharding::slice_axes(std::size_t skipped, std::size_t count) const {
  SHARDY_EXPECTS(skipped <= axes.size() && count <= axes.size() - skipped);
  const AxisSpan part = AxisSpan(axes).subspan(skipped, count);
  return {{part.begin(), part.end()}, is_closed, priority};
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::DimSharding>::operator()(
    const shardy::DimSharding& dim) const {
  return shardy::hash_combine(shardy::hash_range(dim.axes),
                              shardy::hash_of(dim.is_closed, dim.priority));
}

namespace shardy {

SHARDY_INLINE bool TensorSharding::Data::operator==(const Data&) const = default;
SHARDY_INLINE std::strong_ordering TensorSharding::Data::operator<=>(const Data&) const = default;

SHARDY_INLINE TensorSharding::Held::Held(Data content) : data(std::move(content)) {}
SHARDY_INLINE void TensorSharding::Held::destroy(const Held* held) { delete held; }

SHARDY_INLINE TensorSharding::TensorSharding(Data data)
    : data_(Shared<Held>::make(std::move(data))) {}

SHARDY_INLINE TensorSharding TensorSharding::with_replicated(AxisList axes) const {
  Data data = held();
  data.replicated = std::move(axes);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_unreduced(AxisList axes) const {
  return with_unreduced(std::move(axes), reduction_op());
}

SHARDY_INLINE TensorSharding TensorSharding::with_unreduced(AxisList axes,
                                                            ReductionOp reduction_op) const {
  Data data = held();
  data.unreduced = std::move(axes);
  data.reduction_op = reduction_op;
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_mesh(MeshRef mesh) const {
  Data data = held();
  data.mesh = std::move(mesh);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::open_like() const {
  Data data = held();
  for (DimSharding& dim : data.dims) dim.is_closed = false;
  return checked(std::move(data));
}

SHARDY_INLINE bool operator==(const MeshRef&, const MeshRef&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const MeshRef&, const MeshRef&) = default;

SHARDY_INLINE bool TensorSharding::is_fully_closed() const {
  return std::ranges::all_of(dims(), &DimSharding::is_closed);
}

SHARDY_INLINE bool TensorSharding::is_fully_replicated() const {
  return std::ranges::all_of(dims(), &DimSharding::empty);
}

SHARDY_INLINE bool TensorSharding::is_fully_replicated_and_open() const {
  return is_fully_replicated() && std::ranges::none_of(dims(), &DimSharding::is_closed);
}

SHARDY_INLINE bool TensorSharding::is_bound(int32_t axis) const {
  return any_axis([axis](const AxisRef& ref) { return ref.axis == axis; });
}

SHARDY_INLINE AxisList TensorSharding::dim_axes() const {
  AxisList axes;
  for (const DimSharding& dim : dims()) axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
  return axes;
}

SHARDY_INLINE AxisList TensorSharding::ordered_axis_refs() const {
  AxisList refs = dim_axes();
  refs.insert(refs.end(), unreduced_axes().begin(), unreduced_axes().end());
  return shardy::ordered_axis_refs(mesh(), refs);
}

/// Returns true for the common case without allocation: only full axes of the mesh, each at most
/// once.
SHARDY_INLINE bool TensorSharding::is_plain(const Data& data) {
  constexpr int32_t kMaxAxes = 64;
  const Mesh& mesh = data.mesh.mesh;
  if (mesh.num_axes() > kMaxAxes || mesh.is_maximal()) return false;
  uint64_t seen = 0;
  const auto are_new = [&](const AxisList& axes) {
    return std::ranges::all_of(axes, [&](const AxisRef& ref) {
      if (ref.axis < 0 || ref.axis >= mesh.num_axes()) return false;
      if (ref != mesh.full_axis(ref.axis)) return false;
      const uint64_t bit = uint64_t{1} << static_cast<uint32_t>(ref.axis);
      return (std::exchange(seen, seen | bit) & bit) == 0;
    });
  };
  const auto dim_is_plain = [&](const DimSharding& dim) {
    return !dim.priority && are_new(dim.axes);
  };
  return std::ranges::all_of(data.dims, dim_is_plain) && are_new(data.replicated) &&
         are_new(data.unreduced) && std::ranges::is_sorted(data.replicated) &&
         std::ranges::is_sorted(data.unreduced);
}

/// Returns the canonical form: the reduction op is Sum without unreduced axes.
SHARDY_INLINE TensorSharding TensorSharding::normalized(Data data) {
  if (data.unreduced.empty()) data.reduction_op = ReductionOp::Sum;
  return TensorSharding(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::checked(Data data) {
  for (DimSharding& dim : data.dims) {
    if (dim.is_closed && dim.empty()) dim.priority.reset();
  }
  SHARDY_EXPECTS(is_plain(data) || verify(data).has_value());
  return normalized(std::move(data));
}

SHARDY_INLINE Status TensorSharding::verify(const Data& data) {
  const Mesh& mesh = data.mesh.mesh;
  for (const DimSharding& dim : data.dims) {
    SHARDY_TRY_STATUS(check_axis_indices(mesh, dim.axes));
  }
  SHARDY_TRY_STATUS(check_axis_indices(mesh, data.replicated));
  SHARDY_TRY_STATUS(check_axis_indices(mesh, data.unreduced));
  return check_sharding(mesh, loosen(mesh, data.dims, data.replicated, data.unreduced));
}

// NOLINTNEXTLINE(readability-function-size): six fields, three of them with a default
SHARDY_INLINE Result<TensorSharding> TensorSharding::make(Mesh mesh,
                                                          std::optional<std::string> mesh_name,
                                                          std::vector<DimSharding> dims,
                                                          AxisList replicated, AxisList unreduced,
                                                          ReductionOp reduction_op) {
  Data data{{std::move(mesh), std::move(mesh_name)},
            std::move(dims),
            std::move(replicated),
            std::move(unreduced),
            reduction_op};
  if (!is_plain(data)) {
    SHARDY_TRY_STATUS(verify(data));
  }
  return normalized(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::empty_dims(MeshRef mesh, std::size_t rank,
                                                        bool is_closed) {
  SHARDY_EXPECTS(rank <= kMaxRank);
  const std::size_t num_dims = mesh.mesh.is_maximal() ? 0 : rank;
  const DimSharding dim{{}, is_closed, std::nullopt};
  return TensorSharding(
      Data{std::move(mesh), std::vector<DimSharding>(num_dims, dim), {}, {}, ReductionOp::Sum});
}

SHARDY_INLINE TensorSharding TensorSharding::closed(MeshRef mesh,
                                                    std::vector<AxisList> axes_per_dim,
                                                    AxisList unreduced) {
  Data data{std::move(mesh), {}, {}, std::move(unreduced), ReductionOp::Sum};
  for (AxisList& axes : axes_per_dim) {
    data.dims.push_back(DimSharding{std::move(axes), true, std::nullopt});
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_dims(std::vector<DimSharding> dims) const {
  SHARDY_EXPECTS(dims.size() == rank());
  Data data = held();
  data.dims = std::move(dims);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_dim(std::size_t i, DimSharding dim) const {
  SHARDY_EXPECTS(i < rank());
  Data data = held();
  data.dims[i] = std::move(dim);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_closed_dims(std::span<const std::size_t> which) const {
  Data data = held();
  for (const std::size_t i : which) {
    SHARDY_EXPECTS(i < data.dims.size());
    data.dims[i].is_closed = true;
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_open_dims(std::span<const std::size_t> which) const {
  Data data = held();
  for (const std::size_t i : which) {
    SHARDY_EXPECTS(i < data.dims.size());
    data.dims[i].is_closed = false;
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_dim_axes(std::vector<AxisList> axes_per_dim) const {
  SHARDY_EXPECTS(axes_per_dim.size() == rank());
  Data data = held();
  for (std::size_t i = 0; i < rank(); ++i) data.dims[i].axes = std::move(axes_per_dim[i]);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::replicated(int32_t axis) const {
  SHARDY_EXPECTS(can_replicate(axis));
  Data data = held();
  const AxisRef ref = mesh().full_axis(axis);
  data.replicated.insert(std::ranges::upper_bound(data.replicated, ref), ref);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::closed_like() const {
  Data data = held();
  for (DimSharding& dim : data.dims) dim.is_closed = true;
  data.replicated.clear();
  return checked(std::move(data));
}

SHARDY_INLINE std::vector<int64_t> TensorSharding::local_shape(
    std::span<const int64_t> global) const {
  std::vector<int64_t> shape(global.begin(), global.end());
  if (leaves_shape(global)) return shape;
  const std::span<const DimSharding> shardings = dims();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) shape[i] = ceil_div(shape[i], shardings[i].sharded_size());
  }
  return shape;
}

SHARDY_INLINE std::optional<std::vector<int64_t>> TensorSharding::evenly_divided_shape(
    std::span<const int64_t> global) const {
  if (!leaves_shape(global)) {
    for (std::size_t i = 0; i < rank(); ++i) {
      if (global[i] >= 0 && global[i] % dim(i).sharded_size() != 0) return std::nullopt;
    }
  }
  return local_shape(global);
}

SHARDY_INLINE std::optional<std::vector<int64_t>> TensorSharding::global_shape(
    std::span<const int64_t> local) const {
  std::vector<int64_t> shape(local.begin(), local.end());
  if (leaves_shape(local)) return shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) continue;
    const std::optional<int64_t> size = checked_mul(shape[i], dim(i).sharded_size());
    if (!size) return std::nullopt;
    shape[i] = *size;
  }
  return shape;
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::TensorSharding>::operator()(
    const shardy::TensorSharding& sharding) const {
  std::size_t seed =
      shardy::hash_of(sharding.mesh_ref(), static_cast<int>(sharding.reduction_op()));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.dims()));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.replicated_axes()));
  return shardy::hash_combine(seed, shardy::hash_range(sharding.unreduced_axes()));
}

SHARDY_INLINE std::size_t std::hash<shardy::MeshRef>::operator()(const shardy::MeshRef& ref) const {
  return shardy::hash_of(ref.mesh, ref.name);
}
#endif  // SHARDY_BODIES

// Groups of dims of a reshape, and shards of a group in row-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy {

/// A group of a reshape: the operand dims [in_begin, in_end) and the result dims [out_begin,
/// out_end) have equal elements.
struct ReshapeGroup {
  std::size_t in_begin = 0, in_end = 0;    // operand dims, half-open
  std::size_t out_begin = 0, out_end = 0;  // result dims, half-open
  bool operator==(const ReshapeGroup&) const = default;
};

/// Returns the groups of a reshape, as small as possible. A dim of size 1 joins the current group;
/// at the end, the last group. Requires: equal numbers of elements, no dim of size 0. Spec:
/// partitioning 8.3.
std::vector<ReshapeGroup> reshape_groups(std::span<const int64_t> in, std::span<const int64_t> out);

/// One side of a group whose shards have consecutive elements in row-major order.
struct FlatTiling {
  /// One sharded dim of the group.
  struct TiledDim {
    AxisList axes;       // axes of the dim
    int64_t shards = 1;  // number of shards of the dim
    int64_t step = 0;    // distance between the first elements of adjacent shards, in elements
  };
  std::vector<TiledDim> levels;  // sharded dims, major first
  AxisList axes;                 // axes of all levels, concatenated
  int64_t volume = 0;            // elements of one shard, including padding
  bool even = true;  // true if the size of the last sharded dim is divisible by its shards
};

/// Returns the tiling of a group of dims; std::nullopt if the shards are not consecutive. Shards
/// are consecutive if every sharded dim follows no unsharded dim, and all but the last have one
/// element per shard. Requires: one list of axes per dim, no dim of size 0. Spec: partitioning 8.3
/// d.
std::optional<FlatTiling> flat_tiling(std::span<const int64_t> dims,
                                      std::span<const AxisList> axes);

/// Communication that a group of a reshape needs. Spec: partitioning 8.3.
enum class GroupMove : uint8_t {
  None,      // no communication: both sides have equal shardings, or are not sharded
  Exchange,  // devices exchange elements, in row-major order
  Gather     // one side must be all-gathered
};

/// Returns the communication that a group needs. Requires: one list of axes per dim.
GroupMove group_move(std::span<const int64_t> in, std::span<const AxisList> in_axes,
                     std::span<const int64_t> out, std::span<const AxisList> out_axes);

/// Options of equivalent_across_reshape.
struct ReshapeOptions {
  bool allow_non_divisible = false;  // accept dims whose size is not divisible by their shards
};

namespace detail {

/// An axis of a sharding with the distance of adjacent shards, in elements of the flattened tensor.
struct AxisStride {
  AxisRef axis;
  double stride = 0;  // distance; fractional if a dim is not divisible
  int64_t prefix = 1;
  int64_t dim = 1;
};

/// Checks whether `major` and `minor` are adjacent, both in the flattened tensor and on the mesh
/// axis.
bool continues(const AxisStride& major, const AxisStride& minor, ReshapeOptions options);

}  // namespace detail

/// Checks whether a reshape from `from_shape` to `to_shape` leaves the same elements on each
/// device, without communication. Unreduced axes must be equal. Spec: algebra 5.6.
bool equivalent_across_reshape(const TensorSharding& from, std::span<const int64_t> from_shape,
                               const TensorSharding& to, std::span<const int64_t> to_shape,
                               ReshapeOptions options = {});

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cmath>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/support/detail/math.hpp>

namespace shardy {

SHARDY_INLINE std::vector<ReshapeGroup> reshape_groups(std::span<const int64_t> in,
                                                       std::span<const int64_t> out) {
  SHARDY_EXPECTS(checked_product(in).value_or(0) > 0 &&
                 checked_product(in) == checked_product(out));
  SHARDY_EXPECTS(std::ranges::all_of(in, [](int64_t size) { return size > 0; }));
  SHARDY_EXPECTS(std::ranges::all_of(out, [](int64_t size) { return size > 0; }));
  std::vector<ReshapeGroup> groups;
  std::size_t next_in = 0;
  std::size_t next_out = 0;
  while (next_in < in.size() && next_out < out.size()) {
    ReshapeGroup group{next_in, 0, next_out, 0};
    int64_t in_size = in[next_in++];
    int64_t out_size = out[next_out++];
    while (in_size != out_size) {
      if (in_size < out_size) {
        in_size *= in[next_in++];
      } else {
        out_size *= out[next_out++];
      }
    }
    group.in_end = next_in;
    group.out_end = next_out;
    groups.push_back(group);
  }
  if (groups.empty()) groups.push_back({});
  groups.back().in_end = in.size();
  groups.back().out_end = out.size();
  return groups;
}

SHARDY_INLINE std::optional<FlatTiling> flat_tiling(std::span<const int64_t> dims,
                                                    std::span<const AxisList> axes) {
  SHARDY_EXPECTS(dims.size() == axes.size() && checked_product(dims).value_or(0) > 0);
  SHARDY_EXPECTS(std::ranges::all_of(dims, [](int64_t size) { return size > 0; }));
  FlatTiling flat;
  int64_t stride = product(dims);
  bool whole_seen = false;
  bool sharded_seen = false;
  int64_t last_tile = 1;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    stride /= dims[dim];
    const int64_t shards = sharding_size(axes[dim]);
    if (shards == 1) {
      whole_seen = whole_seen || dims[dim] > 1;
      continue;
    }
    if (whole_seen || sharded_seen) return std::nullopt;
    last_tile = ceil_div(dims[dim], shards);
    sharded_seen = shards != dims[dim];
    flat.even = dims[dim] % shards == 0;
    flat.levels.push_back({axes[dim], shards, last_tile * stride});
    flat.volume = last_tile * stride;
    for (const AxisRef& axis : axes[dim]) append_or_merge(flat.axes, axis);
  }
  if (flat.levels.empty()) flat.volume = product(dims);
  return flat;
}

}  // namespace shardy

namespace shardy::detail {

/// Returns the index of the only dim larger than 1; `dims.size()` if no dim is larger, std::nullopt
/// if several are.
inline std::optional<std::size_t> single_dim(std::span<const int64_t> dims) {
  std::size_t found = dims.size();
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == 1) continue;
    if (found != dims.size()) return std::nullopt;
    found = dim;
  }
  return found;
}

inline bool shards_any(std::span<const AxisList> axes) {
  return std::ranges::any_of(axes, [](const AxisList& list) { return sharding_size(list) > 1; });
}

inline bool shards_unit_dim(std::span<const int64_t> dims, std::span<const AxisList> axes) {
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == 1 && sharding_size(axes[dim]) > 1) return true;
  }
  return false;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE GroupMove group_move(std::span<const int64_t> in, std::span<const AxisList> in_axes,
                                   std::span<const int64_t> out,
                                   std::span<const AxisList> out_axes) {
  SHARDY_EXPECTS(in.size() == in_axes.size() && out.size() == out_axes.size());
  if (!detail::shards_any(in_axes) && !detail::shards_any(out_axes)) return GroupMove::None;
  if (detail::shards_unit_dim(in, in_axes) || detail::shards_unit_dim(out, out_axes)) {
    return GroupMove::Gather;
  }
  const std::optional<std::size_t> in_dim = detail::single_dim(in);
  const std::optional<std::size_t> out_dim = detail::single_dim(out);
  if (in_dim && out_dim && *in_dim < in.size() && *out_dim < out.size()) {
    return in_axes[*in_dim] == out_axes[*out_dim] ? GroupMove::None : GroupMove::Gather;
  }
  const std::optional<FlatTiling> from = flat_tiling(in, in_axes);
  const std::optional<FlatTiling> to = flat_tiling(out, out_axes);
  const bool fits =
      from && to && from->axes == to->axes && (from->levels.size() <= 1 || from->even);
  return fits ? GroupMove::Exchange : GroupMove::Gather;
}

}  // namespace shardy

namespace shardy::detail {

inline bool same_stride(double a, double b) {
  constexpr double kTolerance = 1e-6;
  return std::abs(a - b) < kTolerance;
}

/// Returns the strides of the axes of all dims, ascending; std::nullopt on overflow or if a dim is
/// dynamic.
SHARDY_INLINE std::optional<std::vector<AxisStride>> axis_strides(const TensorSharding& sharding,
                                                                  std::span<const int64_t> shape,
                                                                  ReshapeOptions options) {
  std::vector<AxisStride> strides;
  std::vector<int64_t> prefixes = {1};  // product of the dims before each dim
  for (const int64_t size : shape) {
    const std::optional<int64_t> next = checked_mul(prefixes.back(), size);
    if (size < 0 || !next) return std::nullopt;
    prefixes.push_back(*next);
  }
  double after = 1;  // product of the dims after the current dim
  for (std::size_t i = shape.size(); i-- > 0;) {
    const AxisList& axes = sharding.dim(i).axes;
    int64_t pre = sharding_size(axes);
    const double divided = static_cast<double>(shape[i]) / static_cast<double>(pre);
    double stride = after * (options.allow_non_divisible ? divided : std::ceil(divided));
    for (std::size_t position = axes.size(); position-- > 0;) {
      const AxisRef& axis = axes[position];
      pre /= axis.size;
      const std::optional<int64_t> prefix = checked_mul(prefixes[i], pre);
      if (!prefix) return std::nullopt;
      strides.push_back({axis, stride, *prefix, shape[i]});
      stride *= static_cast<double>(axis.size);
    }
    after *= static_cast<double>(shape[i]);
  }
  std::ranges::stable_sort(strides, {}, &AxisStride::stride);
  return strides;
}

SHARDY_INLINE bool continues(const AxisStride& major, const AxisStride& minor,
                             ReshapeOptions options) {
  if (!can_merge(major.axis, minor.axis)) return false;
  if (!options.allow_non_divisible) {
    return same_stride(major.stride, minor.stride * static_cast<double>(minor.axis.size));
  }
  if (minor.prefix == major.prefix) return true;
  return checked_mul(major.prefix, major.dim) == minor.prefix && major.axis.size == major.dim;
}

SHARDY_INLINE std::vector<AxisStride> merge_strides(const std::vector<AxisStride>& strides,
                                                    ReshapeOptions options) {
  std::vector<AxisStride> merged;
  for (const AxisStride& next : strides) {
    if (merged.empty() || !continues(next, merged.back(), options)) {
      merged.push_back(next);
      continue;
    }
    AxisStride& last = merged.back();
    last.axis = merge(next.axis, last.axis);
    last.prefix = std::min(last.prefix, next.prefix);
  }
  return merged;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE bool equivalent_across_reshape(const TensorSharding& from,
                                             std::span<const int64_t> from_shape,
                                             const TensorSharding& to,
                                             std::span<const int64_t> to_shape,
                                             ReshapeOptions options) {
  if (from == to && std::ranges::equal(from_shape, to_shape)) return true;
  if (!detail::same_mesh_reference(from, to)) return false;
  if (from.replicated_axes() != to.replicated_axes()) return false;
  if (from.unreduced_axes() != to.unreduced_axes() || from.reduction_op() != to.reduction_op()) {
    return false;
  }
  if (from.rank() != from_shape.size() || to.rank() != to_shape.size()) return false;
  const auto from_strides = detail::axis_strides(from, from_shape, options);
  const auto to_strides = detail::axis_strides(to, to_shape, options);
  if (!from_strides || !to_strides) return false;
  const auto same = [&](const detail::AxisStride& a, const detail::AxisStride& b) {
    if (a.axis != b.axis) return false;
    return options.allow_non_divisible ? a.prefix == b.prefix
                                       : detail::same_stride(a.stride, b.stride);
  };
  return std::ranges::equal(detail::merge_strides(*from_strides, options),
                            detail::merge_strides(*to_strides, options), same);
}

}  // namespace shardy
#endif  // SHARDY_BODIES

#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy {

/// When two shardings are the same of two shapes.
struct ReshapeOptions {
  bool allow_non_divisible = false;  // also where axes do not divide dims
};

namespace detail {

/// One axis of a sharding, and how many elements of the flattened tensor lie between its shards.
struct AxisStride {
  AxisRef axis;
  double stride = 0;  // a fraction where a dim is not divisible
  int64_t prefix = 1;
  int64_t dim = 1;
};

/// `major` continues `minor` in the flattened tensor, too, and not only on its mesh axis.
bool continues(const AxisStride& major, const AxisStride& minor, ReshapeOptions options);

}  // namespace detail

/// A pure reshape of `from_shape` to `to_shape` leaves the data of each device in place. Unreduced
/// axes must be the same, too. Spec: algebra 5.6.
bool equivalent_across_reshape(const TensorSharding& from, std::span<const int64_t> from_shape,
                               const TensorSharding& to, std::span<const int64_t> to_shape,
                               ReshapeOptions options = {});

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cmath>
#include <optional>
#include <shardy/algebra/equivalence.hpp>
#include <vector>

namespace shardy::detail {

inline bool same_stride(double a, double b) {
  constexpr double kTolerance = 1e-6;
  return std::abs(a - b) < kTolerance;
}

/// Strides of the axes of all dims, smallest first; nothing if the numbers don't fit int64 or a dim
/// is dynamic.
SHARDY_INLINE std::optional<std::vector<AxisStride>> axis_strides(const TensorSharding& sharding,
                                                                  std::span<const int64_t> shape,
                                                                  ReshapeOptions options) {
  std::vector<AxisStride> strides;
  std::vector<int64_t> prefixes = {1};  // products of the dims before each dim
  for (const int64_t size : shape) {
    const std::optional<int64_t> next = checked_mul(prefixes.back(), size);
    if (size < 0 || !next) return std::nullopt;
    prefixes.push_back(*next);
  }
  double after = 1;  // elements of the dims after this one
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

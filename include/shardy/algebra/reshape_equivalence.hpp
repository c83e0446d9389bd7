#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/reshape_equivalence_inl.hpp>
#endif

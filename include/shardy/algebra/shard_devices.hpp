#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <span>
#include <vector>

// From a part of a tensor back to the devices that hold it. Spec: algebra 8.

namespace shardy {

/// Devices that hold the shard with the given index in each dim, by logical position: all that
/// differ only along axes that shard no dim. Requires: one index per dim, below its shard count.
/// Cost: the devices returned. Spec: algebra 8.4, 8.6.
std::vector<int64_t> devices_of_shard(const TensorSharding& sharding,
                                      std::span<const int64_t> indices);

/// Devices whose part of a tensor of `shape` has the element at `element`, by logical position.
/// Requires: the element is in the shape, which has no dynamic dim; rank 0 or that of `shape`.
std::vector<int64_t> devices_holding(const TensorSharding& sharding, std::span<const int64_t> shape,
                                     std::span<const int64_t> element);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/shard_devices_inl.hpp>
#endif

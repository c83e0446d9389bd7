// Scatter of global tensors to device buffers, and gather. Spec: partitioning 11.6, algebra 8.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>

namespace shardy::simulation {

/// The contiguous devices first, first + 1, ... of a run.
struct DeviceBlock {
  int64_t first = 0;  // number of the first device
  int64_t count = 0;  // number of devices
  /// Checks whether the block contains the device.
  bool contains(int64_t device) const {
    const uint64_t place = static_cast<uint64_t>(device) - static_cast<uint64_t>(first);
    return device >= first && count > 0 && place < static_cast<uint64_t>(count);
  }
  friend bool operator==(const DeviceBlock&, const DeviceBlock&) = default;
};

/// Returns the buffer of each device, by device id. Padding is `fill`; along unreduced axes, rank 0
/// gets the value, others the identity of the reduction. Without a sharding, or on a mesh without
/// axes, all devices get the tensor; devices outside the mesh get `fill`. Devices with equal
/// content share one buffer.
///
/// Errors: another rank than the tensor's, an unreduced tensor of a type without arithmetic.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              int64_t num_devices, Fill fill = Fill::Zero);
/// Returns the buffers of some devices, in their order; reads only their elements.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Reads rows first, first + 1, ... of a tensor, or a scalar. Each row is requested once, in order.
using Rows = std::function<Result<Tensor>(int64_t first, int64_t count)>;
/// Returns the buffers for a tensor that is read by rows; only the shards are kept in memory.
Result<Tensors> scatter_rows(const ir::Type& global, const Rows& rows,
                             const std::optional<TensorSharding>& sharding,
                             const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Returns the global tensor: drops padding, places shards, reduces unreduced axes in rank order.
///
/// Errors: E_REPLICA_DIVERGENCE if replicas differ in a bit; buffers of other types than the
/// sharding implies; a mesh with devices without buffers.
Result<Tensor> gather_output(std::span<const Tensor> locals,
                             const std::optional<TensorSharding>& sharding,
                             const ir::Type& global_type);

}  // namespace shardy::simulation

// From whole tensors to the buffers of devices and back. Spec: partitioning 11.6, algebra 8.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>

namespace shardy::simulation {

/// Devices first, first + 1, ... of a run.
struct DeviceBlock {
  int64_t first = 0;  // the first device
  int64_t count = 0;  // how many there are
  /// Returns whether the device is one of them.
  bool contains(int64_t device) const {
    const uint64_t place = static_cast<uint64_t>(device) - static_cast<uint64_t>(first);
    return device >= first && count > 0 && place < static_cast<uint64_t>(count);
  }
  friend bool operator==(const DeviceBlock&, const DeviceBlock&) = default;
};

/// Returns the buffer of each device, by device id. Padding after the valid elements is `fill`; of
/// the devices along unreduced axes rank 0 gets the value, the others the identity of the
/// reduction. Without a sharding, or on a mesh without axes, all devices get the tensor; devices
/// that are not in the mesh get `fill`. Devices with equal content share one buffer.
///
/// Errors: a rank other than the tensor's, an unreduced tensor of a type without arithmetic.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              int64_t num_devices, Fill fill = Fill::Zero);
/// The same for some devices, in their order: nothing else of the tensor is read.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Rows first, first + 1, ... of a tensor, or all of a scalar: they are asked for in order, once.
using Rows = std::function<Result<Tensor>(int64_t first, int64_t count)>;
/// Returns the same for a tensor that is read by rows: only the shards are kept.
Result<Tensors> scatter_rows(const ir::Type& global, const Rows& rows,
                             const std::optional<TensorSharding>& sharding,
                             const DeviceBlock& devices, Fill fill = Fill::Zero);

/// The whole tensor: padding dropped, tiles placed, unreduced axes folded in rank order.
///
/// Errors: E_REPLICA_DIVERGENCE if devices that hold the same elements disagree in a bit of them;
/// buffers of other types than the sharding gives; a mesh with devices that have no buffer.
Result<Tensor> gather_output(std::span<const Tensor> locals,
                             const std::optional<TensorSharding>& sharding,
                             const ir::Type& global_type);

}  // namespace shardy::simulation

#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>

namespace shardy {

/// How a collective_permute pairs devices: the one that receives reads its coordinates in the order
/// `receiver`, and gets the shard of the one whose coordinates, in the order `sender`, are the same
/// number. Both hold all parts of the mesh, major to minor.
struct PermuteOrders {
  AxisList sender;
  AxisList receiver;

  friend bool operator==(const PermuteOrders&, const PermuteOrders&);
};

namespace detail {

/// All `atoms`: those of the dims, those of the unreduced axes, the rest.
AxisList shard_order(const TensorSharding& sharding, AxisSpan atoms);

/// Device whose coordinates, in `order`, are the number `index`.
int64_t device_of(const Mesh& mesh, AxisSpan order, int64_t index);

}  // namespace detail

/// Requires: meshes that differ at most in device ids; refs of both shardings that can coexist.
/// Spec: resharding B.2, dialect 4.7.
PermuteOrders permute_orders(const TensorSharding& from, const TensorSharding& to);

/// Whether a permute sends anything: some device is not its own partner.
/// Cost: constant on one mesh, up to the number of devices between meshes.
bool permute_moves(const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/permute_inl.hpp>
#endif

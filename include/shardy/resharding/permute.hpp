#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>

namespace shardy {

/// How a collective_permute pairs devices: the one that receives reads its coordinates in the order
/// `receiver`, and gets the shard of the one whose coordinates, in the order `sender`, are the same
/// number. Both hold all parts of the mesh, major to minor. The parts that neither dims nor
/// unreduced axes use are free to choose: they are paired so that most devices keep what they have.
struct PermuteOrders {
  AxisList sender;    // order in which senders read their coordinates
  AxisList receiver;  // order in which receivers read theirs

  friend bool operator==(const PermuteOrders&, const PermuteOrders&);
};

namespace detail {

/// The atoms of the dims, then those of the unreduced axes.
AxisList used_parts(const TensorSharding& sharding, AxisSpan atoms);

/// Cuts the parts of both lists until those at one place have one size. False: sizes are in the way
/// of which neither divides the other.
bool pair_sizes(AxisList& a, AxisList& b);

/// For each part of `rest`, along which nothing of the source is sent, the part whose place it
/// takes among those that the target does not use, so that as many devices as can be keep what they
/// have. Nothing where sizes differ. Requires: as many parts in `sent` and `received`, of equal
/// sizes.
std::optional<AxisList> closing_order(AxisSpan sent, AxisSpan received, AxisSpan rest);

/// The orders that begin with `orders` and keep most devices. Nothing where sizes of which neither
/// divides the other stand at one place.
std::optional<PermuteOrders> paired_orders(const Mesh& mesh, PermuteOrders orders, AxisList atoms);

/// Device whose coordinates, in `order`, are the number `index`.
int64_t device_of(const Mesh& mesh, AxisSpan order, int64_t index);

}  // namespace detail

/// Requires: meshes that differ at most in device ids; refs of both shardings that can coexist.
/// Spec: resharding B.2, C.3, dialect 4.7.
PermuteOrders permute_orders(const TensorSharding& from, const TensorSharding& to);

/// Returns whether a permute sends anything: some device is not its own partner.
/// Cost: constant on one mesh, up to the number of devices between meshes.
bool permute_moves(const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/permute_inl.hpp>
#endif

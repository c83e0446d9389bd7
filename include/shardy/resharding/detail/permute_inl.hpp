// Bodies of permute.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/permute.hpp>
#include <shardy/support/inline.hpp>
#include <vector>

namespace shardy {

SHARDY_INLINE bool operator==(const PermuteOrders&, const PermuteOrders&) = default;

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE AxisList shard_order(const TensorSharding& sharding, AxisSpan atoms) {
  // Unreduced axes before the rest: a partial value must stay at its place among them.
  AxisList used = sharding.dim_axes();
  append(used, sharding.unreduced_axes());
  AxisList order = align_by_decomposition(used, atoms);
  append(order, set_difference(atoms, order));
  return order;
}

SHARDY_INLINE int64_t device_of(const Mesh& mesh, AxisSpan order, int64_t index) {
  std::vector<int64_t> strides(mesh.axes().size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * mesh.axes()[axis].size;
  }
  int64_t position = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const AxisRef& ref = order[i];
    const int64_t minor = mesh.axis_size(ref.axis) / ref.next();
    position += index % ref.size * minor * strides[static_cast<std::size_t>(ref.axis)];
    index /= ref.size;
  }
  return mesh.device_at(position);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE PermuteOrders permute_orders(const TensorSharding& from, const TensorSharding& to) {
  AxisList refs = from.ordered_axis_refs();
  append(refs, to.ordered_axis_refs());
  const AxisList atoms = ordered_axis_refs(from.mesh(), refs);
  return {detail::shard_order(from, atoms), detail::shard_order(to, atoms)};
}

SHARDY_INLINE bool permute_moves(const TensorSharding& from, const TensorSharding& to) {
  const PermuteOrders orders = permute_orders(from, to);
  if (from.mesh() == to.mesh()) {
    // Axes of size 1 have one coordinate, wherever they stand.
    const auto is_real = [](const AxisRef& ref) { return ref.size > 1; };
    AxisList sender;
    AxisList receiver;
    std::ranges::copy_if(orders.sender, std::back_inserter(sender), is_real);
    std::ranges::copy_if(orders.receiver, std::back_inserter(receiver), is_real);
    return sender != receiver;
  }
  for (int64_t index = 0; index < from.mesh().num_devices(); ++index) {
    if (detail::device_of(from.mesh(), orders.sender, index) !=
        detail::device_of(to.mesh(), orders.receiver, index)) {
      return true;
    }
  }
  return false;
}

}  // namespace shardy

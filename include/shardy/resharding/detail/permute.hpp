#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy {

/// Device orders of a collective-permute. A receiver has a linear index of its coordinates in the
/// order `receiver`, major to minor. The receiver gets the shard of the device with an equal linear
/// index in the order `sender`. `sender` and `receiver` contain all sub-axes of the mesh. Sub-axes
/// that neither dims nor unreduced axes use can be paired freely; they are paired so that most
/// devices keep their shard.
struct PermuteOrders {
  AxisList sender;    // order of the sender's coordinates
  AxisList receiver;  // order of the receiver's coordinates

  friend bool operator==(const PermuteOrders&, const PermuteOrders&);
};

namespace detail {

/// Returns the atoms of the dims of `sharding`, then the atoms of its unreduced axes. An atom is a
/// sub-axis that each ref of both shardings either contains or does not overlap.
AxisList used_parts(const TensorSharding& sharding, AxisSpan atoms);

/// Splits the refs of both lists until refs at equal positions have equal sizes. Returns false if
/// two remaining sizes do not divide each other.
bool pair_sizes(AxisList& a, AxisList& b);

/// Returns one part for each part of `rest`, the parts that the source does not use. The results
/// are parts that the target does not use, chosen so that most devices keep their data. Returns
/// std::nullopt if sizes differ. Requires: `sent` and `received` have as many parts, of equal
/// sizes.
std::optional<AxisList> closing_order(AxisSpan sent, AxisSpan received, AxisSpan rest);

/// Returns complete orders that begin with `orders` and keep most devices. Returns std::nullopt if
/// the sizes at some position do not divide each other.
std::optional<PermuteOrders> paired_orders(const Mesh& mesh, PermuteOrders orders, AxisList atoms);

/// Returns the device whose coordinates in the order `order` have the linear index `index`.
int64_t device_of(const Mesh& mesh, AxisSpan order, int64_t index);

}  // namespace detail

/// Returns the device orders of the permute from `from` to `to`. Requires: meshes that differ at
/// most in device ids; refs of both shardings that can coexist. Spec: resharding B.2, C.3, dialect
/// 4.7.
PermuteOrders permute_orders(const TensorSharding& from, const TensorSharding& to);

/// Returns whether a permute moves data: some device gets the shard of another device. Cost:
/// constant if both shardings have one mesh, else up to the number of devices.
bool permute_moves(const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <utility>
#include <vector>

namespace shardy {

SHARDY_INLINE bool operator==(const PermuteOrders&, const PermuteOrders&) = default;

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE AxisList used_parts(const TensorSharding& sharding, AxisSpan atoms) {
  // Unreduced axes precede unused axes, because partial values must keep their order.
  AxisList used = sharding.dim_axes();
  append(used, sharding.unreduced_axes());
  return align_by_decomposition(used, atoms);
}

SHARDY_INLINE bool pair_sizes(AxisList& a, AxisList& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int64_t size = std::min(a[i].size, b[i].size);
    for (AxisList* list : {&a, &b}) {
      const AxisRef ref = (*list)[i];
      if (ref.size == size) continue;
      if (ref.size % size != 0) return false;
      (*list)[i] = {ref.axis, ref.pre, size};
      const AxisRef rest{ref.axis, ref.pre * size, ref.size / size};
      list->insert(list->begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
    }
  }
  return a.size() == b.size();
}

SHARDY_INLINE std::optional<AxisList> closing_order(AxisSpan sent, AxisSpan received,
                                                    AxisSpan rest) {
  AxisList order;
  for (const AxisRef& first : rest) {
    // Finds the part of the target that is paired with `first`: follows the parts that replace each
    // other, up to a part that the target does not use.
    AxisRef last = first;
    for (auto at = std::ranges::find(received, last); at != received.end();
         at = std::ranges::find(received, last)) {
      last = sent[static_cast<std::size_t>(at - received.begin())];
    }
    if (last.size != first.size) return std::nullopt;
    order.push_back(last);
  }
  return order;
}

SHARDY_INLINE std::optional<PermuteOrders> paired_orders(const Mesh& mesh, PermuteOrders orders,
                                                         AxisList atoms) {
  // Axes of size 1 follow all others, because they have only one coordinate.
  const auto is_unit = [](const AxisRef& ref) { return ref.size == 1; };
  AxisList units;
  std::ranges::copy_if(atoms, std::back_inserter(units), is_unit);
  for (AxisList* list : {&orders.sender, &orders.receiver, &atoms}) std::erase_if(*list, is_unit);
  for (bool changed = true; changed;) {
    if (!pair_sizes(orders.sender, orders.receiver)) return std::nullopt;
    if (!can_coexist(orders.sender, orders.receiver)) return std::nullopt;
    AxisList refs = orders.sender;
    append(refs, orders.receiver);
    append(refs, atoms);
    AxisList finer = ordered_axis_refs(mesh, refs);
    std::erase_if(finer, is_unit);
    changed = finer != atoms;
    atoms = std::move(finer);
    orders.sender = align_by_decomposition(orders.sender, atoms);
    orders.receiver = align_by_decomposition(orders.receiver, atoms);
  }
  const AxisList rest = set_difference(atoms, orders.sender);
  const std::optional<AxisList> order = closing_order(orders.sender, orders.receiver, rest);
  if (!order) return std::nullopt;
  append(orders.sender, rest);
  append(orders.receiver, *order);
  append(orders.sender, units);
  append(orders.receiver, units);
  return orders;
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
  PermuteOrders orders{detail::used_parts(from, atoms), detail::used_parts(to, atoms)};
  if (auto paired = detail::paired_orders(from.mesh(), orders, atoms)) return *std::move(paired);
  append(orders.sender, set_difference(atoms, orders.sender));
  append(orders.receiver, set_difference(atoms, orders.receiver));
  return orders;
}

SHARDY_INLINE bool permute_moves(const TensorSharding& from, const TensorSharding& to) {
  const PermuteOrders orders = permute_orders(from, to);
  if (from.mesh() == to.mesh()) {
    // Axes of size 1 may have any position, because they have only one coordinate.
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
#endif  // SHARDY_BODIES

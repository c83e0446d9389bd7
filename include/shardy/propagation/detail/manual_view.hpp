#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// How a node sees a slot from the other side of a manual computation. Inside, only free axes
/// exist; outside, the manual axes of each dim stand before its free ones. Spec: propagation 8.3.
struct ManualView {
  /// Put: the slot holds the inside view; manual axes are put in front on reading and stripped on
  /// writing (edges of block arguments). Strip: the reverse (edges of results).
  enum class Kind : uint8_t { Put, Strip };

  Kind kind = Kind::Put;
  std::vector<int32_t> manual_axes;  // indices in the mesh of the slot's sharding
  /// Put only: where the manual axes come from (the in_sharding).
  std::optional<TensorSharding> outer = std::nullopt;

  bool is_manual(const AxisRef& axis) const;
  /// Number of leading manual axes.
  std::size_t num_manual(std::span<const AxisRef> dim_axes) const;
};

/// Checks that `sharding`, the one of the slot, can be seen through `view`: it has no manual axes
/// if they are to be put in front, and has all of them if they are to be stripped. An axis may be
/// missing where all dims are closed.
Status verify_view(const ManualView& view, const std::optional<TensorSharding>& sharding);

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/manual_view_inl.hpp>
#endif

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The sharding of a slot as seen across the boundary of a manual computation. Inside the
/// computation, dims have only free axes. Outside, each dim has its manual axes followed by its
/// free axes. Spec: propagation 8.3.
struct ManualView {
  /// Put: the slot has the inside sharding; reading adds the manual axes, writing removes them
  /// (edges of block arguments). Strip: the slot has the outside sharding; reading removes the
  /// manual axes, writing adds them (edges of results).
  enum class Kind : uint8_t { Put, Strip };

  Kind kind = Kind::Put;
  std::vector<int32_t> manual_axes;  // indices of the manual axes in the slot's mesh
  /// Put only: the in_sharding with the manual axes.
  std::optional<TensorSharding> outer = std::nullopt;

  bool is_manual(const AxisRef& axis) const;
  /// Returns the number of leading axes that are manual.
  std::size_t num_manual(std::span<const AxisRef> dim_axes) const;
};

/// Checks that `sharding` of the slot fits `view`. Put: no dim has manual axes. Strip: all manual
/// axes occur, unless all dims are closed.
Status verify_view(const ManualView& view, const std::optional<TensorSharding>& sharding);

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <string>

namespace shardy::propagation {

SHARDY_INLINE bool ManualView::is_manual(const AxisRef& axis) const {
  return std::ranges::find(manual_axes, axis.axis) != manual_axes.end();
}

SHARDY_INLINE std::size_t ManualView::num_manual(std::span<const AxisRef> dim_axes) const {
  const auto first_free =
      std::ranges::find_if_not(dim_axes, [&](const AxisRef& axis) { return is_manual(axis); });
  return static_cast<std::size_t>(first_free - dim_axes.begin());
}

SHARDY_INLINE Status verify_view(const ManualView& view,
                                 const std::optional<TensorSharding>& sharding) {
  if (!sharding) return fail("a slot seen through a manual view must have a sharding");
  const bool puts = view.kind == ManualView::Kind::Put;
  if (puts != view.outer.has_value()) {
    return fail(puts ? "a view that puts manual axes in front needs an outer sharding"
                     : "a view that strips manual axes has no outer sharding");
  }
  const TensorSharding& outer = puts ? *view.outer : *sharding;
  if (outer.mesh() != sharding->mesh()) {
    return fail("the outer sharding of a view must have the mesh of the slot's sharding");
  }
  if (outer.rank() != sharding->rank()) {
    return fail("the outer sharding of a view must have the rank of the slot's sharding");
  }
  // Closed dims never get axes, so a missing manual axis is allowed.
  const bool is_final = outer.is_fully_closed() && sharding->is_fully_closed();
  for (const int32_t axis : view.manual_axes) {
    if (axis < 0 || axis >= outer.mesh().num_axes()) {
      return fail("manual axis out of range: " + std::to_string(axis));
    }
    const std::string name = "manual axis \"" + outer.mesh().axis_name(axis) + "\"";
    if (!outer.is_bound(axis) && !is_final) {
      return fail(name + " must appear in the outer sharding");
    }
    if (puts && sharding->is_bound(axis)) {
      return fail(name + " must not appear in the inner sharding");
    }
  }
  return {};
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES

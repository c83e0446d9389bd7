#pragma once

#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>

// Shardings as GSPMD writes them. Spec: algebra 12.1.

namespace shardy {

/// `sharding` with the axes `manual` around it as GSPMD writes it, in the canonical spelling.
/// Openness, priorities and explicit replication are lost. Errors: `unreduced axes that are reduced
/// by <op> have no HloSharding`, unknown manual axes and those that the sharding uses.
/// Cost: all devices if the mesh has device ids.
///
/// Example: `[{"y":(2)2}, {"x"}]` on <x=2, y=4> is `{devices=[2,2,2]<=[4,2]T(1,0)
/// last_tile_dim_replicate}`.
Result<HloSharding> export_hlo(const TensorSharding& sharding, AxisNames manual = {});

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardy::detail {

/// The parts of a mesh in the order in which the dims of a device array take them.
class TileBuilder {
 public:
  explicit TileBuilder(AxisList atoms) : atoms_(std::move(atoms)) {}

  /// A dim of the tile, which takes `axes`. Requires: they are among the atoms, and not yet taken.
  void add_dim(AxisSpan axes);
  /// The same for a last dim, which is left out if it is of size 1.
  void add_last_dim(AxisSpan axes, HloDimKind kind) {
    if (sharding_size(axes) == 1) return;
    add_dim(axes);
    last_.push_back(kind);
  }
  /// Returns the axes that no dim uses.
  AxisList rest() const;
  Result<HloSharding> build(const Mesh& mesh) &&;

 private:
  AxisList atoms_;
  std::vector<int64_t> tile_;
  std::vector<int64_t> order_;
  std::vector<HloDimKind> last_;
};

/// Manual axes in mesh order. Errors: unknown ones, and those that the sharding uses, too.
SHARDY_INLINE Result<AxisList> manual_axes_of_mesh(const TensorSharding& sharding,
                                                   AxisNames manual) {
  const Mesh& mesh = sharding.mesh();
  AxisList axes;
  for (const std::string& name : manual) {
    const std::optional<int32_t> axis = mesh.find_axis(name);
    if (!axis) return fail("unknown manual axis: " + in_quotes(name));
    axes.push_back(mesh.full_axis(*axis));
    const bool is_used = overlaps(axes.back(), sharding.dim_axes()) ||
                         overlaps(axes.back(), AxisSpan(sharding.unreduced_axes()));
    if (is_used) return fail("manual axis is also sharded or unreduced: " + in_quotes(name));
  }
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

SHARDY_INLINE void TileBuilder::add_dim(AxisSpan axes) {
  tile_.push_back(sharding_size(axes));
  for (const AxisRef& axis : axes) {
    order_.push_back(std::ranges::find(atoms_, axis) - atoms_.begin());
  }
}

SHARDY_INLINE AxisList TileBuilder::rest() const {
  AxisList axes;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const auto atom = static_cast<int64_t>(i);
    if (atoms_[i].size > 1 && std::ranges::find(order_, atom) == order_.end()) {
      axes.push_back(atoms_[i]);
    }
  }
  return axes;
}

SHARDY_INLINE Result<HloSharding> TileBuilder::build(const Mesh& mesh) && {
  std::vector<int64_t> sizes;
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    const auto atom = static_cast<int64_t>(i);
    sizes.push_back(atoms_[i].size);
    if (std::ranges::find(order_, atom) == order_.end()) order_.push_back(atom);  // of size 1
  }
  SHARDY_TRY(const DeviceArray positions,
             DeviceArray::iota(std::move(tile_), std::move(sizes), std::move(order_)));
  if (mesh.device_ids().empty()) return HloSharding::tiled(positions.canonical(), last_);
  std::vector<int64_t> devices;
  for (int64_t index = 0; index < positions.num_devices(); ++index) {
    devices.push_back(mesh.device_at(positions.device_at(index)));
  }
  SHARDY_TRY(DeviceArray list,
             DeviceArray::list({positions.tile().begin(), positions.tile().end()}, devices));
  return HloSharding::tiled(std::move(list), last_);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloSharding> export_hlo(const TensorSharding& sharding, AxisNames manual) {
  const Mesh& mesh = sharding.mesh();
  SHARDY_TRY(const AxisList manual_axes, detail::manual_axes_of_mesh(sharding, manual));
  if (sharding.reduction_op() != ReductionOp::Sum) {
    return fail("unreduced axes that are reduced by " +
                std::string(to_string(sharding.reduction_op())) + " have no HloSharding");
  }
  if (mesh.is_maximal()) return HloSharding::maximal(*mesh.maximal_device_id());
  const AxisList& unreduced = sharding.unreduced_axes();
  AxisList used = sharding.dim_axes();
  const bool is_whole = sharding_size(used) == 1;
  used.insert(used.end(), unreduced.begin(), unreduced.end());
  used.insert(used.end(), manual_axes.begin(), manual_axes.end());
  if (sharding_size(used) == 1) return HloSharding();
  if (sharding_size(manual_axes) == mesh.num_devices()) return HloSharding::manual();
  if (is_whole && sharding_size(unreduced) == mesh.num_devices()) return HloSharding::unreduced();

  detail::TileBuilder builder(ordered_axis_refs(mesh, used));
  for (const DimSharding& dim : sharding.dims()) builder.add_dim(dim.axes);
  builder.add_last_dim(manual_axes, HloDimKind::Manual);
  builder.add_last_dim(unreduced, HloDimKind::Unreduced);
  builder.add_last_dim(builder.rest(), HloDimKind::Replicated);
  return std::move(builder).build(mesh);
}

}  // namespace shardy
#endif  // SHARDY_BODIES

// Conversion between tensor shardings and GSPMD shardings (HloSharding). Spec: algebra 12.1.
#pragma once

#include <cstdint>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy {

/// A sharding without its manual axes, and the names of these axes in mesh order.
struct HloLayout {
  TensorSharding sharding;          // sharding along the axes that are not manual
  std::vector<std::string> manual;  // names of the manual axes

  friend bool operator==(const HloLayout&, const HloLayout&);
};

namespace detail {

/// Returns the error for the entry `index` of the device array, whose position does not fit any
/// sharding over `mesh`.
tl::unexpected<Error> first_difference(const HloSharding& hlo, const Mesh& mesh, int64_t index);

/// Returns the strides of the devices of `array`, as logical positions in `mesh`. The error is the
/// index of the first entry that fits no strides; the caller turns it into a diagnostic. Requires:
/// as many devices as the mesh has.
tl::expected<std::vector<DeviceStride>, std::size_t> position_strides(const DeviceArray& array,
                                                                      const Mesh& mesh);

}  // namespace detail

/// Converts a GSPMD sharding of a tensor of `rank` dims to a sharding on a new inlined mesh. The
/// mesh has the axes of the device array, split where a dim ends within an axis, and named
/// `axis_0`, ... or `names`. All dims are closed. Errors: those of algebra 12.1; manual and
/// unreduced shardings, which contain no devices.
Result<HloLayout> import_hlo(const HloSharding& hlo, std::size_t rank,
                             std::span<const std::string> names = {});

/// Converts a GSPMD sharding to a sharding on `mesh`, in terms of its axes and sub-axes. A maximal
/// sharding keeps its own mesh. Errors: as import_hlo; `device <d> at index <i> of the device array
/// is where no sharding over <mesh> has it`. Cost: linear in devices if the array is a list or the
/// mesh has device ids.
Result<HloLayout> import_hlo_onto(const HloSharding& hlo, std::size_t rank, const MeshRef& mesh);

}  // namespace shardy

// Conversion to GSPMD shardings. Spec: algebra 12.1.

namespace shardy {

/// Converts `sharding`, of a tensor inside computations with the manual axes `manual`, to a GSPMD
/// sharding in canonical form. Open dims, priorities and explicit replication are dropped. Errors:
/// `unreduced axes that are reduced by <op> have no HloSharding`; unknown manual axes; manual axes
/// that the sharding uses. Cost: linear in devices if the mesh has device ids.
///
/// Example: `[{"y":(2)2}, {"x"}]` on <x=2, y=4> is `{devices=[2,2,2]<=[4,2]T(1,0)
/// last_tile_dim_replicate}`.
Result<HloSharding> export_hlo(const TensorSharding& sharding, AxisNames manual = {});

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <numeric>
#include <optional>
#include <shardy/algebra/unresolved.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const HloLayout&, const HloLayout&) = default;

}  // namespace shardy

namespace shardy::detail {

/// Axes of one mesh for each dim of a device array.
using TileAxes = std::vector<AxisList>;

/// The axes of a shape, split at the borders of tile dims, and assigned to tile dims.
struct AssignedAxes {
  std::vector<std::vector<int64_t>> parts;  // sizes of the sub-axes of each axis, major first
  struct AxisPart {
    std::size_t axis;
    std::size_t part;
  };
  std::vector<std::vector<AxisPart>> dims;  // sub-axes of each tile dim
};

/// A splitter of strides into axis refs, at the borders of tile dims and mesh axes.
class StrideSplitter {
 public:
  StrideSplitter(const Mesh& mesh, std::span<const int64_t> tile)
      : mesh_(mesh), tile_(tile), axes_(tile.size()), dim_(tile.size()) {}

  /// Adds the next stride, minor first. Returns the index of the first array entry that does not
  /// fit, if any.
  std::optional<int64_t> add(DeviceStride part);

  /// Returns the axes of each tile dim, major first, merged.
  TileAxes finish();

 private:
  const Mesh& mesh_;
  std::span<const int64_t> tile_;
  TileAxes axes_;
  std::size_t dim_;      // tile dim of the next sub-axis
  int64_t room_ = 1;     // remaining size of that dim
  int64_t covered_ = 1;  // number of leading array entries that match the strides so far
};

/// Returns the sharding along the leading tile dims, and the manual axes among the last dims.
SHARDY_INLINE Result<HloLayout> layout_of_tiles(const MeshRef& mesh, const HloSharding& hlo,
                                                TileAxes axes) {
  AxisList manual;
  AxisList unreduced;
  for (std::size_t i = 0; i < hlo.last().size(); ++i) {
    const AxisList& own = axes[hlo.tiled_rank() + i];
    AxisList* into = hlo.last()[i] == HloDimKind::Manual      ? &manual
                     : hlo.last()[i] == HloDimKind::Unreduced ? &unreduced
                                                              : nullptr;
    if (into != nullptr) into->insert(into->end(), own.begin(), own.end());
  }
  axes.resize(hlo.tiled_rank());
  std::vector<std::string> names;
  for (const AxisRef& ref : sort_and_merge(std::move(manual))) {
    const std::string& name = mesh.mesh.axis_name(ref.axis);
    if (!mesh.mesh.is_full(ref)) {
      return fail("manual axes must be full mesh axes, not sub-axes, got: " +
                  to_string(mesh.mesh, ref));
    }
    names.push_back(name);
  }
  if (mesh.mesh.is_maximal()) axes.clear();  // a maximal mesh has one device, so no dim is sharded
  return HloLayout{TensorSharding::closed(mesh, std::move(axes), sort_and_merge(unreduced)),
                   std::move(names)};
}

/// Assigns the axes of sizes `shape`, in the order `order`, to the dims of `tile` from left to
/// right. Axes of size 1 are not assigned. Requires: the products of `tile` and `shape` are equal.
SHARDY_INLINE Result<AssignedAxes> deal_axes(std::span<const int64_t> tile,
                                             std::span<const int64_t> shape,
                                             std::span<const int64_t> order) {
  AssignedAxes dealt;
  dealt.parts.resize(shape.size());
  dealt.dims.resize(tile.size());
  std::vector<int64_t> rest(shape.begin(), shape.end());
  std::size_t next = 0;
  for (std::size_t dim = 0; dim < tile.size(); ++dim) {
    int64_t needed = tile[dim];
    while (needed > 1) {
      const auto axis = static_cast<std::size_t>(order[next]);
      const int64_t taken = std::min(needed, rest[axis]);
      if (needed % taken != 0 || rest[axis] % taken != 0) {
        return fail("tile dimension " + std::to_string(dim) + " of size " +
                    std::to_string(tile[dim]) + " does not align with axis of size " +
                    std::to_string(shape[axis]));
      }
      if (taken > 1) {
        dealt.dims[dim].push_back({axis, dealt.parts[axis].size()});
        dealt.parts[axis].push_back(taken);
      }
      needed /= taken;
      rest[axis] /= taken;
      if (rest[axis] == 1) ++next;
    }
  }
  for (std::vector<int64_t>& parts : dealt.parts) {
    if (parts.empty()) parts.push_back(1);
  }
  return dealt;
}

SHARDY_INLINE Result<Mesh> mesh_of_parts(const AssignedAxes& dealt,
                                         std::span<const std::string> names,
                                         std::span<const int64_t> devices) {
  std::vector<MeshAxis> axes;
  for (const std::vector<int64_t>& parts : dealt.parts) {
    for (const int64_t size : parts) {
      const std::size_t index = axes.size();
      axes.push_back({index < names.size() ? names[index] : "axis_" + std::to_string(index), size});
    }
  }
  if (!names.empty() && names.size() != axes.size()) {
    return fail("the sharding needs " + std::to_string(axes.size()) +
                " mesh axes, got names: " + std::to_string(names.size()));
  }
  return Mesh::make(std::move(axes), {devices.begin(), devices.end()});
}

SHARDY_INLINE TileAxes tile_axes(const AssignedAxes& dealt, const Mesh& mesh) {
  std::vector<int32_t> first = {0};  // mesh axis of the first sub-axis of each axis
  for (const auto& parts : dealt.parts) {
    first.push_back(first.back() + static_cast<int32_t>(parts.size()));
  }
  TileAxes axes;
  for (const auto& dim : dealt.dims) {
    AxisList& list = axes.emplace_back();
    for (const AssignedAxes::AxisPart& part : dim) {
      list.push_back(mesh.full_axis(first[part.axis] + static_cast<int32_t>(part.part)));
    }
  }
  return axes;
}

SHARDY_INLINE Result<HloLayout> import_tiled(const HloSharding& hlo,
                                             std::span<const std::string> names) {
  // A list that equals an iota is converted as that iota.
  const DeviceArray array = hlo.devices().is_list() ? hlo.devices().canonical() : hlo.devices();
  std::vector<int64_t> shape(array.reshape().begin(), array.reshape().end());
  std::vector<int64_t> order(array.transpose().begin(), array.transpose().end());
  if (array.is_list()) {
    shape.assign(array.tile().begin(), array.tile().end());
    order.resize(shape.size());
    std::iota(order.begin(), order.end(), 0);
  }
  SHARDY_TRY(const AssignedAxes dealt, deal_axes(array.tile(), shape, order));
  SHARDY_TRY(Mesh mesh, mesh_of_parts(dealt, names, array.devices()));
  TileAxes axes = tile_axes(dealt, mesh);
  return layout_of_tiles({std::move(mesh), std::nullopt}, hlo, std::move(axes));
}

SHARDY_INLINE tl::unexpected<Error> first_difference(const HloSharding& hlo, const Mesh& mesh,
                                                     int64_t index) {
  return fail("device " + std::to_string(hlo.devices().device_at(index)) + " at index " +
              std::to_string(index) + " of the device array is where no sharding over " +
              to_string(mesh) + " has it");
}

SHARDY_INLINE tl::expected<std::vector<DeviceStride>, std::size_t> position_strides(
    const DeviceArray& array, const Mesh& mesh) {
  if (!array.is_list() && mesh.device_ids().empty()) return array.strides();
  std::vector<int64_t> positions;
  for (int64_t index = 0; index < array.num_devices(); ++index) {
    const std::optional<int64_t> position = mesh.position_of(array.device_at(index));
    // A maximal mesh may not have this device.
    if (!position) return tl::unexpected(static_cast<std::size_t>(index));
    positions.push_back(*position);
  }
  return strides_of_list(positions);
}

/// Returns the axis ref whose coordinate increases every `stride` positions and that extends to the
/// major end of its axis.
SHARDY_INLINE std::optional<AxisRef> ref_of_stride(const Mesh& mesh, int64_t stride) {
  int64_t minor = 1;
  for (int32_t axis = mesh.num_axes(); axis-- > 0;) {
    const int64_t size = mesh.axis_size(axis);
    if (stride < minor * size) {
      const bool fits = stride % minor == 0 && minor * size % stride == 0;
      return fits ? std::optional(AxisRef{axis, 1, minor * size / stride}) : std::nullopt;
    }
    minor *= size;
  }
  return std::nullopt;
}

SHARDY_INLINE std::optional<int64_t> StrideSplitter::add(DeviceStride part) {
  while (part.size > 1) {
    while (room_ == 1) room_ = tile_[--dim_];
    const std::optional<AxisRef> ref = ref_of_stride(mesh_, part.stride);
    if (!ref) return covered_;
    const int64_t size = std::min({part.size, room_, ref->size});
    if (part.size % size != 0 || room_ % size != 0 || ref->size % size != 0) {
      return covered_ * size;
    }
    axes_[dim_].push_back({ref->axis, ref->size / size, size});
    part = {part.size / size, part.stride * size};
    room_ /= size;
    covered_ *= size;
  }
  return std::nullopt;
}

SHARDY_INLINE TileAxes StrideSplitter::finish() {
  for (AxisList& list : axes_) {
    AxisList merged;
    for (std::size_t i = list.size(); i-- > 0;) append_or_merge(merged, list[i]);
    list = std::move(merged);
  }
  return std::move(axes_);
}

SHARDY_INLINE Result<HloLayout> import_tiled_onto(const HloSharding& hlo, const MeshRef& ref) {
  const DeviceArray& array = hlo.devices();
  const Mesh& mesh = ref.mesh;
  if (array.num_devices() != mesh.num_devices()) {
    return fail("the sharding is over " + std::to_string(array.num_devices()) +
                " devices, the mesh has " + std::to_string(mesh.num_devices()));
  }
  const auto strides = position_strides(array, mesh);
  if (!strides) return first_difference(hlo, mesh, static_cast<int64_t>(strides.error()));
  StrideSplitter cutter(mesh, array.tile());
  for (const DeviceStride& part : *strides) {
    if (const auto index = cutter.add(part)) return first_difference(hlo, mesh, *index);
  }
  return layout_of_tiles(ref, hlo, cutter.finish());
}

SHARDY_INLINE Status check_importable(const HloSharding& hlo, std::size_t rank) {
  if (hlo.kind() == HloSharding::Kind::Tuple) return fail("a tuple of shardings is not one");
  if (hlo.kind() == HloSharding::Kind::Unknown)
    return fail("an unknown sharding assigns no data to devices");
  if (hlo.group()) return fail("a sharding of a mesh belongs to no shard group");
  if (hlo.metadata()) return fail("a sharding of a mesh has no metadata");
  if (hlo.kind() != HloSharding::Kind::Tiled || hlo.tiled_rank() == rank) return {};
  return fail("sharding doesn't match tensor rank: " + std::to_string(hlo.tiled_rank()) +
              " != " + std::to_string(rank));
}

/// Imports a sharding that needs no device array: a maximal one, or one without axes of `mesh`.
SHARDY_INLINE HloLayout import_whole(const HloSharding& hlo, std::size_t rank,
                                     const MeshRef& mesh) {
  if (hlo.kind() == HloSharding::Kind::Maximal) {
    if (mesh.mesh.maximal_device_id() == hlo.device()) {
      return {TensorSharding::fully_closed(mesh.mesh, mesh.name, 0), {}};
    }
    return {TensorSharding::fully_closed(*Mesh::maximal(hlo.device()), std::nullopt, 0), {}};
  }
  HloLayout layout{TensorSharding::fully_closed(mesh.mesh, mesh.name, rank), {}};
  AxisList all;
  for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
    all.push_back(mesh.mesh.full_axis(axis));
    if (hlo.kind() == HloSharding::Kind::Manual) {
      layout.manual.push_back(mesh.mesh.axis_name(axis));
    }
  }
  if (hlo.kind() == HloSharding::Kind::Unreduced) {
    layout.sharding = layout.sharding.with_unreduced(std::move(all));
  }
  return layout;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloLayout> import_hlo(const HloSharding& hlo, std::size_t rank,
                                           std::span<const std::string> names) {
  if (rank > kMaxRank) return fail(too_many_dims());
  SHARDY_TRY_STATUS(detail::check_importable(hlo, rank));
  if (hlo.kind() == HloSharding::Kind::Tiled) return detail::import_tiled(hlo, names);
  if (hlo.kind() == HloSharding::Kind::Manual || hlo.kind() == HloSharding::Kind::Unreduced) {
    return fail("the sharding covers all devices without listing them: a mesh is needed");
  }
  return detail::import_whole(hlo, rank, {Mesh(), std::nullopt});
}

SHARDY_INLINE Result<HloLayout> import_hlo_onto(const HloSharding& hlo, std::size_t rank,
                                                const MeshRef& mesh) {
  if (rank > kMaxRank) return fail(too_many_dims());
  SHARDY_TRY_STATUS(detail::check_importable(hlo, rank));
  if (hlo.kind() == HloSharding::Kind::Tiled) return detail::import_tiled_onto(hlo, mesh);
  return detail::import_whole(hlo, rank, mesh);
}

}  // namespace shardy

namespace shardy::detail {

/// A builder of device array dims from the sub-axes of a mesh.
class TileBuilder {
 public:
  explicit TileBuilder(AxisList atoms) : atoms_(std::move(atoms)) {}

  /// Adds a tile dim with `axes`. Requires: no earlier dim has these axes.
  void add_dim(AxisSpan axes);
  /// Adds a last tile dim of kind `kind`, unless its size is 1.
  void add_last_dim(AxisSpan axes, HloDimKind kind) {
    if (sharding_size(axes) == 1) return;
    add_dim(axes);
    last_.push_back(kind);
  }
  /// Returns the axes that no dim has.
  AxisList rest() const;
  Result<HloSharding> build(const Mesh& mesh) &&;

 private:
  AxisList atoms_;
  std::vector<int64_t> tile_;
  std::vector<int64_t> order_;
  std::vector<HloDimKind> last_;
};

/// Returns the manual axes as refs in mesh order. Errors: unknown axes, and axes that the sharding
/// uses.
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
    // Axes of size 1, in any position.
    if (std::ranges::find(order_, atom) == order_.end()) order_.push_back(atom);
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

// Bodies of tensor_sharding.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_check.hpp>
#include <shardy/algebra/detail/sharding_check.hpp>
#include <shardy/algebra/dim_sharding.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy {

SHARDY_INLINE bool TensorSharding::Data::operator==(const Data&) const = default;
SHARDY_INLINE std::strong_ordering TensorSharding::Data::operator<=>(const Data&) const = default;

SHARDY_INLINE TensorSharding::TensorSharding(Data data)
    : data_(std::make_shared<const Data>(std::move(data))) {}

SHARDY_INLINE TensorSharding TensorSharding::with_replicated(AxisList axes) const {
  Data data = held();
  data.replicated = std::move(axes);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_unreduced(AxisList axes) const {
  return with_unreduced(std::move(axes), reduction_op());
}

SHARDY_INLINE TensorSharding TensorSharding::with_unreduced(AxisList axes,
                                                            ReductionOp reduction_op) const {
  Data data = held();
  data.unreduced = std::move(axes);
  data.reduction_op = reduction_op;
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_mesh(MeshRef mesh) const {
  Data data = held();
  data.mesh = std::move(mesh);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::open_like() const {
  Data data = held();
  for (DimSharding& dim : data.dims) dim.is_closed = false;
  return checked(std::move(data));
}

SHARDY_INLINE bool operator==(const MeshRef&, const MeshRef&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const MeshRef&, const MeshRef&) = default;

SHARDY_INLINE bool TensorSharding::is_fully_closed() const {
  return std::ranges::all_of(dims(), &DimSharding::is_closed);
}

SHARDY_INLINE bool TensorSharding::is_fully_replicated() const {
  return std::ranges::all_of(dims(), &DimSharding::empty);
}

SHARDY_INLINE bool TensorSharding::is_fully_replicated_and_open() const {
  return is_fully_replicated() && std::ranges::none_of(dims(), &DimSharding::is_closed);
}

SHARDY_INLINE bool TensorSharding::is_bound(int32_t axis) const {
  return any_axis([axis](const AxisRef& ref) { return ref.axis == axis; });
}

SHARDY_INLINE AxisList TensorSharding::dim_axes() const {
  AxisList axes;
  for (const DimSharding& dim : dims()) axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
  return axes;
}

SHARDY_INLINE AxisList TensorSharding::ordered_axis_refs() const {
  AxisList refs = dim_axes();
  refs.insert(refs.end(), unreduced_axes().begin(), unreduced_axes().end());
  return shardy::ordered_axis_refs(mesh(), refs);
}

/// Checks, without allocation, for the common case: only full axes of the mesh, each at most once.
SHARDY_INLINE bool TensorSharding::is_plain(const Data& data) {
  constexpr int32_t kMaxAxes = 64;
  const Mesh& mesh = data.mesh.mesh;
  if (mesh.num_axes() > kMaxAxes || mesh.is_maximal()) return false;
  uint64_t seen = 0;
  const auto are_new = [&](const AxisList& axes) {
    return std::ranges::all_of(axes, [&](const AxisRef& ref) {
      if (ref.axis < 0 || ref.axis >= mesh.num_axes()) return false;
      if (ref != mesh.full_axis(ref.axis)) return false;
      const uint64_t bit = uint64_t{1} << static_cast<uint32_t>(ref.axis);
      return (std::exchange(seen, seen | bit) & bit) == 0;
    });
  };
  const auto dim_is_plain = [&](const DimSharding& dim) {
    return !dim.priority && are_new(dim.axes);
  };
  return std::ranges::all_of(data.dims, dim_is_plain) && are_new(data.replicated) &&
         are_new(data.unreduced) && std::ranges::is_sorted(data.replicated) &&
         std::ranges::is_sorted(data.unreduced);
}

/// Returns the canonical form: no reduction kind without unreduced axes.
SHARDY_INLINE TensorSharding TensorSharding::normalized(Data data) {
  if (data.unreduced.empty()) data.reduction_op = ReductionOp::Sum;
  return TensorSharding(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::checked(Data data) {
  for (DimSharding& dim : data.dims) {
    if (dim.is_closed && dim.empty()) dim.priority.reset();
  }
  SHARDY_EXPECTS(is_plain(data) || verify(data).has_value());
  return normalized(std::move(data));
}

SHARDY_INLINE Status TensorSharding::verify(const Data& data) {
  const Mesh& mesh = data.mesh.mesh;
  for (const DimSharding& dim : data.dims) {
    SHARDY_TRY_STATUS(check_axis_indices(mesh, dim.axes));
  }
  SHARDY_TRY_STATUS(check_axis_indices(mesh, data.replicated));
  SHARDY_TRY_STATUS(check_axis_indices(mesh, data.unreduced));
  return check_sharding(mesh, loosen(mesh, data.dims, data.replicated, data.unreduced));
}

// NOLINTNEXTLINE(readability-function-size): six fields, three of them with a default
SHARDY_INLINE Result<TensorSharding> TensorSharding::make(Mesh mesh,
                                                          std::optional<std::string> mesh_name,
                                                          std::vector<DimSharding> dims,
                                                          AxisList replicated, AxisList unreduced,
                                                          ReductionOp reduction_op) {
  Data data{{std::move(mesh), std::move(mesh_name)},
            std::move(dims),
            std::move(replicated),
            std::move(unreduced),
            reduction_op};
  if (!is_plain(data)) {
    SHARDY_TRY_STATUS(verify(data));
  }
  return normalized(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::empty_dims(MeshRef mesh, std::size_t rank,
                                                        bool is_closed) {
  SHARDY_EXPECTS(rank <= kMaxRank);
  const std::size_t num_dims = mesh.mesh.is_maximal() ? 0 : rank;
  const DimSharding dim{{}, is_closed, std::nullopt};
  return TensorSharding(
      Data{std::move(mesh), std::vector<DimSharding>(num_dims, dim), {}, {}, ReductionOp::Sum});
}

SHARDY_INLINE TensorSharding TensorSharding::closed(MeshRef mesh,
                                                    std::vector<AxisList> axes_per_dim,
                                                    AxisList unreduced) {
  Data data{std::move(mesh), {}, {}, std::move(unreduced), ReductionOp::Sum};
  for (AxisList& axes : axes_per_dim) {
    data.dims.push_back(DimSharding{std::move(axes), true, std::nullopt});
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_dims(std::vector<DimSharding> dims) const {
  SHARDY_EXPECTS(dims.size() == rank());
  Data data = held();
  data.dims = std::move(dims);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::with_dim(std::size_t i, DimSharding dim) const {
  SHARDY_EXPECTS(i < rank());
  Data data = held();
  data.dims[i] = std::move(dim);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_closed_dims(std::span<const std::size_t> which) const {
  Data data = held();
  for (const std::size_t i : which) {
    SHARDY_EXPECTS(i < data.dims.size());
    data.dims[i].is_closed = true;
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_open_dims(std::span<const std::size_t> which) const {
  Data data = held();
  for (const std::size_t i : which) {
    SHARDY_EXPECTS(i < data.dims.size());
    data.dims[i].is_closed = false;
  }
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding
TensorSharding::with_dim_axes(std::vector<AxisList> axes_per_dim) const {
  SHARDY_EXPECTS(axes_per_dim.size() == rank());
  Data data = held();
  for (std::size_t i = 0; i < rank(); ++i) data.dims[i].axes = std::move(axes_per_dim[i]);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::replicated(int32_t axis) const {
  SHARDY_EXPECTS(can_replicate(axis));
  Data data = held();
  const AxisRef ref = mesh().full_axis(axis);
  data.replicated.insert(std::ranges::upper_bound(data.replicated, ref), ref);
  return checked(std::move(data));
}

SHARDY_INLINE TensorSharding TensorSharding::closed_like() const {
  Data data = held();
  for (DimSharding& dim : data.dims) dim.is_closed = true;
  data.replicated.clear();
  return checked(std::move(data));
}

SHARDY_INLINE std::vector<int64_t> TensorSharding::local_shape(
    std::span<const int64_t> global) const {
  std::vector<int64_t> shape(global.begin(), global.end());
  if (leaves_shape(global)) return shape;
  const std::span<const DimSharding> shardings = dims();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) shape[i] = ceil_div(shape[i], shardings[i].sharded_size());
  }
  return shape;
}

SHARDY_INLINE std::optional<std::vector<int64_t>> TensorSharding::evenly_divided_shape(
    std::span<const int64_t> global) const {
  if (!leaves_shape(global)) {
    for (std::size_t i = 0; i < rank(); ++i) {
      if (global[i] >= 0 && global[i] % dim(i).sharded_size() != 0) return std::nullopt;
    }
  }
  return local_shape(global);
}

SHARDY_INLINE std::optional<std::vector<int64_t>> TensorSharding::global_shape(
    std::span<const int64_t> local) const {
  std::vector<int64_t> shape(local.begin(), local.end());
  if (leaves_shape(local)) return shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) continue;
    const std::optional<int64_t> size = checked_mul(shape[i], dim(i).sharded_size());
    if (!size) return std::nullopt;
    shape[i] = *size;
  }
  return shape;
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::TensorSharding>::operator()(
    const shardy::TensorSharding& sharding) const {
  std::size_t seed =
      shardy::hash_of(sharding.mesh_ref(), static_cast<int>(sharding.reduction_op()));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.dims()));
  seed = shardy::hash_combine(seed, shardy::hash_range(sharding.replicated_axes()));
  return shardy::hash_combine(seed, shardy::hash_range(sharding.unreduced_axes()));
}

SHARDY_INLINE std::size_t std::hash<shardy::MeshRef>::operator()(const shardy::MeshRef& ref) const {
  return shardy::hash_of(ref.mesh, ref.name);
}

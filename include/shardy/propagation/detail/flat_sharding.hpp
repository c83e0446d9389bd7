#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

using MeshId = TypedId<struct MeshTag>;

struct FlatDim {
  std::size_t num_axes = 0;
  bool is_closed = false;
  std::optional<int64_t> priority = std::nullopt;

  friend bool operator==(const FlatDim&, const FlatDim&) = default;
};

/// A tensor sharding whose arrays belong to someone else: cheap to read, to hash and to compare.
struct FlatShardingView {
  MeshId mesh;
  ReductionOp reduction_op = ReductionOp::Sum;
  std::span<const FlatDim> dims;
  AxisSpan axes;  // of the dims in order, replicated, unreduced
  std::size_t num_replicated = 0;
  std::size_t num_unreduced = 0;

  AxisSpan unreduced() const { return axes.last(num_unreduced); }
  AxisSpan replicated() const {
    return axes.last(num_replicated + num_unreduced).first(num_replicated);
  }

  friend bool operator==(const FlatShardingView& a, const FlatShardingView& b) {
    return a.mesh == b.mesh && a.reduction_op == b.reduction_op &&
           a.num_replicated == b.num_replicated && a.num_unreduced == b.num_unreduced &&
           std::ranges::equal(a.dims, b.dims) && std::ranges::equal(a.axes, b.axes);
  }
};

/// A tensor sharding in few arrays, to build one in place.
struct FlatSharding {
  MeshId mesh;
  ReductionOp reduction_op = ReductionOp::Sum;
  std::vector<FlatDim> dims;
  AxisList axes;
  std::size_t num_replicated = 0;
  std::size_t num_unreduced = 0;

  /// Valid until the next change.
  FlatShardingView view() const {
    return {mesh, reduction_op, dims, axes, num_replicated, num_unreduced};
  }
  /// Keeps the memory.
  void clear();
  void add_dim(const FlatDim& dim, AxisSpan dim_axes);
  /// After all dims.
  void set_other_axes(AxisSpan replicated_axes, AxisSpan unreduced_axes);
};

/// Calls `visit(dim, axes)` with each dim of `sharding` in order.
template <class Visit>
void for_each_dim(const FlatShardingView& sharding, Visit visit) {
  std::size_t first = 0;
  for (const FlatDim& dim : sharding.dims) {
    visit(dim, sharding.axes.subspan(first, dim.num_axes));
    first += dim.num_axes;
  }
}

// -------------------------------------------------------------------------------------------------

inline void FlatSharding::clear() {
  mesh = {};
  reduction_op = ReductionOp::Sum;
  dims.clear();
  axes.clear();
  num_replicated = num_unreduced = 0;
}

inline void FlatSharding::add_dim(const FlatDim& dim, AxisSpan dim_axes) {
  dims.push_back(dim);
  dims.back().num_axes = dim_axes.size();
  axes.insert(axes.end(), dim_axes.begin(), dim_axes.end());
}

inline void FlatSharding::set_other_axes(AxisSpan replicated_axes, AxisSpan unreduced_axes) {
  num_replicated = replicated_axes.size();
  num_unreduced = unreduced_axes.size();
  axes.insert(axes.end(), replicated_axes.begin(), replicated_axes.end());
  axes.insert(axes.end(), unreduced_axes.begin(), unreduced_axes.end());
}

namespace detail {

inline std::size_t hash_value(const FlatShardingView& sharding) {
  std::size_t seed = hash_of(sharding.mesh.value, static_cast<int>(sharding.reduction_op),
                             sharding.num_replicated, sharding.num_unreduced);
  for (const FlatDim& dim : sharding.dims) {
    seed = hash_combine(seed, hash_of(dim.num_axes, dim.is_closed, dim.priority));
  }
  return hash_combine(seed, hash_range(sharding.axes));
}

}  // namespace detail

}  // namespace shardy::propagation

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::propagation {

using MeshId = TypedId<struct MeshTag>;
using ShardingId = TypedId<struct ShardingTag>;  // none: no sharding

struct FlatDim {
  std::size_t num_axes = 0;
  bool is_closed = false;
  std::optional<int64_t> priority = std::nullopt;

  friend bool operator==(const FlatDim&, const FlatDim&) = default;
};

/// A tensor sharding in few arrays: cheap to build in place, to hash and to compare.
struct FlatSharding {
  MeshId mesh;
  ReductionOp reduction_op = ReductionOp::Sum;
  std::vector<FlatDim> dims;
  AxisList axes;  // of the dims in order, replicated, unreduced
  std::size_t num_replicated = 0;
  std::size_t num_unreduced = 0;

  std::span<const AxisRef> unreduced() const { return AxisSpan(axes).last(num_unreduced); }
  std::span<const AxisRef> replicated() const {
    return AxisSpan(axes).last(num_replicated + num_unreduced).first(num_replicated);
  }
  /// Keeps the memory.
  void clear();
  void add_dim(const FlatDim& dim, std::span<const AxisRef> dim_axes);
  /// After all dims.
  void set_other_axes(std::span<const AxisRef> replicated_axes,
                      std::span<const AxisRef> unreduced_axes);

  friend bool operator==(const FlatSharding&, const FlatSharding&) = default;
};

/// Calls `visit(dim, axes)` with each dim of `sharding` in order.
template <class Visit>
void for_each_dim(const FlatSharding& sharding, Visit visit) {
  std::size_t first = 0;
  for (const FlatDim& dim : sharding.dims) {
    visit(dim, AxisSpan(sharding.axes).subspan(first, dim.num_axes));
    first += dim.num_axes;
  }
}

/// Each distinct sharding once. A program has few of them: a slot then is one small id, comparing
/// and copying shardings is comparing and copying ids, and no step hashes a string.
class ShardingTable {
 public:
  MeshId intern_mesh(const MeshRef& mesh);
  ShardingId intern(const TensorSharding& sharding);
  ShardingId intern(const FlatSharding& sharding);

  const FlatSharding& operator[](ShardingId id) const { return flat_[id.index()]; }
  const MeshRef& mesh(MeshId id) const { return meshes_[id.index()]; }
  /// The first mesh of equal content; the reference may differ.
  MeshId content(MeshId id) const { return contents_[id.index()]; }
  /// Errors: what is no valid sharding.
  Result<TensorSharding> to_sharding(ShardingId id);

 private:
  std::vector<MeshRef> meshes_;
  std::vector<MeshId> contents_;
  std::unordered_multimap<std::size_t, MeshId> mesh_ids_;
  MeshId last_mesh_;

  std::vector<FlatSharding> flat_;
  std::vector<std::optional<TensorSharding>> shardings_;  // filled on demand
  std::unordered_multimap<std::size_t, ShardingId> sharding_ids_;
  FlatSharding scratch_;
};

// -------------------------------------------------------------------------------------------------

inline void FlatSharding::clear() {
  mesh = {};
  reduction_op = ReductionOp::Sum;
  dims.clear();
  axes.clear();
  num_replicated = num_unreduced = 0;
}

inline void FlatSharding::add_dim(const FlatDim& dim, std::span<const AxisRef> dim_axes) {
  dims.push_back(dim);
  dims.back().num_axes = dim_axes.size();
  axes.insert(axes.end(), dim_axes.begin(), dim_axes.end());
}

inline void FlatSharding::set_other_axes(std::span<const AxisRef> replicated_axes,
                                         std::span<const AxisRef> unreduced_axes) {
  num_replicated = replicated_axes.size();
  num_unreduced = unreduced_axes.size();
  axes.insert(axes.end(), replicated_axes.begin(), replicated_axes.end());
  axes.insert(axes.end(), unreduced_axes.begin(), unreduced_axes.end());
}

namespace detail {

inline std::size_t hash_value(const FlatSharding& sharding) {
  std::size_t seed = hash_of(sharding.mesh.value, static_cast<int>(sharding.reduction_op),
                             sharding.num_replicated, sharding.num_unreduced);
  for (const FlatDim& dim : sharding.dims) {
    seed = hash_combine(seed, hash_of(dim.num_axes, dim.is_closed, dim.priority));
  }
  return hash_combine(seed, hash_range(sharding.axes));
}

}  // namespace detail

inline MeshId ShardingTable::intern_mesh(const MeshRef& mesh) {
  if (last_mesh_.valid() && meshes_[last_mesh_.index()] == mesh) return last_mesh_;
  last_mesh_ = MeshId(static_cast<uint32_t>(meshes_.size()));
  MeshId content = last_mesh_;
  const std::size_t hash = hash_of(mesh.mesh);
  const auto [begin, end] = mesh_ids_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (meshes_[known->second.index()].mesh != mesh.mesh) continue;
    content = contents_[known->second.index()];
    if (meshes_[known->second.index()].name == mesh.name) return last_mesh_ = known->second;
  }
  meshes_.push_back(mesh);
  contents_.push_back(content);
  mesh_ids_.emplace(hash, last_mesh_);
  return last_mesh_;
}

inline ShardingId ShardingTable::intern(const FlatSharding& sharding) {
  const std::size_t hash = detail::hash_value(sharding);
  const auto [begin, end] = sharding_ids_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (flat_[known->second.index()] == sharding) return known->second;
  }
  const ShardingId id(static_cast<uint32_t>(flat_.size()));
  flat_.push_back(sharding);
  shardings_.emplace_back();
  sharding_ids_.emplace(hash, id);
  return id;
}

inline ShardingId ShardingTable::intern(const TensorSharding& sharding) {
  scratch_.clear();
  scratch_.mesh = intern_mesh(sharding.mesh_ref());
  scratch_.reduction_op = sharding.reduction_op();
  for (const DimSharding& dim : sharding.dims()) {
    scratch_.add_dim({.is_closed = dim.is_closed, .priority = dim.priority}, dim.axes);
  }
  scratch_.set_other_axes(sharding.replicated_axes(), sharding.unreduced_axes());
  const ShardingId id = intern(scratch_);
  if (!shardings_[id.index()]) shardings_[id.index()] = sharding;
  return id;
}

inline Result<TensorSharding> ShardingTable::to_sharding(ShardingId id) {
  std::optional<TensorSharding>& known = shardings_[id.index()];
  if (known) return *known;
  const FlatSharding& flat = flat_[id.index()];
  std::vector<DimSharding> dims;
  for_each_dim(flat, [&](const FlatDim& dim, std::span<const AxisRef> axes) {
    dims.push_back({{axes.begin(), axes.end()}, dim.is_closed, dim.priority});
  });
  const auto list = [](std::span<const AxisRef> axes) {
    return AxisList(axes.begin(), axes.end());
  };
  const MeshRef& mesh = meshes_[flat.mesh.index()];
  // Axes that user priorities hide stand unmerged among the replicated ones.
  SHARDY_TRY(TensorSharding sharding,
             TensorSharding::make(mesh.mesh, mesh.name, std::move(dims),
                                  sort_and_merge(list(flat.replicated())), list(flat.unreduced()),
                                  flat.reduction_op));
  known = sharding;
  return sharding;
}

}  // namespace shardy::propagation

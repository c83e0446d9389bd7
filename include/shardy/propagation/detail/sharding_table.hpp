#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/detail/flat_sharding.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <utility>
#include <vector>

namespace shardy::propagation {

using ShardingId = TypedId<struct ShardingTag>;  // none: no sharding

/// Each distinct sharding once. A program has few of them: a slot then is one small id, comparing
/// and copying shardings is comparing and copying ids, and no step hashes a string. All of them
/// stand in a few arrays, so that a new one takes no memory of its own.
class ShardingTable {
 public:
  MeshId intern_mesh(const MeshRef& mesh);
  ShardingId intern(const TensorSharding& sharding);
  /// Requires: `sharding` is not a view of this table.
  ShardingId intern(const FlatShardingView& sharding);

  /// Valid until the next `intern`.
  FlatShardingView operator[](ShardingId id) const;
  const MeshRef& mesh(MeshId id) const { return meshes_[id.index()]; }
  /// The mesh of a sharding.
  MeshId mesh_of(ShardingId id) const { return records_[id.index()].mesh; }
  /// The first mesh of equal content; the reference may differ.
  MeshId content(MeshId id) const { return contents_[id.index()]; }
  /// Errors: an invalid sharding.
  Result<TensorSharding> to_sharding(ShardingId id);

 private:
  struct Record {
    MeshId mesh;
    ReductionOp reduction_op = ReductionOp::Sum;
    uint32_t num_dims = 0;
    uint32_t num_axes = 0;
    uint32_t num_replicated = 0;
    uint32_t num_unreduced = 0;
    std::size_t first_dim = 0;
    std::size_t first_axis = 0;
    std::size_t hash = 0;
  };

  MeshId content_of(const Mesh& mesh);
  std::size_t place_of(const FlatShardingView& sharding, std::size_t hash) const;
  void grow_index();

  std::vector<MeshRef> meshes_;
  std::vector<MeshId> contents_;
  std::unordered_multimap<std::size_t, MeshId> mesh_ids_;     // by content and name
  std::unordered_multimap<std::size_t, MeshId> content_ids_;  // by content, the first of each
  MeshId last_mesh_;

  std::vector<Record> records_;
  std::vector<FlatDim> dims_;
  AxisList axes_;
  std::vector<ShardingId> index_;  // by hash, the next free place if taken; a power of two
  std::vector<std::optional<TensorSharding>> shardings_;  // filled on demand
  FlatSharding scratch_;
};

// -------------------------------------------------------------------------------------------------

inline MeshId ShardingTable::intern_mesh(const MeshRef& mesh) {
  if (last_mesh_.valid() && meshes_[last_mesh_.index()] == mesh) return last_mesh_;
  last_mesh_ = MeshId(static_cast<uint32_t>(meshes_.size()));
  const std::size_t hash = hash_of(mesh);
  const auto [begin, end] = mesh_ids_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (meshes_[known->second.index()] == mesh) return last_mesh_ = known->second;
  }
  meshes_.push_back(mesh);
  contents_.push_back(content_of(mesh.mesh));
  mesh_ids_.emplace(hash, last_mesh_);
  return last_mesh_;
}

/// The first mesh of that content; the last one added if there is none before it.
inline MeshId ShardingTable::content_of(const Mesh& mesh) {
  const std::size_t hash = hash_of(mesh);
  const auto [begin, end] = content_ids_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (meshes_[known->second.index()].mesh == mesh) return known->second;
  }
  content_ids_.emplace(hash, last_mesh_);
  return last_mesh_;
}

inline FlatShardingView ShardingTable::operator[](ShardingId id) const {
  const Record& record = records_[id.index()];
  return {record.mesh,
          record.reduction_op,
          std::span<const FlatDim>(dims_).subspan(record.first_dim, record.num_dims),
          AxisSpan(axes_).subspan(record.first_axis, record.num_axes),
          record.num_replicated,
          record.num_unreduced};
}

/// Where `sharding` is in the index, or is to be put. Requires: the index has a free place.
inline std::size_t ShardingTable::place_of(const FlatShardingView& sharding,
                                           std::size_t hash) const {
  const std::size_t mask = index_.size() - 1;
  std::size_t place = hash & mask;
  for (; index_[place].valid(); place = (place + 1) & mask) {
    const ShardingId id = index_[place];
    if (records_[id.index()].hash == hash && (*this)[id] == sharding) break;
  }
  return place;
}

inline void ShardingTable::grow_index() {
  index_.assign(index_.empty() ? 64 : 2 * index_.size(), ShardingId());
  const std::size_t mask = index_.size() - 1;
  for (uint32_t id = 0; id < records_.size(); ++id) {
    std::size_t place = records_[id].hash & mask;
    while (index_[place].valid()) place = (place + 1) & mask;
    index_[place] = ShardingId(id);
  }
}

inline ShardingId ShardingTable::intern(const FlatShardingView& sharding) {
  if (2 * records_.size() >= index_.size()) grow_index();
  const std::size_t hash = detail::hash_value(sharding);
  ShardingId& id = index_[place_of(sharding, hash)];
  if (id.valid()) return id;
  id = ShardingId(static_cast<uint32_t>(records_.size()));
  records_.push_back({.mesh = sharding.mesh,
                      .reduction_op = sharding.reduction_op,
                      .num_dims = static_cast<uint32_t>(sharding.dims.size()),
                      .num_axes = static_cast<uint32_t>(sharding.axes.size()),
                      .num_replicated = static_cast<uint32_t>(sharding.num_replicated),
                      .num_unreduced = static_cast<uint32_t>(sharding.num_unreduced),
                      .first_dim = dims_.size(),
                      .first_axis = axes_.size(),
                      .hash = hash});
  dims_.insert(dims_.end(), sharding.dims.begin(), sharding.dims.end());
  axes_.insert(axes_.end(), sharding.axes.begin(), sharding.axes.end());
  shardings_.emplace_back();
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
  const ShardingId id = intern(scratch_.view());
  if (!shardings_[id.index()]) shardings_[id.index()] = sharding;
  return id;
}

inline Result<TensorSharding> ShardingTable::to_sharding(ShardingId id) {
  std::optional<TensorSharding>& known = shardings_[id.index()];
  if (known) return *known;
  const FlatShardingView flat = (*this)[id];
  std::vector<DimSharding> dims;
  for_each_dim(flat, [&](const FlatDim& dim, AxisSpan axes) {
    dims.push_back({{axes.begin(), axes.end()}, dim.is_closed, dim.priority});
  });
  const auto list = [](AxisSpan axes) { return AxisList(axes.begin(), axes.end()); };
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

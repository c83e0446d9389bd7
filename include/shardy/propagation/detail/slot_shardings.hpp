// Shardings of all slots during propagation, in flat arrays. Each distinct sharding is stored once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::propagation {

using MeshId = TypedId<struct MeshTag>;

struct FlatDim {
  std::size_t num_axes = 0;
  bool is_closed = false;
  std::optional<int64_t> priority = std::nullopt;

  friend bool operator==(const FlatDim&, const FlatDim&) = default;
};

/// A view of a tensor sharding that does not own its arrays. Views are cheap to copy, hash and
/// compare.
struct FlatShardingView {
  MeshId mesh;
  ReductionOp reduction_op = ReductionOp::Sum;
  std::span<const FlatDim> dims;
  AxisSpan axes;  // axes of all dims in order, then replicated, then unreduced axes
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

/// A tensor sharding in a few arrays, for building a sharding in place.
struct FlatSharding {
  MeshId mesh;
  ReductionOp reduction_op = ReductionOp::Sum;
  std::vector<FlatDim> dims;
  AxisList axes;
  std::size_t num_replicated = 0;
  std::size_t num_unreduced = 0;

  /// Returns a view, which is valid until the next change.
  FlatShardingView view() const {
    return {mesh, reduction_op, dims, axes, num_replicated, num_unreduced};
  }
  /// Removes the content and keeps the allocated memory.
  void clear();
  void add_dim(const FlatDim& dim, AxisSpan dim_axes);
  /// Sets the replicated and unreduced axes. Call this after all dims were added.
  void set_other_axes(AxisSpan replicated_axes, AxisSpan unreduced_axes);
};

/// Calls `visit(dim, axes)` for each dim of `sharding`, in order.
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

using ShardingId = TypedId<struct ShardingTag>;  // invalid: no sharding

/// A table of distinct shardings, addressed by small ids. A program has few distinct shardings, so
/// slots store ids; comparing or copying shardings means comparing or copying ids, and steps do not
/// hash strings. All shardings share a few arrays, so that a new sharding needs no allocation of
/// its own.
class ShardingTable {
 public:
  MeshId intern_mesh(const MeshRef& mesh);
  ShardingId intern(const TensorSharding& sharding);
  /// Returns the id of `sharding`, which is added if it is new. Requires: `sharding` is not a view
  /// of this table.
  ShardingId intern(const FlatShardingView& sharding);

  /// Returns the sharding with this id. Valid until the next `intern`.
  FlatShardingView operator[](ShardingId id) const;
  const MeshRef& mesh(MeshId id) const { return meshes_[id.index()]; }
  /// Returns the mesh of a sharding.
  MeshId mesh_of(ShardingId id) const { return records_[id.index()].mesh; }
  /// Returns the first mesh of equal content. The meshes may differ in name.
  MeshId content(MeshId id) const { return contents_[id.index()]; }
  /// Returns the sharding as a TensorSharding. Errors: the sharding is invalid.
  Result<TensorSharding> to_sharding(ShardingId id);
  /// Returns the bytes that the table uses.
  std::size_t num_bytes() const {
    return records_.size() * (sizeof(ShardingRecord) + sizeof(std::optional<TensorSharding>)) +
           dims_.size() * sizeof(FlatDim) + axes_.size() * sizeof(AxisRef) +
           index_.size() * sizeof(ShardingId);
  }

 private:
  struct ShardingRecord {
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
  std::unordered_multimap<std::size_t, MeshId> mesh_ids_;  // meshes by hash of content and name
  // First mesh of each content, by hash of the content.
  std::unordered_multimap<std::size_t, MeshId> content_ids_;
  MeshId last_mesh_;

  std::vector<ShardingRecord> records_;
  std::vector<FlatDim> dims_;
  AxisList axes_;
  std::vector<ShardingId> index_;  // hash table with linear probing; the size is a power of two
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

/// Returns the first mesh with the content of `mesh`; the id of the last added mesh if no earlier
/// mesh has this content.
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
  const ShardingRecord& record = records_[id.index()];
  return {record.mesh,
          record.reduction_op,
          std::span<const FlatDim>(dims_).subspan(record.first_dim, record.num_dims),
          AxisSpan(axes_).subspan(record.first_axis, record.num_axes),
          record.num_replicated,
          record.num_unreduced};
}

/// Returns the position of `sharding` in the index, or the free position for inserting it.
/// Requires: the index has a free position.
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
  // Dims hidden by user priorities have added their axes to the replicated axes, unmerged.
  SHARDY_TRY(TensorSharding sharding,
             TensorSharding::make(mesh.mesh, mesh.name, std::move(dims),
                                  sort_and_merge(list(flat.replicated())), list(flat.unreduced()),
                                  flat.reduction_op));
  known = sharding;
  return sharding;
}

/// The shardings of all slots of a problem during propagation.
class SlotShardings {
 public:
  explicit SlotShardings(const Problem& problem);

  ShardingTable& table() { return table_; }
  const ShardingTable& table() const { return table_; }

  /// Returns the id of the slot's sharding; invalid if the slot has no sharding or no storage.
  ShardingId at(SlotId slot) const {
    const SlotId storage = problem_->slot(slot).storage;
    return storage.valid() ? current_[storage.index()] : ShardingId();
  }
  /// Returns the number of changes of shardings so far.
  uint32_t num_changes() const { return num_changes_; }
  /// Checks whether the slot's sharding is that of the time when `num_changes` returned `count`.
  bool is_unchanged_since(SlotId slot, uint32_t count) const {
    const SlotId storage = problem_->slot(slot).storage;
    return !storage.valid() || changed_at_[storage.index()] <= count;
  }
  /// Stores a sharding for `slot`; does nothing if the slot has no storage. The first sharding of
  /// any result of an op makes the op's other results open. Spec: propagation 7, last paragraph.
  void store(SlotId slot, ShardingId sharding);
  /// Enables or disables recording for `changed`. Recording is disabled initially.
  void keep_changed(bool keep) {
    keeps_changed_ = keep;
    changed_.clear();
  }
  /// Returns the storage slots that were written since the last `clear_changed`, possibly with
  /// duplicates.
  std::span<const SlotId> changed() const { return changed_; }
  void clear_changed() { changed_.clear(); }
  /// Returns whether the members of a group get each other's shardings; false for a group whose
  /// initial shardings conflict.
  bool is_tied(GroupId group) const { return is_tied_[group.index()] != 0; }
  void untie(GroupId group) { is_tied_[group.index()] = 0; }
  /// Stores the changed shardings in `problem`: the problem passed to the constructor, or a copy.
  Status flush(Problem& problem);
  /// Returns the bytes of the table and of the ids of slots.
  std::size_t num_bytes() const {
    return table_.num_bytes() + (current_.size() + flushed_.size()) * sizeof(ShardingId) +
           changed_at_.size() * sizeof(uint32_t) + changed_.size() * sizeof(SlotId) +
           is_tied_.size();
  }

 private:
  ShardingId fully_open(MeshId mesh, std::size_t rank);
  void note_change(SlotId storage, ShardingId sharding) {
    if (current_[storage.index()] == sharding) return;
    changed_at_[storage.index()] = ++num_changes_;
    if (keeps_changed_) changed_.push_back(storage);
  }

  const detail::ProblemTables* problem_;
  ShardingTable table_;
  std::vector<ShardingId> current_;   // one per slot; valid for storage slots only
  std::vector<uint32_t> changed_at_;  // per slot: number of its last change
  uint32_t num_changes_ = 0;
  bool keeps_changed_ = false;
  std::vector<SlotId> changed_;
  std::vector<ShardingId> flushed_;  // shardings that the problem has
  std::vector<uint8_t> is_tied_;     // per group: members get each other's shardings
  FlatSharding scratch_;
};

inline SlotShardings::SlotShardings(const Problem& problem)
    : problem_(&problem.tables()),
      current_(problem.num_slots()),
      changed_at_(problem.num_slots(), 0),
      is_tied_(problem.num_groups(), 1) {
  for (uint32_t index = 0; index < problem.num_slots(); ++index) {
    const SlotId slot(index);
    if (problem.slot(slot).storage != slot || !problem.sharding(slot)) continue;
    current_[index] = table_.intern(*problem.sharding(slot));
  }
  flushed_ = current_;
}

inline ShardingId SlotShardings::fully_open(MeshId mesh, std::size_t rank) {
  scratch_.clear();
  scratch_.mesh = mesh;
  scratch_.dims.resize(rank);
  return table_.intern(scratch_.view());
}

inline void SlotShardings::store(SlotId slot, ShardingId sharding) {
  const SlotId storage = problem_->slot(slot).storage;
  if (!storage.valid()) return;
  const bool was_absent = !current_[storage.index()].valid();
  note_change(storage, sharding);
  current_[storage.index()] = sharding;
  if (!was_absent) return;
  const MeshId mesh = table_.mesh_of(sharding);
  for (const SlotId sibling : problem_->siblings(storage)) {
    ShardingId& other = current_[sibling.index()];
    if (other.valid()) continue;
    const ShardingId open = fully_open(mesh, problem_->slot(sibling).rank);
    note_change(sibling, open);
    other = open;
  }
}

inline Status SlotShardings::flush(Problem& problem) {
  for (uint32_t index = 0; index < current_.size(); ++index) {
    if (current_[index] == flushed_[index]) continue;
    SHARDY_TRY(TensorSharding sharding, table_.to_sharding(current_[index]));
    SHARDY_TRY_STATUS(problem.set_sharding(SlotId(index), std::move(sharding)));
    flushed_[index] = current_[index];
  }
  return {};
}

}  // namespace shardy::propagation

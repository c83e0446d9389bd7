#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/propagation/detail/sharding_table.hpp>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::propagation {

/// The shardings of all slots of a problem while it is being solved.
class SlotShardings {
 public:
  explicit SlotShardings(const Problem& problem);

  ShardingTable& table() { return table_; }
  const ShardingTable& table() const { return table_; }

  /// None: the slot has no sharding, or no storage.
  ShardingId at(SlotId slot) const {
    const SlotId storage = problem_->slot(slot).storage;
    return storage.valid() ? current_[storage.index()] : ShardingId();
  }
  /// Writes the storage of `slot`, if it has one. The first write to a result of an op makes the
  /// other results open. Spec: propagation 7, last paragraph.
  void store(SlotId slot, ShardingId sharding);
  /// Sets whether `changed` is kept; initially it is not.
  void keep_changed(bool keep) {
    keeps_changed_ = keep;
    changed_.clear();
  }
  /// Storages that were written since the last `clear_changed`, some of them several times.
  std::span<const SlotId> changed() const { return changed_; }
  void clear_changed() { changed_.clear(); }
  /// Returns whether the members of a group follow each other; not so after a conflict at the
  /// start.
  bool is_tied(GroupId group) const { return is_tied_[group.index()] != 0; }
  void untie(GroupId group) { is_tied_[group.index()] = 0; }
  /// Writes what changed back to the problem this was made from, or a copy of it.
  Status flush(Problem& problem);

 private:
  ShardingId fully_open(MeshId mesh, std::size_t rank);
  void note_change(SlotId storage, ShardingId sharding) {
    if (keeps_changed_ && current_[storage.index()] != sharding) changed_.push_back(storage);
  }

  const detail::ProblemTables* problem_;
  ShardingTable table_;
  std::vector<ShardingId> current_;  // one per slot; storage slots only
  bool keeps_changed_ = false;
  std::vector<SlotId> changed_;
  std::vector<ShardingId> flushed_;  // what the problem knows
  std::vector<uint8_t> is_tied_;     // one per group
  FlatSharding scratch_;
};

inline SlotShardings::SlotShardings(const Problem& problem)
    : problem_(&problem.tables()),
      current_(problem.num_slots()),
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

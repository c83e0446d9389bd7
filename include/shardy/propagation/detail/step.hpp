// The propagation step of a node, and a cache of steps, keyed by all inputs of a step. Programs
// repeat their blocks, so most steps are found in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/detail/factor_axes.hpp>
#include <shardy/propagation/detail/slot_shardings.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/detail/hash.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The sharding that a step gives to one tensor of its node.
struct StepUpdate {
  uint32_t tensor = 0;
  ShardingId sharding;

  friend bool operator==(const StepUpdate&, const StepUpdate&) = default;
};

/// A cache of the updates of steps. The key of a step is a list of words. All entries share a few
/// arrays.
class StepMemo {
 public:
  /// Returns the buffer for the key of a step. Callers fill the buffer before `find`.
  std::vector<uint32_t>& key() { return key_; }
  /// Returns the updates of the step with the current key; std::nullopt if the cache does not have
  /// them. Valid until the next `add`.
  std::optional<std::span<const StepUpdate>> find();
  /// Stores the updates for the key of the last `find`, which returned std::nullopt.
  void add(std::span<const StepUpdate> updates);

  std::size_t size() const { return records_.size(); }
  /// Returns the bytes that the cache uses.
  std::size_t num_bytes() const {
    return (key_.size() + index_.size() + words_.size()) * sizeof(uint32_t) +
           records_.size() * sizeof(StepRecord) + updates_.size() * sizeof(StepUpdate);
  }
  /// Maximal number of cached steps, which bounds the memory for programs without repetition.
  static constexpr std::size_t kMaxSize = 1U << 16U;

 private:
  struct StepRecord {
    std::size_t hash = 0;
    uint32_t first_word = 0;
    uint32_t num_words = 0;
    uint32_t first_update = 0;
    uint32_t num_updates = 0;
  };
  static constexpr auto kFree = static_cast<uint32_t>(-1);

  std::span<const uint32_t> words(const StepRecord& record) const {
    return std::span<const uint32_t>(words_).subspan(record.first_word, record.num_words);
  }
  void grow_index();

  std::vector<uint32_t> key_;
  std::size_t hash_ = 0;         // hash of the key
  std::size_t place_ = 0;        // position of the key in the index
  std::vector<uint32_t> index_;  // hash table with linear probing; the size is a power of two
  std::vector<StepRecord> records_;
  std::vector<uint32_t> words_;
  std::vector<StepUpdate> updates_;
};

// -------------------------------------------------------------------------------------------------

inline void StepMemo::grow_index() {
  index_.assign(index_.empty() ? 64 : 2 * index_.size(), kFree);
  const std::size_t mask = index_.size() - 1;
  for (uint32_t record = 0; record < records_.size(); ++record) {
    std::size_t place = records_[record].hash & mask;
    while (index_[place] != kFree) place = (place + 1) & mask;
    index_[place] = record;
  }
}

inline std::optional<std::span<const StepUpdate>> StepMemo::find() {
  if (2 * records_.size() >= index_.size()) grow_index();
  hash_ = hash_range(key_);
  const std::size_t mask = index_.size() - 1;
  for (place_ = hash_ & mask; index_[place_] != kFree; place_ = (place_ + 1) & mask) {
    const StepRecord& record = records_[index_[place_]];
    if (record.hash != hash_ || !std::ranges::equal(words(record), key_)) continue;
    return std::span<const StepUpdate>(updates_).subspan(record.first_update, record.num_updates);
  }
  return std::nullopt;
}

inline void StepMemo::add(std::span<const StepUpdate> updates) {
  if (records_.size() == kMaxSize) return;
  index_[place_] = static_cast<uint32_t>(records_.size());
  records_.push_back({.hash = hash_,
                      .first_word = static_cast<uint32_t>(words_.size()),
                      .num_words = static_cast<uint32_t>(key_.size()),
                      .first_update = static_cast<uint32_t>(updates_.size()),
                      .num_updates = static_cast<uint32_t>(updates.size())});
  words_.insert(words_.end(), key_.begin(), key_.end());
  updates_.insert(updates_.end(), updates.begin(), updates.end());
}

/// A runner of propagation steps. A step projects the shardings of one node to factors, extends the
/// factors, projects them back and stores the result. Buffers are reused: after the largest node
/// and all distinct shardings have occurred, steps allocate no memory. Without an observer, results
/// are cached. Spec: propagation 7.
template <class Observer>
class StepRunner {
 public:
  /// Makes a runner. `extensions` is null if the caller replaces no rule of propagation.
  StepRunner(const detail::ProblemTables& problem, SlotShardings& shardings,
             detail::ExtensionResults* extensions = nullptr);

  /// Runs one step on `node`. Returns false if no sharding changed. `directions` has one element
  /// per factor. Requires: the node has a rule.
  bool run(NodeId node, FactorStrategy strategy, std::span<const Direction> directions,
           Observer& observer);

  /// Returns the slots written by the last step, in the order in which their users are notified.
  std::span<const SlotId> written() const { return written_; }
  /// Returns the bytes of the cached steps.
  std::size_t num_bytes() const { return memo_.num_bytes(); }

 private:
  std::optional<MeshId> common_mesh(std::span<const TensorUse> tensors) const;
  void project_tensor(const FlatRule& layout, std::size_t tensor, const TensorUse& use);
  void project_view(const FlatRule& layout, std::size_t tensor, const ManualView& view,
                    const FlatShardingView& sharding);
  ShardingId updated_sharding(const FlatRule& layout, std::size_t tensor, const TensorUse& use,
                              MeshId mesh);
  void back_project_tensor(const FlatRule& layout, std::size_t tensor, const TensorUse& use);
  void write_key(NodeId node, FactorStrategy strategy, std::span<const Direction> directions);
  void solve(NodeId node, FactorStrategy strategy, std::span<const Direction> directions);
  void solve_on(const Mesh& mesh, NodeId node, FactorStrategy strategy,
                std::span<const Direction> directions);
  void store(const TensorUse& use, ShardingId sharding, Observer& observer);
  void notify(NodeId node, Observer& observer);

  const detail::ProblemTables& problem_;
  SlotShardings& shardings_;
  detail::ExtensionResults* extensions_;
  std::vector<MeshId> view_meshes_;  // meshes of the outer shardings of views

  Projection projection_;
  Projection before_;  // projection before an observed step
  BasicStrategyScratch<typename Observer::Conflicts> scratch_;
  std::vector<ShardingId> old_;  // sharding of each tensor before the step
  FlatSharding next_;
  AxisList axes_;
  StepMemo memo_;
  std::vector<StepUpdate> updates_;
  std::vector<std::size_t> targets_;  // updated tensors of an observed step
  std::vector<SlotId> written_;
};

// -------------------------------------------------------------------------------------------------

template <class Observer>
StepRunner<Observer>::StepRunner(const detail::ProblemTables& problem, SlotShardings& shardings,
                                 detail::ExtensionResults* extensions)
    : problem_(problem), shardings_(shardings), extensions_(extensions) {
  for (uint32_t view = 0; view < problem.num_views(); ++view) {
    const auto& outer = problem.view(ViewId(view)).outer;
    view_meshes_.push_back(outer ? shardings.table().intern_mesh(outer->mesh_ref()) : MeshId());
  }
}

/// Returns the mesh of a step: the first non-empty mesh among the shardings of `tensors`. Returns
/// std::nullopt if all meshes are empty, if that mesh is maximal, or if another sharding has a
/// different non-empty mesh. Spec: propagation 7.1.
template <class Observer>
std::optional<MeshId> StepRunner<Observer>::common_mesh(std::span<const TensorUse> tensors) const {
  const ShardingTable& table = shardings_.table();
  MeshId common;
  const auto is_compatible = [&](MeshId mesh) {
    if (mesh == common || table.mesh(mesh).mesh.empty()) return true;
    if (!common.valid()) common = mesh;
    return table.content(mesh) == table.content(common);
  };
  for (const TensorUse& use : tensors) {
    const ShardingId id = shardings_.at(use.slot);
    if (id.valid() && !is_compatible(table.mesh_of(id))) return std::nullopt;
    const MeshId outer = use.view.valid() ? view_meshes_[use.view.index()] : MeshId();
    if (outer.valid() && !is_compatible(outer)) return std::nullopt;
  }
  if (!common.valid() || table.mesh(common).mesh.is_maximal()) return std::nullopt;
  return common;
}

template <class Observer>
void StepRunner<Observer>::project_view(const FlatRule& layout, std::size_t tensor,
                                        const ManualView& view, const FlatShardingView& sharding) {
  TensorAxes& others = projection_.tensors[tensor];
  std::size_t dim = 0;
  for_each_dim(sharding, [&](const FlatDim& flat, std::span<const AxisRef> axes) {
    axes_.clear();
    if (view.outer) {
      const AxisList& outer = view.outer->dim(dim).axes;
      axes_.assign(outer.begin(),
                   outer.begin() + static_cast<std::ptrdiff_t>(view.num_manual(outer)));
    } else {
      axes = axes.subspan(view.num_manual(axes));
    }
    axes_.insert(axes_.end(), axes.begin(), axes.end());
    project_dim(layout, layout.dim_entries(tensor, dim), axes_, flat.is_closed, projection_);
    ++dim;
  });
  const auto add_visible = [&](std::span<const AxisRef> from, AxisList& to) {
    for (const AxisRef& axis : from) {
      if (view.outer || !view.is_manual(axis)) to.push_back(axis);
    }
  };
  // Replicated axes of the slot's own sharding come from dims hidden by user priorities, or from
  // the outer sharding.
  add_visible(sharding.replicated(), others.replicated);
  add_visible(sharding.unreduced(), others.unreduced);
  if (!view.outer) return;
  add_visible(view.outer->replicated_axes(), others.replicated);
  add_visible(view.outer->unreduced_axes(), others.unreduced);
}

template <class Observer>
void StepRunner<Observer>::project_tensor(const FlatRule& layout, std::size_t tensor,
                                          const TensorUse& use) {
  const ShardingId id = shardings_.at(use.slot);
  old_[tensor] = id;
  if (!id.valid()) return project_absent(layout, tensor, /*is_closed=*/false, projection_);
  const FlatShardingView sharding = shardings_.table()[id];
  if (use.view.valid()) {
    return project_view(layout, tensor, problem_.view(use.view), sharding);
  }
  std::size_t dim = 0;
  for_each_dim(sharding, [&](const FlatDim& flat, std::span<const AxisRef> axes) {
    project_dim(layout, layout.dim_entries(tensor, dim), axes, flat.is_closed, projection_);
    ++dim;
  });
  const auto replicated = sharding.replicated();
  const auto unreduced = sharding.unreduced();
  projection_.tensors[tensor].replicated.assign(replicated.begin(), replicated.end());
  projection_.tensors[tensor].unreduced.assign(unreduced.begin(), unreduced.end());
}

/// Projects the factor shardings of a tensor back to dims, into `next_`. Axes that belong to no
/// factor are unchanged.
template <class Observer>
void StepRunner<Observer>::back_project_tensor(const FlatRule& layout, std::size_t tensor,
                                               const TensorUse& use) {
  const ManualView* view = use.view.valid() ? &problem_.view(use.view) : nullptr;
  const bool has_old = old_[tensor].valid();
  const FlatShardingView old = has_old ? shardings_.table()[old_[tensor]] : FlatShardingView();
  std::size_t first_axis = 0;
  next_.clear();
  for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
    axes_.clear();
    if (view != nullptr && !view->outer && has_old) {
      const auto axes = old.axes.subspan(first_axis, old.dims[dim].num_axes);
      const auto manual = axes.first(view->num_manual(axes));
      axes_.assign(manual.begin(), manual.end());
      first_axis += axes.size();
    }
    const EntryRange factors = layout.dim_entries(tensor, dim);
    const bool is_closed = back_project_dim(layout, factors, projection_, axes_);
    AxisSpan axes = axes_;
    if (view != nullptr && view->outer) {
      const std::size_t num_manual = view->num_manual(view->outer->dim(dim).axes);
      axes = axes.subspan(std::min(num_manual, axes.size()));
    }
    next_.add_dim({.is_closed = is_closed}, axes);
  }
  if (!has_old) return;
  next_.set_other_axes(old.replicated(), old.unreduced());
  next_.reduction_op = old.reduction_op;
}

namespace detail {

/// Checks whether one factorization of each axis contains all its sub-axes. Spec: propagation 7.5.
inline bool can_coexist(AxisSpan axes, const Mesh& mesh) {
  for (std::size_t first = 0; first < axes.size(); ++first) {
    if (mesh.is_full(axes[first])) continue;
    const auto coexists = [&](const AxisRef& other) {
      return shardy::can_coexist(axes[first], other);
    };
    if (!std::ranges::all_of(axes.subspan(first + 1), coexists)) return false;
  }
  return true;
}

}  // namespace detail

/// Returns the sharding to store for an extended tensor; invalid if no axis is left or the sharding
/// would be invalid.
template <class Observer>
ShardingId StepRunner<Observer>::updated_sharding(const FlatRule& layout, std::size_t tensor,
                                                  const TensorUse& use, MeshId mesh) {
  back_project_tensor(layout, tensor, use);
  ShardingTable& table = shardings_.table();
  if (!detail::can_coexist(next_.axes, table.mesh(mesh).mesh)) return {};
  next_.mesh = mesh;
  if (!old_[tensor].valid()) return next_.axes.empty() ? ShardingId() : table.intern(next_.view());
  const FlatShardingView old = table[old_[tensor]];
  // The old mesh name is kept if the meshes differ in name only. Otherwise two nodes could change
  // the name forever.
  if (table.content(old.mesh) == table.content(mesh)) next_.mesh = old.mesh;
  if (next_.view() == old) return {};
  next_.mesh = mesh;
  return table.intern(next_.view());
}

template <class Observer>
void StepRunner<Observer>::store(const TensorUse& use, ShardingId sharding, Observer& observer) {
  shardings_.store(use.slot, sharding);
  written_.push_back(use.slot);
  const GroupId group = problem_.slot(use.slot).group;
  if (!group.valid() || !shardings_.is_tied(group)) return;
  for (const SlotId member : problem_.members(group)) {
    if (member == use.slot || !problem_.slot(member).storage.valid()) continue;
    shardings_.store(member, sharding);
    written_.push_back(member);
    if constexpr (Observer::kEnabled) observer.on_group_copy(use.slot, member);
  }
}

/// Writes the key of a step: the rule with its options, then the shardings of the tensors. Tensors
/// without storage are marked, because steps do not update them.
template <class Observer>
void StepRunner<Observer>::write_key(NodeId node, FactorStrategy strategy,
                                     std::span<const Direction> directions) {
  const Node& of = problem_.node(node);
  const std::span<const TensorUse> tensors = problem_.tensors(node);
  constexpr std::size_t kPerWord = 16;
  const std::size_t num_words = (directions.size() + kPerWord - 1) / kPerWord;
  std::vector<uint32_t>& key = memo_.key();
  key.assign(2 + num_words + 2 * tensors.size(), 0);
  auto word = key.begin();
  *word++ = of.rule.value;
  *word++ = (strategy == FactorStrategy::Basic ? 1U : 0U) | (of.is_elementwise ? 2U : 0U) |
            (of.is_conservative ? 4U : 0U);
  for (std::size_t factor = 0; factor < directions.size(); ++factor) {
    uint32_t& bits = word[static_cast<std::ptrdiff_t>(factor / kPerWord)];
    bits = bits << 2U | static_cast<uint32_t>(directions[factor]);
  }
  word += static_cast<std::ptrdiff_t>(num_words);
  for (const TensorUse& use : tensors) {
    const SlotId storage = problem_.slot(use.slot).storage;
    *word++ = shardings_.at(use.slot).value;
    *word++ = (use.view.value + 1) << 1U | (storage.valid() ? 1U : 0U);
  }
}

/// Computes the updates of the node's tensors into `updates_`.
template <class Observer>
void StepRunner<Observer>::solve(NodeId node, FactorStrategy strategy,
                                 std::span<const Direction> directions) {
  updates_.clear();
  scratch_.conflicts.clear();
  const auto tensors = problem_.tensors(node);
  const std::optional<MeshId> mesh = common_mesh(tensors);
  if (!mesh) return;
  solve_on(shardings_.table().mesh(*mesh).mesh, node, strategy, directions);
  const FlatRule& layout = problem_.rule(problem_.node(node).rule);
  for (uint32_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (scratch_.is_updated[tensor] == 0) continue;
    if (!problem_.slot(tensors[tensor].slot).storage.valid()) continue;
    const ShardingId sharding = updated_sharding(layout, tensor, tensors[tensor], *mesh);
    if (sharding.valid()) updates_.push_back({tensor, sharding});
  }
}

/// Projects the tensors to factors and extends the factors.
template <class Observer>
void StepRunner<Observer>::solve_on(const Mesh& mesh, NodeId node, FactorStrategy strategy,
                                    std::span<const Direction> directions) {
  const Node& of = problem_.node(node);
  const auto tensors = problem_.tensors(node);
  const FlatRule& layout = problem_.rule(of.rule);
  projection_.reset(layout);
  if (old_.size() < tensors.size()) old_.resize(tensors.size());
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    project_tensor(layout, tensor, tensors[tensor]);
  }
  if constexpr (Observer::kEnabled) before_.assign(layout, projection_);
  const FactorProblem problem{.layout = layout,
                              .directions = directions,
                              .is_elementwise = of.is_elementwise,
                              .conservative_mesh = of.is_conservative ? &mesh : nullptr,
                              .mesh = &mesh,
                              .extensions = extensions_};
  if constexpr (Observer::kEnabled) scratch_.conflicts.enabled = true;
  strategy == FactorStrategy::Basic ? run_basic_strategy(problem, projection_, scratch_)
                                    : run_aggressive_strategy(problem, projection_, scratch_);
}

template <class Observer>
void StepRunner<Observer>::notify(NodeId node, Observer& observer) {
  const auto& conflicts = scratch_.conflicts.conflicts();
  if (updates_.empty() && conflicts.empty()) return;
  targets_.clear();
  for (const StepUpdate& update : updates_) targets_.push_back(update.tensor);
  const FlatRule& layout = problem_.rule(problem_.node(node).rule);
  observer.on_step({node, layout, before_, projection_, targets_, conflicts});
}

template <class Observer>
bool StepRunner<Observer>::run(NodeId node, FactorStrategy strategy,
                               std::span<const Direction> directions, Observer& observer) {
  written_.clear();
  std::optional<std::span<const StepUpdate>> known;
  if constexpr (!Observer::kEnabled) {
    write_key(node, strategy, directions);
    known = memo_.find();
  }
  if (!known) {
    solve(node, strategy, directions);
    if constexpr (!Observer::kEnabled) memo_.add(updates_);
    known = updates_;
  }
  const auto tensors = problem_.tensors(node);
  for (const StepUpdate& update : *known) store(tensors[update.tensor], update.sharding, observer);
  if constexpr (Observer::kEnabled) notify(node, observer);
  return !known->empty();
}

}  // namespace shardy::propagation

// Finds the changes of annotations that hints try.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <set>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;

// Shardings that differ from a given one in one respect.

namespace {

class Edits {
 public:
  Edits(const TensorSharding& sharding, std::span<const int64_t> shape, const BoundAxes& bound)
      : sharding_(sharding), shape_(shape), bound_(bound) {}

  std::vector<TensorSharding> all() {
    seen_.insert(sharding_);
    for (std::size_t dim = 0; dim < sharding_.rank(); ++dim) add_free_axes(dim);
    open_dims();
    for (std::size_t from = 0; from < sharding_.rank(); ++from) move_axes(from);
    for (std::size_t dim = 0; dim < sharding_.rank(); ++dim) replace_axes(dim);
    for (std::size_t dim = 0; dim < sharding_.rank(); ++dim) remove_axes(dim);
    free_replicated_axes();
    return std::move(found_);
  }

 private:
  /// Returns the unused axes of the mesh that no surrounding manual computation binds.
  AxisList free_axes() const {
    AxisList axes;
    for (std::size_t axis = 0; axis < sharding_.mesh().axes().size(); ++axis) {
      const auto index = static_cast<int32_t>(axis);
      const AxisRef ref = sharding_.mesh().full_axis(index);
      const bool is_free = !sharding_.is_bound(index) && !bound_.has(sharding_.mesh(), ref);
      if (ref.size > 1 && is_free) axes.push_back(ref);
    }
    return axes;
  }

  bool takes(std::size_t dim, const AxisList& axes) const {
    return shape_[dim] < 0 || sharding_size(axes) <= shape_[dim];
  }

  DimSharding with(std::size_t dim, AxisList axes, bool is_closed) const {
    DimSharding changed = sharding_.dim(dim);
    changed.axes = std::move(axes);
    changed.is_closed = is_closed;
    if (changed.axes.empty() && changed.is_closed) changed.priority.reset();
    return changed;
  }

  void add(std::vector<DimSharding> dims, AxisList replicated) {
    auto made = TensorSharding::make(sharding_.mesh(), sharding_.mesh_name(), std::move(dims),
                                     std::move(replicated), sharding_.unreduced_axes(),
                                     sharding_.reduction_op());
    if (made && seen_.insert(*made).second) found_.push_back(*std::move(made));
  }

  void add(std::size_t dim, DimSharding changed) {
    std::vector<DimSharding> dims(sharding_.dims().begin(), sharding_.dims().end());
    dims[dim] = std::move(changed);
    add(std::move(dims), sharding_.replicated_axes());
  }

  void add_free_axes(std::size_t dim) {
    for (const AxisRef& axis : free_axes()) {
      AxisList axes = sharding_.dim(dim).axes;
      append_or_merge(axes, axis);
      if (takes(dim, axes)) add(dim, with(dim, axes, sharding_.is_closed(dim)));
    }
  }

  void open_dims() {
    for (std::size_t dim = 0; dim < sharding_.rank(); ++dim) {
      if (sharding_.is_closed(dim)) add(dim, sharding_.dim(dim).open_like());
    }
    const TensorSharding open = sharding_.open_like();
    add({open.dims().begin(), open.dims().end()}, open.replicated_axes());
  }

  AxisList without(std::size_t dim, std::size_t index) const {
    AxisList axes;
    for (std::size_t at = 0; at < sharding_.dim(dim).axes.size(); ++at) {
      if (at != index) append_or_merge(axes, sharding_.dim(dim).axes[at]);
    }
    return axes;
  }

  void move_axes(std::size_t from) {
    const AxisList& axes = sharding_.dim(from).axes;
    for (std::size_t index = 0; index < axes.size(); ++index) {
      for (std::size_t to = 0; to < sharding_.rank(); ++to) {
        if (to != from) move_axis(from, index, to);
      }
    }
    for (std::size_t to = from + 1; to < sharding_.rank(); ++to) exchange(from, to);
  }

  void move_axis(std::size_t from, std::size_t index, std::size_t to) {
    AxisList longer = sharding_.dim(to).axes;
    append_or_merge(longer, sharding_.dim(from).axes[index]);
    if (!takes(to, longer)) return;
    std::vector<DimSharding> dims(sharding_.dims().begin(), sharding_.dims().end());
    dims[from] = with(from, without(from, index), true);
    dims[to] = with(to, std::move(longer), sharding_.is_closed(to));
    add(std::move(dims), sharding_.replicated_axes());
  }

  void exchange(std::size_t one, std::size_t other) {
    const AxisList& first = sharding_.dim(one).axes;
    const AxisList& second = sharding_.dim(other).axes;
    if (first.empty() || second.empty() || !takes(one, second) || !takes(other, first)) return;
    std::vector<DimSharding> dims(sharding_.dims().begin(), sharding_.dims().end());
    dims[one] = with(one, second, true);
    dims[other] = with(other, first, true);
    add(std::move(dims), sharding_.replicated_axes());
  }

  void replace_axes(std::size_t dim) {
    const AxisList& axes = sharding_.dim(dim).axes;
    for (std::size_t index = 0; index < axes.size(); ++index) {
      for (const AxisRef& free : free_axes()) {
        AxisList changed;
        for (std::size_t at = 0; at < axes.size(); ++at) {
          append_or_merge(changed, at == index ? free : axes[at]);
        }
        if (takes(dim, changed)) add(dim, with(dim, std::move(changed), true));
      }
    }
  }

  void remove_axes(std::size_t dim) {
    for (std::size_t index = 0; index < sharding_.dim(dim).axes.size(); ++index) {
      add(dim, with(dim, without(dim, index), true));
    }
  }

  void free_replicated_axes() {
    const AxisList& axes = sharding_.replicated_axes();
    for (std::size_t index = 0; index < axes.size(); ++index) {
      AxisList fewer = axes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(index));
      add({sharding_.dims().begin(), sharding_.dims().end()}, std::move(fewer));
    }
  }

  const TensorSharding& sharding_;
  std::span<const int64_t> shape_;
  const BoundAxes& bound_;
  std::set<TensorSharding> seen_;
  std::vector<TensorSharding> found_;
};

/// Returns shardings near `sharding`: dims are opened; one axis is added, removed, replaced by a
/// free one, or moved to another dim; the axes of two dims are exchanged. A dim with changed axes
/// is closed, unless axes were only added. Each occurs once, without `sharding` itself; shardings
/// with more axes come first. Dims get at most as many shards as `shape` has elements. Bound axes
/// are
/// not added.
std::vector<TensorSharding> near_shardings(const TensorSharding& sharding,
                                           std::span<const int64_t> shape, const BoundAxes& bound) {
  if (sharding.is_single_device() || sharding.rank() != shape.size()) return {};
  return Edits(sharding, shape, bound).all();
}

}  // namespace

// Changes that may be worth their compilation.

namespace {

using HintPlace = AnnotationPlace;

/// A place to be changed, and its sharding before the change.
struct HintBase {
  HintPlace place;
  std::optional<TensorSharding> sharding;  // the annotation; without one, the propagated sharding
  bool is_annotated = false;
};

/// The values near an op in the order of their distance, counted in ops.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Module& module) : module_(module) {}

  void start(ValueId value) { visit(value); }

  /// Returns the places, nearest first. A returned value is listed as the function result.
  std::vector<HintPlace> places() {
    constexpr std::size_t kMostValues = 1024;
    constexpr std::size_t kMostPlaces = 24;
    for (std::size_t seen = 0; !queue_.empty() && seen < kMostValues; ++seen) {
      const ValueId value = queue_.front();
      queue_.pop_front();
      add_place(value);
      if (places_.size() >= kMostPlaces) break;
      const OpId maker = module_.defining_op(value);
      if (maker.valid()) visit_all(maker);
      for (const ir::Use& use : module_.uses(value)) follow(use);
    }
    return std::move(places_);
  }

 private:
  void visit(ValueId value) {
    if (seen_.insert(value).second) queue_.push_back(value);
  }

  void visit_all(OpId op) {
    for (const ValueId operand : module_.operands(op)) visit(operand);
    for (const ValueId result : module_.results(op)) visit(result);
  }

  void follow(const ir::Use& use) {
    visit_all(use.op);
    if (module_.num_results(use.op) > 0) return;
    const OpId around = module_.parent_op(module_.parent_block(use.op));
    if (!around.valid()) return;
    if (!module_.is(around, ir::OpKind::Func)) return visit_all(around);
    if (use.operand >= module_.function(around).result_types.size()) return;
    places_.push_back({.kind = HintPlace::Kind::Result,
                       .function = around,
                       .index = static_cast<uint32_t>(use.operand)});
  }

  void add_place(ValueId value) {
    const auto place = annotation_place(module_, value);
    if (place && annotation(module_, *place)) places_.push_back(*place);
  }

  const Module& module_;
  std::deque<ValueId> queue_;
  std::unordered_set<ValueId> seen_;  // never iterated
  std::vector<HintPlace> places_;
};

/// The places of one kind of collectives, each once.
class BasesOfRow {
 public:
  explicit BasesOfRow(const text::WrittenValues& names) : names_(names), module_(names.module()) {}

  std::vector<HintBase> find(const std::optional<Cause>& cause) {
    if (cause) {
      add_tensors(*cause);
      add_annotations(*cause);
    }
    Neighbourhood near(module_);
    if (cause) {
      start(near, cause->op);
    } else {
      for (const ValueId value : live_values(module_)) near.start(value);
    }
    for (const HintPlace& place : near.places()) add(place, {});
    return std::move(bases_);
  }

 private:
  void start(Neighbourhood& near, OpId op) const {
    for (const ValueId operand : module_.operands(op)) near.start(operand);
    for (const ValueId result : module_.results(op)) near.start(result);
  }

  void add_tensors(const Cause& cause) {
    for (const TensorOrigin& tensor : cause.tensors) {
      if (!tensor.value.valid()) continue;
      const auto place = annotation_place(module_, tensor.value);
      if (place) add(*place, tensor.sharding);
    }
  }

  void add_annotations(const Cause& cause) {
    for (const TensorOrigin& tensor : cause.tensors) {
      for (const AxisOrigin& axis : tensor.axes) {
        if (axis.steps.empty()) continue;
        const auto place = find_annotation_place(names_, axis.steps.front().value);
        if (place) add(*place, {});
      }
    }
  }

  /// Adds a place. `sharding_text` is the sharding after propagation as text; empty: unknown.
  void add(HintPlace place, const std::string& sharding_text) {
    if (ir::TypeShape(type_of(module_, place)).kind() != ValueShape::Kind::Ranked) return;
    const AnnotationSite site = site_of(module_, place);
    if (site.kind == AnnotationSite::Kind::Constraint) place.value = module_.result(site.op);
    if (std::ranges::find(bases_, place, &HintBase::place) != bases_.end()) return;
    HintBase base{.place = place, .sharding = annotation(module_, place), .is_annotated = true};
    if (!base.sharding) base = {place, closed(place, sharding_text), false};
    if (base.sharding) bases_.push_back(std::move(base));
  }

  std::optional<TensorSharding> closed(const HintPlace& place,
                                       const std::string& sharding_text) const {
    if (!sharding_text.empty() && sharding_text != "none") {
      const auto read = parse_annotation(module_, place, sharding_text);
      if (read && *read) return (*read)->closed_like();
    }
    if (const std::optional<MeshRef> mesh = ir::mesh_of_program(module_)) {
      const std::size_t rank = ir::sharding_rank(type_of(module_, place));
      return TensorSharding::fully_closed(mesh->mesh, mesh->name, rank);
    }
    return std::nullopt;
  }

  const text::WrittenValues& names_;
  const Module& module_;
  std::vector<HintBase> bases_;
};

/// Returns the axes that manual computations bind at the annotation.
BoundAxes bound_at(const Module& module, const ir::ManualScopes& scopes, const HintPlace& place) {
  if (place.kind != HintPlace::Kind::Value) {
    return module.is_external(place.function)
               ? BoundAxes::none()
               : scopes.at(module.first_op(module.entry(place.function)));
  }
  const ir::ValueOwner owner = module.owner(place.value);
  return scopes.at(owner.is_result() ? owner.op : module.first_op(owner.block));
}

/// Returns all changes at one place: the sharding is removed or replaced.
std::vector<AnnotationChange> changes_at(const Module& module, const ir::ManualScopes& scopes,
                                         const HintBase& base) {
  std::vector<AnnotationChange> changes;
  if (base.is_annotated) changes.push_back({base.place});
  const ir::TypeShape shape(type_of(module, base.place));
  for (TensorSharding& near :
       near_shardings(*base.sharding, shape.dims(), bound_at(module, scopes, base.place))) {
    const bool is_open = !base.is_annotated && !near.is_fully_closed();
    if (!is_open) changes.push_back({base.place, std::move(near)});
  }
  return changes;
}

bool is_new(const AnnotationChange& change, std::vector<AnnotationChange>& chosen,
            std::set<std::tuple<uint8_t, uint32_t, uint32_t, uint32_t, std::string>>& seen) {
  const HintPlace& place = change.place;
  const std::string text = change.sharding ? to_string(*change.sharding) : "none";
  if (!seen.emplace(static_cast<uint8_t>(place.kind), place.function.value, place.index,
                    place.value.value, text)
           .second) {
    return false;
  }
  chosen.push_back(change);
  return true;
}

}  // namespace

std::vector<AnnotationChange> hint_candidates(const Report& report, const Reasons& reasons,
                                              std::size_t kinds) {
  const std::vector<EqualCollectives> rows = group_equal(report);
  const ir::ManualScopes scopes(reasons.names().module());
  std::vector<std::vector<AnnotationChange>> lists;
  for (std::size_t at = 0; at < std::min(kinds, rows.size()); ++at) {
    lists.emplace_back();
    for (const HintBase& base : BasesOfRow(reasons.names()).find(reasons.cause(*rows[at].first))) {
      std::ranges::move(changes_at(reasons.names().module(), scopes, base),
                        std::back_inserter(lists.back()));
    }
  }
  std::vector<AnnotationChange> chosen;
  std::set<std::tuple<uint8_t, uint32_t, uint32_t, uint32_t, std::string>> seen;
  std::vector<std::size_t> next(lists.size(), 0);
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (std::size_t row = 0; row < lists.size(); ++row) {
      while (next[row] < lists[row].size() && !is_new(lists[row][next[row]++], chosen, seen)) {
      }
      has_more = has_more || next[row] < lists[row].size();
    }
  }
  return chosen;
}

// ---- Replicated arguments -----------------------------------------------------------------------

namespace {

/// Returns the shardings of one dim along one axis, or along all axes, if the dim has as many
/// elements.
std::vector<TensorSharding> shardings_of_a_dim(const MeshRef& mesh, std::span<const int64_t> dims) {
  const auto replicated = TensorSharding::fully_closed(mesh.mesh, mesh.name, dims.size());
  AxisList all;
  for (std::size_t axis = 0; axis < mesh.mesh.axes().size(); ++axis) {
    const AxisRef ref = mesh.mesh.full_axis(static_cast<int32_t>(axis));
    if (ref.size > 1) all.push_back(ref);
  }
  std::vector<TensorSharding> shardings;
  for (std::size_t dim = 0; all.size() > 1 && dim < dims.size(); ++dim) {
    if (sharding_size(all) > dims[dim]) continue;
    std::vector<DimSharding> sharded(replicated.dims().begin(), replicated.dims().end());
    sharded[dim].axes = all;
    auto made = TensorSharding::make(mesh.mesh, mesh.name, std::move(sharded));
    if (made) shardings.push_back(*std::move(made));
  }
  std::ranges::move(near_shardings(replicated, dims, BoundAxes::none()),
                    std::back_inserter(shardings));
  std::erase_if(shardings, [](const TensorSharding& each) { return !each.is_fully_closed(); });
  return shardings;
}

/// Returns the replicated arguments without annotation and with at least one dim, the largest
/// first.
std::vector<HintPlace> free_arguments(const Module& module, const Module& propagated) {
  const auto main = module.main_function();
  const auto after = propagated.main_function();
  std::vector<HintPlace> places;
  if (!main || module.is_external(*main) || !after) return places;
  const auto& args = module.args(module.entry(*main));
  if (propagated.arg_types(*after) != module.arg_types(*main)) return places;
  for (uint32_t index = 0; index < args.size(); ++index) {
    const auto sharding = ir::arg_sharding(propagated, *after, index);
    const bool is_free =
        !ir::arg_sharding(module, *main, index) && (!sharding || sharding->is_fully_replicated());
    const HintPlace place{HintPlace::Kind::Argument, *main, index, args[index]};
    if (is_free && module.type(args[index]).is_static_tensor()) places.push_back(place);
  }
  std::ranges::stable_sort(places, std::greater<>(), [&](const HintPlace& place) {
    return module.type(place.value).num_bytes();
  });
  return places;
}

}  // namespace

std::vector<AnnotationChange> argument_candidates(const Module& module, const Module& propagated) {
  const auto mesh = ir::mesh_of_program(module);
  std::vector<AnnotationChange> changes;
  if (!mesh) return changes;
  for (const HintPlace& place : free_arguments(module, propagated)) {
    for (TensorSharding& sharding : shardings_of_a_dim(*mesh, module.type(place.value).dims())) {
      changes.push_back({.place = place, .sharding = std::move(sharding)});
    }
  }
  return changes;
}

}  // namespace shardy::report

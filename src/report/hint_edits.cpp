#include "report/hint_edits.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "shardy/algebra/axis_list.hpp"

namespace shardy::report {

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
  /// Axes of the mesh of which no part is in use, and which no manual computation around binds.
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

}  // namespace

std::vector<TensorSharding> near_shardings(const TensorSharding& sharding,
                                           std::span<const int64_t> shape, const BoundAxes& bound) {
  if (sharding.is_single_device() || sharding.rank() != shape.size()) return {};
  return Edits(sharding, shape, bound).all();
}

}  // namespace shardy::report

// Sorts along a sharded dim of which only the first or last elements are used: each device sorts
// its own elements, then all devices sort the candidates. Spec: resharding A.10.6.
//
//   sdy.mesh @mesh = <["x"=8]>
//   %1 = sort %x : [2, 512 {"x"}]                 %0 = reshape %x : [2, 8 {"x"}, 64]
//   %2 = slice %1 [0:2, 0:3]                 ->   %1 = sort %0, dim 2
//                                                 %2 = slice %1 : [2, 8 {"x"}, 3]
//                                                 %3 = reshape, reshard %2 : [2, 24]
//                                                 %4 = sort %3
//                                                 %5 = slice %4 [0:2, 0:3]
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/rules/detail/lowering_rules.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

using Dims = std::vector<int64_t>;

/// The used elements of a sort.
struct SortedEnd {
  MeshRef mesh;
  AxisLists axes;  // of the first operand whose sorted dim is sharded
  std::size_t dim = 0;
  int64_t count = 0;     // number of used elements per row
  bool is_last = false;  // true: the last elements are used
  std::vector<OpId> slices = {};

  int64_t shards() const { return sharding_size(axes[dim]); }
};

/// Reads the slices that are the only users of the sort. Returns false if there are other users.
bool read_slices(const Module& module, OpId sort, SortedEnd& end) {
  const int64_t size = module.type(module.operand(sort, 0)).dim(end.dim);
  int64_t first = size;
  int64_t limit = 0;
  for (const ValueId result : module.results(sort)) {
    for (const ir::Use& use : module.uses(result)) {
      if (!module.is(use.op, OpKind::Slice)) return false;
      const auto slice = ir::SliceOp::of(module, use.op);
      if (!slice) return false;
      first = std::min(first, slice->starts[end.dim]);
      limit = std::max(limit, slice->limits[end.dim]);
      end.slices.push_back(use.op);
    }
  }
  end.count = std::min(limit, size - first);
  end.is_last = end.count < limit;
  return first < limit;
}

/// Returns the used elements if all devices together have fewer candidates than a shard has
/// elements.
std::optional<SortedEnd> sorted_end(const Module& module, OpId sort) {
  const auto dim = rules::totally_sorted_dim(module, sort);
  if (!dim) return std::nullopt;
  OptionalSharding found;
  for (const ValueId operand : module.operands(sort)) {
    if (!module.type(operand).is_static_tensor()) return std::nullopt;
    const auto sharding = ir::get_sharding(module, operand);
    if (!sharding) continue;
    if (sharding->mesh().is_maximal() || !sharding->unreduced_axes().empty()) return std::nullopt;
    if (!found && !sharding->dims()[*dim].axes.empty()) found = sharding;
  }
  if (!found) return std::nullopt;
  SortedEnd end{.mesh = found->mesh_ref(), .axes = dim_axes(*found), .dim = *dim};
  const int64_t size = module.type(module.operand(sort, 0)).dim(*dim);
  if (size % end.shards() != 0 || !read_slices(module, sort, end)) return std::nullopt;
  const bool is_short = end.count * end.shards() < size / end.shards();
  return is_short ? std::optional(std::move(end)) : std::nullopt;
}

/// A builder that inserts ops before the sort.
class EndSorter {
 public:
  EndSorter(Module& module, OpId sort, const SortedEnd& end)
      : module_(module), sort_(sort), end_(end), builder_(ir::Builder::before(module, sort)) {
    builder_.set_location(module.location(sort));
    const auto dim = static_cast<std::ptrdiff_t>(end_.dim);
    split_axes_ = end.axes;
    split_axes_.insert(split_axes_.begin() + dim + 1, AxisList());
    whole_axes_ = end.axes;
    whole_axes_[end_.dim].clear();
  }

  void run() {
    std::vector<ValueId> values = module_.operands(sort_);
    for (ValueId& value : values) value = split(value);
    values = sorted(values, end_.dim + 1, copied_body(), split_axes_);
    for (ValueId& value : values) value = gathered(candidates(value));
    values = sorted(values, end_.dim, moved_body(module_, sort_), whole_axes_);
    if (end_.is_last) move_slices();
    for (std::size_t index = 0; index < values.size(); ++index) {
      module_.replace_all_uses(module_.result(sort_, index), values[index]);
    }
    module_.erase(sort_);
  }

 private:
  int64_t size() const { return module_.type(module_.operand(sort_, 0)).dim(end_.dim); }
  int64_t tile() const { return size() / end_.shards(); }

  ValueId split(ValueId value) {
    const auto old = module_.type(value).dims();
    Dims dims(old.begin(), old.end());
    dims[end_.dim] = end_.shards();
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(end_.dim) + 1, tile());
    return make(OpKind::Reshape, value, std::move(dims), split_axes_, {});
  }

  /// Returns the used elements of each device.
  ValueId candidates(ValueId value) {
    const auto old = module_.type(value).dims();
    Dims limits(old.begin(), old.end());
    Dims starts(limits.size(), 0);
    const Dims strides(limits.size(), 1);
    if (end_.is_last) starts[end_.dim + 1] = tile() - end_.count;
    limits[end_.dim + 1] = starts[end_.dim + 1] + end_.count;
    Dims dims = limits;
    dims[end_.dim + 1] = end_.count;
    return make(OpKind::Slice, value, std::move(dims), split_axes_,
                ir::SliceOp{starts, limits, strides}.attributes());
  }

  ValueId gathered(ValueId value) {
    const auto old = module_.type(value).dims();
    Dims dims(old.begin(), old.end());
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(end_.dim));
    dims[end_.dim] = end_.shards() * end_.count;
    const ValueId joined = make(OpKind::Reshape, value, std::move(dims), end_.axes, {});
    const auto whole = TensorSharding::closed(end_.mesh, whole_axes_);
    return module_.result(builder_.create(reshard_op(module_, joined, whole)));
  }

  std::vector<ValueId> sorted(const std::vector<ValueId>& values, std::size_t dim,
                              ir::RegionId body, const AxisLists& axes) {
    ir::OpSpec spec{.kind = OpKind::Sort, .operands = values};
    for (const ValueId value : values) spec.result_types.push_back(module_.type(value));
    spec.attributes = module_.attributes(sort_);
    spec.attributes.set(ir::attr::kDimension,
                        ir::IntegerAttr{static_cast<int64_t>(dim), ir::ElementType::I64});
    spec.regions = {body};
    const OpId op = builder_.create(std::move(spec));
    std::vector<ValueId> results = module_.results(op);
    for (const ValueId result : results) share(result, axes);
    return results;
  }

  ir::RegionId copied_body() {
    const ir::BlockId from = module_.block(sort_);
    const ir::RegionId region = module_.new_region();
    std::vector<Type> types;
    for (const ValueId arg : module_.args(from)) types.push_back(module_.type(arg));
    const ir::BlockId to = module_.new_block(region, types);
    ValueMap map;
    for (std::size_t index = 0; index < types.size(); ++index) {
      map.emplace(module_.args(from)[index], module_.args(to)[index]);
    }
    clone_ops(module_, from, to, map);
    return region;
  }

  /// Adapts the slices of the last elements to the number of candidates.
  void move_slices() {
    const int64_t shift = size() - end_.shards() * end_.count;
    for (const OpId op : end_.slices) {
      const auto slice = ir::SliceOp::of(module_, op);
      Dims starts(slice->starts.begin(), slice->starts.end());
      Dims limits(slice->limits.begin(), slice->limits.end());
      const Dims strides(slice->strides.begin(), slice->strides.end());
      starts[end_.dim] -= shift;
      limits[end_.dim] -= shift;
      for (const auto& [name, value] : ir::SliceOp{starts, limits, strides}.attributes()) {
        module_.attributes(op).set(name, value);
      }
    }
  }

  ValueId make(OpKind kind, ValueId operand, Dims dims, const AxisLists& axes,
               ir::AttributeMap attributes) {
    const Type type = module_.type(operand).with_dims(std::move(dims));
    return share(builder_.create_value(kind, {operand}, type, std::move(attributes)), axes);
  }

  ValueId share(ValueId value, const AxisLists& axes) {
    ir::set_sharding(module_, value, TensorSharding::closed(end_.mesh, axes));
    return value;
  }

  Module& module_;
  OpId sort_;
  const SortedEnd& end_;
  ir::Builder builder_;
  AxisLists split_axes_, whole_axes_;
};

}  // namespace

void sort_ends_apart(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is_erased(op) || !module.is(op, OpKind::Sort)) continue;
    if (const auto end = sorted_end(module, op)) EndSorter(module, op, *end).run();
  }
}

}  // namespace shardy::passes::explicit_reshards

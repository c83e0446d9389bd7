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
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/rules/detail/lowering_rules.hpp"
#include "shardy/support/detail/math.hpp"

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
    spec.attributes.erase(ir::kShardingRuleAttr);  // it has the rank of the old sort
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

// ---- top_k of merged dims -----------------------------------------------------------------------
// top_k along a dim that a reshape merges from sharded dims: each device ranks its own elements,
// then all devices rank the candidates. Spec: resharding A.10.2.
//
//   sdy.mesh @mesh = <["x"=8]>
//   %0 = reshape %x                               %0 = reshape, transpose %x
//     : [2, 4, 512 {"x"}] -> [2, 2048]              : [2, 4, 512 {"x"}] -> [2, 8 {"x"}, 4 * 64]
//   %1 = top_k %0, k = 3                     ->   %1 = top_k %0, k = 3, and the indices in %x
//                                                 %2 = reshape %1 : [2, 8 {"x"}, 3] -> [2, 24]
//                                                 %3 = top_k %2, k = 3, ties by index

using ir::ElementType;

namespace {

using Dims = std::vector<int64_t>;

/// The ranked dim and the dims that are merged into it, which are the last dims of `value`.
struct MergedRow {
  ValueId value;
  MeshRef mesh;
  AxisLists axes;
  std::size_t first = 0;  // index of the first merged dim
  int64_t count = 0;      // number of ranked elements
  bool is_even = false;   // all merged dims have shards of equal size
};

/// Ranked elements and their indices.
struct Candidates {
  ValueId values;
  ValueId places;  // i32 indices along the merged dim
};

// ---- Decision -----------------------------------------------------------------------------------

/// Checks whether the merge loses the axes of a dim, because a dim before it is not fully sharded.
bool loses_axes(std::span<const int64_t> dims, const AxisLists& axes, std::size_t first) {
  bool is_partly_sharded = false;
  for (std::size_t dim = first; dim < dims.size(); ++dim) {
    if (is_partly_sharded && !axes[dim].empty()) return true;
    is_partly_sharded = is_partly_sharded || sharding_size(axes[dim]) != dims[dim];
  }
  return false;
}

/// Checks whether the candidates of a device have fewer bytes than the device's shard.
bool is_narrower(const Type& type, const MergedRow& row) {
  int64_t held = 1;  // number of elements that are ranked together
  for (std::size_t dim = row.is_even ? row.first : row.axes.size() - 1; dim < row.axes.size();
       ++dim) {
    held *= ceil_div(type.dim(dim), sharding_size(row.axes[dim]));
  }
  const auto bytes = static_cast<int64_t>(ir::size_bytes(type.element()));
  return std::min(row.count, held) * (bytes + 4) < held * bytes;
}

std::optional<MergedRow> merged_row(const Module& module, OpId top_k) {
  const ValueId ranked = module.operand(top_k, 0);
  const OpId reshape = module.defining_op(ranked);
  const bool fits = reshape.valid() && module.is(reshape, OpKind::Reshape) &&
                    module.num_uses(ranked) == 1 &&
                    module.parent_block(reshape) == module.parent_block(top_k);
  if (!fits) return std::nullopt;
  const ValueId value = module.operand(reshape, 0);
  const ValueId best = module.result(top_k);
  for (const ValueId each : {ranked, value, best}) {
    if (!module.type(each).is_static_tensor()) return std::nullopt;
  }
  if (module.type(ranked).rank() == 0 || module.type(best).rank() == 0) return std::nullopt;
  const auto in = module.type(value).dims();
  const auto out = module.type(ranked).dims();
  const auto sharding = ir::get_sharding(module, value);
  const std::size_t first = out.size() - 1;
  const bool merges =
      in.size() > out.size() && std::ranges::equal(in.first(first), out.first(first));
  const bool is_held =
      sharding && !sharding->mesh().is_maximal() && sharding->unreduced_axes().empty();
  if (!merges || !is_held || out.back() > std::numeric_limits<int32_t>::max()) return std::nullopt;
  MergedRow row{
      value, sharding->mesh_ref(), dim_axes(*sharding), first, module.type(best).dims().back(),
      true};
  for (std::size_t dim = first; dim < in.size(); ++dim) {
    if (in[dim] % sharding_size(row.axes[dim]) != 0) row.is_even = false;
  }
  const bool is_ranked_apart =
      row.count > 0 && loses_axes(in, row.axes, first) && is_narrower(module.type(value), row);
  return is_ranked_apart ? std::optional(std::move(row)) : std::nullopt;
}

// ---- Ops ----------------------------------------------------------------------------------------

/// A builder that inserts ops before the top_k.
class RankingMaker {
 public:
  RankingMaker(Module& module, OpId top_k, const MergedRow& row)
      : module_(module), row_(row), builder_(ir::Builder::before(module, top_k)) {
    builder_.set_location(module.location(top_k));
    batch_.assign(row.axes.begin(), row.axes.begin() + static_cast<std::ptrdiff_t>(row.first));
  }

  Candidates ranked() { return row_.is_even ? ranked_by_device() : ranked_by_row(); }

  /// Sorts all candidates by index on all devices.
  Candidates in_order(const Candidates& all) {
    AxisLists axes = batch_;
    axes.emplace_back();
    const Candidates whole = {gathered(all.values, axes), gathered(all.places, axes)};
    if (!row_.is_even) return whole;
    const Type type = module_.type(whole.places);
    const ValueId key = make(OpKind::Negate, {whole.places}, type, axes, {});
    const ValueId order = top(key, type.dims().back(), axes).places;
    return {picked(whole.values, order, axes), picked(whole.places, order, axes)};
  }

  Candidates top(ValueId value, int64_t count, const AxisLists& axes) {
    Dims dims(module_.type(value).dims().begin(), module_.type(value).dims().end());
    dims.back() = count;
    const Type type = module_.type(value).with_dims(std::move(dims));
    ir::OpSpec spec{.kind = OpKind::ChloTopK};
    spec.operands = {value};
    spec.result_types = {type, type.with_element(ElementType::I32)};
    spec.attributes.set(ir::attr::kK, ir::IntegerAttr{count, ElementType::I64});
    const OpId op = builder_.create(std::move(spec));
    for (const ValueId result : module_.results(op)) share(result, axes);
    return {module_.result(op, 0), module_.result(op, 1)};
  }

  /// Returns values[.., chosen[.., i]] for each i.
  ValueId picked(ValueId values, ValueId chosen, const AxisLists& axes) {
    const Type type = module_.type(chosen).with_element(module_.type(values).element());
    const ir::IntegerAttr last{static_cast<int64_t>(type.dims().size()) - 1, ElementType::I64};
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kDim, last);
    attributes.set(ir::attr::kBatchDims, last);
    return make(OpKind::TorchIndexSelect, {values, chosen}, type, axes, std::move(attributes));
  }

 private:
  std::size_t num_merged() const { return row_.axes.size() - row_.first; }
  int64_t size(std::size_t merged) const {
    return module_.type(row_.value).dim(row_.first + merged);
  }
  const AxisList& axes(std::size_t merged) const { return row_.axes[row_.first + merged]; }
  int64_t shards(std::size_t merged) const { return sharding_size(axes(merged)); }

  /// Reshapes the candidates of all devices into one dim with the axes of the merged dims, then
  /// reshards to `to`.
  ValueId gathered(ValueId value, const AxisLists& to) {
    const auto dims = module_.type(value).dims();
    Dims flat(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(row_.first));
    flat.push_back(product(dims.subspan(row_.first)));
    AxisLists from = to;
    for (std::size_t merged = 0; row_.is_even && merged < num_merged(); ++merged) {
      for (const AxisRef& axis : axes(merged)) append_or_merge(from.back(), axis);
    }
    const ValueId joined = reshaped(value, std::move(flat), from);
    if (from == to) return joined;
    const TensorSharding sharding = TensorSharding::closed(row_.mesh, to);
    return module_.result(builder_.create(reshard_op(module_, joined, sharding)));
  }

  /// Splits each merged dim into its shards and the elements of a shard, transposes the dims of
  /// shards to the front, and ranks the elements of each device.
  Candidates ranked_by_device() {
    Dims split, order;
    AxisLists split_axes = batch_;
    for (std::size_t dim = 0; dim < row_.first; ++dim) {
      split.push_back(module_.type(row_.value).dim(dim));
      order.push_back(static_cast<int64_t>(dim));
    }
    for (std::size_t merged = 0; merged < num_merged(); ++merged) {
      order.push_back(static_cast<int64_t>(split.size()));
      split.insert(split.end(), {shards(merged), size(merged) / shards(merged)});
      split_axes.insert(split_axes.end(), {axes(merged), AxisList()});
    }
    for (std::size_t merged = 0; merged < num_merged(); ++merged) {
      order.push_back(order[row_.first + merged] + 1);
    }
    ValueId value = reshaped(row_.value, std::move(split), split_axes);
    value = transposed(value, order, split_axes);
    const auto dims = module_.type(value).dims();
    Dims by_device(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(row_.axes.size()));
    by_device.push_back(product(dims.subspan(row_.axes.size())));
    AxisLists axes = row_.axes;
    axes.emplace_back();
    const int64_t count = std::min(row_.count, by_device.back());
    const Candidates own = top(reshaped(value, std::move(by_device), axes), count, axes);
    return {own.values, merged_places(own.places, axes)};
  }

  /// Converts indices among the elements of a device to indices along the merged dim.
  ValueId merged_places(ValueId places, const AxisLists& axes) {
    const Type type = module_.type(places);
    ValueId sum = number(type, 0, axes);
    int64_t stride = 1;
    for (std::size_t merged = num_merged(); merged-- > 0;) {
      const int64_t tile = size(merged) / shards(merged);
      const ValueId width = number(type, tile, axes);
      const ValueId own = make(OpKind::Remainder, {places, width}, type, axes, {});
      places = make(OpKind::Divide, {places, width}, type, axes, {});
      sum = plus(sum, times(own, stride, axes), axes);
      if (shards(merged) > 1) sum = plus(sum, rows(type, merged, tile * stride, axes), axes);
      stride *= size(merged);
    }
    return sum;
  }

  /// Ranks each row of the last merged dim, whose shards may be uneven.
  Candidates ranked_by_row() {
    AxisLists axes = row_.axes;
    axes.back().clear();
    int64_t stride = size(num_merged() - 1);
    Candidates own = top(row_.value, std::min(row_.count, stride), axes);
    const Type type = module_.type(own.places);
    for (std::size_t merged = num_merged() - 1; merged-- > 0;) {
      own.places = plus(own.places, rows(type, merged, stride, axes), axes);
      stride *= size(merged);
    }
    return own;
  }

  /// Returns `stride` times an iota along a merged dim.
  ValueId rows(const Type& type, std::size_t merged, int64_t stride, const AxisLists& axes) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kIotaDimension,
                   ir::IntegerAttr{static_cast<int64_t>(row_.first + merged), ElementType::I64});
    return times(make(OpKind::Iota, {}, type, axes, std::move(attributes)), stride, axes);
  }

  ValueId reshaped(ValueId value, Dims dims, const AxisLists& axes) {
    return make(OpKind::Reshape, {value}, module_.type(value).with_dims(std::move(dims)), axes, {});
  }

  ValueId transposed(ValueId value, const Dims& order, const AxisLists& axes) {
    Dims dims;
    AxisLists moved;
    for (const int64_t from : order) {
      dims.push_back(module_.type(value).dim(static_cast<std::size_t>(from)));
      moved.push_back(axes[static_cast<std::size_t>(from)]);
    }
    return make(OpKind::Transpose, {value}, module_.type(value).with_dims(std::move(dims)), moved,
                ir::attributes_of(ir::TransposeOp{order}));
  }

  ValueId number(const Type& type, int64_t value, const AxisLists& axes) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::int_splat_literal(type, value));
    return make(OpKind::Constant, {}, type, axes, std::move(attributes));
  }

  ValueId plus(ValueId a, ValueId b, const AxisLists& axes) {
    return make(OpKind::Add, {a, b}, module_.type(a), axes, {});
  }

  ValueId times(ValueId value, int64_t factor, const AxisLists& axes) {
    if (factor == 1) return value;
    const Type type = module_.type(value);
    return make(OpKind::Multiply, {value, number(type, factor, axes)}, type, axes, {});
  }

  ValueId make(OpKind kind, std::vector<ValueId> operands, const Type& type, const AxisLists& axes,
               ir::AttributeMap attributes) {
    return share(builder_.create_value(kind, std::move(operands), type, std::move(attributes)),
                 axes);
  }

  ValueId share(ValueId value, const AxisLists& axes) {
    ir::set_sharding(module_, value, TensorSharding::closed(row_.mesh, axes));
    return value;
  }

  Module& module_;
  const MergedRow& row_;
  ir::Builder builder_;
  AxisLists batch_;
};

void rank_apart(Module& module, OpId top_k, const MergedRow& row) {
  RankingMaker make(module, top_k, row);
  const Candidates all = make.in_order(make.ranked());
  AxisLists axes(row.axes.begin(), row.axes.begin() + static_cast<std::ptrdiff_t>(row.first));
  axes.emplace_back();
  const Candidates best = make.top(all.values, row.count, axes);
  const ValueId places = make.picked(all.places, best.places, axes);
  const std::vector<ValueId> made = {best.values, places};
  for (std::size_t index = 0; index < made.size(); ++index) {
    const ValueId old = module.result(top_k, index);
    if (const auto sharding = ir::get_sharding(module, old)) {
      ir::set_sharding(module, made[index], *sharding);
    }
    module.replace_all_uses(old, made[index]);
  }
  const OpId reshape = module.defining_op(module.operand(top_k, 0));
  module.erase(top_k);
  module.erase(reshape);
}

}  // namespace

void rank_merged_dims_apart(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is_erased(op) || !module.is(op, OpKind::ChloTopK)) continue;
    if (const auto row = merged_row(module, op)) rank_apart(module, op, *row);
  }
}

}  // namespace shardy::passes::explicit_reshards

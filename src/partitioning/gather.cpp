// Lowers gather, and defines helpers that scatter and dynamic slices share.
#include "partitioning/gather.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/dim_set.hpp"
#include "partitioning/emitter.hpp"
#include "partitioning/families.hpp"
#include "partitioning/operand_states.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"

namespace shardy::partitioning {

using ir::GatherDims;

// ---- Index vectors ------------------------------------------------------------------------------

const ir::Literal* constant_of(const ir::Module& input, ValueId value) {
  const ir::OpId op = input.defining_op(value);
  const bool is_constant =
      op.valid() && (input.is(op, ir::OpKind::Constant) || input.is(op, ir::OpKind::SdyConstant));
  return is_constant ? input.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
}

bool combines_to_itself(const ir::Module& input, ValueId value, OpKind reducer) {
  if (reducer != OpKind::Add && reducer != OpKind::Multiply) return reducer != OpKind::Xor;
  const ir::Literal* literal = constant_of(input, value);
  const double neutral = reducer == OpKind::Add ? 0 : 1;
  return literal != nullptr && literal->is_splat() && !ir::is_complex(literal->type().element()) &&
         ir::decode_double(literal->element_bytes(0), literal->type().element()) == neutral;
}

std::vector<std::size_t> batch_dims(std::size_t rank, int64_t vector_dim) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (static_cast<int64_t>(dim) != vector_dim) dims.push_back(dim);
  }
  return dims;
}

std::vector<ValueId> index_columns(Emitter& emit, ValueId indices, int64_t vector_dim) {
  indices = emit.to_i64(indices);
  const auto at = static_cast<std::size_t>(vector_dim);
  if (at == emit.dims(indices).size()) return {indices};
  std::vector<int64_t> batch(emit.dims(indices).begin(), emit.dims(indices).end());
  batch.erase(batch.begin() + vector_dim);
  std::vector<ValueId> columns;
  for (int64_t component = 0; component < emit.dim(indices, at); ++component) {
    columns.push_back(emit.reshape(emit.slice(indices, at, component, component + 1), batch));
  }
  return columns;
}

ValueId join_columns(Emitter& emit, std::span<const ValueId> columns) {
  std::vector<ValueId> parts;
  for (const ValueId column : columns) {
    std::vector<int64_t> dims(emit.dims(column).begin(), emit.dims(column).end());
    dims.push_back(1);
    parts.push_back(emit.reshape(column, std::move(dims)));
  }
  const std::size_t last = emit.dims(parts.front()).size() - 1;
  return emit.concatenate(std::move(parts), last);
}

std::vector<int64_t> without_vector_dim(std::span<const int64_t> dims, int64_t vector_dim) {
  std::vector<int64_t> moved;
  for (const int64_t dim : dims) moved.push_back(dim > vector_dim ? dim - 1 : dim);
  return moved;
}

std::vector<std::size_t> windowed_dims(std::size_t rank, std::span<const int64_t> dropped,
                                       std::span<const int64_t> batching) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!ir::has_dim(dropped, dim) && !ir::has_dim(batching, dim)) dims.push_back(dim);
  }
  return dims;
}

// ---- Lookups ------------------------------------------------------------------------------------

namespace {

bool contains(const AxisList& all, const AxisList& some) {
  return set_difference(some, all).empty();
}

/// Checks whether an operand of the op stays partial, which makes the result partial as well.
bool takes_parts(const Lowering& lowering, OpId op) {
  const std::vector<PartitionedValue> operands = lowering.operands(op);
  return std::ranges::any_of(
      operands, [](const PartitionedValue& value) { return !value.partial_axes().empty(); });
}

/// Returns the reducer of a lookup's result that is declared partial. If a later collective reduces
/// the result, the reducer combines bits; else it is the declared reducer. Spec: partitioning 5.7.
OpKind lookup_combiner(const Lowering& lowering, OpId op, const Layout& layout) {
  const ValueId result = lowering.input().result(op);
  const bool is_later =
      !takes_parts(lowering, op) && is_reduced_by_users(lowering.input(), result, layout.unreduced);
  return is_later ? exact_combiner(lowering.input().type(result).element()) : layout.reducer;
}

}  // namespace

void finish_partial(Lowering& lowering, OpId op, ValueId result, PartitionedValue made) {
  const Layout layout = lowering.layout_of(result);
  const AxisList parts = made.partial_axes();
  const bool is_declared = !parts.empty() && contains(layout.unreduced, parts);
  const bool is_followed = made.axes == layout.axes && lowering.input().num_uses(result) == 1 &&
                           is_reduced_by_users(lowering.input(), result, parts);
  if (!is_declared && !is_followed) made = lowering.combined(std::move(made), parts);
  lowering.bind(result, lowering.reshard_to(op, std::move(made), layout.axes));
}

void finish_lookup(Lowering& lowering, OpId op, Lookup lookup) {
  Emitter& emit = lowering.emit();
  const ValueId result = lowering.input().result(op);
  const ir::Type& global = lowering.input().type(result);
  const AxisList owners = sort_and_merge(std::move(lookup.owners));
  if (sharding_size(owners) > 1 && lookup.hit.valid()) {
    const Layout layout = lowering.layout_of(result);
    const OpKind reducer = contains(layout.unreduced, owners)
                               ? lookup_combiner(lowering, op, layout)
                               : exact_combiner(global.element());
    const ir::Literal nothing = neutral_to(reducer, global.element());
    const std::vector<int64_t> dims(emit.dims(lookup.value).begin(), emit.dims(lookup.value).end());
    lookup.value = emit.select(lookup.hit, lookup.value, emit.splat(dims, nothing));
    PartitionedValue made = lowering.make(lookup.value, global, std::move(lookup.axes));
    made.partial = PartialResult{owners, reducer, ValueId()};
    return finish_partial(lowering, op, result, std::move(made));
  }
  finish_partial(lowering, op, result, lowering.make(lookup.value, global, std::move(lookup.axes)));
}

ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const ScalarIndex& number) {
  return emit.broadcast(emit.scalar(number), dims, {});
}

ValueId in_range(Emitter& emit, ValueId value, int64_t low, int64_t high) {
  const std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  const ValueId from = emit.compare(value, uniform(emit, dims, ScalarIndex::of(low)), "GE");
  return emit.both(from, emit.compare(value, uniform(emit, dims, ScalarIndex::of(high)), "LT"));
}

// ---- gather -------------------------------------------------------------------------------------

// gather and torch_index_select are local along batch dims and along dims that slices span
// completely. If the table is sharded along indexed dims, each device looks up the rows of its
// shard. Spec: partitioning 8.16.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = gather %a, %i, slice_sizes = [1, 4]
//     : tensor<8x4xf32> [{"x"}, {}], tensor<3x1xi64> -> tensor<3x4xf32>
//   ->
//   %1 = clamp(%i, 0, 7) - spmd.coord {"x"} * 4
//   %2 = gather %a, %1                           : tensor<4x4xf32> -> tensor<3x4xf32>
//   %3 = select (0 <= %1 < 4), %2, 0.0
//   %0 = spmd.all_reduce or (bits of %3) {"x"}

namespace {

/// Returns the dims of the result that are batch dims of the indices, in the order of the indices.
std::vector<std::size_t> result_batch_dims(const GatherForm& form) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(form.result.rank()); ++dim) {
    if (!ir::has_dim(form.dims.offset_dims, dim)) dims.push_back(dim);
  }
  return dims;
}

class GatherPlanner {
 public:
  GatherPlanner(const GatherForm& form, const std::vector<AxisList>& table,
                std::vector<AxisList> wanted)
      : form_(form), have_(table) {
    plan_.table.resize(have_.size());
    plan_.indices.resize(form.indices.dims().size());
    plan_.result = std::move(wanted);
  }

  GatherPlan run() && {
    const std::vector<std::size_t> places = result_batch_dims(form_);
    const auto batch = batch_dims(plan_.indices.size(), form_.dims.index_vector_dim);
    for (std::size_t at = 0; at < batch.size(); ++at) {
      plan_.indices[batch[at]] = plan_.result[places[at]];
    }
    add_windows();
    for (const AxisList& list : plan_.result) append(taken_, list);
    add_batching();
    for (std::size_t dim = 0; dim < have_.size(); ++dim) {
      if (!is_settled_[dim]) locate(dim);
    }
    return std::move(plan_);
  }

 private:
  AxisList& indices_axes(int64_t dim) { return plan_.indices[static_cast<std::size_t>(dim)]; }

  /// Keeps the sharding of table dims that the slices span completely. Replicates dims that the
  /// slices span in part.
  void add_windows() {
    const auto& dims = form_.dims;
    const auto windows =
        windowed_dims(have_.size(), dims.collapsed_slice_dims, dims.operand_batching_dims);
    for (std::size_t at = 0; at < windows.size(); ++at) {
      const std::size_t dim = windows[at];
      const auto to = static_cast<std::size_t>(dims.offset_dims[at]);
      if (form_.sizes[dim] == form_.table.dim(dim)) {
        plan_.table[dim] = plan_.result[to];
        is_settled_[dim] = true;
      } else {
        plan_.result[to].clear();
        offset_of_[dim] = to;
      }
    }
  }

  void add_batching() {
    const auto& dims = form_.dims;
    for (std::size_t at = 0; at < dims.operand_batching_dims.size(); ++at) {
      const auto dim = static_cast<std::size_t>(dims.operand_batching_dims[at]);
      plan_.table[dim] = indices_axes(dims.start_indices_batching_dims[at]);
      is_settled_[dim] = true;
    }
    for (const rules::CountingDim& each : form_.counted) {
      const auto dim = static_cast<std::size_t>(each.input);
      if (have_[dim] != indices_axes(each.indices)) continue;
      plan_.table[dim] = have_[dim];
      is_settled_[dim] = true;
      if (sharding_size(have_[dim]) > 1) plan_.located.push_back({dim, std::nullopt, true});
    }
  }

  void locate(std::size_t dim) {
    plan_.table[dim] = truncate_by_removing_overlaps(have_[dim], taken_);
    if (sharding_size(plan_.table[dim]) == 1) return;
    plan_.located.push_back({dim, offset_of_[dim], false});
  }

  const GatherForm& form_;
  const std::vector<AxisList>& have_;
  GatherPlan plan_;
  AxisList taken_;  // axes that dims of the result use
  std::vector<bool> is_settled_ = std::vector<bool>(have_.size(), false);
  std::vector<std::optional<std::size_t>> offset_of_ =
      std::vector<std::optional<std::size_t>>(have_.size());
};

}  // namespace

GatherPlan plan_gather(const GatherForm& form, const std::vector<AxisList>& table,
                       std::vector<AxisList> result) {
  return GatherPlanner(form, table, std::move(result)).run();
}

namespace {

/// Emits the gather on the local shard of the table.
class LocalGather {
 public:
  LocalGather(Lowering& lowering, const GatherForm& form, const GatherPlan& plan,
              PartitionedValue table, ValueId indices)
      : lowering_(lowering),
        emit_(lowering.emit()),
        form_(form),
        plan_(plan),
        table_(std::move(table)),
        indices_(indices),
        dims_(form.dims),
        sizes_(form.sizes),
        made_(lowering.local_dims(form.result, plan.result)) {
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      const bool is_passed = sizes_[dim] == form.table.dim(dim) && !is_located(dim);
      if (is_passed && !ir::has_dim(dims_.operand_batching_dims, dim)) {
        sizes_[dim] = emit_.dim(table_.value, dim);
      }
    }
  }

  /// `attributes` has the attributes of the op other than dims and slice sizes.
  Lookup run(ir::AttributeMap attributes) {
    if (!plan_.located.empty()) localize();
    attributes.set(ir::attr::kDimensionNumbers, dims_);
    attributes.set(ir::attr::kSliceSizes, DenseArrayAttr{ir::ElementType::I64, sizes_});
    if (!plan_.located.empty() || has_padded_rows())
      attributes.set(ir::attr::kIndicesAreSorted, false);
    const Type type = form_.result.with_dims(made_);
    const ValueId value = emit_.builder().create_value(OpKind::Gather, {table_.value, indices_},
                                                       type, std::move(attributes));
    return {value, plan_.result, hit_, owners_};
  }

 private:
  bool is_located(std::size_t dim) const {
    return std::ranges::any_of(plan_.located, [&](const auto& each) { return each.dim == dim; });
  }

  bool has_padded_rows() const {
    for (std::size_t dim = 0; dim < plan_.indices.size(); ++dim) {
      if (Tiling::of(form_.indices.dim(dim), sharding_size(plan_.indices[dim])).padding() > 0) {
        return true;
      }
    }
    return false;
  }

  /// Makes indices relative to the local shard.
  void localize() {
    std::vector<ValueId> columns = index_columns(emit_, indices_, dims_.index_vector_dim);
    const std::vector<int64_t> rows = row_shape();
    for (const GatherPlan::IndexedTableDim& each : plan_.located) {
      const auto dim = static_cast<int64_t>(each.dim);
      auto at = std::ranges::find(dims_.start_index_map, dim) - dims_.start_index_map.begin();
      if (at == std::ssize(dims_.start_index_map)) {
        dims_.start_index_map.push_back(dim);
        columns.push_back(uniform(emit_, rows, ScalarIndex::of(0)));
      }
      ValueId& column = columns[static_cast<std::size_t>(at)];
      column = localized(each, column);
    }
    dims_.start_indices_batching_dims =
        without_vector_dim(dims_.start_indices_batching_dims, dims_.index_vector_dim);
    dims_.index_vector_dim = std::ssize(rows);
    indices_ = join_columns(emit_, columns);
  }

  /// Returns the sizes of the batch dims of the indices.
  std::vector<int64_t> row_shape() const {
    std::vector<int64_t> sizes;
    for (const std::size_t dim :
         batch_dims(emit_.dims(indices_).size(), form_.dims.index_vector_dim)) {
      sizes.push_back(emit_.dim(indices_, dim));
    }
    return sizes;
  }

  ValueId localized(const GatherPlan::IndexedTableDim& each, ValueId column) {
    const Tiling tiling = table_.tiling(each.dim);
    const int64_t window = std::max<int64_t>(form_.sizes[each.dim], 1);
    const std::vector<int64_t> rows(emit_.dims(column).begin(), emit_.dims(column).end());
    const AxisList& axes = plan_.table[each.dim];
    const ScalarIndex own = emit_.multiply(emit_.coord(lowering_.place(), axes), tiling.tile);
    const ValueId start = emit_.clamp(column, 0, tiling.size - window);
    const ValueId begin = emit_.binary(OpKind::Subtract, start, uniform(emit_, rows, own));
    if (each.is_counted) return begin;
    append(owners_, axes);
    add_hits(each, begin, window, tiling.tile);
    if (window == 1) return begin;  // gather clamps starts that are out of bounds
    // A window may cross the shard boundary, so the table is padded by one window size on both
    // sides.
    table_.value = emit_.pad(table_.value, each.dim, {window, window, 0});
    const ValueId room = uniform(emit_, rows, ScalarIndex::of(window));
    return emit_.binary(OpKind::Add, emit_.clamp(begin, -window, tiling.tile), room);
  }

  /// Restricts `hit` to elements in the local shard. `begin` is the window start of each index
  /// vector, relative to the shard.
  void add_hits(const GatherPlan::IndexedTableDim& each, ValueId begin, int64_t window,
                int64_t tile) {
    std::vector<int64_t> places;  // the dim of the result for each dim of `begin`
    for (const std::size_t dim : result_batch_dims(form_)) {
      places.push_back(static_cast<int64_t>(dim));
    }
    ValueId position = begin;
    std::vector<int64_t> all = places;
    if (window > 1) {
      const auto offset = static_cast<int64_t>(*each.offset_dim);
      all.insert(std::ranges::upper_bound(all, offset), offset);
      std::vector<int64_t> shape;
      shape.reserve(all.size());
      for (const int64_t dim : all) shape.push_back(made_[static_cast<std::size_t>(dim)]);
      const ValueId along =
          emit_.broadcast(emit_.iota(window), shape, std::vector<int64_t>{index_in(all, offset)});
      std::vector<int64_t> mapped;
      mapped.reserve(places.size());
      for (const int64_t dim : places) mapped.push_back(index_in(all, dim));
      position = emit_.binary(OpKind::Add, emit_.broadcast(begin, shape, mapped), along);
    }
    hit_ = emit_.both(hit_, emit_.broadcast(in_range(emit_, position, 0, tile), made_, all));
  }

  static int64_t index_in(const std::vector<int64_t>& list, int64_t dim) {
    return std::ranges::find(list, dim) - list.begin();
  }

  Lowering& lowering_;
  Emitter& emit_;
  const GatherForm& form_;
  const GatherPlan& plan_;
  PartitionedValue table_;
  ValueId indices_;
  GatherDims dims_;
  std::vector<int64_t> sizes_;
  std::vector<int64_t> made_;  // local sizes of the result
  ValueId hit_;
  AxisList owners_;
};

int64_t product(std::span<const int64_t> sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

/// Returns the axes over whose groups exactly one device has the row of each index.
AxisList owners_of(const GatherPlan& plan) {
  AxisList owners;
  for (const GatherPlan::IndexedTableDim& each : plan.located) {
    if (each.is_counted) continue;
    append(owners, plan.table[each.dim]);
  }
  return sort_and_merge(std::move(owners));
}

/// Checks whether sending the table costs less than sending the result. An all-gather of the table
/// is compared with an all-reduce of the result, or with a reduce-scatter of half its cost if that
/// follows.
bool sends_table(const Lowering& lowering, OpId op, const GatherForm& form,
                 const GatherPlan& plan) {
  const AxisList owners = owners_of(plan);
  const ValueId result = lowering.input().result(op);
  if (lowering.options().halo.strategy != HaloStrategy::Cost) return false;
  if (owners.empty() || set_difference(owners, lowering.layout_of(result).unreduced).empty()) {
    return false;
  }
  const auto& uses = lowering.input().uses(result);
  const bool is_scattered = lowering.input().num_uses(result) == 1 &&
                            lowering.input().is(uses.front().op, OpKind::SdyReduceScatter);
  const int64_t whole =
      product(lowering.local_dims(form.table, plan.table)) * sharding_size(owners);
  const int64_t found = product(lowering.local_dims(form.result, plan.result));
  return whole < (is_scattered ? 1 : 2) * found;
}

PartitionedValue with_whole_dims(Lowering& lowering, OpId op, PartitionedValue table,
                                 GatherPlan& plan) {
  Lowering::Replicated what{.tensor = "operand 0",
                            .reason = "the table has fewer bytes than the gathered result"};
  what.first_op = lowering.output().num_ops();
  for (const GatherPlan::IndexedTableDim& each : plan.located) {
    if (each.is_counted) continue;
    what.add(each.dim, plan.table[each.dim]);
    table = lowering.gather(std::move(table), each.dim, plan.table[each.dim]);
    plan.table[each.dim].clear();
  }
  std::erase_if(plan.located, [](const auto& each) { return !each.is_counted; });
  what.bytes_held = lowering.output().type(table.value).num_bytes();
  lowering.note(op, what);
  return table;
}

Status lower_as_gather(Lowering& lowering, OpId op, const GatherForm& form,
                       ir::AttributeMap attributes) {
  const ir::Module& input = lowering.input();
  const std::vector<AxisList> wanted = lowering.axes_of(input.result(op));
  if (form.result.num_elements() == 0) {
    lowering.finish(op, lowering.emit().undefined(lowering.local_type(form.result, wanted)));
    return {};
  }
  if (form.table.num_elements() == 0) return lower_replicated(lowering, op);
  PartitionedValue table = lowering.local(input.operand(op, 0));
  GatherPlan plan = plan_gather(form, table.axes, wanted);
  table = lowering.reshard_to(op, std::move(table), plan.table);
  if (sends_table(lowering, op, form, plan)) {
    table = with_whole_dims(lowering, op, std::move(table), plan);
  }
  const PartitionedValue indices =
      lowering.reshard_to(op, lowering.local(input.operand(op, 1)), plan.indices);
  LocalGather local(lowering, form, plan, std::move(table), indices.value);
  finish_lookup(lowering, op, local.run(std::move(attributes)));
  return {};
}

}  // namespace

/// Lowers gather. Spec: partitioning 8.16.
Status lower_gather(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const auto view = ir::view<ir::GatherOp>(input, op);
  const GatherForm form{view.dims,
                        {view.slice_sizes.begin(), view.slice_sizes.end()},
                        rules::counting_dims(rules::OpView(input, op)),
                        input.type(input.operand(op, 0)),
                        input.type(input.operand(op, 1)),
                        input.type(input.result(op))};
  return lower_as_gather(lowering, op, form, local_attributes(input.attributes(op)));
}

/// Lowers torch_index_select. Spec: partitioning 8.16.
Status lower_torch_index_select(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const auto dims = rules::index_select_dims(rules::OpView(input, op));
  if (!dims) return lowering.error(op, "E_UNSUPPORTED_OP", dims.error().message);
  const Type& table = input.type(input.operand(op, 0));
  std::vector<int64_t> sizes(table.dims().begin(), table.dims().end());
  for (const auto* list : {&dims->collapsed_slice_dims, &dims->operand_batching_dims}) {
    for (const int64_t dim : *list) sizes[static_cast<std::size_t>(dim)] = 1;
  }
  const GatherForm form{*dims,
                        std::move(sizes),
                        {},
                        table,
                        input.type(input.operand(op, 1)),
                        input.type(input.result(op))};
  ir::AttributeMap attributes;
  for (const ir::NamedAttribute& entry : local_attributes(input.attributes(op))) {
    if (entry.name != ir::attr::kDim && entry.name != ir::attr::kBatchDims)
      attributes.set(entry.name, entry.value);
  }
  return lower_as_gather(lowering, op, form, std::move(attributes));
}

}  // namespace shardy::partitioning

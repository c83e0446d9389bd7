// scatter: each device applies the updates in its shard. Updates sharded along batch dims make the
// result partial. Spec: partitioning 8.17.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = scatter add %a, %i, %u                      %1 = %i - spmd.coord {"x"} * 4
//     : 8x4 [{"x"}, {}], 3x1, 3x4               ->   %0 = scatter add %a, %1, %u : 4x4, 3x1, 3x4
//                                                    (out-of-bounds updates are dropped)
#include <algorithm>
#include <utility>

#include "ir/dim_set.hpp"
#include "partitioning/families.hpp"
#include "partitioning/gather.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"

namespace shardy::partitioning {

using ir::ScatterDims;

namespace {

/// An index that is out of bounds of every dim, even after the shard offset is subtracted.
constexpr int64_t kOutside = 2 * kMaxDim;

ScatterForm form_of(const ir::Module& input, OpId op) {
  ScatterForm form;
  form.dims = ir::view<ir::ScatterOp>(input, op).dims;
  form.counted = rules::counting_dims(rules::OpView(input, op));
  form.num_inputs = input.num_results(op);
  form.reducers = ir::recognized_reducers(input, op, form.num_inputs);
  form.input = input.type(input.operand(op, 0));
  form.indices = input.type(input.operand(op, form.num_inputs));
  form.updates = input.type(input.operand(op, form.num_inputs + 1));
  const ir::Literal* literal = constant_of(input, input.operand(op, form.num_inputs));
  form.has_zero_indices =
      literal != nullptr && *literal == ir::int_splat_literal(literal->type(), 0);
  return form;
}

class ScatterPlanner {
 public:
  ScatterPlanner(const ScatterForm& form, std::vector<AxisList> wanted,
                 const std::vector<AxisList>& updates)
      : form_(form), have_(updates), is_local_(wanted.size(), false) {
    plan_.indices.resize(form.indices.dims().size());
    plan_.updates.resize(have_.size());
    for (const AxisList& list : wanted) append(taken_, list);
    plan_.input = std::move(wanted);
  }

  ScatterPlan run() && {
    add_windows();
    add_rows();
    for (std::size_t dim = 0; dim < plan_.input.size(); ++dim) {
      if (sharding_size(plan_.input[dim]) > 1 && !is_local_[dim]) plan_.located.push_back(dim);
    }
    plan_.parts = sort_and_merge(std::move(plan_.parts));
    return std::move(plan_);
  }

 private:
  /// Keeps the sharding of dims that the windows span completely, if all indices are zero.
  void add_windows() {
    const ScatterDims& dims = form_.dims;
    const auto windows =
        windowed_dims(plan_.input.size(), dims.inserted_window_dims, dims.input_batching_dims);
    for (std::size_t at = 0; at < windows.size(); ++at) {
      const std::size_t dim = windows[at];
      const auto from = static_cast<std::size_t>(dims.update_window_dims[at]);
      const bool is_moved =
          ir::has_dim(dims.scatter_dims_to_operand_dims, dim) && !form_.has_zero_indices;
      if (is_moved || form_.updates.dim(from) != form_.input.dim(dim)) continue;
      plan_.updates[from] = plan_.input[dim];
      is_local_[dim] = true;
    }
  }

  void add_rows() {
    const auto batch = batch_dims(plan_.indices.size(), form_.dims.index_vector_dim);
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < have_.size(); ++dim) {
      if (ir::has_dim(form_.dims.update_window_dims, dim)) continue;
      const std::size_t row = batch[next++];
      plan_.updates[dim] = row_axes(row, have_[dim]);
      plan_.indices[row] = plan_.updates[dim];
    }
  }

  /// Returns the axes of a batch dim of the indices that the updates can share.
  AxisList row_axes(std::size_t row, const AxisList& have) {
    const auto& batching = form_.dims.scatter_indices_batching_dims;
    const auto pair = std::ranges::find(batching, static_cast<int64_t>(row));
    if (pair != batching.end()) {
      const auto dim = static_cast<std::size_t>(
          form_.dims.input_batching_dims[static_cast<std::size_t>(pair - batching.begin())]);
      is_local_[dim] = true;
      return plan_.input[dim];
    }
    for (const rules::CountingDim& each : form_.counted) {
      if (each.indices != static_cast<int64_t>(row)) continue;
      if (plan_.input[static_cast<std::size_t>(each.input)] != have) continue;
      plan_.guarded.push_back(row);  // its indices still point only into the local shard
      return have;
    }
    if (!form_.reducers) return {};
    AxisList axes = truncate_by_removing_overlaps(have, taken_);
    if (sharding_size(axes) == 1) return {};
    plan_.guarded.push_back(row);
    append(taken_, axes);
    append(plan_.parts, axes);
    return axes;
  }

  const ScatterForm& form_;
  const std::vector<AxisList>& have_;  // axes per dim of the updates
  ScatterPlan plan_;
  AxisList taken_;
  std::vector<bool> is_local_;
};

}  // namespace

ScatterPlan plan_scatter(const ScatterForm& form, std::vector<AxisList> input,
                         const std::vector<AxisList>& updates) {
  return ScatterPlanner(form, std::move(input), updates).run();
}

namespace {

/// Emits the scatter on the local shard.
class LocalScatter {
 public:
  LocalScatter(Lowering& lowering, OpId op, const ScatterForm& form, const ScatterPlan& plan)
      : lowering_(lowering), emit_(lowering.emit()), op_(op), form_(form), plan_(plan) {}

  void run() {
    read_operands();
    const bool is_changed = !plan_.located.empty() || has_padded_rows(plan_.guarded);
    if (is_changed) localize();
    const std::vector<int64_t> sizes(emit_.dims(inputs_.front()).begin(),
                                     emit_.dims(inputs_.front()).end());
    make_room();
    std::vector<ValueId> operands = inputs_;
    operands.push_back(indices_.value);
    operands.insert(operands.end(), updates_.begin(), updates_.end());
    std::vector<Type> types;
    for (std::size_t index = 0; index < form_.num_inputs; ++index) {
      const Type& global = lowering_.input().type(lowering_.input().result(op_, index));
      const auto dims = emit_.dims(inputs_[index]);
      types.push_back(global.with_dims({dims.begin(), dims.end()}));
    }
    const OpId local = lowering_.clone(op_, std::move(operands), std::move(types));
    ir::AttributeMap& attributes = lowering_.output().attributes(local);
    attributes.set(ir::attr::kScatterDimensionNumbers, dims_);
    const bool has_padding = has_padded_rows(all_rows());
    if (is_changed || has_padding) attributes.set(ir::attr::kIndicesAreSorted, false);
    if (has_padding) attributes.set(ir::attr::kUniqueIndices, false);
    for (std::size_t index = 0; index < form_.num_inputs; ++index) {
      finish(index, lowering_.output().result(local, index), sizes);
    }
  }

 private:
  std::vector<std::size_t> all_rows() const {
    return batch_dims(plan_.indices.size(), form_.dims.index_vector_dim);
  }

  bool has_padded_rows(const std::vector<std::size_t>& rows) const {
    return std::ranges::any_of(rows, [&](std::size_t dim) {
      return Tiling::of(form_.indices.dim(dim), sharding_size(plan_.indices[dim])).padding() > 0;
    });
  }

  PartitionedValue operand(std::size_t index, const std::vector<AxisList>& axes) {
    return lowering_.reshard_to(op_, lowering_.local(lowering_.input().operand(op_, index)), axes);
  }

  void read_operands() {
    for (std::size_t index = 0; index < form_.num_inputs; ++index) {
      PartitionedValue input = operand(index, plan_.input);
      const AxisList& have = input.partial_axes();
      inputs_.push_back(started(index, input));
      updates_.push_back(read_updates(index, have));
    }
    indices_ = operand(form_.num_inputs, plan_.indices);
  }

  /// Returns the input on one device of each group, and the neutral element on the others. Groups
  /// are those over which the result is partial.
  ValueId started(std::size_t index, const PartitionedValue& input) {
    const AxisList more = set_difference(plan_.parts, input.partial_axes());
    if (sharding_size(more) == 1) return input.value;
    const ValueId given = lowering_.input().operand(op_, index);
    if (combines_to_itself(lowering_.input(), given, (*form_.reducers)[index])) return input.value;
    return keep_on_first(lowering_, input.value, more, nothing_for(index, input.global));
  }

  ir::Literal nothing_for(std::size_t index, const Type& type) const {
    return reducer_identity((*form_.reducers)[index], type.element());
  }

  /// Reads an updates operand. `parts` are the axes over which the input is partial: updates that
  /// several devices have must be added on only one of them.
  ValueId read_updates(std::size_t index, const AxisList& parts) {
    PartitionedValue updates = operand(form_.num_inputs + 1 + index, plan_.updates);
    const AxisList once =
        set_difference(set_difference(parts, plan_.parts), updates.partial_axes());
    if (!once.empty()) {
      updates = lowering_.as_summands(std::move(updates), once, (*form_.reducers)[index]);
    }
    const bool has_index = !dims_.scatter_dims_to_operand_dims.empty() || !plan_.located.empty();
    if (has_index || !form_.reducers || !has_padded_rows(plan_.guarded)) return updates.value;
    // Without index components, rows of padding cannot get an out-of-bounds index, so they are
    // masked.
    std::vector<std::size_t> rows;
    for (std::size_t dim = 0; dim < plan_.updates.size(); ++dim) {
      if (!ir::has_dim(dims_.update_window_dims, dim)) rows.push_back(dim);
    }
    const ir::Literal nothing = nothing_for(index, updates.global);
    return lowering_.mask(std::move(updates), rows, nothing).value;
  }

  /// Makes indices relative to the local shard. Rows of padding get out-of-bounds indices.
  void localize() {
    std::vector<ValueId> columns =
        index_columns(emit_, indices_.value, form_.dims.index_vector_dim);
    if (form_.dims.scatter_dims_to_operand_dims.empty()) columns.clear();
    const std::vector<int64_t> rows = row_shape();
    for (const std::size_t dim : plan_.located) {
      auto& map = dims_.scatter_dims_to_operand_dims;
      const auto at = std::ranges::find(map, static_cast<int64_t>(dim)) - map.begin();
      if (at == std::ssize(map)) {
        map.push_back(static_cast<int64_t>(dim));
        columns.push_back(uniform(emit_, rows, ScalarIndex::of(0)));
      }
      ValueId& column = columns[static_cast<std::size_t>(at)];
      const Tiling tiling = Tiling::of(form_.input.dim(dim), sharding_size(plan_.input[dim]));
      const ScalarIndex own =
          emit_.multiply(emit_.coord(lowering_.place(), plan_.input[dim]), tiling.tile);
      column = emit_.binary(OpKind::Subtract, column, uniform(emit_, rows, own));
    }
    if (columns.empty()) return;
    if (const ValueId valid = valid_rows(rows); valid.valid()) {
      columns.front() =
          emit_.select(valid, columns.front(), uniform(emit_, rows, ScalarIndex::of(kOutside)));
    }
    dims_.scatter_indices_batching_dims =
        without_vector_dim(dims_.scatter_indices_batching_dims, dims_.index_vector_dim);
    dims_.index_vector_dim = std::ssize(rows);
    indices_.value = join_columns(emit_, columns);
  }

  std::vector<int64_t> row_shape() const {
    std::vector<int64_t> sizes;
    for (const std::size_t dim : all_rows()) sizes.push_back(emit_.dim(indices_.value, dim));
    return sizes;
  }

  /// Returns an i1 mask of the rows that are not padding; invalid if padded rows have no effect.
  ValueId valid_rows(const std::vector<int64_t>& shape) {
    ValueId valid;
    const std::vector<std::size_t> rows = all_rows();
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const Tiling tiling = indices_.tiling(rows[at]);
      const bool is_guarded = std::ranges::find(plan_.guarded, rows[at]) != plan_.guarded.end();
      if (!is_guarded || tiling.padding() == 0) continue;
      const ScalarIndex begin =
          emit_.multiply(emit_.coord(lowering_.place(), indices_.axes[rows[at]]), tiling.tile);
      const std::vector<int64_t> line = {tiling.tile};
      const ValueId left =
          uniform(emit_, line, emit_.subtract(ScalarIndex::of(tiling.size), begin));
      const ValueId inside = emit_.compare(emit_.iota(tiling.tile), left, "LT");
      const std::vector<int64_t> mapped = {static_cast<int64_t>(at)};
      valid = emit_.both(valid, emit_.broadcast(inside, shape, mapped));
    }
    return valid;
  }

  /// Pads the dim to at least the size of the window.
  void make_room() {
    const auto windows =
        windowed_dims(plan_.input.size(), dims_.inserted_window_dims, dims_.input_batching_dims);
    for (std::size_t at = 0; at < windows.size(); ++at) {
      const auto from = static_cast<std::size_t>(dims_.update_window_dims[at]);
      const int64_t window = emit_.dim(updates_.front(), from);
      for (ValueId& input : inputs_) {
        const int64_t room = window - emit_.dim(input, windows[at]);
        input = emit_.pad(input, windows[at], {0, std::max<int64_t>(room, 0), 0});
      }
    }
  }

  void finish(std::size_t index, ValueId value, const std::vector<int64_t>& sizes) {
    for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
      value = emit_.slice(value, dim, 0, sizes[dim]);
    }
    const ValueId result = lowering_.input().result(op_, index);
    PartitionedValue made = lowering_.make(value, lowering_.input().type(result), plan_.input);
    if (sharding_size(plan_.parts) > 1) {
      made.partial = PartialResult{plan_.parts, (*form_.reducers)[index], ValueId()};
    }
    finish_partial(lowering_, op_, result, std::move(made));
  }

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  const ScatterForm& form_;
  const ScatterPlan& plan_;
  ScatterDims dims_ = form_.dims;
  std::vector<ValueId> inputs_;
  PartitionedValue indices_;
  std::vector<ValueId> updates_;
};

}  // namespace

/// Lowers scatter. Spec: partitioning 8.17.
Status lower_scatter(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ScatterForm form = form_of(input, op);
  std::vector<AxisList> wanted = lowering.axes_of(input.result(op));
  const PartitionedValue& updates = lowering.local(input.operand(op, form.num_inputs + 1));
  const ScatterPlan plan = plan_scatter(form, std::move(wanted), updates.axes);
  LocalScatter(lowering, op, form, plan).run();
  return {};
}

}  // namespace shardy::partitioning

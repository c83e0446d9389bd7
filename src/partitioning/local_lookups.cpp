// gather and scatter on the local shard of the table. Spec: partitioning 8.16, 8.17, 10.4.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = gather %a, %i                    %2 = clamp(%i, 0, 7) - [0, 4][partition_id]
//     : 8x3 [{"x"}, {}], 4x1 -> 4x3  ->   %3 = gather %a, %2 : 4x3, 4x1 -> 4x3
//   %1 = sdy.all_reduce {"x"} %0          %4 = select (0 <= %2 < 4), %3, -0.0
//                                         %1 = stablehlo.all_reduce add %4
#include <algorithm>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/local_program.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

using Dims = std::vector<int64_t>;

std::size_t at(int64_t dim) { return static_cast<std::size_t>(dim); }

bool holds(const Dims& dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

std::optional<std::size_t> place_in(const Dims& dims, std::size_t dim) {
  const auto found = std::ranges::find(dims, static_cast<int64_t>(dim));
  if (found == dims.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims.begin());
}

/// The index vectors of an op, one tensor per component.
class IndexComponents {
 public:
  IndexComponents(LocalProgram& program, ValueId indices, int64_t vector_dim)
      : emit_(program.emit()), vector_dim_(at(vector_dim)) {
    indices_ = emit_.to_i64(indices);
    const auto dims = emit_.dims(indices_);
    has_vector_ = vector_dim_ < dims.size();
    const int64_t count = has_vector_ ? dims[vector_dim_] : 1;
    for (int64_t index = 0; index < count; ++index) {
      parts_.push_back(has_vector_ ? emit_.slice(indices_, vector_dim_, index, index + 1)
                                   : indices_);
    }
  }

  void clamp(std::size_t component, int64_t high) {
    parts_[component] = emit_.clamp(parts_[component], 0, high);
  }
  void subtract(std::size_t component, const ScalarIndex& number) {
    const ValueId scalar = emit_.scalar(number);
    const ValueId spread = emit_.broadcast(scalar, emit_.dims(parts_[component]), {});
    parts_[component] = emit_.binary(OpKind::Subtract, parts_[component], spread);
  }
  /// Returns an i1 mask in the shape of the batch dims: the component is in [0, size).
  ValueId is_within(std::size_t component, int64_t size) {
    const Dims dims(emit_.dims(parts_[component]).begin(), emit_.dims(parts_[component]).end());
    const auto filled = [&](int64_t number) {
      return emit_.broadcast(emit_.scalar(ScalarIndex::of(number)), dims, {});
    };
    const ValueId above = emit_.compare(parts_[component], filled(0), "GE");
    const ValueId below = emit_.compare(parts_[component], filled(size), "LT");
    Dims batch = dims;
    if (has_vector_) batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(vector_dim_));
    return emit_.reshape(emit_.both(above, below), std::move(batch));
  }
  ValueId joined() { return has_vector_ ? emit_.concatenate(parts_, vector_dim_) : parts_.front(); }

 private:
  Emitter& emit_;
  ValueId indices_;
  std::size_t vector_dim_;
  bool has_vector_ = true;
  std::vector<ValueId> parts_;
};

ScalarIndex tile_of(LocalProgram& program, ValueId value, std::size_t dim) {
  return program.tile_begin(program.sharding(value)->mesh(), program.axes(value, dim),
                            program.module().type(value).dim(dim));
}

// ---- Gather -------------------------------------------------------------------------------------

struct GatherPlan {
  Dims slice_sizes;
  std::vector<std::size_t> located;  // sharded dims in which one device has the indexed element
  AxisList axes;                     // their axes
};

/// Returns the dim of the result for a dim of the operand that is neither collapsed nor batching.
std::optional<std::size_t> offset_dim(const ir::GatherDims& dims, std::size_t dim) {
  if (holds(dims.collapsed_slice_dims, dim) || holds(dims.operand_batching_dims, dim)) {
    return std::nullopt;
  }
  std::size_t place = 0;
  for (std::size_t before = 0; before < dim; ++before) {
    place +=
        !holds(dims.collapsed_slice_dims, before) && !holds(dims.operand_batching_dims, before);
  }
  return at(dims.offset_dims[place]);
}

Result<GatherPlan> plan_gather(LocalProgram& program, OpId op, const ir::GatherOp& view) {
  const Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  GatherPlan plan{{view.slice_sizes.begin(), view.slice_sizes.end()}, {}, {}};
  for (std::size_t dim = 0; dim < plan.slice_sizes.size(); ++dim) {
    const auto offset = offset_dim(view.dims, dim);
    const AxisList axes = program.axes(operand, dim);
    const int64_t size = program.global(operand).dim(dim);
    if (offset && plan.slice_sizes[dim] == size && program.axes(result, *offset) == axes) {
      plan.slice_sizes[dim] = module.type(operand).dim(dim);
    } else if (sharding_size(axes) > 1 && holds(view.dims.collapsed_slice_dims, dim)) {
      plan.located.push_back(dim);
      plan.axes.insert(plan.axes.end(), axes.begin(), axes.end());
    } else if (sharding_size(axes) > 1 && !holds(view.dims.operand_batching_dims, dim)) {
      return program.error(op, "looks up part of the sharded dimension " + std::to_string(dim));
    }
  }
  return plan;
}

/// Shifts indices to the own shard; returns an i1 mask in the shape of the batch dims: in the
/// shard.
ValueId shift_and_find(LocalProgram& program, OpId op, const ir::GatherDims& dims,
                       const GatherPlan& plan, IndexComponents& indices) {
  Emitter& emit = program.emit();
  const ValueId operand = program.module().operand(op, 0);
  ValueId hit;
  for (const std::size_t dim : plan.located) {
    const ScalarIndex begin = tile_of(program, operand, dim);
    const int64_t tile = program.module().type(operand).dim(dim);
    const auto component = place_in(dims.start_index_map, dim);
    if (component) {
      indices.clamp(*component, program.global(operand).dim(dim) - 1);
      indices.subtract(*component, begin);
      hit = emit.both(hit, indices.is_within(*component, tile));
      continue;
    }
    // Not indexed: the first element, which is in the first shard.
    const ValueId zero = emit.scalar(ScalarIndex::of(0));
    const ValueId first = emit.compare(emit.scalar(begin), zero, "EQ");
    Dims batch(emit.dims(indices.joined()).begin(), emit.dims(indices.joined()).end());
    const auto vector_dim = static_cast<std::ptrdiff_t>(dims.index_vector_dim);
    if (vector_dim < std::ssize(batch)) batch.erase(batch.begin() + vector_dim);
    hit = emit.both(hit, emit.broadcast(first, batch, {}));
  }
  return hit;
}

Status localize_gather(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::GatherOp view = *ir::GatherOp::of(module, op);
  const ir::GatherDims dims = view.dims;
  SHARDY_TRY(const GatherPlan plan, plan_gather(program, op, view));
  ir::AttributeMap attributes = module.attributes(op);
  attributes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ElementType::I64, plan.slice_sizes});
  if (plan.located.empty()) {
    module.attributes(op) = std::move(attributes);
    return {};
  }
  SHARDY_TRY_STATUS(expect_combined(program, op, plan.axes, OpKind::Add));
  Emitter& emit = program.emit();
  IndexComponents indices(program, module.operand(op, 1), dims.index_vector_dim);
  const ValueId hit = shift_and_find(program, op, dims, plan, indices);
  const Type type = module.type(module.result(op));
  attributes.set(ir::attr::kIndicesAreSorted, false);
  const ValueId rows = emit.builder().create_value(
      OpKind::Gather, {module.operand(op, 0), indices.joined()}, type, std::move(attributes));
  Dims batch;
  for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
    if (!holds(dims.offset_dims, dim)) batch.push_back(static_cast<int64_t>(dim));
  }
  const Dims shape(type.dims().begin(), type.dims().end());
  const ValueId zeros = emit.splat(shape, reducer_identity(OpKind::Add, type.element()));
  program.replace(op, emit.select(emit.broadcast(hit, shape, batch), rows, zeros));
  return {};
}

// ---- Scatter ------------------------------------------------------------------------------------

/// Returns the dim of the updates along which the window extends in that dim of the operand.
std::optional<std::size_t> window_dim(const ir::ScatterDims& dims, std::size_t dim) {
  if (holds(dims.inserted_window_dims, dim) || holds(dims.input_batching_dims, dim)) {
    return std::nullopt;
  }
  std::size_t place = 0;
  for (std::size_t before = 0; before < dim; ++before) {
    place += !holds(dims.inserted_window_dims, before) && !holds(dims.input_batching_dims, before);
  }
  return at(dims.update_window_dims[place]);
}

/// Returns the sharded dims in which each device takes the updates in its own shard.
Result<std::vector<std::size_t>> located_dims(LocalProgram& program, OpId op,
                                              const ir::ScatterDims& dims, ValueId input,
                                              ValueId updates) {
  std::vector<std::size_t> located;
  for (std::size_t dim = 0; dim < program.global(input).dims().size(); ++dim) {
    if (program.shards(input, dim) == 1 || holds(dims.input_batching_dims, dim)) continue;
    const auto window = window_dim(dims, dim);
    const bool is_indexed = place_in(dims.scatter_dims_to_operand_dims, dim).has_value();
    const bool is_cut = window && program.axes(updates, *window) == program.axes(input, dim);
    if (is_cut && !is_indexed &&
        program.global(updates).dim(*window) == program.global(input).dim(dim)) {
      continue;
    }
    if (is_cut || !is_indexed) {
      return program.error(op, "writes to part of the sharded dimension " + std::to_string(dim));
    }
    located.push_back(dim);
  }
  return located;
}

AxisList axes_of_updates(LocalProgram& program, const ir::ScatterDims& dims, ValueId input,
                         ValueId updates) {
  AxisList axes;
  const auto& sharding = program.sharding(updates);
  if (!sharding) return axes;
  for (std::size_t dim = 0; dim < sharding->rank(); ++dim) {
    if (holds(dims.update_window_dims, dim)) continue;
    for (const AxisRef& axis : program.axes(updates, dim)) {
      bool is_of_input = false;  // a batching dim
      for (std::size_t own = 0; own < program.global(input).dims().size(); ++own) {
        is_of_input = is_of_input || overlaps(axis, program.axes(input, own));
      }
      if (!is_of_input) axes.push_back(axis);
    }
  }
  return axes;
}

/// Keeps the input on the first device only, because devices sum what they scatter.
Status keep_input_once(LocalProgram& program, OpId op, const AxisList& axes) {
  Module& module = program.module();
  Emitter& emit = program.emit();
  const auto reducers = ir::recognized_reducers(module, op, 1);
  if (!reducers || module.num_results(op) != 1) {
    return program.error(op, "combines sharded updates by a region that no all-reduce supports");
  }
  SHARDY_TRY_STATUS(expect_combined(program, op, axes, reducers->front()));
  const ValueId input = module.operand(op, 0);
  const Type type = module.type(input);
  const Dims shape(type.dims().begin(), type.dims().end());
  const Mesh& mesh = program.sharding(module.operand(op, 2))->mesh();
  const ScalarIndex rank = program.tile_begin(mesh, axes, 1);
  const ValueId zero = emit.scalar(ScalarIndex::of(0));
  const ValueId first = emit.compare(emit.scalar(rank), zero, "EQ");
  const ValueId none = emit.splat(shape, reducer_identity(reducers->front(), type.element()));
  module.set_operand(op, 0, emit.select(emit.broadcast(first, shape, {}), input, none));
  return {};
}

Status localize_scatter(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ScatterDims dims = ir::ScatterOp::of(module, op)->dims;
  const std::size_t count = module.num_results(op);
  const ValueId input = module.operand(op, 0);
  const ValueId updates = module.operand(op, count + 1);
  SHARDY_TRY(const auto located, located_dims(program, op, dims, input, updates));
  if (!located.empty()) {
    IndexComponents indices(program, module.operand(op, count), dims.index_vector_dim);
    for (const std::size_t dim : located) {
      indices.subtract(*place_in(dims.scatter_dims_to_operand_dims, dim),
                       tile_of(program, input, dim));
    }
    module.set_operand(op, count, indices.joined());
    module.attributes(op).set(ir::attr::kIndicesAreSorted, false);
  }
  const AxisList axes = axes_of_updates(program, dims, input, updates);
  return sharding_size(axes) == 1 ? Status() : keep_input_once(program, op, axes);
}

}  // namespace

Status localize_indexed(LocalProgram& program, OpId op) {
  return program.module().is(op, OpKind::Gather) ? localize_gather(program, op)
                                                 : localize_scatter(program, op);
}

}  // namespace shardy::partitioning

// sdy-pad-for-divisibility: rounds uneven dims up and masks their padding. Spec: partitioning 10.1.
//
//   sdy.mesh @mesh = <["x"=4]>, tensor<10x8xf32> [{"x"}, {}] becomes tensor<12x8xf32>
//   %2 = exponential %1 : 10x8 [{"x"}, {}]          %2 = exponential %1 : 12x8
//                                              ->   %3 = compare LT, iota dim = 0, 10 : 12x8
//                                                   %4 = select %3, %2, 0.0
//   %3 = dot_general %0, %2 : 6x10, 10x8            %5 = dot_general %0, %4 : 6x12, 12x8
#include "partitioning/reference/pad_for_divisibility.hpp"

#include <algorithm>
#include <utility>

#include "ir/dim_set.hpp"
#include "partitioning/families.hpp"
#include "partitioning/reference/passes.hpp"
#include "passes/common/functions.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- State --------------------------------------------------------------------------------------

Type padded_type(const Type& type, const std::optional<TensorSharding>& sharding) {
  if (!type.is_tensor() || !sharding) return type;
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  for (std::size_t dim = 0; dim < std::min(dims.size(), sharding->rank()); ++dim) {
    const int64_t shards = sharding_size(sharding->dim(dim).axes);
    if (dims[dim] >= 0) dims[dim] = ceil_div(dims[dim], shards) * shards;
  }
  return type.with_dims(std::move(dims));
}

ValueId pad_to(Emitter& emit, ValueId value, Type type,
               const std::optional<TensorSharding>& sharding, ValueId fill) {
  if (emit.module().type(value) == type) return value;
  std::vector<int64_t> high;
  for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
    high.push_back(type.dim(dim) - emit.dim(value, dim));
  }
  const std::vector<int64_t> none(high.size(), 0);
  if (!fill.valid()) {
    fill = emit.constant(ir::splat_literal(Type::tensor({}, type.element()), 0));
  }
  const ValueId made = emit.builder().create_value(OpKind::Pad, {value, fill}, std::move(type),
                                                   ir::PadOp{none, high, none}.attributes());
  if (sharding) ir::set_sharding(emit.module(), made, *sharding);
  return made;
}

ValueId slice_to(Emitter& emit, ValueId value, const Type& type,
                 const std::optional<TensorSharding>& sharding) {
  if (emit.module().type(value) == type) return value;
  const std::vector<int64_t> begin(type.dims().size(), 0);
  const std::vector<int64_t> strides(type.dims().size(), 1);
  const ValueId made = emit.builder().create_value(
      OpKind::Slice, {value}, type, ir::SliceOp{begin, type.dims(), strides}.attributes());
  if (sharding) ir::set_sharding(emit.module(), made, *sharding);
  return made;
}

PaddedProgram::PaddedProgram(Module& module) : module_(module), emit_(module) {
  was_.resize(module.num_values());
  std::vector<ValueId> all;
  for (const OpId op : ir::pre_order(module)) {
    for (const ValueId result : module.results(op)) all.push_back(result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) {
        all.insert(all.end(), module.args(block).begin(), module.args(block).end());
      }
    }
  }
  for (const ValueId value : all) {
    was_[value.index()] = {module.type(value), ir::get_sharding(module, value)};
  }
  for (const ValueId value : all) {
    module.set_type(value, padded_type(old_type(value), sharding(value)));
  }
}

void PaddedProgram::start_after(OpId op) {
  ir::Builder builder = ir::Builder::after(module_, op);
  builder.set_location(module_.location(op));
  emit_.set_builder(builder);
}

ValueId PaddedProgram::made(ValueId value, std::optional<TensorSharding> sharding, Type old_type) {
  if (value.index() >= was_.size()) was_.resize(value.index() + 1);
  if (sharding) ir::set_sharding(module_, value, *sharding);
  was_[value.index()] = {std::move(old_type), std::move(sharding)};
  return value;
}

ValueId PaddedProgram::masked(ValueId value, const std::vector<std::size_t>& dims,
                              const ir::Literal& fill) {
  const bool masks =
      std::ranges::any_of(dims, [&](std::size_t dim) { return has_grown(value, dim); });
  return masks ? masked(value, dims, emit_.constant(fill)) : value;
}

ValueId PaddedProgram::masked(ValueId value, const std::vector<std::size_t>& dims, ValueId fill) {
  const Type type = module_.type(value);
  const Type old = old_type(value);
  const std::optional<TensorSharding> sharding = this->sharding(value);
  const auto like = [&](ValueId part) { return made(part, sharding, module_.type(part)); };
  ValueId inside;
  for (const std::size_t dim : dims) {
    if (!has_grown(value, dim)) continue;
    const Type places = type.with_element(ElementType::I32);
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kIotaDimension,
                   ir::IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
    const ValueId place =
        like(emit_.builder().create_value(OpKind::Iota, {}, places, std::move(attributes)));
    const ValueId size = like(emit_.constant(ir::int_splat_literal(places, old.dim(dim))));
    const ValueId here = like(emit_.compare(place, size, "LT"));
    inside = inside.valid() ? like(emit_.both(inside, here)) : here;
  }
  if (!inside.valid()) return value;
  const ValueId spread = like(emit_.broadcast(fill, type.dims(), {}));
  return made(emit_.select(inside, value, spread), sharding, old);
}

ValueId PaddedProgram::padded_to(ValueId value, const Type& type) {
  if (module_.type(value) == type) return value;
  return made(pad_to(emit_, value, type, std::nullopt), sharding(value), old_type(value));
}

ValueId PaddedProgram::sliced_to(ValueId value, const Type& type, TensorSharding sharding) {
  if (module_.type(value) == type) return value;
  return made(slice_to(emit_, value, type, std::nullopt), std::move(sharding), old_type(value));
}

void PaddedProgram::shard_like(ValueId value, ValueId old) {
  if (value == old || !sharding(old)) return;
  const bool is_new = value.index() >= was_.size() || old_type(value) == Type();
  const Type type = module_.type(value);
  if (!is_new || !std::ranges::equal(type.dims(), module_.type(old).dims())) return;
  made(value, sharding(old), old_type(old).with_element(type.element()));
  const std::vector<ValueId> operands = module_.operands(module_.defining_op(value));
  for (const ValueId operand : operands) shard_like(operand, old);
}

tl::unexpected<Error> PaddedProgram::error(OpId op, const std::string& message) const {
  return tl::unexpected(
      passes::error_at(module_, op, "'" + std::string(module_.name(op)) + "' op " + message));
}

namespace {

using Dims = std::vector<int64_t>;
using DimNumbers = std::vector<std::size_t>;

DimNumbers numbers_of(std::span<const int64_t> dims) { return {dims.begin(), dims.end()}; }

ir::Literal zero_of(const Type& type) {
  return ir::splat_literal(Type::tensor({}, type.element()), 0);
}

// ---- Arguments and results of functions ---------------------------------------------------------

Diagnostics expect_divisible_io(const Module& module) {
  Diagnostics errors;
  const auto look = [&](OpId function, const Type& type,
                        const std::optional<TensorSharding>& sharding, const std::string& what) {
    if (padded_type(type, sharding) == type) return;
    errors.push_back(passes::error_at(module, function,
                                      what + " has a non-divisible sharding. Shardy expects "
                                             "function IO to be divisible."));
  };
  for (const OpId function : module.functions()) {
    if (module.is_external(function) || passes::is_private(module, function)) continue;
    const std::vector<Type> args = module.arg_types(function);
    for (std::size_t index = 0; index < args.size(); ++index) {
      look(function, args[index], ir::arg_sharding(module, function, index),
           "argument #" + std::to_string(index));
    }
    const std::vector<Type>& results = module.function(function).result_types;
    for (std::size_t index = 0; index < results.size(); ++index) {
      look(function, results[index], ir::result_sharding(module, function, index),
           "result #" + std::to_string(index));
    }
  }
  return errors;
}

/// Gives functions the types of their returned values; public ones only if they may grow.
void retype_results(Module& module, FunctionIo io) {
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    if (io != FunctionIo::Grows && !passes::is_private(module, function)) continue;
    std::vector<Type>& types = module.function(function).result_types;
    types.clear();
    for (const ValueId value : module.returned_values(function)) {
      types.push_back(module.type(value));
    }
  }
}

// ---- Constants ----------------------------------------------------------------------------------

/// Returns a literal of the larger type: the elements start at index 0 of each dim, zeros follow.
ir::Literal enlarged(const ir::Literal& literal, const Type& type) {
  const Type& old = literal.type();
  const std::size_t size = size_bytes(type.element());
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.num_elements()) * size);
  Dims place(static_cast<std::size_t>(old.rank()), 0);
  for (int64_t index = 0; index < old.num_elements(); ++index) {
    int64_t at = 0;
    for (std::size_t dim = 0; dim < place.size(); ++dim) at = at * type.dim(dim) + place[dim];
    std::ranges::copy(
        literal.element_bytes(index),
        bytes.begin() + static_cast<std::ptrdiff_t>(at) * static_cast<std::ptrdiff_t>(size));
    for (std::size_t dim = place.size(); dim-- > 0;) {
      if (++place[dim] < old.dim(dim)) break;
      place[dim] = 0;
    }
  }
  return *ir::Literal::make(type, std::move(bytes));
}

Status grow_constant(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const Type type = module.type(module.result(op));
  const ir::Literal& literal = *module.attribute<ir::Literal>(op, ir::attr::kValue);
  if (literal.type() == type) return {};
  const auto bytes = literal.is_splat() ? literal.element_bytes(0) : std::span<const std::byte>();
  module.attributes(op).set(ir::attr::kValue,
                            literal.is_splat()
                                ? *ir::Literal::make_splat(type, {bytes.begin(), bytes.end()})
                                : enlarged(literal, type));
  return {};
}

// ---- Slices, pads -------------------------------------------------------------------------------

Status grow_slice(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId result = module.result(op);
  const ir::SliceOp view = *ir::SliceOp::of(module, op);
  Dims limits = copy(view.limits);
  for (std::size_t dim = 0; dim < limits.size(); ++dim) {
    if (!program.has_grown(result, dim)) continue;
    if (view.strides[dim] != 1 || view.starts[dim] != 0) {
      return program.error(op, "slices the unevenly sharded dimension " + std::to_string(dim) +
                                   "; run sdy-resolve-permutation-factors first");
    }
    limits[dim] = module.type(result).dim(dim);
    if (limits[dim] > module.type(module.operand(op, 0)).dim(dim)) {
      return program.error(op, "slices the unevenly sharded dimension " + std::to_string(dim) +
                                   "; run sdy-resolve-permutation-factors first");
    }
  }
  module.attributes(op).set(ir::attr::kLimitIndices,
                            ir::DenseArrayAttr{ElementType::I64, std::move(limits)});
  return {};
}

/// Fills the operand's padding with the pad value, so that it serves as part of the op's padding,
/// and sets `high` so that the result has its padded size.
Status grow_pad(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const ir::PadOp view = *ir::PadOp::of(module, op);
  Dims high = copy(view.high);
  Dims interior = copy(view.interior);
  DimNumbers shown;
  for (std::size_t dim = 0; dim < high.size(); ++dim) {
    const int64_t size = module.type(operand).dim(dim);
    if (program.old_type(operand).dim(dim) <= 1) interior[dim] = 0;  // one element has no gaps
    high[dim] = module.type(result).dim(dim) - size - view.low[dim] -
                std::max<int64_t>(size - 1, 0) * interior[dim];
    if (program.has_grown(operand, dim)) shown.push_back(dim);
  }
  const Dims low = copy(view.low);
  if (!shown.empty()) {
    program.start_before(op);
    module.set_operand(op, 0, program.masked(operand, shown, module.operand(op, 1)));
  }
  const ir::AttributeMap attributes = ir::PadOp{low, high, interior}.attributes();
  for (const ir::NamedAttribute& entry : attributes) {
    module.attributes(op).set(entry.name, entry.value);
  }
  return {};
}

// ---- Ops that combine ---------------------------------------------------------------------------

void mask_operand(PaddedProgram& program, OpId op, std::size_t index, const DimNumbers& dims,
                  const ir::Literal& fill, bool is_zero) {
  const ValueId operand = program.module().operand(op, index);
  if (is_zero && program.is_zero_padded(operand)) return;
  program.start_before(op);
  program.module().set_operand(op, index, program.masked(operand, dims, fill));
}

Status grow_dot(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ir::DotDims dims = dot_dims(module, op);
  for (const auto& [index, list] :
       {std::pair{0U, dims.lhs_contracting}, std::pair{1U, dims.rhs_contracting}}) {
    const Type type = module.type(module.operand(op, index));
    mask_operand(program, op, index, numbers_of(list), zero_of(type), true);
  }
  return {};
}

Status grow_reduce(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const std::size_t count = module.num_operands(op) / 2;
  const DimNumbers dims =
      numbers_of(module.attribute<ir::DenseArrayAttr>(op, ir::attr::kDimensions)->values);
  const bool shows = std::ranges::any_of(
      dims, [&](std::size_t dim) { return program.has_grown(module.operand(op, 0), dim); });
  if (!shows) return {};
  const auto reducers = ir::recognized_reducers(module, op, count);
  if (!reducers) {
    return program.error(
        op, "reduces an unevenly sharded dimension by a region without a known neutral value");
  }
  for (std::size_t index = 0; index < count; ++index) {
    const ElementType element = module.type(module.operand(op, index)).element();
    mask_operand(program, op, index, dims, reducer_identity((*reducers)[index], element), false);
  }
  return {};
}

/// Appends groups of padding, so that the groups fill the input's dim and the output features.
Status grow_groups(PaddedProgram& program, OpId op, std::string_view count, int64_t groups,
                   int64_t in_dim, int64_t out_dim) {
  Module& module = program.module();
  const ValueId lhs = module.operand(op, 0);
  const ValueId rhs = module.operand(op, 1);
  const auto in = static_cast<std::size_t>(in_dim);
  const auto out = static_cast<std::size_t>(out_dim);
  if (groups == 1 || (!program.has_grown(lhs, in) && !program.has_grown(rhs, out))) return {};
  const int64_t each_in = program.old_type(lhs).dim(in) / groups;
  const int64_t each_out = program.old_type(rhs).dim(out) / groups;
  const int64_t all = module.type(lhs).dim(in) / each_in;
  if (all * each_in != module.type(lhs).dim(in) || all * each_out != module.type(rhs).dim(out)) {
    return program.error(op, "has groups that an unevenly sharded dimension splits");
  }
  module.attributes(op).set(count, ir::IntegerAttr{all, ElementType::I64});
  return {};
}

Status grow_convolution(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ConvolutionOp view = *ir::ConvolutionOp::of(module, op);
  const ir::ConvolutionDims dims = view.dims;
  DimNumbers lhs = numbers_of(dims.input_spatial);
  lhs.insert(lhs.begin(), static_cast<std::size_t>(dims.input_feature));
  DimNumbers rhs = numbers_of(dims.kernel_spatial);
  rhs.insert(rhs.begin(), static_cast<std::size_t>(dims.kernel_input_feature));
  const ValueId result = module.result(op);
  for (std::size_t index = 0; index < dims.output_spatial.size(); ++index) {
    const auto in = static_cast<std::size_t>(dims.input_spatial[index]);
    const auto tap = static_cast<std::size_t>(dims.kernel_spatial[index]);
    const auto out = static_cast<std::size_t>(dims.output_spatial[index]);
    const ValueId operand = module.operand(op, 0);
    const bool changes =
        program.has_grown(operand, in) || program.has_grown(module.operand(op, 1), tap);
    const bool contracts = is_contracted(view.window[index], module.type(operand).dim(in));
    if ((changes && !contracts) || program.has_grown(result, out)) {
      return program.error(op,
                           "has windows over an unevenly sharded dimension; run "
                           "sdy-resolve-permutation-factors first");
    }
  }
  mask_operand(program, op, 0, lhs, zero_of(module.type(module.operand(op, 0))), true);
  mask_operand(program, op, 1, rhs, zero_of(module.type(module.operand(op, 1))), true);
  const int64_t feature_groups = view.feature_groups;
  SHARDY_TRY_STATUS(grow_groups(program, op, ir::attr::kBatchGroupCount, view.batch_groups,
                                dims.input_batch, dims.kernel_output_feature));
  return grow_groups(program, op, ir::attr::kFeatureGroupCount, feature_groups, dims.input_feature,
                     dims.kernel_output_feature);
}

// ---- Run-time indices ---------------------------------------------------------------------------

/// Increases slice sizes that span a full dim to the padded size of the dim.
Status grow_dynamic_slice(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  module.attributes(op).set(
      ir::attr::kSliceSizes,
      ir::DenseArrayAttr{ElementType::I64, copy(module.type(module.result(op)).dims())});
  return {};
}

/// Clamps the starts to the greatest ones whose updates are in the operand, without its padding.
Status grow_dynamic_update_slice(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const Type whole = program.old_type(operand);
  const Type part = program.old_type(module.operand(op, 1));
  const auto grows_around = [&](std::size_t dim) {
    return program.has_grown(operand, dim) && part.dim(dim) < whole.dim(dim);
  };
  bool clamps = false;
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) clamps |= grows_around(dim);
  if (!clamps) return {};
  program.start_before(op);
  Emitter& emit = program.emit();
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    const ValueId start = module.operand(op, 2 + dim);
    const int64_t most = grows_around(dim) ? whole.dim(dim) - part.dim(dim) : INT64_MAX;
    const auto constant = rules::constant_start(module, start);
    ValueId clamped = constant
                          ? emit.scalar(ScalarIndex::of(std::clamp<int64_t>(*constant, 0, most)))
                          : emit.to_i64(start);
    if (!constant && grows_around(dim)) clamped = emit.clamp(clamped, 0, most);
    module.set_operand(op, 2 + dim, clamped);
  }
  return {};
}

/// Clamps indices to the greatest ones whose slices are in the table, without its padding.
void clamp_indices(PaddedProgram& program, OpId op, const ir::GatherDims& dims, const Dims& sizes) {
  Module& module = program.module();
  program.start_before(op);
  Emitter& emit = program.emit();
  const Type& table = program.old_type(module.operand(op, 0));
  const ValueId indices = emit.to_i64(module.operand(op, 1));
  Dims greatest;
  for (const int64_t dim : dims.start_index_map) {
    greatest.push_back(table.dim(static_cast<std::size_t>(dim)) -
                       sizes[static_cast<std::size_t>(dim)]);
  }
  const auto vector_dim = static_cast<std::size_t>(dims.index_vector_dim);
  const bool has_vector = vector_dim < emit.dims(indices).size();
  const Dims shape = has_vector ? Dims{std::ssize(greatest)} : Dims{};
  const ValueId limits =
      emit.constant(ir::literal_from<int64_t>(Type::tensor(shape, ElementType::I64), greatest));
  const Dims mapped = has_vector ? Dims{dims.index_vector_dim} : Dims{};
  const ValueId clamped =
      emit.binary(OpKind::Minimum, indices, emit.broadcast(limits, emit.dims(indices), mapped));
  program.shard_like(clamped, module.operand(op, 1));
  module.set_operand(op, 1, clamped);
}

Status grow_gather(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const ir::GatherOp view = *ir::GatherOp::of(module, op);
  const Dims old = copy(view.slice_sizes);
  Dims sizes = old;
  bool clamps = false;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!program.has_grown(operand, dim) || ir::has_dim(view.dims.operand_batching_dims, dim)) {
      continue;
    }
    if (old[dim] == program.old_type(operand).dim(dim)) {
      sizes[dim] = module.type(operand).dim(dim);
    } else {
      clamps = clamps || ir::has_dim(view.dims.start_index_map, dim);
    }
  }
  if (clamps) clamp_indices(program, op, view.dims, old);
  module.attributes(op).set(ir::attr::kSliceSizes,
                            ir::DenseArrayAttr{ElementType::I64, std::move(sizes)});
  return {};
}

/// Returns an error if rows of padding would be scattered.
Status grow_scatter(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ScatterDims dims = ir::ScatterOp::of(module, op)->dims;
  const ValueId updates = module.operand(op, module.num_results(op) + 1);
  for (std::size_t dim = 0; dim < program.old_type(updates).dims().size(); ++dim) {
    const bool is_window = std::ranges::find(dims.update_window_dims, static_cast<int64_t>(dim)) !=
                           dims.update_window_dims.end();
    if (is_window || !program.has_grown(updates, dim)) continue;
    return program.error(op,
                         "writes updates of the unevenly sharded dimension " + std::to_string(dim));
  }
  return {};
}

// ---- Collectives --------------------------------------------------------------------------------

/// Gives the collective's result the (padded) type of its operand, and slices it after the
/// collective to the size that its own sharding needs.
Status slice_results(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId result = module.result(op);
  const Type wanted = module.type(result);
  const ValueId operand = module.operand(op, 0);
  module.set_type(result, module.type(operand));
  if (program.is_zero_padded(operand)) program.set_zero_padded(result);
  if (wanted == module.type(result)) return {};
  program.start_after(op);
  const std::vector<ir::Use> uses = module.uses(result);
  const ValueId sliced = program.sliced_to(result, wanted, *program.sharding(result));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, sliced);
  if (program.is_zero_padded(operand)) program.set_zero_padded(sliced);
  return {};
}

/// Pads a dim to a multiple of its shards before the collective.
Status fill_before(PaddedProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const Type type = module.type(operand);
  const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
  Type wanted = padded_type(program.old_type(operand), *out);
  Dims dims = copy(wanted.dims());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] = std::max(dims[dim], type.dim(dim));
  }
  wanted = wanted.with_dims(std::move(dims));
  if (wanted == type) return {};
  const bool is_zero = !program.has_grown(operand) || program.is_zero_padded(operand);
  program.start_before(op);
  const ValueId filled = program.padded_to(operand, wanted);
  module.set_operand(op, 0, filled);
  if (is_zero) {
    program.set_zero_padded(filled);
    program.set_zero_padded(module.result(op));
  }
  return {};
}

Status grow_collective(PaddedProgram& program, OpId op) {
  const OpKind kind = program.module().kind(op);
  const bool slices = kind == OpKind::SdyAllSlice || kind == OpKind::SdyReduceScatter ||
                      kind == OpKind::SdyAllToAll;
  const bool gathers = kind == OpKind::SdyAllGather || kind == OpKind::SdyAllToAll ||
                       kind == OpKind::SdyShardedToUnreduced;
  if (slices) {
    SHARDY_TRY_STATUS(fill_before(program, op));
  }
  return gathers ? slice_results(program, op) : Status();
}

// ---- All ----------------------------------------------------------------------------------------

Status grow(PaddedProgram& program, OpId op) {
  const Module& module = program.module();
  switch (module.kind(op)) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
      return grow_constant(program, op);
    case OpKind::Slice:
      return grow_slice(program, op);
    case OpKind::Pad:
      return grow_pad(program, op);
    case OpKind::Dot:
    case OpKind::DotGeneral:
      return grow_dot(program, op);
    case OpKind::Reduce:
      return grow_reduce(program, op);
    case OpKind::Convolution:
      return grow_convolution(program, op);
    case OpKind::DynamicSlice:
      return grow_dynamic_slice(program, op);
    case OpKind::DynamicUpdateSlice:
      return grow_dynamic_update_slice(program, op);
    case OpKind::Gather:
      return grow_gather(program, op);
    case OpKind::Scatter:
      return grow_scatter(program, op);
    case OpKind::SdyManualComputation:
      return program.error(op, "has operands or results that do not divide along free axes");
    default:
      return ir::is_sdy_collective(module.kind(op)) ? grow_collective(program, op) : Status();
  }
}

bool has_grown(const PaddedProgram& program, const std::vector<ValueId>& values) {
  return std::ranges::any_of(values, [&](ValueId value) { return program.has_grown(value); });
}

/// Returns true for a collective whose number of shards does not divide the operand's dim.
bool shards_unevenly(const Module& module, OpId op) {
  if (!ir::is_sdy_collective(module.kind(op))) return false;
  const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
  const Type& type = module.type(module.operand(op, 0));
  return out != nullptr && !(padded_type(type, *out) == type);
}

}  // namespace

Diagnostics pad_for_divisibility(Module& module, FunctionIo io) {
  Diagnostics errors = io == FunctionIo::Grows ? Diagnostics() : expect_divisible_io(module);
  if (!errors.empty()) return errors;
  const std::vector<OpId> ops = ir::pre_order(module);
  PaddedProgram program(module);
  for (const OpId op : ops) {
    const bool changes = has_grown(program, module.operands(op)) ||
                         has_grown(program, module.results(op)) || shards_unevenly(module, op);
    if (!changes) continue;
    const Status status = grow(program, op);
    if (!status) errors.push_back(status.error());
  }
  retype_results(module, io);
  return errors;
}

}  // namespace shardy::partitioning

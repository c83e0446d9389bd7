// Products with a gathered operand or scattered result become loops over blocks that overlap
// communication with computation. Spec: partitioning 8.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = spmd.all_gather %b {"x"}, dim 1   : tensor<16x2xf32> -> tensor<16x8xf32>
//   %0 = dot_general %a, %1                : tensor<2x8xf32>
//   ->
//   %own = dot_general %a, %b              : tensor<2x2xf32>
//   %acc = dynamic_update_slice %undefined, %own at column spmd.coord {"x"} * 2
//   while (%i from 1 to 3, %acc, %block = %b) {
//     %2 = spmd.permute %block {"x"}, rotate 1
//     %3 = dot_general %a, %2              : tensor<2x2xf32>
//     %acc = dynamic_update_slice %acc, %3 at (spmd.coord {"x"} + %i) mod 4 * 2
//   }
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

using ir::DotDims;

// ---- Axes along which devices hold different values ---------------------------------------------

namespace {

/// An analysis of the axes along which a value may differ between devices. Arguments differ along
/// the axes of their shardings. Results differ like their operands, except results that collectives
/// make equal. Loop-carried values differ like their initial values. Results of branches are
/// assumed equal.
class VaryingAxes {
 public:
  explicit VaryingAxes(const ir::Module& program);

  /// Returns the axes of `value`; no axes for a value created after the analysis.
  const AxisList& of(ir::ValueId value) const;
  void set(ir::ValueId value, AxisList axes) { axes_[value] = std::move(axes); }

 private:
  void add_arguments(const ir::Module& program, ir::OpId function);
  void add_op(const ir::Module& program, ir::OpId op);

  std::unordered_map<ir::ValueId, AxisList> axes_;  // never iterated
};

AxisList united(AxisList a, const AxisList& b) {
  const AxisList more = set_difference(b, a);
  a.insert(a.end(), more.begin(), more.end());
  return sort_and_merge(std::move(a));
}

AxisList axes_of(const std::optional<TensorSharding>& sharding) {
  AxisList all;
  if (!sharding) return all;
  for (const DimSharding& dim : sharding->dims()) all = united(std::move(all), dim.axes);
  return united(std::move(all), sharding->unreduced_axes());
}

AxisList group_axes(const Module& program, OpId op) {
  const auto* axes = program.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  return axes != nullptr ? axes->axes : AxisList();
}

/// Returns true for collectives whose results are equal on all devices of a group.
bool makes_equal(OpKind kind) {
  return kind == OpKind::SpmdAllGather || kind == OpKind::SpmdAllReduce ||
         kind == OpKind::SpmdBroadcastFrom;
}

VaryingAxes::VaryingAxes(const Module& program) {
  for (const OpId function : program.functions()) {
    if (program.is_external(function)) continue;
    add_arguments(program, function);
    for (const OpId op : ir::pre_order(program, program.entry(function))) add_op(program, op);
  }
}

const AxisList& VaryingAxes::of(ValueId value) const {
  static const AxisList none;
  const auto found = axes_.find(value);
  return found == axes_.end() ? none : found->second;
}

void VaryingAxes::add_arguments(const Module& program, OpId function) {
  const auto args = program.args(program.entry(function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    set(args[index], axes_of(ir::arg_sharding(program, function, index)));
  }
}

void VaryingAxes::add_op(const Module& program, OpId op) {
  const OpKind kind = program.kind(op);
  if (kind == OpKind::FuncCall) {
    const auto callee = ir::callee_of(program, op);
    for (std::size_t index = 0; callee && index < program.num_results(op); ++index) {
      set(program.result(op, index), axes_of(ir::result_sharding(program, *callee, index)));
    }
    return;
  }
  if (kind == OpKind::While) {
    for (std::size_t index = 0; index < program.num_results(op); ++index) {
      const AxisList axes = of(program.operand(op, index));
      set(program.result(op, index), axes);
      for (const ir::RegionId region : program.regions(op)) {
        set(program.args(program.blocks(region).front())[index], axes);
      }
    }
    return;
  }
  if (program.has_trait(op, ir::kControlFlow)) return;
  AxisList axes;
  for (const ValueId operand : program.operands(op)) axes = united(std::move(axes), of(operand));
  if (makes_equal(kind)) {
    axes = set_difference(axes, group_axes(program, op));
  } else if (ir::is_spmd(kind)) {
    axes = united(std::move(axes), group_axes(program, op));
  }
  for (const ValueId result : program.results(op)) set(result, axes);
}

}  // namespace

// ---- Loops in which blocks rotate among devices -------------------------------------------------

namespace {

/// A group of devices that rotate blocks, and the rank of this device.
struct Ring {
  DeviceOrder place;
  AxisList axes;
  int64_t size = 1;
};

/// Emits one iteration of the loop: `moving` is the block that the iteration receives and sends on,
/// `made` is the result so far. Returns the new result.
using LoopBody = std::function<ir::ValueId(Emitter&, const ScalarIndex& step, ir::ValueId& moving,
                                           ir::ValueId made)>;

/// Returns the ring of devices of a collective; std::nullopt for a single device.
std::optional<Ring> ring_of(const Module& module, OpId collective) {
  const auto* axes = module.attribute<ir::AxesAttr>(collective, ir::attr::kAxes);
  const auto* name = module.attribute<ir::SymbolAttr>(collective, ir::attr::kMesh);
  const std::optional<Mesh> mesh = name != nullptr ? module.find_mesh(name->name) : std::nullopt;
  if (axes == nullptr || !mesh) return std::nullopt;
  Ring ring{{*mesh, name->name}, axes->axes, sharding_size(axes->axes)};
  return ring.size > 1 ? std::optional(std::move(ring)) : std::nullopt;
}

/// Returns the value of the device whose rank is greater by `steps`, modulo the ring size.
ValueId rotated(Emitter& emit, const Ring& ring, ValueId value, int64_t steps) {
  ir::PermuteMap map;
  map.kind = ir::PermuteMap::Kind::Rotate;
  map.numbers = {steps};
  return emit.permute(value, ring.place, ring.axes, std::move(map));
}

/// Returns `made` after iterations 1 to `count` - 1. The loop carries no block if `moving` is
/// invalid.
ValueId loop(Emitter& emit, int64_t count, ValueId moving, ValueId made, const LoopBody& body) {
  Module& module = emit.module();
  const ir::Builder outside = emit.builder();
  const ValueId one = emit.scalar(ScalarIndex::of(1));
  const ValueId limit = emit.scalar(ScalarIndex::of(count));
  std::vector<ValueId> carried = {one, made};
  if (moving.valid()) carried.push_back(moving);
  std::vector<Type> types;
  types.reserve(carried.size());
  for (const ValueId value : carried) types.push_back(module.type(value));
  ir::OpSpec spec{.kind = OpKind::While};
  spec.operands = carried;
  spec.result_types = types;
  for (const bool is_body : {false, true}) {
    const ir::RegionId region = module.new_region();
    const ir::BlockId block = module.new_block(region, types);
    emit.set_block(block);
    const auto args = module.args(block);
    const ValueId step = args[0];
    const ValueId so_far = args[1];
    ValueId around = moving.valid() ? args[2] : ValueId();
    ir::OpSpec end{.kind = OpKind::StablehloReturn};
    if (is_body) {
      const ValueId more = body(emit, {std::nullopt, step}, around, so_far);
      end.operands = {emit.add({std::nullopt, step}, ScalarIndex::of(1)).value, more};
      if (moving.valid()) end.operands.push_back(around);
    } else {
      end.operands = {emit.compare(step, limit, "LT")};
    }
    emit.builder().create(std::move(end));
    spec.regions.push_back(region);
  }
  emit.builder() = outside;
  return module.result(emit.builder().create(std::move(spec)), 1);
}

}  // namespace

// ---- Products -----------------------------------------------------------------------------------

namespace {

// ---- Facts of a product -------------------------------------------------------------------------

bool is_dot(const Module& module, OpId op) {
  return module.is(op, OpKind::DotGeneral) || module.is(op, OpKind::Dot);
}

/// Returns the dims of a dot_general. For a dot, contracts the last dim of lhs with the first dim
/// of rhs.
DotDims dot_dims(const Module& module, OpId dot) {
  if (const auto* dims = module.attribute<DotDims>(dot, ir::attr::kDotDimensionNumbers)) {
    return *dims;
  }
  return {{}, {}, {std::ssize(module.type(module.operand(dot, 0)).dims()) - 1}, {0}};
}

bool has(const std::vector<int64_t>& dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

struct MatmulSide {
  const std::vector<int64_t>& batch;
  const std::vector<int64_t>& contracting;
};

MatmulSide side(const DotDims& dims, std::size_t operand) {
  return operand == 0 ? MatmulSide{dims.lhs_batch, dims.lhs_contracting}
                      : MatmulSide{dims.rhs_batch, dims.rhs_contracting};
}

/// A free (neither batch nor contracted) dim of an operand. The result has batch dims, then free
/// dims of lhs, then free dims of rhs.
struct FreeDim {
  std::size_t operand;
  std::size_t dim;
};

std::vector<std::optional<FreeDim>> result_dims(const Module& module, OpId dot) {
  const DotDims dims = dot_dims(module, dot);
  std::vector<std::optional<FreeDim>> all(dims.lhs_batch.size());
  for (std::size_t operand = 0; operand < 2; ++operand) {
    const MatmulSide own = side(dims, operand);
    const std::size_t rank = module.type(module.operand(dot, operand)).dims().size();
    for (std::size_t dim = 0; dim < rank; ++dim) {
      if (!has(own.batch, dim) && !has(own.contracting, dim)) {
        all.emplace_back(FreeDim{operand, dim});
      }
    }
  }
  return all;
}

int64_t bytes_of(const Type& type) {
  return type.num_elements() * static_cast<int64_t>(ir::size_bytes(type.element()));
}

// ---- Product of a block -------------------------------------------------------------------------

/// Returns the product of `dot` for other operands, with a result of the given sizes that is
/// accumulated in `element`.
ValueId product(Emitter& emit, OpId dot, std::vector<ValueId> operands, std::vector<int64_t> dims,
                ElementType element) {
  ir::AttributeMap attributes(emit.module().attributes(dot));
  attributes.set(ir::attr::kDotDimensionNumbers, dot_dims(emit.module(), dot));
  return emit.builder().create_value(OpKind::DotGeneral, std::move(operands),
                                     Type::tensor(std::move(dims), element), std::move(attributes));
}

std::vector<int64_t> dims_of(const Module& module, ValueId value) {
  const auto dims = module.type(value).dims();
  return {dims.begin(), dims.end()};
}

/// Returns the element type of the accumulated sums. Narrow floats are added in a wider type, as a
/// single product does internally.
ElementType accumulator(ElementType element) {
  return ir::is_float(element) && ir::info(element).bits < 32 ? ElementType::F32 : element;
}

ValueId converted(Emitter& emit, ValueId value, ElementType element) {
  const Type type = emit.module().type(value).with_element(element);
  if (type == emit.module().type(value)) return value;
  return emit.builder().create_value(OpKind::Convert, {value}, type);
}

ValueId zero_scalar(Emitter& emit, ElementType element) {
  return emit.constant(ir::splat_literal(Type::tensor({}, element), 0));
}

ScalarIndex block_begin(Emitter& emit, const Ring& ring, const ScalarIndex& number, int64_t size) {
  return emit.multiply(emit.floor_mod(number, ring.size), size);
}

// ---- Gathered operands --------------------------------------------------------------------------

/// A product with an operand that is all-gathered only for it. A slice removes the padding after
/// the all-gather if the shards do not divide the dim.
struct GatheredOperand {
  OpId dot;
  OpId gather;
  OpId slice;  // between all-gather and product; invalid if not padded
  std::size_t operand = 0;
  std::size_t dim = 0;  // the gathered dim
  Ring ring;
};

/// Returns true for a slice that takes the first elements of `dim` and all elements of other dims.
bool slices_one_dim(const Module& module, OpId slice, std::size_t dim) {
  const auto view = ir::SliceOp::of(module, slice);
  const auto dims = module.type(module.operand(slice, 0)).dims();
  for (std::size_t index = 0; index < dims.size(); ++index) {
    const bool is_whole = view->limits[index] == dims[index] || index == dim;
    if (view->starts[index] != 0 || view->strides[index] != 1 || !is_whole) return false;
  }
  return true;
}

std::optional<GatheredOperand> gathered_operand(const Module& module, OpId dot, std::size_t index) {
  GatheredOperand found{dot, {}, {}, index, 0, {}};
  ValueId value = module.operand(dot, index);
  if (module.num_uses(value) != 1) return std::nullopt;
  OpId op = module.defining_op(value);
  if (op.valid() && module.is(op, OpKind::Slice)) {
    found.slice = op;
    value = module.operand(op, 0);
    if (module.num_uses(value) != 1) return std::nullopt;
    op = module.defining_op(value);
  }
  if (!op.valid() || !module.is(op, OpKind::SpmdAllGather) || module.num_operands(op) != 1 ||
      module.parent_block(op) != module.parent_block(dot)) {
    return std::nullopt;
  }
  found.gather = op;
  found.dim =
      static_cast<std::size_t>(module.attribute<ir::IntegerAttr>(op, ir::attr::kDim)->value);
  auto ring = ring_of(module, op);
  if (!ring || has(side(dot_dims(module, dot), index).batch, found.dim)) return std::nullopt;
  if (found.slice.valid() && !slices_one_dim(module, found.slice, found.dim)) return std::nullopt;
  found.ring = *std::move(ring);
  return found;
}

/// Emits a loop over the blocks of a free dim. The product of each block is one block of the
/// result.
ValueId loop_over_free(Emitter& emit, const GatheredOperand& at) {
  Module& module = emit.module();
  const ValueId own = module.operand(at.gather, 0);
  const int64_t tile = module.type(own).dim(at.dim);
  const auto dims = result_dims(module, at.dot);
  std::size_t to = 0;
  while (!dims[to] || dims[to]->operand != at.operand || dims[to]->dim != at.dim) ++to;
  const Type result = module.type(module.result(at.dot));
  std::vector<int64_t> sizes = dims_of(module, module.result(at.dot));
  const int64_t wanted = sizes[to];
  sizes[to] = at.ring.size * tile;
  std::vector<int64_t> block = sizes;
  block[to] = tile;
  const ScalarIndex rank = emit.coord(at.ring.place, at.ring.axes);
  const auto add_block = [&](Emitter& inner, const ScalarIndex& number, ValueId moving,
                             ValueId made) {
    std::vector<ValueId> operands = module.operands(at.dot);
    operands[at.operand] = moving;
    const ValueId part = product(inner, at.dot, std::move(operands), block, result.element());
    std::vector<ValueId> update = {made, part};
    update.resize(block.size() + 2, inner.scalar(ScalarIndex::of(0)));
    update[to + 2] = inner.scalar(block_begin(inner, at.ring, number, tile));
    return inner.builder().create_value(OpKind::DynamicUpdateSlice, std::move(update),
                                        Type(module.type(made)));
  };
  const ValueId first =
      add_block(emit, rank, own, emit.undefined(Type::tensor(sizes, result.element())));
  const ValueId all =
      loop(emit, at.ring.size, own, first,
           [&](Emitter& inner, const ScalarIndex& step, ValueId& moving, ValueId made) {
             moving = rotated(inner, at.ring, moving, 1);
             return add_block(inner, inner.add(rank, step), moving, made);
           });
  return emit.slice(all, to, 0, wanted);
}

bool is_contracted(const Module& module, const GatheredOperand& at) {
  return has(side(dot_dims(module, at.dot), at.operand).contracting, at.dim);
}

/// Checks whether the sums of the contracted dim may be reordered. Each device starts the loop with
/// its own block and so adds in another order. Float results may then differ in the last bits, even
/// between devices that must agree.
bool may_be_looped(const Module& module, const VaryingAxes& varying, const GatheredOperand& at) {
  const ElementType element = module.type(module.result(at.dot)).element();
  if (!is_contracted(module, at) || ir::is_integer(element)) return true;
  return set_difference(at.ring.axes, varying.of(module.operand(at.dot, 1 - at.operand))).empty();
}

/// Returns the dim of the other operand that is contracted with the gathered dim.
std::size_t contracted_with(const DotDims& dims, const GatheredOperand& at) {
  const std::vector<int64_t>& own = side(dims, at.operand).contracting;
  const std::vector<int64_t>& other = side(dims, 1 - at.operand).contracting;
  const auto place = std::ranges::find(own, static_cast<int64_t>(at.dim)) - own.begin();
  return static_cast<std::size_t>(other[static_cast<std::size_t>(place)]);
}

/// Sets elements of a block past the end of the global dim to zero.
ValueId without_padding(Emitter& emit, const GatheredOperand& at, const ScalarIndex& rank,
                        int64_t size) {
  Module& module = emit.module();
  const ValueId own = module.operand(at.gather, 0);
  const int64_t tile = module.type(own).dim(at.dim);
  if (at.ring.size * tile == size) return own;
  const std::vector<int64_t> dims = dims_of(module, own);
  const std::vector<int64_t> along = {static_cast<int64_t>(at.dim)};
  const ScalarIndex valid = emit.subtract(ScalarIndex::of(size), emit.multiply(rank, tile));
  const ValueId limit = emit.broadcast(emit.scalar(valid), std::vector<int64_t>{tile}, {});
  const ValueId inside = emit.compare(emit.iota(tile), limit, "LT");
  const ValueId zero = emit.broadcast(zero_scalar(emit, module.type(own).element()), dims, {});
  return emit.select(emit.broadcast(inside, dims, along), own, zero);
}

/// Emits a loop over the blocks of a contracted dim that adds their products.
ValueId loop_over_contracted(Emitter& emit, const GatheredOperand& at) {
  Module& module = emit.module();
  const int64_t tile = module.type(module.operand(at.gather, 0)).dim(at.dim);
  const std::size_t across = contracted_with(dot_dims(module, at.dot), at);
  const ValueId other = module.operand(at.dot, 1 - at.operand);
  const int64_t size = module.type(other).dim(across);
  const Type result = module.type(module.result(at.dot));
  const ElementType element = accumulator(result.element());
  const ValueId padded = emit.pad(other, across, {0, at.ring.size * tile - size, 0},
                                  zero_scalar(emit, module.type(other).element()));
  const ScalarIndex rank = emit.coord(at.ring.place, at.ring.axes);
  const ValueId own = without_padding(emit, at, rank, size);
  const auto multiply = [&](Emitter& inner, const ScalarIndex& number, ValueId moving) {
    std::vector<ValueId> operands(2);
    operands[at.operand] = moving;
    operands[1 - at.operand] =
        inner.dynamic_slice(padded, across, block_begin(inner, at.ring, number, tile), tile);
    return product(inner, at.dot, std::move(operands), dims_of(module, module.result(at.dot)),
                   element);
  };
  const ValueId first = multiply(emit, rank, own);
  const ValueId sum =
      loop(emit, at.ring.size, own, first,
           [&](Emitter& inner, const ScalarIndex& step, ValueId& moving, ValueId made) {
             moving = rotated(inner, at.ring, moving, 1);
             return inner.binary(OpKind::Add, made, multiply(inner, inner.add(rank, step), moving));
           });
  return converted(emit, sum, result.element());
}

passes::CollectiveRewrite matmul_rewrite(const Module& module, OpId dot, int64_t bytes,
                                         int64_t messages) {
  return {.rule = "loop-products",
          .op = std::string(module.name(dot)),
          .location = module.source_location(dot),
          .bytes_before = bytes,
          .bytes_after = bytes,
          .messages_before = 1,
          .messages_after = messages};
}

passes::CollectiveRewrite loop_gathered(Module& module, VaryingAxes& varying,
                                        const GatheredOperand& at) {
  const int64_t bytes = bytes_of(module.type(module.operand(at.gather, 0))) * (at.ring.size - 1);
  passes::CollectiveRewrite rewrite = matmul_rewrite(module, at.dot, bytes, at.ring.size - 1);
  Emitter emit(module);
  emit.start_before(at.dot);
  const ValueId made =
      is_contracted(module, at) ? loop_over_contracted(emit, at) : loop_over_free(emit, at);
  varying.set(made, varying.of(module.result(at.dot)));
  module.replace_all_uses(module.result(at.dot), made);
  module.erase(at.dot);
  if (at.slice.valid()) module.erase(at.slice);
  module.erase(at.gather);
  return rewrite;
}

// ---- Scattered results --------------------------------------------------------------------------

/// A product whose only use is a reduce-scatter. A pad precedes the reduce-scatter if the shards do
/// not divide the dim.
struct ScatteredResult {
  OpId dot;
  OpId more;  // between product and reduce-scatter; invalid if not padded
  OpId scatter;
  std::size_t dim = 0;  // the scattered dim of the result
  FreeDim from;         // the dim of an operand that becomes `dim`
  Ring ring;
};

std::optional<ScatteredResult> scattered_result(const Module& module, OpId scatter) {
  ScatteredResult found{{}, {}, scatter, 0, {}, {}};
  ValueId value = module.operand(scatter, 0);
  if (module.num_operands(scatter) != 1 || module.num_uses(value) != 1) return std::nullopt;
  const auto reducers = ir::recognized_reducers(module, scatter, 1);
  if (!reducers || reducers->front() != OpKind::Add) return std::nullopt;
  found.dim =
      static_cast<std::size_t>(module.attribute<ir::IntegerAttr>(scatter, ir::attr::kDim)->value);
  OpId op = module.defining_op(value);
  if (op.valid() && module.is(op, OpKind::Pad)) {
    const auto view = ir::PadOp::of(module, op);
    for (std::size_t dim = 0; dim < view->low.size(); ++dim) {
      const bool is_plain = view->low[dim] == 0 && view->interior[dim] == 0 &&
                            (view->high[dim] == 0 || (dim == found.dim && view->high[dim] > 0));
      if (!is_plain) return std::nullopt;
    }
    found.more = op;
    value = module.operand(op, 0);
    if (module.num_uses(value) != 1) return std::nullopt;
    op = module.defining_op(value);
  }
  if (!op.valid() || !is_dot(module, op) ||
      module.parent_block(op) != module.parent_block(scatter)) {
    return std::nullopt;
  }
  found.dot = op;
  const auto from = result_dims(module, op)[found.dim];
  auto ring = ring_of(module, scatter);
  if (!from || !ring) return std::nullopt;
  found.from = *from;
  found.ring = *std::move(ring);
  return found;
}

/// Emits a loop over the blocks of the result. The partial sum of a block rotates and accumulates
/// until it reaches the device that keeps the block.
ValueId loop_over_result(Emitter& emit, const ScatteredResult& at) {
  Module& module = emit.module();
  const Type result = module.type(module.result(at.scatter));
  const int64_t tile = result.dim(at.dim);
  const ValueId operand = module.operand(at.dot, at.from.operand);
  const int64_t missing = at.ring.size * tile - module.type(operand).dim(at.from.dim);
  const ValueId padded = emit.pad(operand, at.from.dim, {0, missing, 0},
                                  zero_scalar(emit, module.type(operand).element()));
  const ScalarIndex rank = emit.coord(at.ring.place, at.ring.axes);
  const auto multiply = [&](Emitter& inner, const ScalarIndex& number) {
    std::vector<ValueId> operands = module.operands(at.dot);
    operands[at.from.operand] =
        inner.dynamic_slice(padded, at.from.dim, block_begin(inner, at.ring, number, tile), tile);
    return product(inner, at.dot, std::move(operands), dims_of(module, module.result(at.scatter)),
                   result.element());
  };
  const ValueId first = multiply(emit, emit.subtract(rank, ScalarIndex::of(1)));
  return loop(emit, at.ring.size, ValueId(), first,
              [&](Emitter& inner, const ScalarIndex& step, ValueId&, ValueId made) {
                const ScalarIndex number =
                    inner.subtract(inner.subtract(rank, step), ScalarIndex::of(1));
                made = rotated(inner, at.ring, made, -1);
                return inner.binary(OpKind::Add, made, multiply(inner, number));
              });
}

passes::CollectiveRewrite loop_scattered(Module& module, VaryingAxes& varying,
                                         const ScatteredResult& at) {
  const int64_t bytes = bytes_of(module.type(module.result(at.scatter))) * (at.ring.size - 1);
  passes::CollectiveRewrite rewrite = matmul_rewrite(module, at.dot, bytes, at.ring.size - 1);
  Emitter emit(module);
  emit.builder() = ir::Builder::before(module, at.scatter);
  emit.set_location(module.location(at.dot));
  const ValueId made = loop_over_result(emit, at);
  varying.set(made, varying.of(module.result(at.scatter)));
  module.replace_all_uses(module.result(at.scatter), made);
  module.erase(at.scatter);
  if (at.more.valid()) module.erase(at.more);
  module.erase(at.dot);
  return rewrite;
}

}  // namespace

std::vector<passes::CollectiveRewrite> loop_products(Module& program, int64_t max_bytes) {
  std::vector<passes::CollectiveRewrite> rewrites;
  VaryingAxes varying(program);
  for (const OpId op : ir::pre_order(program)) {
    if (program.is_erased(op)) continue;
    if (program.is(op, OpKind::SpmdReduceScatter)) {
      const auto at = scattered_result(program, op);
      const bool is_large = at && bytes_of(program.type(program.operand(op, 0))) > max_bytes;
      if (is_large) rewrites.push_back(loop_scattered(program, varying, *at));
    }
    if (!is_dot(program, op)) continue;
    for (std::size_t index = 0; index < 2; ++index) {
      const auto at = gathered_operand(program, op, index);
      const bool is_large = at && bytes_of(program.type(program.result(at->gather))) > max_bytes;
      if (!is_large || !may_be_looped(program, varying, *at)) continue;
      rewrites.push_back(loop_gathered(program, varying, *at));
      break;
    }
  }
  return rewrites;
}

}  // namespace shardy::partitioning

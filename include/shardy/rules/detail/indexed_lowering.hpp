// Lowering rules of ops that select elements by run-time indices: gather, scatter,
// torch_index_select, dynamic_slice, dynamic_update_slice. Spec: partitioning 1.2 (I4).
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::rules {

/// A batch dim that is expressed by an iota. Along dim `indices` of the indices, one component of
/// the index vectors is an iota, and this component indexes dim `input` of the input. So row i of
/// the indices addresses row i of the input.
struct CountingDim {
  int64_t input = 0;    // dim of the input
  int64_t indices = 0;  // dim of the indices
  bool operator==(const CountingDim&) const = default;
};

/// Returns the batch dims of a gather or scatter that its indices express by iotas. Sizes on both
/// sides are equal, and no dim occurs twice. The indices are traced through ops that move whole
/// dims. Spec: partitioning 8.16.
std::vector<CountingDim> counting_dims(const OpView& op);

/// Returns the dim numbers of a gather that is equivalent to a torch_index_select. The indices have
/// no dim for index vectors. Errors: attributes that do not fit the ranks.
Result<ir::GatherDims> index_select_dims(const OpView& op);

/// Returns the value of a start index if the index is a constant; INT64_MAX for larger constants.
/// Returns std::nullopt if the index is not a constant.
std::optional<int64_t> constant_start(const ir::Module& module, ir::ValueId start);

/// Returns whether indexed_lowering_rule and the propagation rule differ for this op kind.
bool is_indexed(ir::OpKind kind);

/// Returns the rule for the lowering of an op with run-time indices. Dims in which elements are
/// addressed by their global index may be sharded. The result of a gather is then partial along
/// these dims; for an update, each device updates its shard. Requires: is_indexed.
///
/// Example: dynamic_slice 16x32 -> 16x4: `([i, j], [], [])->([i, k]) {i=16, j=32, k=4}
/// reduction={j} need_replication={k}`. If operand and result have equal shardings and the start is
/// a constant: `([i, j], [], [])->([i, j]) permutation={j}`.
RuleResult indexed_lowering_rule(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/number.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/rules/gather.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/math.hpp>
#include <span>
#include <utility>

namespace shardy::rules::detail {

/// A trace from one component of index vectors back to an iota.
class IotaTrace {
 public:
  /// `vector_dim` is the dim of the indices with the index vectors, or the rank of the indices if
  /// each index is a scalar.
  IotaTrace(const ir::Module& module, ir::ValueId indices, std::size_t vector_dim,
            std::size_t component)
      : module_(module), value_(indices), places_(dims().size()) {
    for (std::size_t dim = 0; dim < places_.size(); ++dim) {
      places_[dim] = {dim != vector_dim ? std::optional(dim) : std::nullopt,
                      static_cast<int64_t>(component)};
    }
  }

  /// Returns the dim of the indices along which the component is an iota; std::nullopt if none
  /// exists.
  std::optional<int64_t> run() {
    for (int step = 0; step < kMaxSteps; ++step) {
      const ir::OpId op = module_.defining_op(value_);
      if (!op.valid() || !module_.type(value_).is_static_tensor()) return std::nullopt;
      const ir::ElementType element = module_.type(value_).element();
      if (!ir::is_integer(element)) return std::nullopt;
      largest_ = std::min(largest_, ir::greatest_value(element));
      if (module_.is(op, ir::OpKind::Iota)) return end(op);
      if (!go_through(op)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// The dim of the indices to which a dim of the current value corresponds.
  struct TracedDim {
    std::optional<std::size_t> dim;  // std::nullopt: only position `at` of the dim is used
    int64_t at = 0;                  // position in the dim
  };

  static constexpr int kMaxSteps = 64;

  std::span<const int64_t> dims() const { return module_.type(value_).dims(); }

  std::optional<int64_t> end(ir::OpId iota) const {
    const auto* dim = module_.attribute<ir::IntegerAttr>(iota, ir::attr::kIotaDimension);
    if (dim == nullptr) return std::nullopt;
    const auto at = static_cast<std::size_t>(dim->value);
    const bool fits = static_cast<double>(dims()[at] - 1) <= largest_;
    if (!fits || !places_[at].dim) return std::nullopt;
    return static_cast<int64_t>(*places_[at].dim);
  }

  bool go_through(ir::OpId op) {
    switch (module_.kind(op)) {
      case ir::OpKind::Concatenate:
        return into_concatenate(op);
      case ir::OpKind::BroadcastInDim:
        return into_broadcast(op);
      case ir::OpKind::Reshape:
        return into_reshape(op);
      case ir::OpKind::Convert:
      case ir::OpKind::SdyShardingConstraint:
      case ir::OpKind::SdyPropagationBarrier:
      case ir::OpKind::SdyReshard:
      case ir::OpKind::SdyAllGather:
      case ir::OpKind::SdyAllSlice:
      case ir::OpKind::SdyAllToAll:
      case ir::OpKind::SdyCollectivePermute:
        value_ = module_.operand(op, 0);
        return module_.type(value_).is_static_tensor();
      default:
        return false;
    }
  }

  bool into_concatenate(ir::OpId op) {
    const auto* attribute = module_.attribute<ir::IntegerAttr>(op, ir::attr::kDimension);
    if (attribute == nullptr) return false;
    TracedDim& place = places_[static_cast<std::size_t>(attribute->value)];
    if (place.dim) return false;
    for (const ir::ValueId operand : module_.operands(op)) {
      const int64_t size = module_.type(operand).dims()[static_cast<std::size_t>(attribute->value)];
      if (place.at < size) {
        value_ = operand;
        return true;
      }
      place.at -= size;
    }
    return false;
  }

  bool into_broadcast(ir::OpId op) {
    const auto* map = module_.attribute<ir::DenseArrayAttr>(op, ir::attr::kBroadcastDimensions);
    if (map == nullptr) return false;
    const ir::ValueId operand = module_.operand(op, 0);
    const auto from = module_.type(operand).dims();
    std::vector<TracedDim> places;
    for (std::size_t dim = 0; dim < from.size(); ++dim) {
      const auto to = static_cast<std::size_t>(map->values[dim]);
      places.push_back(from[dim] == dims()[to] ? places_[to] : TracedDim{});
    }
    places_ = std::move(places);
    value_ = operand;
    return true;
  }

  /// Only reshapes that add or remove dims of size 1 are traced.
  bool into_reshape(ir::OpId op) {
    const ir::ValueId operand = module_.operand(op, 0);
    const auto from = module_.type(operand).dims();
    std::vector<TracedDim> places;
    std::size_t next = 0;
    const auto skip_units = [&] {
      while (next < dims().size() && dims()[next] == 1) ++next;
    };
    for (const int64_t size : from) {
      if (size == 1) {
        places.emplace_back();
        continue;
      }
      skip_units();
      if (next == dims().size() || dims()[next] != size) return false;
      places.push_back(places_[next++]);
    }
    skip_units();
    if (next != dims().size()) return false;
    places_ = std::move(places);
    value_ = operand;
    return true;
  }

  const ir::Module& module_;
  ir::ValueId value_;
  std::vector<TracedDim> places_;  // one per dim of the value
  double largest_ = 0x1p62;        // largest number that all traced types represent exactly
};

/// The indices of a gather or scatter, and its dim numbers.
struct IndexedOp {
  ir::ValueId indices;
  IndexedDims dims;
};

SHARDY_INLINE std::optional<IndexedOp> indexed_op(const OpView& op) {
  if (const auto* dims = op.attribute<ir::GatherDims>(ir::attr::kDimensionNumbers)) {
    if (op.num_operands() != 2) return std::nullopt;
    return IndexedOp{op.operand(1), IndexedDims::of(*dims)};
  }
  const auto* dims = op.attribute<ir::ScatterDims>(ir::attr::kScatterDimensionNumbers);
  if (dims == nullptr || op.num_operands() < 3) return std::nullopt;
  return IndexedOp{op.operand(op.num_operands() / 2), IndexedDims::of(*dims)};
}

SHARDY_INLINE RuleResult gather_lowering_rule(const OpView& op) {
  const std::optional<IndexedOp> indexed = indexed_op(op);
  if (!indexed) return fail("expected dimension numbers and operands");
  IndexedDims dims = indexed->dims;
  std::vector<int64_t> collapsed(dims.collapsed_dims.begin(), dims.collapsed_dims.end());
  std::vector<int64_t> batching(dims.input_batching.begin(), dims.input_batching.end());
  std::vector<int64_t> paired(dims.indices_batching.begin(), dims.indices_batching.end());
  for (const CountingDim& each : counting_dims(op)) {
    std::erase(collapsed, each.input);
    batching.push_back(each.input);
    paired.push_back(each.indices);
  }
  dims.collapsed_dims = collapsed;
  dims.input_batching = batching;
  dims.indices_batching = paired;
  if (op.kind() == ir::OpKind::Gather) {
    return GatherFactoring(op.operand_shape(0), op.operand_shape(1), op.result_shape(), dims,
                           {.num_inputs = 0}, true)
        .run();
  }
  const std::size_t num_inputs = op.num_operands() / 2;
  if (op.num_operands() != 2 * num_inputs + 1 || op.num_results() != num_inputs) {
    return fail("expected inputs, indices and as many updates and results as inputs");
  }
  SHARDY_TRY_STATUS(verify_count(num_inputs));
  const bool combines = ir::recognized_reducers(op.module(), op.op(), num_inputs).has_value();
  return GatherFactoring(op.operand_shape(0), op.operand_shape(num_inputs),
                         op.operand_shape(num_inputs + 1), dims,
                         {.num_inputs = num_inputs, .is_reduction = combines}, true)
      .run();
}

SHARDY_INLINE RuleResult index_select_lowering_rule(const OpView& op) {
  SHARDY_TRY(const ir::GatherDims dims, index_select_dims(op));
  return GatherFactoring(op.operand_shape(0), op.operand_shape(1), op.result_shape(),
                         IndexedDims::of(dims), {.num_inputs = 0}, true)
      .run();
}

/// Returns the axes of a dim; empty without a sharding.
SHARDY_INLINE AxisList axes_along(const std::optional<TensorSharding>& sharding, std::size_t dim) {
  return sharding && dim < sharding->rank() ? sharding->dim(dim).axes : AxisList();
}

/// Returns the halo of a window at `begin`, in elements: left halo of the last shard plus right
/// halo of the first shard. The sliced dim has `shards` shards of `whole` elements each, and the
/// window `shards` shards of `part` elements each.
SHARDY_INLINE int64_t halo_of_slice(int64_t begin, int64_t whole, int64_t part, int64_t shards) {
  const int64_t left = std::max<int64_t>(0, (shards - 1) * (whole - part) - begin);
  const int64_t right = std::max<int64_t>(0, begin + part - whole);
  return left + right;
}

/// Checks whether a window at a constant position is moved by a halo exchange. The sliced dim and
/// the window must be sharded along the same axes. An update always uses the exchange, because the
/// lowering would gather the update otherwise. A slice uses the exchange if a reduce-scatter of the
/// window would send at least as many elements.
SHARDY_INLINE bool moves_by_halo(const OpView& op, std::size_t dim, bool updates) {
  const std::size_t operand = (updates ? 2 : 1) + dim;
  if (operand >= op.num_operands()) return false;
  const auto start = constant_start(op.module(), op.operand(operand));
  if (!start) return false;
  const ir::ValueId result = op.module().result(op.op());
  const ir::ValueId other = op.operand(updates ? 1 : 0);
  const AxisList axes = axes_along(ir::get_sharding(op.module(), result), dim);
  const int64_t shards = sharding_size(axes);
  if (shards == 1) return false;
  if (axes != axes_along(ir::get_sharding_bypassing_barriers(op.module(), other), dim))
    return false;
  if (updates) return true;
  const int64_t size = op.operand_shape(0)[dim];
  const int64_t window = op.result_shape()[dim];
  const int64_t part = ceil_div(window, shards);
  const int64_t begin = std::clamp<int64_t>(*start, 0, size - window);
  return halo_of_slice(begin, ceil_div(size, shards), part, shards) <= (shards - 1) * part;
}

/// Returns the rule of dynamic_slice, or of dynamic_update_slice if `updates`. A sliced dim has one
/// factor in the tensor and another in the slice; one common factor if the slice starts at a
/// constant. With `updates`, the slice is operand 1 and the result is the updated tensor.
SHARDY_INLINE RuleResult sliced_lowering_rule(const OpView& op, bool updates) {
  const Shape whole = op.operand_shape(0);
  const Shape part = updates ? op.operand_shape(1) : op.result_shape();
  if (whole.size() != part.size()) return fail("expected tensors of one rank");
  RuleBuilder builder(op.operand_ranks(), op.result_ranks());
  for (std::size_t dim = 0; dim < whole.size(); ++dim) {
    const bool is_halo = whole[dim] != part[dim] && moves_by_halo(op, dim, updates);
    if (whole[dim] == part[dim] || is_halo) {
      const FactorKind kind = is_halo ? FactorKind::Permutation : FactorKind::PassThrough;
      builder.add_same(dim, {.size = whole[dim], .kind = kind});
      continue;
    }
    const std::optional<int64_t> mapped = static_cast<int64_t>(dim);
    MappedDims operands(op.num_operands());
    operands[0] = mapped;
    builder.add(
        operands, {updates ? mapped : std::nullopt},
        {.size = whole[dim], .kind = updates ? FactorKind::PassThrough : FactorKind::Reduction});
    operands[0] = std::nullopt;
    if (updates) operands[1] = mapped;
    builder.add(operands, {updates ? std::nullopt : mapped},
                {.size = part[dim], .kind = FactorKind::NeedReplication});
  }
  return builder.build();
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE std::vector<CountingDim> counting_dims(const OpView& op) {
  std::vector<CountingDim> counting;
  const std::optional<detail::IndexedOp> indexed = detail::indexed_op(op);
  if (!indexed || !op.has_static_types()) return counting;
  const detail::IndexedDims& dims = indexed->dims;
  const Shape input = op.operand_shape(0);
  const auto sizes = op.module().type(indexed->indices).dims();
  for (std::size_t component = 0; component < dims.index_map.size(); ++component) {
    const int64_t dim = dims.index_map[component];
    if (std::ranges::find(dims.collapsed_dims, dim) == dims.collapsed_dims.end()) continue;
    const std::optional<int64_t> along =
        detail::IotaTrace(op.module(), indexed->indices,
                          static_cast<std::size_t>(dims.index_vector_dim), component)
            .run();
    if (!along || sizes[static_cast<std::size_t>(*along)] != input[static_cast<std::size_t>(dim)]) {
      continue;
    }
    const auto taken = [&](const CountingDim& other) { return other.indices == *along; };
    const bool is_batching =
        std::ranges::find(dims.indices_batching, *along) != dims.indices_batching.end();
    if (is_batching || std::ranges::any_of(counting, taken)) continue;
    counting.push_back({dim, *along});
  }
  return counting;
}

SHARDY_INLINE Result<ir::GatherDims> index_select_dims(const OpView& op) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kDim));
  SHARDY_TRY(const int64_t batch_dims, op.integer(ir::attr::kBatchDims));
  const auto rank = static_cast<int64_t>(op.operand_shape(0).size());
  const auto indices = static_cast<int64_t>(op.operand_shape(1).size());
  if (dim < 0 || dim >= rank || batch_dims < 0 || batch_dims > std::min(dim, indices)) {
    return fail("dim and batch_dims must fit the ranks of the operands");
  }
  ir::GatherDims dims;
  dims.collapsed_slice_dims = {dim};
  dims.start_index_map = {dim};
  dims.index_vector_dim = indices;
  for (int64_t each = 0; each < batch_dims; ++each) {
    dims.operand_batching_dims.push_back(each);
    dims.start_indices_batching_dims.push_back(each);
  }
  for (int64_t each = batch_dims; each < dim; ++each) dims.offset_dims.push_back(each);
  const int64_t picked = indices - batch_dims;
  for (int64_t each = dim + 1; each < rank; ++each) dims.offset_dims.push_back(each - 1 + picked);
  return dims;
}

SHARDY_INLINE std::optional<int64_t> constant_start(const ir::Module& module, ir::ValueId start) {
  const ir::OpId op = module.defining_op(start);
  const bool is_constant =
      op.valid() && (module.is(op, ir::OpKind::Constant) || module.is(op, ir::OpKind::SdyConstant));
  const auto* literal = is_constant ? module.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
  if (literal == nullptr || literal->num_elements() != 1) return std::nullopt;
  const ir::ElementType element = literal->type().element();
  const int64_t value = ir::decode_int(literal->element_bytes(0), element);
  return value < 0 && ir::is_unsigned_integer(element) ? INT64_MAX : value;
}

SHARDY_INLINE bool is_indexed(ir::OpKind kind) {
  switch (kind) {
    case ir::OpKind::DynamicSlice:
    case ir::OpKind::DynamicUpdateSlice:
    case ir::OpKind::Gather:
    case ir::OpKind::Scatter:
    case ir::OpKind::TorchIndexSelect:
      return true;
    default:
      return false;
  }
}

SHARDY_INLINE RuleResult indexed_lowering_rule(const OpView& op) {
  switch (op.kind()) {
    case ir::OpKind::DynamicSlice:
      return detail::sliced_lowering_rule(op, false);
    case ir::OpKind::DynamicUpdateSlice:
      return detail::sliced_lowering_rule(op, true);
    case ir::OpKind::TorchIndexSelect:
      return detail::index_select_lowering_rule(op);
    default:
      return detail::gather_lowering_rule(op);
  }
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES

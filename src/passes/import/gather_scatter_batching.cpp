// If an index component is an iota along a dim, this dim becomes a batching dim. Spec: passes 4.5.
//
//   %i = iota dim = 0 : tensor<4x3x1xi32>
//   %x = concatenate %i, %p, dim = 2 : tensor<4x3x2xi32>
//   %g = gather(%a : tensor<4x16xf32>, %x), collapsed_slice_dims = [0, 1], start_index_map = [0, 1]
//   ->
//   %g = gather(%a, %p : tensor<4x3x1xi32>), collapsed_slice_dims = [1], start_index_map = [1],
//          operand_batching_dims = [0], start_indices_batching_dims = [0]
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

using Dims = std::vector<int64_t>;

std::optional<std::size_t> position_of(const Dims& dims, int64_t dim) {
  const auto found = std::ranges::find(dims, dim);
  if (found == dims.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims.begin());
}

bool has_op(const Module& module, ValueId value, OpKind kind) {
  const OpId op = module.defining_op(value);
  return op.valid() && module.is(op, kind);
}

std::span<const int64_t> dims_of(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_tensor() ? type.dims() : std::span<const int64_t>();
}

// ---- Iota components of the indices -------------------------------------------------------------

/// Returns the constant to which all elements of the value are equal; std::nullopt for other
/// values.
std::optional<int64_t> constant_of(const Module& module, ValueId value) {
  while (has_op(module, value, OpKind::BroadcastInDim)) {
    value = module.operand(module.defining_op(value), 0);
  }
  if (!has_op(module, value, OpKind::Constant) && !has_op(module, value, OpKind::SdyConstant)) {
    return std::nullopt;
  }
  const auto* literal = module.attribute<ir::Literal>(module.defining_op(value), ir::attr::kValue);
  if (literal == nullptr || literal->num_elements() == 0) return std::nullopt;
  const int64_t first = ir::decode_int(literal->element_bytes(0), literal->type().element());
  const auto same = ir::int_splat_literal(literal->type(), first);
  return *literal == same ? std::optional(first) : std::nullopt;
}

/// A search from a value to the iota that defines it.
class IotaSearch {
 public:
  IotaSearch(const Module& module, bool compat) : module_(module), compat_(compat) {}

  /// Checks whether component `k` of `indices`, along dim `vector_dim`, equals the coordinate in
  /// dim 0.
  bool counts(ValueId indices, int64_t vector_dim, std::size_t k) const {
    ValueId value = indices;
    if (has_op(module_, value, OpKind::Concatenate)) {
      const std::optional<ValueId> input = concatenated(value, vector_dim, k);
      if (!input) return false;
      value = *input;
    }
    for (std::optional<ValueId> next = value; next; next = source(value)) value = *next;
    if (!has_op(module_, value, OpKind::Iota)) return false;
    const OpId iota = module_.defining_op(value);
    return ir::view<ir::IotaOp>(module_, iota).dim == 0 && (compat_ || fits(value));
  }

 private:
  std::optional<ValueId> concatenated(ValueId value, int64_t vector_dim, std::size_t k) const {
    const OpId op = module_.defining_op(value);
    const int64_t joined = ir::view<ir::ConcatenateOp>(module_, op).dim;
    if (joined != vector_dim || k >= module_.num_operands(op)) return std::nullopt;
    const auto is_single = [&](ValueId input) {
      const auto dims = dims_of(module_, input);
      return dims[static_cast<std::size_t>(vector_dim)] == 1;
    };
    const std::vector<ValueId> inputs = module_.operands(op);
    if (!compat_ && !std::ranges::all_of(inputs, is_single)) return std::nullopt;
    return inputs[k];
  }

  /// Returns the operand whose elements the value copies if dim 0 stays dim 0.
  std::optional<ValueId> source(ValueId value) const {
    const OpId op = module_.defining_op(value);
    if (!op.valid()) return std::nullopt;
    switch (module_.kind(op)) {
      case OpKind::Reshape:
        return checked(op, 0, compat_ || keeps_first_dim(op));
      case OpKind::BroadcastInDim:
        return checked(op, 0, compat_ || broadcasts_first_dim(op));
      case OpKind::Clamp:
        return checked(op, 1, compat_ || does_not_bind(op));
      case OpKind::Select: {
        // The selected operand depends on the predicate. Only the reference ignores the predicate.
        const bool takes_last = has_op(module_, module_.operand(op, 2), OpKind::Iota);
        return checked(op, takes_last ? 2 : 1, compat_);
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<ValueId> checked(OpId op, std::size_t operand, bool is_sound) const {
    return is_sound ? std::optional(module_.operand(op, operand)) : std::nullopt;
  }

  /// Returns true for a reshape that only adds or drops dims of size 1 after dim 0.
  bool keeps_first_dim(OpId op) const {
    const auto from = dims_of(module_, module_.operand(op, 0));
    const auto to = dims_of(module_, module_.result(op));
    if (from.empty() || to.empty() || from[0] != to[0]) return false;
    const auto long_dims = [](std::span<const int64_t> dims) {
      Dims kept;
      std::ranges::copy_if(dims, std::back_inserter(kept), [](int64_t dim) { return dim != 1; });
      return kept;
    };
    return long_dims(from) == long_dims(to);
  }

  bool broadcasts_first_dim(OpId op) const {
    const auto map = ir::view<ir::BroadcastInDimOp>(module_, op).dims;
    const auto from = dims_of(module_, module_.operand(op, 0));
    const auto to = dims_of(module_, module_.result(op));
    return !map.empty() && map[0] == 0 && from[0] == to[0];
  }

  bool does_not_bind(OpId op) const {
    const auto low = constant_of(module_, module_.operand(op, 0));
    const auto high = constant_of(module_, module_.operand(op, 2));
    const auto dims = dims_of(module_, module_.operand(op, 1));
    return low && high && !dims.empty() && *low <= 0 && *high >= dims[0] - 1;
  }

  /// Checks that the element type can represent the largest coordinate.
  bool fits(ValueId iota) const {
    const Type& type = module_.type(iota);
    return static_cast<double>(type.dim(0) - 1) <= ir::greatest_value(type.element());
  }

  const Module& module_;
  bool compat_;
};

// ---- The rewrite --------------------------------------------------------------------------------

/// The dimension numbers that gather and scatter have in common.
struct Batching {
  ValueId operand;
  ValueId indices;
  int64_t vector_dim = 0;
  Dims* batching = nullptr;          // operand_batching_dims
  Dims* indices_batching = nullptr;  // start_indices_batching_dims
  Dims* index_map = nullptr;         // start_index_map
  Dims* collapsed = nullptr;         // collapsed_slice_dims
};

/// Returns the index component that equals the coordinate in dim 0, if dim 0 can become a batching
/// dim.
std::optional<std::size_t> batch_component(const Module& module, const Batching& op, bool compat) {
  const auto operand = dims_of(module, op.operand);
  const auto indices = dims_of(module, op.indices);
  if (!op.batching->empty() || operand.empty() || indices.empty()) return std::nullopt;
  const bool is_vector = op.vector_dim > 0 && op.vector_dim < std::ssize(indices) &&
                         indices[static_cast<std::size_t>(op.vector_dim)] > 1;
  if (!is_vector || operand[0] != indices[0]) return std::nullopt;
  const std::optional<std::size_t> k = position_of(*op.index_map, 0);
  if (!k || !position_of(*op.collapsed, 0)) return std::nullopt;
  if (!IotaSearch(module, compat).counts(op.indices, op.vector_dim, *k)) return std::nullopt;
  return k;
}

class IndexSlicer {
 public:
  IndexSlicer(Module& module, OpId op)
      : module_(module), builder_(ir::Builder::before(module, op)) {
    builder_.set_location(module.location(op));
  }

  /// Returns `indices` without component `k` along `dim`.
  ValueId without(ValueId indices, int64_t dim, std::size_t k) {
    const int64_t size = module_.type(indices).dim(static_cast<std::size_t>(dim));
    std::vector<ValueId> parts;
    const bool is_per_component =
        has_op(module_, indices, OpKind::Concatenate) &&
        ir::view<ir::ConcatenateOp>(module_, module_.defining_op(indices)).dim == dim &&
        std::ssize(module_.operands(module_.defining_op(indices))) == size;
    if (is_per_component) {
      parts = module_.operands(module_.defining_op(indices));
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      const auto at = static_cast<int64_t>(k);
      add_slice(indices, dim, 0, at, parts);
      add_slice(indices, dim, at + 1, size, parts);
    }
    return parts.size() == 1 ? parts.front() : concatenate(std::move(parts), dim, size - 1);
  }

 private:
  void add_slice(ValueId value, int64_t dim, int64_t low, int64_t high, std::vector<ValueId>& to) {
    if (low == high) return;
    const auto dims = dims_of(module_, value);
    Dims starts(dims.size(), 0);
    Dims limits(dims.begin(), dims.end());
    const auto at = static_cast<std::size_t>(dim);
    starts[at] = low;
    limits[at] = high;
    Dims sizes = limits;
    sizes[at] = high - low;
    const Dims strides(dims.size(), 1);
    Type type = Type::tensor(std::move(sizes), module_.type(value).element());
    to.push_back(builder_.create_value(OpKind::Slice, {value}, std::move(type),
                                       ir::SliceOp{starts, limits, strides}.attributes()));
  }

  ValueId concatenate(std::vector<ValueId> parts, int64_t dim, int64_t size) {
    Dims dims(dims_of(module_, parts.front()).begin(), dims_of(module_, parts.front()).end());
    dims[static_cast<std::size_t>(dim)] = size;
    Type type = Type::tensor(std::move(dims), module_.type(parts.front()).element());
    return builder_.create_value(OpKind::Concatenate, std::move(parts), std::move(type),
                                 ir::attributes_of(ir::ConcatenateOp{dim}));
  }

  Module& module_;
  ir::Builder builder_;
};

/// Erases the ops that computed the old indices and have no other user.
void erase_unused(Module& module, ValueId value) {
  std::vector<ValueId> pending = {value};
  while (!pending.empty()) {
    const OpId op = module.defining_op(pending.back());
    pending.pop_back();
    if (!op.valid() || module.is_erased(op) || !module.has_trait(op, ir::kPure)) continue;
    const std::vector<ValueId> results = module.results(op);
    const auto is_used = [&](ValueId result) { return module.num_uses(result) > 0; };
    if (std::ranges::any_of(results, is_used)) continue;
    const std::vector<ValueId> operands = module.operands(op);
    module.erase(op);
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
}

/// Changes the dimension numbers and the indices of the op. Returns false if no dim can become a
/// batching dim.
bool rewrite(Module& module, OpId op, std::size_t indices_operand, const Batching& dims,
             bool compat) {
  const std::optional<std::size_t> k = batch_component(module, dims, compat);
  if (!k) return false;
  const ValueId sliced = IndexSlicer(module, op).without(dims.indices, dims.vector_dim, *k);
  module.set_operand(op, indices_operand, sliced);
  dims.index_map->erase(dims.index_map->begin() + static_cast<std::ptrdiff_t>(*k));
  std::erase(*dims.collapsed, 0);
  *dims.batching = {0};
  *dims.indices_batching = {0};
  erase_unused(module, dims.indices);
  return true;
}

void batch_gather(Module& module, OpId op, bool compat) {
  const auto* old = module.attribute<ir::GatherDims>(op, ir::attr::kDimensionNumbers);
  if (old == nullptr || module.num_operands(op) != 2) return;
  ir::GatherDims dims = *old;
  const Batching parts{module.operand(op, 0),
                       module.operand(op, 1),
                       dims.index_vector_dim,
                       &dims.operand_batching_dims,
                       &dims.start_indices_batching_dims,
                       &dims.start_index_map,
                       &dims.collapsed_slice_dims};
  if (rewrite(module, op, 1, parts, compat)) {
    module.attributes(op).set(ir::attr::kDimensionNumbers, std::move(dims));
  }
}

void batch_scatter(Module& module, OpId op, bool compat) {
  const auto* old = module.attribute<ir::ScatterDims>(op, ir::attr::kScatterDimensionNumbers);
  if (old == nullptr || module.num_operands(op) < 3) return;
  ir::ScatterDims dims = *old;
  const std::size_t indices = (module.num_operands(op) - 1) / 2;
  const Batching parts{module.operand(op, 0),
                       module.operand(op, indices),
                       dims.index_vector_dim,
                       &dims.input_batching_dims,
                       &dims.scatter_indices_batching_dims,
                       &dims.scatter_dims_to_operand_dims,
                       &dims.inserted_window_dims};
  if (rewrite(module, op, indices, parts, compat)) {
    module.attributes(op).set(ir::attr::kScatterDimensionNumbers, std::move(dims));
  }
}

}  // namespace

Diagnostics explicit_gather_scatter_batching(Module& module,
                                             const GatherScatterBatchingOptions& options) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is_erased(op)) continue;
    if (module.is(op, OpKind::Gather)) batch_gather(module, op, options.compat);
    if (module.is(op, OpKind::Scatter)) batch_scatter(module, op, options.compat);
  }
  return {};
}

}  // namespace shardy::passes

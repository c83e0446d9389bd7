// Dims that are merged, used in computations and split again stay separate. Spec: partitioning 8.3.
//
//   %0 = reshape %x       : tensor<8x32x16xf32> -> tensor<256x16xf32>
//   %1 = dot_general %0, %w, contracting_dims = [1] x [0] : tensor<256x24xf32>
//   %2 = reshape %1       : tensor<256x24xf32> -> tensor<8x32x24xf32>
//   ->
//   %2 = dot_general %x, %w, contracting_dims = [2] x [0] : tensor<8x32x24xf32>
//
// The merged dim cannot be sharded like both the batch and the sequence, so it would be gathered.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::passes {

namespace {

using Dims = std::vector<int64_t>;

/// A dim of an operand or of a result of an op.
struct OpDim {
  bool is_result = false;
  std::size_t index = 0;
  std::size_t dim = 0;
};

std::optional<std::size_t> place_in(std::span<const int64_t> list, std::size_t dim) {
  const auto found = std::ranges::find(list, static_cast<int64_t>(dim));
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

/// Returns the dims of [begin, end) with more than one element.
Dims real_dims(std::span<const int64_t> shape, std::size_t begin, std::size_t end) {
  Dims dims;
  for (std::size_t dim = begin; dim < end; ++dim) {
    if (shape[dim] != 1) dims.push_back(static_cast<int64_t>(dim));
  }
  return dims;
}

Dims sizes_of(std::span<const int64_t> shape, const Dims& dims) {
  Dims sizes;
  for (const int64_t dim : dims) sizes.push_back(shape[static_cast<std::size_t>(dim)]);
  return sizes;
}

/// Returns the dims of a dot operand that are neither batching nor contracting.
Dims free_dims(int64_t rank, const Dims& batch, const Dims& contracting) {
  Dims dims;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (!place_in(batch, at) && !place_in(contracting, at)) dims.push_back(dim);
  }
  return dims;
}

bool keeps_dim(const Module& module, OpId op, std::size_t dim) {
  if (const auto slice = ir::SliceOp::of(module, op); module.is(op, OpKind::Slice)) {
    return slice && slice->starts[dim] == 0 && slice->strides[dim] == 1 &&
           slice->limits[dim] == module.type(module.operand(op, 0)).dim(dim);
  }
  const auto pad = ir::PadOp::of(module, op);
  return pad && pad->low[dim] == 0 && pad->high[dim] == 0 && pad->interior[dim] == 0;
}

/// The dims of an op's operands and results that have the same indices as a given one of these
/// dims. Spec: partitioning 8.3 f.
class LinkedDims {
 public:
  LinkedDims(const Module& module, OpId op, const Dims& factors)
      : module_(module), op_(op), factors_(factors) {}

  /// Returns the dims linked with the given dim; std::nullopt if the op changes the dim.
  std::optional<std::vector<OpDim>> of(const OpDim& at) const {
    const OpKind kind = module_.kind(op_);
    const bool is_plain =
        is_pure_static(module_, op_) && !module_.attributes(op_).contains(ir::kShardingRuleAttr);
    if (!is_plain) return std::nullopt;
    if (kind == OpKind::Reshape) return of_reshape(at);
    if (kind == OpKind::Transpose) return of_transpose(at);
    if (kind == OpKind::BroadcastInDim) return of_broadcast(at);
    if (kind == OpKind::DotGeneral) return of_dot(at);
    if (kind == OpKind::Reduce) return of_reduce(at);
    if (kind == OpKind::Gather) return of_gather(at);
    if (kind == OpKind::Scatter) return of_scatter(at);
    if (kind == OpKind::Slice || kind == OpKind::Pad) {
      if (!keeps_dim(module_, op_, at.dim)) return std::nullopt;
      return std::vector<OpDim>{{!at.is_result, 0, at.dim}};
    }
    if (!is_same_in_all(kind, static_cast<int64_t>(at.dim))) return std::nullopt;
    return of_all(at.dim);
  }

 private:
  /// Checks whether the op has the dim in all of its tensors, and keeps the places of elements in
  /// it.
  bool is_same_in_all(OpKind kind, int64_t dim) const {
    if (kind == OpKind::Concatenate) {
      return ir::view<ir::ConcatenateOp>(module_, op_).dim != dim;
    }
    if (kind == OpKind::Sort) {
      const int64_t along = ir::view<ir::SortOp>(module_, op_).dim.value_or(-1);
      return along >= 0 && along != dim;
    }
    return is_elementwise_of_shape();
  }

  std::span<const int64_t> dims(const OpDim& at) const {
    return module_
        .type(at.is_result ? module_.result(op_, at.index) : module_.operand(op_, at.index))
        .dims();
  }

  /// Returns true for an elementwise op on tensors with the shape of its result and on scalars.
  bool is_elementwise_of_shape() const {
    const bool fits = module_.has_trait(op_, ir::kElementwise) && module_.regions(op_).empty() &&
                      module_.num_results(op_) == 1 &&
                      !module_.has_trait(op_, ir::kSdyAnnotation) &&
                      !module_.has_trait(op_, ir::kCollective);
    if (!fits) return false;
    const auto shape = module_.type(module_.result(op_)).dims();
    const std::vector<ValueId> operands = module_.operands(op_);
    return std::ranges::all_of(operands, [&](ValueId operand) {
      const Type& type = module_.type(operand);
      return type.rank() == 0 || std::ranges::equal(type.dims(), shape);
    });
  }

  std::vector<OpDim> of_all(std::size_t dim) const {
    std::vector<OpDim> links;
    for (std::size_t index = 0; index < module_.num_results(op_); ++index) {
      links.push_back({true, index, dim});
    }
    const int64_t rank = module_.type(module_.result(op_)).rank();
    for (std::size_t index = 0; index < module_.num_operands(op_); ++index) {
      if (module_.type(module_.operand(op_, index)).rank() == rank) {
        links.push_back({false, index, dim});
      }
    }
    return links;
  }

  std::optional<std::vector<OpDim>> of_reshape(const OpDim& at) const {
    const auto in = module_.type(module_.operand(op_, 0)).dims();
    const auto out = module_.type(module_.result(op_)).dims();
    if (std::ranges::find(in, 0) != in.end()) return std::nullopt;
    for (const ReshapeGroup& group : reshape_groups(in, out)) {
      const auto ins = real_dims(in, group.in_begin, group.in_end);
      const auto outs = real_dims(out, group.out_begin, group.out_end);
      const auto& own = at.is_result ? outs : ins;
      const auto& others = at.is_result ? ins : outs;
      if (!place_in(own, at.dim)) continue;
      if (own.size() != 1) return std::nullopt;
      if (others.size() == 1) {
        return std::vector<OpDim>{{!at.is_result, 0, static_cast<std::size_t>(others[0])}};
      }
      if (sizes_of(at.is_result ? in : out, others) != factors_) return std::nullopt;
      return std::vector<OpDim>();
    }
    return std::nullopt;
  }

  std::optional<std::vector<OpDim>> of_transpose(const OpDim& at) const {
    const auto order = ir::view<ir::TransposeOp>(module_, op_).permutation;
    if (at.is_result)
      return std::vector<OpDim>{{false, 0, static_cast<std::size_t>(order[at.dim])}};
    return std::vector<OpDim>{{true, 0, *place_in(order, at.dim)}};
  }

  std::optional<std::vector<OpDim>> of_broadcast(const OpDim& at) const {
    const auto map = ir::view<ir::BroadcastInDimOp>(module_, op_).dims;
    const auto in = module_.type(module_.operand(op_, 0)).dims();
    const auto out = module_.type(module_.result(op_)).dims();
    if (!at.is_result) {
      const auto to = static_cast<std::size_t>(map[at.dim]);
      if (in[at.dim] != out[to]) return std::nullopt;
      return std::vector<OpDim>{{true, 0, to}};
    }
    const std::optional<std::size_t> from = place_in(map, at.dim);
    if (!from) return std::vector<OpDim>();
    if (in[*from] != out[at.dim]) return std::nullopt;
    return std::vector<OpDim>{{false, 0, *from}};
  }

  std::optional<std::vector<OpDim>> of_dot(const OpDim& at) const {
    const ir::DotDims& lists = ir::DotGeneralOp::of(module_, op_)->dims;
    const auto rank = [&](std::size_t index) {
      return module_.type(module_.operand(op_, index)).rank();
    };
    const Dims lhs_free = free_dims(rank(0), lists.lhs_batch, lists.lhs_contracting);
    const Dims rhs_free = free_dims(rank(1), lists.rhs_batch, lists.rhs_contracting);
    const auto batch_of = [&](std::size_t place) {
      return std::vector<OpDim>{{false, 0, static_cast<std::size_t>(lists.lhs_batch[place])},
                                {false, 1, static_cast<std::size_t>(lists.rhs_batch[place])},
                                {true, 0, place}};
    };
    const std::size_t batches = lists.lhs_batch.size();
    if (at.is_result) {
      if (at.dim < batches) return batch_of(at.dim);
      const std::size_t place = at.dim - batches;
      const bool is_left = place < lhs_free.size();
      const int64_t from = is_left ? lhs_free[place] : rhs_free[place - lhs_free.size()];
      return std::vector<OpDim>{{false, is_left ? 0U : 1U, static_cast<std::size_t>(from)}};
    }
    const bool is_left = at.index == 0;
    if (const auto place = place_in(is_left ? lists.lhs_batch : lists.rhs_batch, at.dim)) {
      return batch_of(*place);
    }
    if (const auto place =
            place_in(is_left ? lists.lhs_contracting : lists.rhs_contracting, at.dim)) {
      return std::vector<OpDim>{
          {false, 0, static_cast<std::size_t>(lists.lhs_contracting[*place])},
          {false, 1, static_cast<std::size_t>(lists.rhs_contracting[*place])}};
    }
    const std::size_t place = *place_in(is_left ? lhs_free : rhs_free, at.dim);
    return std::vector<OpDim>{{true, 0, batches + (is_left ? place : lhs_free.size() + place)}};
  }

  std::optional<std::vector<OpDim>> of_reduce(const OpDim& at) const {
    const auto reduced = ir::view<ir::ReduceOp>(module_, op_).dims;
    const std::size_t count = module_.num_results(op_);
    const int64_t rank = module_.type(module_.operand(op_, 0)).rank();
    const Dims kept = free_dims(rank, Dims(reduced.begin(), reduced.end()), {});
    const std::size_t in = at.is_result ? static_cast<std::size_t>(kept[at.dim]) : at.dim;
    const std::optional<std::size_t> out = place_in(kept, in);
    std::vector<OpDim> links;
    for (std::size_t index = 0; index < count; ++index) {
      links.push_back({false, index, in});
      if (out) links.push_back({true, index, *out});
    }
    return links;
  }

  /// Returns the dim of the slices that a dim of the indices becomes; std::nullopt for the index
  /// vector dim. `windows` has the window dims of the slices.
  std::optional<std::size_t> slice_dim(std::size_t dim, int64_t vector_dim, int64_t slices_rank,
                                       const Dims& windows) const {
    const auto at = static_cast<int64_t>(dim);
    if (at == vector_dim) return std::nullopt;
    const std::size_t place = dim - (vector_dim < at ? 1 : 0);
    return static_cast<std::size_t>(free_dims(slices_rank, windows, {})[place]);
  }
  std::optional<std::size_t> index_dim(std::size_t dim, int64_t vector_dim, int64_t slices_rank,
                                       const Dims& windows) const {
    const std::optional<std::size_t> place = place_in(free_dims(slices_rank, windows, {}), dim);
    if (!place) return std::nullopt;
    return *place + (vector_dim <= static_cast<int64_t>(*place) ? 1 : 0);
  }

  std::optional<std::vector<OpDim>> of_gather(const OpDim& at) const {
    const auto view = ir::GatherOp::of(module_, op_);
    if (!view || !view->dims.operand_batching_dims.empty()) return std::nullopt;
    const int64_t rank = module_.type(module_.result(op_)).rank();
    const int64_t vector_dim = view->dims.index_vector_dim;
    if (at.is_result) {
      const auto dim = index_dim(at.dim, vector_dim, rank, view->dims.offset_dims);
      return dim ? std::optional(std::vector<OpDim>{{false, 1, *dim}}) : std::nullopt;
    }
    if (at.index != 1) return std::nullopt;
    const auto dim = slice_dim(at.dim, vector_dim, rank, view->dims.offset_dims);
    return dim ? std::optional(std::vector<OpDim>{{true, 0, *dim}}) : std::nullopt;
  }

  /// Returns the links of a dim of a scatter. Only indices and updates have such a dim, not inputs
  /// and results.
  std::optional<std::vector<OpDim>> of_scatter(const OpDim& at) const {
    const auto view = ir::ScatterOp::of(module_, op_);
    const std::size_t count = module_.num_results(op_);
    const bool is_known =
        view && view->dims.input_batching_dims.empty() && !at.is_result && at.index >= count;
    if (!is_known) return std::nullopt;
    const int64_t rank = module_.type(module_.operand(op_, count + 1)).rank();
    const int64_t vector_dim = view->dims.index_vector_dim;
    const Dims& windows = view->dims.update_window_dims;
    const bool is_index = at.index == count;
    const auto other = is_index ? slice_dim(at.dim, vector_dim, rank, windows)
                                : index_dim(at.dim, vector_dim, rank, windows);
    if (!other) return std::nullopt;
    std::vector<OpDim> links = {{false, count, is_index ? at.dim : *other}};
    for (std::size_t index = 0; index < count; ++index) {
      links.push_back({false, count + 1 + index, is_index ? *other : at.dim});
    }
    return links;
  }

  const Module& module_;
  OpId op_;
  const Dims& factors_;
};

/// The values with a dim that is merged from the same factors, and the ops that define and use
/// these values.
class MergedRegion {
 public:
  /// `seen` contains the values of all regions tried so far.
  MergedRegion(Module& module, std::unordered_set<ValueId>& seen, BlockId block, Dims factors)
      : module_(module), seen_(seen), block_(block), factors_(std::move(factors)) {}

  /// Adds all values and ops linked with the merged dim of a value. Returns false if an op needs
  /// the dim merged.
  bool collect(ValueId merged, std::size_t dim) {
    if (!add(merged, dim)) return false;
    for (std::size_t done = 0; done < values_.size();) {
      const ValueId value = values_[done++];
      if (!add_definition(value) || !add_users(value)) return false;
    }
    return true;
  }
  /// Rebuilds the ops of the region with the factors instead of the merged dim.
  void split();

 private:
  bool add(ValueId value, std::size_t dim) {
    const auto [found, is_new] = dims_.try_emplace(value, dim);
    if (!is_new) return found->second == dim;
    values_.push_back(value);
    return seen_.insert(value).second;
  }
  bool add_op(OpId op, const OpDim& at);
  bool add_definition(ValueId value);
  bool add_users(ValueId value);
  bool repeats(OpId op, std::size_t dim) const;

  std::optional<std::size_t> dim_of(ValueId value) const {
    const auto found = dims_.find(value);
    return found != dims_.end() ? std::optional(found->second) : std::nullopt;
  }
  /// Returns a list of dims of `value` in which the factors replace the merged dim.
  Dims expanded(std::span<const int64_t> list, ValueId value) const;
  /// Returns the position of a dim of `value`, or of the end, among its new dims.
  int64_t moved(int64_t dim, ValueId value) const {
    return expanded(std::span(&dim, 1), value).front();
  }
  /// Returns a list with one entry per dim of `value`, in which `entries` replaces the entry of its
  /// merged dim.
  Dims with_entries(std::span<const int64_t> list, ValueId value, const Dims& entries) const;
  Type type_of(ValueId value) const {
    const Type& type = module_.type(value);
    return dim_of(value) ? type.with_dims(with_entries(type.dims(), value, factors_)) : type;
  }
  ir::AttributeMap changed_dims(OpId op) const;
  ir::AttributeMap changed_numbers(OpId op) const;
  ir::AttributeMap attributes_of(OpId op) const;
  void make(OpId op);
  void make_constant(OpId op);

  Module& module_;
  std::unordered_set<ValueId>& seen_;
  BlockId block_;
  Dims factors_;
  std::vector<ValueId> values_;
  std::unordered_map<ValueId, std::size_t> dims_;  // never iterated
  std::unordered_map<ValueId, ValueId> made_;      // never iterated
  std::vector<OpId> ops_;                          // the ops of the region
  std::unordered_set<OpId> known_;                 // the ops of ops_
};

/// Returns true for a value whose elements are equal along the dim. It is recomputed at each use.
bool MergedRegion::repeats(OpId op, std::size_t dim) const {
  if (module_.is(op, OpKind::Iota)) {
    return ir::view<ir::IotaOp>(module_, op).dim != static_cast<int64_t>(dim);
  }
  if (module_.is(op, OpKind::BroadcastInDim)) {
    return !place_in(ir::view<ir::BroadcastInDimOp>(module_, op).dims, dim);
  }
  const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
  return module_.is(op, OpKind::Constant) && literal != nullptr;
}

bool MergedRegion::add_op(OpId op, const OpDim& at) {
  if (module_.parent_block(op) != block_) return false;
  const auto links = LinkedDims(module_, op, factors_).of(at);
  if (!links) return false;
  if (known_.insert(op).second) ops_.push_back(op);
  return std::ranges::all_of(*links, [&](const OpDim& link) {
    return add(link.is_result ? module_.result(op, link.index) : module_.operand(op, link.index),
               link.dim);
  });
}

bool MergedRegion::add_definition(ValueId value) {
  const ir::ValueOwner owner = module_.owner(value);
  if (!owner.is_result() || ir::get_sharding(module_, value)) return false;
  const OpId op = module_.defining_op(value);
  if (repeats(op, *dim_of(value))) {
    if (known_.insert(op).second) ops_.push_back(op);
    seen_.erase(value);  // other regions may recompute it, too
    return module_.num_results(op) == 1;
  }
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    if (module_.result(op, index) == value) return add_op(op, {true, index, *dim_of(value)});
  }
  return false;
}

bool MergedRegion::add_users(ValueId value) {
  if (repeats(module_.defining_op(value), *dim_of(value))) return true;
  for (const ir::Use& use : module_.uses(value)) {
    if (!add_op(use.op, {false, use.operand, *dim_of(value)})) return false;
  }
  return true;
}

Dims MergedRegion::expanded(std::span<const int64_t> list, ValueId value) const {
  const std::optional<std::size_t> merged = dim_of(value);
  if (!merged) return {list.begin(), list.end()};
  const auto at = static_cast<int64_t>(*merged);
  const auto more = static_cast<int64_t>(factors_.size()) - 1;
  Dims dims;
  for (const int64_t dim : list) {
    for (int64_t part = 0; part <= (dim == at ? more : 0); ++part) {
      dims.push_back(dim + part + (dim > at ? more : 0));
    }
  }
  return dims;
}

Dims MergedRegion::with_entries(std::span<const int64_t> list, ValueId value,
                                const Dims& entries) const {
  Dims all(list.begin(), list.end());
  const std::optional<std::size_t> merged = dim_of(value);
  if (!merged) return all;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(*merged);
  all.insert(all.erase(at), entries.begin(), entries.end());
  return all;
}

/// Returns the changed attributes of an op whose attributes list dims.
ir::AttributeMap MergedRegion::changed_dims(OpId op) const {
  ir::AttributeMap changed;
  const auto set_dims = [&](std::string_view name, std::span<const int64_t> dims, ValueId value) {
    changed.set(name, ir::DenseArrayAttr{ir::ElementType::I64, expanded(dims, value)});
  };
  const auto set_dim = [&](std::string_view name, int64_t dim, ValueId value) {
    ir::IntegerAttr number = *module_.attribute<ir::IntegerAttr>(op, name);
    number.value = moved(dim, value);
    changed.set(name, number);
  };
  const ValueId result = module_.result(op);
  const ValueId operand = module_.num_operands(op) > 0 ? module_.operand(op, 0) : result;
  switch (module_.kind(op)) {
    case OpKind::Transpose:
      set_dims(ir::attr::kPermutation, ir::view<ir::TransposeOp>(module_, op).permutation, operand);
      break;
    case OpKind::BroadcastInDim:
      set_dims(ir::attr::kBroadcastDimensions, ir::view<ir::BroadcastInDimOp>(module_, op).dims,
               result);
      break;
    case OpKind::Reduce:
      set_dims(ir::attr::kDimensions, ir::view<ir::ReduceOp>(module_, op).dims, operand);
      break;
    case OpKind::Concatenate:
      set_dim(ir::attr::kDimension, ir::view<ir::ConcatenateOp>(module_, op).dim, operand);
      break;
    case OpKind::Sort:
      set_dim(ir::attr::kDimension, *ir::view<ir::SortOp>(module_, op).dim, operand);
      break;
    case OpKind::Iota:
      set_dim(ir::attr::kIotaDimension, ir::view<ir::IotaOp>(module_, op).dim, result);
      break;
    default:
      break;
  }
  return changed;
}

/// Returns the changed attributes of an op with dim numbers, or with one entry per dim.
ir::AttributeMap MergedRegion::changed_numbers(OpId op) const {
  const Dims zeros(factors_.size(), 0);
  const std::vector<ValueId> operands = module_.operands(op);
  switch (module_.kind(op)) {
    case OpKind::DotGeneral: {
      const ir::DotDims& old = ir::DotGeneralOp::of(module_, op)->dims;
      const ir::DotDims dims{.lhs_batch = expanded(old.lhs_batch, operands[0]),
                             .rhs_batch = expanded(old.rhs_batch, operands[1]),
                             .lhs_contracting = expanded(old.lhs_contracting, operands[0]),
                             .rhs_contracting = expanded(old.rhs_contracting, operands[1])};
      return ir::DotGeneralOp{dims}.attributes();
    }
    case OpKind::Gather: {
      const auto old = ir::GatherOp::of(module_, op);
      ir::GatherDims dims = old->dims;
      dims.offset_dims = expanded(dims.offset_dims, module_.result(op));
      dims.index_vector_dim = moved(dims.index_vector_dim, operands[1]);
      return ir::GatherOp{dims, old->slice_sizes, old->indices_are_sorted}.attributes();
    }
    case OpKind::Scatter: {
      const auto old = ir::ScatterOp::of(module_, op);
      const std::size_t count = module_.num_results(op);
      ir::ScatterDims dims = old->dims;
      dims.update_window_dims = expanded(dims.update_window_dims, operands[count + 1]);
      dims.index_vector_dim = moved(dims.index_vector_dim, operands[count]);
      return ir::ScatterOp{dims, old->indices_are_sorted, old->unique_indices}.attributes();
    }
    case OpKind::Slice: {
      const auto old = ir::SliceOp::of(module_, op);
      const Dims starts = with_entries(old->starts, operands[0], zeros);
      const Dims limits = with_entries(old->limits, operands[0], factors_);
      const Dims strides = with_entries(old->strides, operands[0], Dims(factors_.size(), 1));
      return ir::SliceOp{starts, limits, strides}.attributes();
    }
    case OpKind::Pad: {
      const auto old = ir::PadOp::of(module_, op);
      const Dims low = with_entries(old->low, operands[0], zeros);
      const Dims high = with_entries(old->high, operands[0], zeros);
      const Dims interior = with_entries(old->interior, operands[0], zeros);
      return ir::PadOp{low, high, interior}.attributes();
    }
    default:
      return {};
  }
}

ir::AttributeMap MergedRegion::attributes_of(OpId op) const {
  ir::AttributeMap attributes = module_.attributes(op);
  for (const ir::AttributeMap& changed : {changed_dims(op), changed_numbers(op)}) {
    for (const ir::NamedAttribute& entry : changed) attributes.set(entry.name, entry.value);
  }
  return attributes;
}

void MergedRegion::make_constant(OpId op) {
  const ValueId old = module_.result(op);
  const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
  ir::AttributeMap attributes = module_.attributes(op);
  attributes.set(ir::attr::kValue, literal->reshaped(type_of(old)));
  ir::Builder builder = ir::Builder::after(module_, op);
  builder.set_location(module_.location(op));
  made_[old] = builder.create_value(OpKind::Constant, {}, type_of(old), std::move(attributes));
}

void MergedRegion::make(OpId op) {
  if (module_.is(op, OpKind::Constant)) return make_constant(op);
  ir::OpSpec spec{.kind = module_.kind(op)};
  for (const ValueId operand : module_.operands(op)) {
    const auto found = made_.find(operand);
    spec.operands.push_back(found != made_.end() ? found->second : operand);
  }
  for (const ValueId result : module_.results(op)) spec.result_types.push_back(type_of(result));
  const bool is_same = spec.kind == OpKind::Reshape &&
                       module_.type(spec.operands[0]) == spec.result_types[0] &&
                       !ir::get_sharding(module_, module_.result(op));
  if (is_same) {
    made_[module_.result(op)] = spec.operands[0];
    return;
  }
  spec.attributes = attributes_of(op);
  if (!module_.regions(op).empty()) spec.regions = {moved_body(module_, op)};
  ir::Builder builder = ir::Builder::after(module_, op);
  builder.set_location(module_.location(op));
  const OpId made = builder.create(std::move(spec));
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    const ValueId old = module_.result(op, index);
    made_[old] = module_.result(made, index);
    module_.copy_value_name(made_[old], module_, old);
  }
}

void MergedRegion::split() {
  // Recomputed values from other blocks come first; they depend on no value of the region.
  const auto inner = std::stable_partition(
      ops_.begin(), ops_.end(), [&](OpId op) { return module_.parent_block(op) != block_; });
  std::sort(inner, ops_.end(), [&](OpId a, OpId b) { return module_.is_before(a, b); });
  for (const OpId op : ops_) make(op);
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
    bool is_used = false;
    for (const ValueId result : module_.results(*op)) {
      if (!dim_of(result)) module_.replace_all_uses(result, made_.at(result));
      is_used = is_used || module_.num_uses(result) > 0;
    }
    if (!is_used) module_.erase(*op);
  }
}

/// A reshape that merges at least two dims with more than one element.
struct Merge {
  std::size_t dim = 0;  // index of the merged dim in the result
  Dims factors;
};

std::vector<Merge> merges_of(const Module& module, OpId op) {
  const Type& in = module.type(module.operand(op, 0));
  const Type& out = module.type(module.result(op));
  const bool is_plain = in.is_static_tensor() && out.is_static_tensor() && in.num_elements() > 0;
  std::vector<Merge> merges;
  if (!is_plain) return merges;
  for (const ReshapeGroup& group : reshape_groups(in.dims(), out.dims())) {
    const Dims parts = real_dims(in.dims(), group.in_begin, group.in_end);
    const Dims merged = real_dims(out.dims(), group.out_begin, group.out_end);
    if (parts.size() < 2 || merged.size() != 1) continue;
    merges.push_back({static_cast<std::size_t>(merged[0]), sizes_of(in.dims(), parts)});
  }
  return merges;
}

}  // namespace

void keep_merged_dims_apart(Module& module) {
  std::unordered_set<ValueId> seen;
  for (const OpId op : ir::post_order(module)) {
    if (module.is_erased(op) || !module.is(op, OpKind::Reshape)) continue;
    const ValueId merged = module.result(op);
    const BlockId block = module.parent_block(op);
    for (const Merge& merge : merges_of(module, op)) {
      if (seen.contains(merged) || module.num_uses(merged) == 0) continue;
      MergedRegion region(module, seen, block, merge.factors);
      if (!region.collect(merged, merge.dim)) continue;
      region.split();
      break;
    }
  }
}

}  // namespace shardy::passes

// sdy-resolve-permutation-factors: ops that move elements along sharded dims exchange halos. If
// this is not possible, their dims are replicated. Spec: partitioning 10.3.
//
//   sdy.mesh @mesh = <["x"=4]>
//   pad, slice, reverse of a dim [{"x"}]      ->   manual_computation with collective_permutes
//                                                  (halo_exchange.cpp)
//   %0 = concatenate %a, %b, dim = 0          ->   %1 = sdy.reshard %a [{}]
//     : [{"x"}]                                    %2 = sdy.reshard %b [{}]
//                                                  %3 = concatenate %1, %2, dim = 0 [{}]
//                                                  %0 = sdy.reshard %3 [{"x"}]
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "partitioning/reference/halo_exchange.hpp"
#include "partitioning/reference/passes.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/detail/quasi_affine.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

namespace {

using OptionalSharding = std::optional<TensorSharding>;

// ---- Dims without communication (10.2) ----------------------------------------------------------

bool slice_stays(const ir::SliceOp& slice, const Type& in, const Type& out, std::size_t dim,
                 int64_t shards) {
  const int64_t stride = slice.strides[dim];
  const bool divides = in.dim(dim) % shards == 0 && out.dim(dim) % shards == 0;
  return slice.starts[dim] == 0 && (stride == 1 || divides) &&
         ceil_div(in.dim(dim), shards) == ceil_div(out.dim(dim), shards) * stride;
}

/// Checks whether each result shard needs only the operand shard of the same device. The padding
/// after the operand's elements is part of its shard.
bool pad_stays(const ir::PadOp& pad, const Type& in, const Type& out, std::size_t dim,
               int64_t shards) {
  if (pad.interior[dim] != 0) return false;
  const int64_t in_tile = ceil_div(in.dim(dim), shards);
  const int64_t out_tile = ceil_div(out.dim(dim), shards);
  if (out_tile == 0) return true;
  const std::optional<WindowExtent> extent = window_extent(
      {out_tile, -pad.low[dim], 1}, out_tile, in_tile, shards, NeededRange{0, in_tile * shards});
  return !extent || (extent->low >= 0 && extent->high <= in_tile);
}

bool stays(const Module& module, OpId op, std::size_t dim, const OptionalSharding& sharding) {
  const int64_t shards = sharding ? sharding_size(sharding->dim(dim).axes) : 1;
  if (shards == 1) return true;
  const Type& in = module.type(module.operand(op, 0));
  const Type& out = module.type(module.result(op));
  if (module.is(op, OpKind::Slice)) {
    return slice_stays(*ir::SliceOp::of(module, op), in, out, dim, shards);
  }
  return module.is(op, OpKind::Pad) && pad_stays(*ir::PadOp::of(module, op), in, out, dim, shards);
}

// ---- Replication -------------------------------------------------------------------------------

OptionalSharding sharding_of(const Module& module, OpId op, std::size_t tensor) {
  const std::size_t num_operands = module.num_operands(op);
  return ir::get_sharding(module, tensor < num_operands ? module.operand(op, tensor)
                                                        : module.result(op, tensor - num_operands));
}

/// Reshards operands and results around the op. The results come last, because their reshards
/// follow the op.
void reshard_around(Module& module, OpId op, const std::vector<OptionalSharding>& wanted) {
  const std::size_t num_operands = module.num_operands(op);
  for (std::size_t tensor = 0; tensor < wanted.size(); ++tensor) {
    const OptionalSharding old = sharding_of(module, op, tensor);
    if (!wanted[tensor] || !old || *wanted[tensor] == *old) continue;
    if (tensor < num_operands) {
      const ir::Use use{op, static_cast<uint32_t>(tensor)};
      passes::insert_before_use(
          module, use, passes::reshard_op(module, module.operand(op, tensor), *wanted[tensor]));
      continue;
    }
    const ValueId result = module.result(op, tensor - num_operands);
    ir::set_sharding(module, result, *wanted[tensor]);
    passes::insert_after(module, op, result, passes::reshard_op(module, result, *old));
  }
}

/// Removes the axes of permutation factors from the sharding of one tensor, except in dims that
/// need no communication.
OptionalSharding without_permutation(const Module& module, OpId op, const OpShardingRule& rule,
                                     const propagation::FlatRule& layout, std::size_t tensor) {
  OptionalSharding old = sharding_of(module, op, tensor);
  if (!old || old->rank() != layout.rank(tensor) || old->rank() == 0) return old;
  propagation::Projection projection;
  projection.reset(layout);
  propagation::project(layout, tensor, *old, projection);
  std::vector<bool> is_cleared(old->rank(), false);
  for (std::size_t dim = 0; dim < old->rank(); ++dim) {
    const propagation::EntryRange entries = layout.dim_entries(tensor, dim);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      const auto factor = static_cast<int32_t>(layout.entry_factor(entry));
      if (rule.factor_kind(factor) != FactorKind::Permutation) continue;
      if (sharding_size(projection.entries[entry].axes) == 1 || stays(module, op, dim, old)) {
        continue;
      }
      projection.entries[entry].axes.clear();
      projection.entries[entry].overflow.clear();
      is_cleared[dim] = true;
    }
  }
  std::vector<DimSharding> dims(old->dims().begin(), old->dims().end());
  const std::vector<DimSharding> cleared = propagation::back_project(layout, tensor, projection);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (is_cleared[dim]) dims[dim].axes = cleared[dim].axes;
  }
  return old->with_dims(std::move(dims));
}

/// Makes all devices compute all bits. Their shards would otherwise have the same bits.
void make_bits_whole(Module& module, OpId op) {
  std::vector<OptionalSharding> wanted;
  for (std::size_t tensor = 0; tensor < 3; ++tensor) {
    wanted.push_back(sharding_of(module, op, tensor));
  }
  if (wanted[2]) {
    std::vector<DimSharding> dims(wanted[2]->dims().begin(), wanted[2]->dims().end());
    for (DimSharding& dim : dims) dim.axes.clear();
    wanted[2] = wanted[2]->with_dims(std::move(dims));
  }
  reshard_around(module, op, wanted);
}

void make_whole(Module& module, OpId op, const OpShardingRule& rule) {
  const propagation::FlatRule layout(rule);
  std::vector<OptionalSharding> wanted;
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    wanted.push_back(without_permutation(module, op, rule, layout, tensor));
  }
  reshard_around(module, op, wanted);
}

// ---- Taps of convolutions -----------------------------------------------------------------------

// A kernel that is sharded along its spatial dims is gathered, as is the input along these dims,
// unless the kernel covers the input. The sum over these axes goes.
//
//   %0 = convolution %a, %k : 1x8x4 [{}, {"x"}, {}], 3x4x2 [{"x"}, {}, {}]
//   %1 = sdy.all_reduce {"x", "y"} %0   ->   sdy.all_reduce {"y"} %0

/// Removes axes from the partial results of an op and from the all-reduce that sums them. Returns
/// false, without a change, if another op needs the partial results.
bool remove_partial_axes(Module& module, OpId op, const AxisList& axes) {
  const ValueId result = module.result(op);
  const OptionalSharding sharding = ir::get_sharding(module, result);
  const bool is_partial = sharding && overlaps(sharding->unreduced_axes(), axes);
  const std::vector<ir::Use> uses = module.uses(result);
  const auto sums = [&](const ir::Use& use) {
    return ir::completes_reduction(module.kind(use.op)) &&
           overlaps(ir::combined_axes(module, use.op), axes);
  };
  if (!is_partial && std::ranges::none_of(uses, sums)) return true;
  if (uses.size() != 1 || !sums(uses[0]) || !module.is(uses[0].op, OpKind::SdyAllReduce)) {
    return false;
  }
  if (is_partial) {
    ir::set_sharding(module, result,
                     sharding->with_unreduced(set_difference(sharding->unreduced_axes(), axes)));
  }
  const OpId sum = uses[0].op;
  AxisList rest = set_difference(ir::combined_axes(module, sum), axes);
  if (rest.empty()) {
    module.replace_all_uses(module.result(sum), result);
    module.erase(sum);
  } else {
    const Mesh mesh = module.attribute<ir::AxesAttr>(sum, ir::attr::kReductionAxes)->mesh;
    module.attributes(sum).set(ir::attr::kReductionAxes, ir::AxesAttr{mesh, std::move(rest)});
  }
  return true;
}

TensorSharding without_axes_of(const TensorSharding& sharding, const std::vector<std::size_t>& of) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (const std::size_t dim : of) dims[dim].axes.clear();
  return sharding.with_dims(std::move(dims));
}

void gather_taps(Module& module, OpId op) {
  const ir::ConvolutionOp view = *ir::ConvolutionOp::of(module, op);
  std::vector<OptionalSharding> wanted = {sharding_of(module, op, 0), sharding_of(module, op, 1)};
  if (!wanted[1]) return;
  const Type input = module.type(module.operand(op, 0));
  std::vector<std::size_t> spatial, taps;
  AxisList axes;
  for (std::size_t index = 0; index < view.window.size(); ++index) {
    const auto in = static_cast<std::size_t>(view.dims.input_spatial[index]);
    const auto tap = static_cast<std::size_t>(view.dims.kernel_spatial[index]);
    const AxisList own = wanted[1]->dim(tap).axes;
    if (sharding_size(own) == 1) continue;
    const bool is_alike = wanted[0] && wanted[0]->dim(in).axes == own;
    if (is_alike && is_contracted(view.window[index], input.dim(in))) continue;
    spatial.push_back(in);
    taps.push_back(tap);
    axes.insert(axes.end(), own.begin(), own.end());
  }
  if (taps.empty() || !remove_partial_axes(module, op, sort_and_merge(std::move(axes)))) return;
  if (wanted[0]) wanted[0] = without_axes_of(*wanted[0], spatial);
  wanted[1] = without_axes_of(*wanted[1], taps);
  reshard_around(module, op, wanted);
}

// ---- Reshapes -----------------------------------------------------------------------------------

struct PermutedSide {
  std::vector<int64_t> shape;
  TensorSharding sharding;

  int64_t shards(std::size_t dim) const { return sharding_size(sharding.dim(dim).axes); }
  bool is_uneven(std::size_t begin, std::size_t end) const {
    for (std::size_t dim = begin; dim < end; ++dim) {
      if (shape[dim] % shards(dim) != 0) return true;
    }
    return false;
  }
  std::size_t num_large(std::size_t begin, std::size_t end) const {
    return static_cast<std::size_t>(std::count_if(
        shape.begin() + static_cast<std::ptrdiff_t>(begin),
        shape.begin() + static_cast<std::ptrdiff_t>(end), [](int64_t size) { return size != 1; }));
  }
  /// Returns the axes of the only dim with more than one element; std::nullopt if several dims have
  /// more than one element.
  std::optional<AxisList> only_axes(std::size_t begin, std::size_t end) const {
    AxisList axes;
    for (std::size_t dim = begin; dim < end; ++dim) {
      if (shards(dim) == 1) continue;
      if (shape[dim] == 1 || !axes.empty()) return std::nullopt;
      axes = sharding.dim(dim).axes;
    }
    return axes;
  }
  /// Returns the side with the axes of these dims only.
  PermutedSide only(std::size_t begin, std::size_t end) const {
    PermutedSide part = *this;
    part.clear(0, begin);
    part.clear(end, shape.size());
    return part;
  }
  void clear(std::size_t begin, std::size_t end) {
    std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
    for (std::size_t dim = begin; dim < end; ++dim) dims[dim].axes.clear();
    sharding = sharding.with_dims(std::move(dims));
  }
};

std::optional<PermutedSide> side_of(const Module& module, ValueId value,
                                    const OptionalSharding& other) {
  OptionalSharding sharding = ir::get_sharding(module, value);
  const Type& type = module.type(value);
  if (!type.is_static_tensor() || (!sharding && !other)) return std::nullopt;
  const auto rank = static_cast<std::size_t>(type.rank());
  if (!sharding) {
    sharding = TensorSharding::fully_closed(other->mesh(), other->mesh_name(), rank);
  }
  if (sharding->rank() != rank) return std::nullopt;
  return PermutedSide{{type.dims().begin(), type.dims().end()}, *std::move(sharding)};
}

bool stays_in_place(const PermutedSide& in, const PermutedSide& out, bool uneven) {
  return equivalent_across_reshape(in.sharding, in.shape, out.sharding, out.shape,
                                   {.allow_non_divisible = uneven});
}

/// Checks that operand and result each have at most one dim with more than one element, and that
/// these dims have equal axes. The shards are then equal, even if they are uneven.
bool passes_through(const PermutedSide& in, const PermutedSide& out, const ReshapeGroup& group) {
  const auto axes = in.only_axes(group.in_begin, group.in_end);
  return in.num_large(group.in_begin, group.in_end) <= 1 &&
         out.num_large(group.out_begin, group.out_end) <= 1 && axes &&
         axes == out.only_axes(group.out_begin, group.out_end);
}

/// Returns the group as a split of one dim, without dims of size 1, if the dim is sharded along its
/// first part only; std::nullopt for other groups.
std::optional<SplitDim> split_of(const PermutedSide& in, const PermutedSide& out,
                                 const ReshapeGroup& group) {
  const auto is_one = [](int64_t size) { return size == 1; };
  const auto sizes = std::span(out.shape).subspan(group.out_begin, group.out_end - group.out_begin);
  const bool is_split =
      group.in_end - group.in_begin == 1 && sizes.size() > 1 && std::ranges::none_of(sizes, is_one);
  if (!is_split) return std::nullopt;
  for (std::size_t dim = group.out_begin + 1; dim < group.out_end; ++dim) {
    if (out.shards(dim) > 1) return std::nullopt;
  }
  const bool is_alike =
      in.sharding.dim(group.in_begin).axes == out.sharding.dim(group.out_begin).axes;
  if (!is_alike || in.shards(group.in_begin) == 1) return std::nullopt;
  return SplitDim{group.in_begin, product(sizes.subspan(1)), sizes[0]};
}

/// Exchanges halos with neighbours for uneven splits. Requires: no other group moves elements
/// between shards.
bool exchange_splits(Module& module, OpId op, const PermutedSide& in, const PermutedSide& out,
                     std::span<const ReshapeGroup> groups, ReferenceHaloOptions& halos) {
  if (!in.sharding.unreduced_axes().empty()) return false;
  std::vector<SplitDim> splits;
  PermutedSide other_in = in;
  PermutedSide other_out = out;
  for (const ReshapeGroup& group : groups) {
    const bool is_uneven =
        in.is_uneven(group.in_begin, group.in_end) || out.is_uneven(group.out_begin, group.out_end);
    if (!is_uneven) continue;
    other_in.clear(group.in_begin, group.in_end);
    other_out.clear(group.out_begin, group.out_end);
    if (passes_through(in, out, group)) continue;
    const std::optional<SplitDim> split = split_of(in, out, group);
    if (!split) return false;
    splits.push_back(*split);
  }
  return stays_in_place(other_in, other_out, false) &&
         split_by_halos(module, op, in.sharding, out.sharding, splits, halos);
}

void resolve_reshape(Module& module, OpId op, const PermutationOptions& options,
                     ReferenceHaloOptions& halos) {
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  auto in = side_of(module, operand, ir::get_sharding(module, result));
  auto out = side_of(module, result, ir::get_sharding(module, operand));
  if (!in || !out || product(in->shape) == 0 || stays_in_place(*in, *out, false)) return;
  const std::vector<ReshapeGroup> groups = reshape_groups(in->shape, out->shape);
  const bool all_pass = std::ranges::all_of(
      groups, [&](const ReshapeGroup& group) { return passes_through(*in, *out, group); });
  if (all_pass && stays_in_place(*in, *out, true)) return;
  const bool is_done =
      options.enable_halo_exchange && exchange_splits(module, op, *in, *out, groups, halos);
  if (is_done) return;
  for (const ReshapeGroup& group : groups) {
    const bool stays = passes_through(*in, *out, group) ||
                       stays_in_place(in->only(group.in_begin, group.in_end),
                                      out->only(group.out_begin, group.out_end), false);
    if (stays) continue;
    in->clear(group.in_begin, group.in_end);
    out->clear(group.out_begin, group.out_end);
  }
  reshard_around(module, op, {in->sharding, out->sharding});
}

// ---- All ----------------------------------------------------------------------------------------

bool is_sharded_equally(const Module& module, OpId op) {
  const OptionalSharding in = ir::get_sharding(module, module.operand(op, 0));
  const OptionalSharding out = ir::get_sharding(module, module.result(op));
  if (!in || !out || in->rank() != out->rank()) return false;
  for (std::size_t dim = 0; dim < in->rank(); ++dim) {
    if (in->dim(dim).axes != out->dim(dim).axes) return false;
  }
  return true;
}

bool exchanges(Module& module, OpId op, ReferenceHaloOptions& options) {
  if (!module.type(module.result(op)).is_static_tensor() || !is_sharded_equally(module, op))
    return false;
  return module.is(op, OpKind::Reverse) ? reverse_devices(module, op, options)
                                        : exchange_halos(module, op, options);
}

bool can_exchange(OpKind kind) {
  return kind == OpKind::Pad || kind == OpKind::Slice || kind == OpKind::Reverse;
}

Status resolve(Module& module, OpId op, const PermutationOptions& options,
               ReferenceHaloOptions& halos, const rules::Registry& rules) {
  if (module.is(op, OpKind::Reshape)) {
    resolve_reshape(module, op, options, halos);
    return {};
  }
  if (module.is(op, OpKind::RngBitGenerator)) {
    make_bits_whole(module, op);
    return {};
  }
  if (module.is(op, OpKind::Convolution)) gather_taps(module, op);
  SHARDY_TRY(const std::optional<OpShardingRule> rule, rules.rule_for(rules::OpView(module, op)));
  if (!rule || rule->is_custom() || rule->permutation_factors().empty()) return {};
  const bool is_done =
      options.enable_halo_exchange && can_exchange(module.kind(op)) && exchanges(module, op, halos);
  if (!is_done) make_whole(module, op, *rule);
  return {};
}

}  // namespace

Diagnostics resolve_permutation_factors(Module& module, const PermutationOptions& options,
                                        const rules::Registry& rules) {
  Diagnostics errors = verify_processes(options.processes);
  if (!errors.empty()) return errors;
  ReferenceHaloOptions halos{number_op(options.processes),
                             CollectiveChannels(module, options.processes.replicas)};
  for (const OpId op : ir::post_order(module)) {
    if (module.is_erased(op) || module.has_trait(op, ir::kTerminator) ||
        ir::dialect_of(module.kind(op)) != ir::Dialect::StableHlo) {
      continue;
    }
    Status status = resolve(module, op, options, halos, rules);
    if (!status) errors.push_back(std::move(status).error());
  }
  return errors;
}

}  // namespace shardy::partitioning

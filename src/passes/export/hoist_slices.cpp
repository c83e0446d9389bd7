// Hoists slices up to the collectives that produce the sliced value. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %0                %1 = sdy.reduce_scatter [{}, {"x"}] %0
//   %2 = add %1, %c                        ->   %2 = sdy.all_slice [{}, {"x"}] %c
//   %3 = transpose %2, dims = [1, 0]            %3 = add %1, %2                  [{}, {"x"}]
//   %4 = sdy.all_slice [{"x"}, {}] %3           %4 = transpose %3, dims = [1, 0] [{"x"}, {}]
#include <algorithm>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

namespace {

constexpr std::size_t kMaxNodes = 64;  // limit of the values through which one slice is hoisted

/// Per dim of a result: the operand dim with equal elements in equal order.
using DimMap = std::vector<std::optional<std::size_t>>;

DimMap same_dims(std::size_t rank) {
  DimMap map(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) map[dim] = dim;
  return map;
}

std::vector<int64_t> sizes_before(std::span<const int64_t> dims) {
  std::vector<int64_t> sizes = {1};
  for (const int64_t dim : dims) sizes.push_back(sizes.back() * dim);
  return sizes;
}

/// Maps the dims of a reshape. Maps equal dims, and two dims one of which is the major part of the
/// other. The shards of the latter pair agree if `shards` divides both sizes.
DimMap reshaped_dims(std::span<const int64_t> in, std::span<const int64_t> out,
                     const TensorSharding& sliced) {
  DimMap map(out.size());
  const std::vector<int64_t> in_before = sizes_before(in);
  const std::vector<int64_t> out_before = sizes_before(out);
  for (std::size_t dim = 0; dim < out.size(); ++dim) {
    const int64_t shards = sliced.dim(dim).sharded_size();
    for (std::size_t from = 0; from < in.size(); ++from) {
      const bool starts_alike = in_before[from] == out_before[dim] && in[from] > 1 && out[dim] > 1;
      const bool is_same = in[from] == out[dim];
      const bool is_major = in[from] % shards == 0 && out[dim] % shards == 0;
      if (starts_alike && (is_same || is_major)) map[dim] = from;
    }
  }
  return map;
}

struct OperandDims {
  DimMap dims;
  // Result dims without an operand dim repeat the operand; false: they cannot be sliced.
  bool repeats = false;
};

std::optional<OperandDims> operand_dims(const Module& module, OpId op, std::size_t index,
                                        const TensorSharding& sliced) {
  const ir::Type& in = module.type(module.operand(op, index));
  const ir::Type& out = module.type(module.result(op));
  if (!in.is_tensor()) return std::nullopt;
  if (is_plain_elementwise(module, op)) {
    if (in.rank() == out.rank()) return OperandDims{same_dims(out.dims().size()), false};
    if (in.rank() == 0) return OperandDims{DimMap(out.dims().size()), true};
    return std::nullopt;
  }
  if (module.is(op, OpKind::Transpose)) {
    OperandDims map;
    for (const int64_t dim : ir::view<ir::TransposeOp>(module, op).permutation) {
      map.dims.emplace_back(static_cast<std::size_t>(dim));
    }
    return map;
  }
  if (module.is(op, OpKind::BroadcastInDim)) {
    OperandDims map{DimMap(out.dims().size()), true};
    const auto dims = ir::view<ir::BroadcastInDimOp>(module, op).dims;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const auto to = static_cast<std::size_t>(dims[dim]);
      if (in.dim(dim) == out.dim(to)) map.dims[to] = dim;
    }
    return map;
  }
  if (module.is(op, OpKind::Reshape)) {
    return OperandDims{reshaped_dims(in.dims(), out.dims(), sliced), false};
  }
  return std::nullopt;
}

/// Returns the operand sharding that changes the result's sharding from `from` to `to`;
/// std::nullopt if the slice cannot be hoisted above the op.
std::optional<TensorSharding> operand_sharding(const Module& module, OpId op, std::size_t index,
                                               const TensorSharding& from,
                                               const TensorSharding& to) {
  const ValueId operand = module.operand(op, index);
  const auto map = operand_dims(module, op, index, to);
  if (!map) return std::nullopt;
  const TensorSharding have = sharding_or_whole(module, operand, to);
  if (have.mesh_ref() != to.mesh_ref() || !have.unreduced_axes().empty()) return std::nullopt;
  AxisLists lists = dim_axes(have);
  for (std::size_t dim = 0; dim < to.rank(); ++dim) {
    if (to.dim(dim).axes == from.dim(dim).axes) continue;
    const std::optional<std::size_t> at = map->dims[dim];
    if (!at && map->repeats) continue;
    if (!at || have.dim(*at).axes != from.dim(dim).axes) return std::nullopt;
    lists[*at] = to.dim(dim).axes;
    const AxisList more = rest_after(to.dim(dim).axes, from.dim(dim).axes);
    if (overlaps(more, flatten(dim_axes(have)))) return std::nullopt;
  }
  // Fails if two operand dims would get overlapping axes.
  auto sliced = TensorSharding::make(have.mesh(), have.mesh_name(), closed_dims(lists));
  return sliced ? std::optional(*std::move(sliced)) : std::nullopt;
}

/// A value above which a slice may be hoisted, and its neighbours on the path.
struct HoistTarget {
  ValueId value;
  TensorSharding to;
  std::vector<ir::Use> uses = {};  // uses by ops of other nodes, which use the sliced value
  bool is_wanted_alike = true;     // all uses need the same slice
  std::vector<TensorSharding> operands =
      {};  // sliced shardings of the op's operands; empty: the slice is not hoisted further
  std::optional<Replan> replan = {};  // plan that replaces the collective which defines the value
  bool pays = false;                  // a collective on the path becomes cheaper
};

/// Returns operand shardings with which the op produces `to` instead of `from`; empty if
/// impossible.
std::vector<TensorSharding> operand_shardings(const Module& module, OpId op,
                                              const TensorSharding& from,
                                              const TensorSharding& to) {
  if (!is_pure_static(module, op) || module.num_results(op) != 1) return {};
  if (module.attributes(op).contains(ir::kShardingRuleAttr)) return {};
  std::vector<TensorSharding> shardings;
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    auto sliced = operand_sharding(module, op, index, from, to);
    if (!sliced) return {};
    shardings.push_back(*std::move(sliced));
  }
  return shardings;
}

/// A search that hoists a slice up to collectives that become cheaper. Visits later ops first, so
/// that all users of a value are known when the value is visited.
class SliceHoister {
 public:
  SliceHoister(RewriteContext& context, ValueId value, const TensorSharding& to)
      : context_(context) {
    nodes_.push_back({value, to});
    for (std::size_t at = 0; at < nodes_.size() && nodes_.size() < kMaxNodes; ++at) {
      bring_last_to(at);
      look_at(at);
    }
    for (std::size_t at = nodes_.size(); at-- > 0;) {
      for (const ir::Use& use : nodes_[at].uses) {
        HoistTarget* reader = find(module().result(use.op));
        reader->pays = reader->pays || nodes_[at].pays;
      }
    }
  }

  bool pay() const { return nodes_.front().pays; }
  Gain gain() const;
  void apply();

 private:
  Module& module() const { return context_.module; }
  HoistTarget* find(ValueId value) {
    const auto found = std::ranges::find(nodes_, value, &HoistTarget::value);
    return found == nodes_.end() ? nullptr : &*found;
  }
  /// Orders nodes by the program order of their ops, last op first; block arguments come last.
  bool is_after(const HoistTarget& a, const HoistTarget& b) const {
    const OpId first = module().defining_op(a.value);
    const OpId second = module().defining_op(b.value);
    return first.valid() && (!second.valid() || module().is_before(second, first));
  }
  void bring_last_to(std::size_t at) {
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(at);
    std::iter_swap(begin, std::min_element(begin, nodes_.end(),
                                           [&](const HoistTarget& a, const HoistTarget& b) {
                                             return is_after(a, b);
                                           }));
  }
  bool can_be_sliced(const HoistTarget& node) const;
  void look_at(std::size_t at);
  void want(ValueId value, const TensorSharding& to, ir::Use use);

  RewriteContext& context_;
  std::vector<HoistTarget> nodes_;
};

/// Checks that the op is in the block of the slice and that all its users need equal slices.
bool SliceHoister::can_be_sliced(const HoistTarget& node) const {
  const OpId op = module().defining_op(node.value);
  const OpId first = module().defining_op(nodes_.front().value);
  if (!op.valid() || module().parent_block(op) != module().parent_block(first)) return false;
  return &node == &nodes_.front() ||
         (node.is_wanted_alike && node.uses.size() == module().num_uses(node.value));
}

void SliceHoister::look_at(std::size_t at) {
  const HoistTarget node = nodes_[at];
  if (!can_be_sliced(nodes_[at])) return;
  const OpId op = module().defining_op(node.value);
  if (at > 0 && ir::is_sdy_collective(module().kind(op))) {
    auto replan = plan_instead(context_, op, node.to);
    if (!replan || !is_cheaper(replan->gain.after, replan->gain.before)) return;
    nodes_[at].replan = std::move(replan);
    nodes_[at].pays = true;
    return;
  }
  const TensorSharding from = sharding_or_whole(module(), node.value, node.to);
  if (!from.unreduced_axes().empty()) return;
  nodes_[at].operands = operand_shardings(module(), op, from, node.to);
  const std::vector<TensorSharding> wanted = nodes_[at].operands;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    want(module().operand(op, index), wanted[index], {op, static_cast<uint32_t>(index)});
  }
}

void SliceHoister::want(ValueId value, const TensorSharding& to, ir::Use use) {
  if (module().type(value).rank() == 0) return;
  HoistTarget* node = find(value);
  if (node == nullptr) {
    nodes_.push_back({value, to, {use}});
    return;
  }
  node->is_wanted_alike = node->is_wanted_alike && node->to == to;
  node->uses.push_back(use);
}

Gain SliceHoister::gain() const {
  Gain gain;
  for (const HoistTarget& node : nodes_) {
    if (!node.replan) continue;
    gain.before += node.replan->gain.before;
    gain.after += node.replan->gain.after;
  }
  return gain;
}

ValueId sliced(Module& module, OpId before, ValueId value, const TensorSharding& to) {
  const TensorSharding have = sharding_or_whole(module, value, to);
  const AxisLists lists = rest_after(dim_axes(to), dim_axes(have));
  if (all_empty(lists)) return value;
  const ReshardStep step{.kind = StepKind::AllSlice, .dim_axes = lists, .out = to};
  return emit_steps(module, before, value, std::span(&step, 1));
}

/// Rewrites ops to produce sliced results. A new plan of the operand's collective, or an all-slice,
/// slices each operand.
void SliceHoister::apply() {
  for (const HoistTarget& node : nodes_) {
    if (node.replan) {
      const ValueId value = passes::apply(module(), *node.replan);
      module().replace_all_uses(node.value, value);
      module().erase(node.replan->collective);
      continue;
    }
    if (node.pays) {
      ir::set_sharding(module(), node.value, node.to);
      continue;
    }
    for (const ir::Use& use : node.uses) {
      const HoistTarget& reader = *find(module().result(use.op));
      if (!reader.pays) continue;
      const TensorSharding& to = reader.operands[use.operand];
      module().set_operand(use.op, use.operand, sliced(module(), use.op, node.value, to));
    }
  }
}

/// Returns all uses of the value if they are slices to one sharding in the value's block; else
/// empty.
std::vector<OpId> equal_slices(const Module& module, ValueId value, const TensorSharding& to) {
  std::vector<OpId> slices;
  for (const ir::Use& use : module.uses(value)) {
    const auto* out = module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
    const bool fits = module.is(use.op, OpKind::SdyAllSlice) && out != nullptr && *out == to &&
                      module.parent_block(use.op) == module.parent_block(module.defining_op(value));
    if (!fits) return {};
    slices.push_back(use.op);
  }
  return slices;
}

}  // namespace

std::optional<Gain> hoist_slices(RewriteContext& context, OpId op) {
  Module& module = context.module;
  const auto slice = module.is(op, OpKind::SdyAllSlice) ? step_of(module, op) : std::nullopt;
  const ValueId value = slice ? module.operand(op, 0) : ValueId();
  if (!slice || !module.owner(value).is_result()) return std::nullopt;
  const TensorSharding& to = slice->step.out;
  if (!to.unreduced_axes().empty() || !blocks_nest(module.type(value), slice->from, to)) {
    return std::nullopt;
  }
  const std::vector<OpId> slices = equal_slices(module, value, to);
  if (slices.empty() || ir::is_sdy_collective(module.kind(module.defining_op(value)))) {
    return std::nullopt;
  }
  SliceHoister hoister(context, value, to);
  if (!hoister.pay()) return std::nullopt;
  hoister.apply();
  for (const OpId each : slices) {
    module.replace_all_uses(module.result(each), value);
    module.erase(each);
  }
  return hoister.gain();
}

}  // namespace shardy::passes

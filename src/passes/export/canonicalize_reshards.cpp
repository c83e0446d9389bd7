// Canonicalization patterns of reshards, R1 and R2. Spec: dialect 7.1.
//
//   R1, reuse of an equal layout, also through reshapes and transposes:
//     %1 = sdy.reshard %0 [{"x"}, {}]                 %1 = sdy.reshard %0 [{"x"}, {}]
//     %2 = reshape %0 : 8x4 -> 32               ->    %3 = reshape %1 : 8x4 -> 32
//     %3 = sdy.reshard %2 [{"x"}]
//
//   R2, a chain with one use each:
//     %1 = sdy.reshard %0 [{"x"}, {}]           ->    %2 = sdy.reshard %0 [{}, {"y"}]
//     %2 = sdy.reshard %1 [{}, {"y"}]
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

OpId defining(const Module& module, ValueId value, OpKind kind) {
  const OpId op = module.defining_op(value);
  return op.valid() && module.is(op, kind) ? op : OpId();
}

/// Checks whether one reshard can replace both. Partial results of a maximum must not become
/// partial sums.
bool are_joinable(const Module& module, OpId inner, OpId outer) {
  if (module.attributes(inner).contains(kCopyAttr)) return false;
  const std::optional<TensorSharding> before =
      ir::get_sharding_bypassing_barriers(module, module.operand(inner, 0));
  const auto* to = module.attribute<TensorSharding>(outer, ir::attr::kSharding);
  if (!before || to == nullptr) return true;
  const std::optional<TensorSharding> after = *to;
  return verify_unreduced_transition(
             std::span(&before, 1), std::span(&after, 1),
             {.introduce = ReductionOp::Sum, .remove = before->reduction_op()})
      .has_value();
}

}  // namespace

bool join_reshards(Module& module) {
  bool changed = false;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyReshard)) continue;
    for (OpId inner = defining(module, module.operand(op, 0), OpKind::SdyReshard);
         inner.valid() && module.num_uses(module.result(inner)) == 1 &&
         are_joinable(module, inner, op);
         inner = defining(module, module.operand(op, 0), OpKind::SdyReshard)) {
      module.set_operand(op, 0, module.operand(inner, 0));
      module.attributes(op).erase("sdy.propagation_edges");  // they refer to the erased operand
      module.erase(inner);
      changed = true;
    }
  }
  return changed;
}

// ---- R1: reuse of an equal reshard --------------------------------------------------------------

namespace {

std::span<const int64_t> permutation_of(const Module& module, OpId transpose) {
  const auto* order = module.attribute<ir::DenseArrayAttr>(transpose, ir::attr::kPermutation);
  return order ? std::span<const int64_t>(order->values) : std::span<const int64_t>();
}

/// The reshapes and transposes between a root value and the operand of a reshard.
struct ReshapeChain {
  ValueId root;
  std::vector<OpId> ops;  // first the op that uses the root
};

bool is_static(const Module& module, ValueId value) {
  return module.type(value).is_static_tensor();
}

ReshapeChain chain_to(const Module& module, ValueId value) {
  ReshapeChain chain{value, {}};
  for (OpId op = module.defining_op(value); op.valid(); op = module.defining_op(chain.root)) {
    const bool is_followed =
        module.is(op, OpKind::Reshape) ||
        (module.is(op, OpKind::Transpose) && !permutation_of(module, op).empty());
    if (!is_followed || !is_static(module, module.operand(op, 0))) break;
    chain.ops.push_back(op);
    chain.root = module.operand(op, 0);
  }
  std::ranges::reverse(chain.ops);
  return chain;
}

/// A sharding that is propagated up a chain as far as possible.
struct HoistedSharding {
  TensorSharding sharding;
  ValueId value;  // the value at which propagation stopped
  // No reshape between equal ranks was passed, and no transpose remains up to the root.
  bool is_certain = true;
};

TensorSharding before_transpose(const TensorSharding& after, std::span<const int64_t> order) {
  std::vector<DimSharding> dims(after.rank());
  for (std::size_t dim = 0; dim < order.size(); ++dim) {
    dims[static_cast<std::size_t>(order[dim])] = after.dim(dim);
  }
  return after.with_dims(std::move(dims));
}

HoistedSharding carry_up(const Module& module, const ReshapeChain& chain,
                         const TensorSharding& sharding, ValueId from) {
  HoistedSharding carried{sharding, from};
  std::size_t left = chain.ops.size();
  for (; left > 0; --left) {
    const OpId op = chain.ops[left - 1];
    const Type& before = module.type(module.operand(op, 0));
    const Type& after = module.type(module.result(op));
    if (module.is(op, OpKind::Transpose)) {
      carried.sharding = before_transpose(carried.sharding, permutation_of(module, op));
    } else if (before.rank() != after.rank()) {
      break;
    } else if (!std::ranges::equal(before.dims(), after.dims())) {
      carried.is_certain = false;
    }
    carried.value = module.operand(op, 0);
  }
  const auto above = std::span(chain.ops).first(left);
  const bool has_transpose =
      std::ranges::any_of(above, [&](OpId op) { return module.is(op, OpKind::Transpose); });
  carried.is_certain = carried.is_certain && !has_transpose;
  return carried;
}

// ---- Comparison of layouts by elements ---------------------------------------------------------

/// Returns the row-major indices of the elements in a device's slice of the tensor.
std::vector<int64_t> elements_of(std::span<const Range> slice, std::span<const int64_t> dims) {
  std::vector<int64_t> elements = {0};
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    std::vector<int64_t> next;
    for (const int64_t element : elements) {
      for (int64_t at = slice[dim].begin; at < slice[dim].end; ++at) {
        next.push_back(element * dims[dim] + at);
      }
    }
    elements = std::move(next);
  }
  return elements;
}

/// Returns for each element of a transpose's result its entry of `numbers`, which has one entry per
/// operand element.
std::vector<int64_t> transposed(std::span<const int64_t> numbers, std::span<const int64_t> before,
                                std::span<const int64_t> order) {
  std::vector<int64_t> strides(before.size(), 1);
  for (std::size_t dim = before.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * before[dim];
  std::vector<int64_t> places = {0};
  for (const int64_t from : order) {
    const auto dim = static_cast<std::size_t>(from);
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t at = 0; at < before[dim]; ++at) next.push_back(place + at * strides[dim]);
    }
    places = std::move(next);
  }
  for (int64_t& place : places) place = numbers[static_cast<std::size_t>(place)];
  return places;
}

/// Returns for each element at the end of the chain its index at the root. Reshapes keep the
/// row-major order.
std::vector<int64_t> numbers_at_root(const Module& module, const ReshapeChain& chain) {
  std::vector<int64_t> numbers;
  const int64_t count = module.type(chain.root).num_elements();
  for (int64_t number = 0; number < count; ++number) numbers.push_back(number);
  for (const OpId op : chain.ops) {
    if (!module.is(op, OpKind::Transpose)) continue;
    numbers =
        transposed(numbers, module.type(module.operand(op, 0)).dims(), permutation_of(module, op));
  }
  return numbers;
}

struct ReshardLayout {
  const TensorSharding& sharding;
  const Type& type;
};

/// Checks whether each device has the same elements of the root under both layouts; `target` is the
/// layout at the end of the chain. Lists the elements of each device; tensors that are too large
/// for this count as different. Spec: algebra 8.10.
bool same_elements(const Module& module, const ReshapeChain& chain, const ReshardLayout& reused,
                   const ReshardLayout& target) {
  constexpr int64_t kMostSteps = int64_t{1} << 22;
  const Mesh& mesh = target.sharding.mesh();
  const auto steps = checked_mul(mesh.num_devices(), target.type.num_elements());
  if (!steps || *steps > kMostSteps || reused.sharding.mesh() != mesh) return false;
  const std::vector<int64_t> at_root = numbers_at_root(module, chain);
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    const auto have = elements_of(device_slice(reused.sharding, reused.type.dims(), position),
                                  reused.type.dims());
    auto want = elements_of(device_slice(target.sharding, target.type.dims(), position),
                            target.type.dims());
    for (int64_t& element : want) element = at_root[static_cast<std::size_t>(element)];
    std::ranges::sort(want);  // `have` is already sorted
    if (have != want) return false;
  }
  return true;
}

/// Checks whether equal strides imply equal elements on each device. False if a dim has smaller
/// shards at its end, unless both layouts have equal shardings. Spec: dialect 7.1 R1.
bool strides_imply_equal(const ReshardLayout& a, const ReshardLayout& b) {
  if (a.type == b.type && is_equivalent(a.sharding, b.sharding)) return true;
  return a.sharding.evenly_divided_shape(a.type.dims()) &&
         b.sharding.evenly_divided_shape(b.type.dims());
}

// ---- Search -------------------------------------------------------------------------------------

/// A reshard to be replaced, and properties that the search needs.
struct ReplacedReshard {
  OpId reshard;
  TensorSharding sharding;
  ReshapeChain chain;
  HoistedSharding carried;
};

std::optional<ReplacedReshard> wanted(const Module& module, OpId reshard) {
  const auto* sharding = module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  const ValueId value = module.operand(reshard, 0);
  if (!sharding || !is_static(module, value)) return std::nullopt;
  const ReshapeChain chain = chain_to(module, value);
  const bool is_on_one_device = sharding->rank() != module.type(value).dims().size();
  if (is_on_one_device && !chain.ops.empty()) return std::nullopt;
  return ReplacedReshard{reshard, *sharding, chain, carry_up(module, chain, *sharding, value)};
}

/// Checks whether the collectives that use the result accept the other reshard. They list axes per
/// dim, so an equivalent layout is not enough.
bool readers_accept(const Module& module, const ReplacedReshard& wanted, OpId other) {
  if (!feeds_collective(module, module.result(wanted.reshard))) return true;
  const bool is_direct = wanted.chain.ops.empty() && module.type(module.result(other)) ==
                                                         module.type(module.result(wanted.reshard));
  const auto sharding = ir::get_sharding(module, module.result(other));
  return is_direct && sharding && is_equivalent(*sharding, wanted.sharding) &&
         users_accept(module, wanted.reshard, sharding);
}

bool fits(const Module& module, const ReplacedReshard& wanted, OpId other) {
  if (other == wanted.reshard ||
      module.parent_block(other) != module.parent_block(wanted.reshard) ||
      !module.is_before(other, wanted.reshard)) {
    return false;
  }
  const auto copy_of = [&](OpId op) { return module.attribute<ir::IntegerAttr>(op, kCopyAttr); };
  const ir::IntegerAttr* const own = copy_of(wanted.reshard);
  const ir::IntegerAttr* const its = copy_of(other);
  if ((own == nullptr) != (its == nullptr) || (own != nullptr && !(*own == *its))) return false;
  const auto* sharding = module.attribute<TensorSharding>(other, ir::attr::kSharding);
  if (!sharding || !readers_accept(module, wanted, other)) return false;
  const ReshardLayout reused{*sharding, module.type(module.result(other))};
  const ReshardLayout carried{wanted.carried.sharding, module.type(wanted.carried.value)};
  if (!equivalent_across_reshape(*sharding, reused.type.dims(), carried.sharding,
                                 carried.type.dims())) {
    return false;
  }
  return (wanted.carried.is_certain && strides_imply_equal(reused, carried)) ||
         same_elements(module, wanted.chain, reused,
                       {wanted.sharding, module.type(module.result(wanted.reshard))});
}

/// Returns the earliest reshard, of the root or of a reshape of the root, that has an equal layout.
std::optional<OpId> find_reusable(const Module& module, const ReplacedReshard& wanted) {
  std::optional<OpId> found;
  std::vector<ValueId> pending = {wanted.chain.root};
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    for (const ir::Use& use : module.uses(value)) {
      if (module.is(use.op, OpKind::Reshape) && is_static(module, module.result(use.op))) {
        pending.push_back(module.result(use.op));
      }
      if (!module.is(use.op, OpKind::SdyReshard) || !fits(module, wanted, use.op)) continue;
      if (!found || module.is_before(use.op, *found)) found = use.op;
    }
  }
  return found;
}

/// Recomputes the value at the end of the chain from the reused reshard.
ValueId rebuild(Module& module, const ReplacedReshard& wanted, OpId reused) {
  ValueId value = module.result(reused);
  const Type root = module.type(wanted.chain.root);
  if (module.type(value) != root) {
    ir::Builder builder = ir::Builder::after(module, reused);
    builder.set_location(module.location(reused));
    value = builder.create_value(OpKind::Reshape, {value}, root);
  }
  ir::Builder here = ir::Builder::before(module, wanted.reshard);
  for (const OpId op : wanted.chain.ops) {
    here.set_location(module.location(op));
    value = here.create_value(module.kind(op), {value}, Type(module.type(module.result(op))),
                              ir::AttributeMap(module.attributes(op)));
  }
  return value;
}

}  // namespace

bool reuse_reshards(Module& module) {
  bool changed = false;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyReshard)) continue;
    const std::optional<ReplacedReshard> sought = wanted(module, op);
    const std::optional<OpId> reused = sought ? find_reusable(module, *sought) : std::nullopt;
    if (!reused) continue;
    module.replace_all_uses(module.result(op), rebuild(module, *sought, *reused));
    module.erase(op);
    changed = true;
  }
  return changed;
}

}  // namespace shardy::passes

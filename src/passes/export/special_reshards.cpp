// Inserts reshards for ops that need special ones: dots, reshapes, ffts, ops on single devices.
// Spec: resharding A.9, A.10, A.12.2.
//
//   A.9   sdy.mesh @mesh = <["a"=2, "b"=2]>
//         %0 = dot %a [{"b"}, {"a"}], %b [{"a"}, {}]      %0 = dot %a, %b        [{"b"}, {}]
//           : [{"a"}, {}]                            ->   %1 = sdy.reshard %0    [{"a"}, {}]
//   A.10  sdy.mesh @mesh = <["a"=4, "b"=2]>
//         %0 = reshape %a [{"a", "b"}]               ->   %1 = sdy.reshard %a    [{"a":(1)2}]
//           : 12 -> 6x2                                   %0 = reshape %1        [{"a":(1)2}, {}]
//   A.12.2, sdy.mesh @d1 = <[], device_ids=[1]>
//         %0 = negate %a [<@d1, []>]                 ->   %1 = sdy.reshard %a    <@d1, []>
//                                                         %0 = negate %1         <@d1, []>
//                                                         %2 = sdy.reshard %0    <@mesh, [{}]>
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "passes/export/collective_rules.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"

namespace shardy::passes::explicit_reshards {

using propagation::FactorShare;

namespace {

// ---- A.9: dots ----------------------------------------------------------------------------------

/// The factor that has other axes in the result than in the operands.
struct FactorConflict {
  std::size_t factor = 0;
  AxisList wanted;  // axes of the operands
  AxisList have;    // axes of the result
};

/// A walk over the factors of a dot, which stops at a factor that excludes the special case.
class DotWalk {
 public:
  DotWalk(const FactorAxes& axes) : axes_(axes) {}

  /// Returns false if the dot is not the special case.
  bool add(std::size_t factor) {
    const auto& lhs = axes_.lists[0][factor];
    const auto& rhs = axes_.lists[1][factor];
    AxisList wanted;
    int64_t size = 0;
    if (lhs && rhs) {
      if (*lhs != *rhs) return false;
      if (!axes_.lists[2][factor]) {
        reduction_.insert(reduction_.end(), lhs->begin(), lhs->end());
        return true;
      }
      wanted = *lhs;
      size = std::max(axes_.tensor_sizes[0], axes_.tensor_sizes[1]);
    } else {
      wanted = lhs ? *lhs : rhs.value_or(AxisList());
      size = axes_.tensor_sizes[lhs ? 0 : 1];
      if (overlaps(AxisSpan(wanted), AxisSpan(one_sided_))) return false;
      append(one_sided_, wanted);
    }
    return compare_with_result(factor, wanted, size);
  }

  std::optional<FactorConflict> conflict() const {
    const bool fits = conflict_ && !conflict_->have.empty() && conflict_->have == reduction_;
    return fits ? conflict_ : std::nullopt;
  }

 private:
  bool compare_with_result(std::size_t factor, const AxisList& wanted, int64_t size) {
    const auto& have = axes_.lists[2][factor];
    if (!have || *have == wanted) return true;
    if (wanted.empty() || conflict_ || axes_.tensor_sizes[2] > size) return false;
    conflict_ = FactorConflict{factor, wanted, *have};
    return true;
  }

  const FactorAxes& axes_;
  AxisList reduction_;
  AxisList one_sided_;
  std::optional<FactorConflict> conflict_;
};

std::optional<FactorConflict> dot_conflict(const FactorAxes& axes) {
  DotWalk walk(axes);
  for (std::size_t factor = 0; factor < axes.num_factors(); ++factor) {
    if (!walk.add(factor)) return std::nullopt;
  }
  return walk.conflict();
}

/// Sets the axes of a factor in a tensor.
void set_factor(OpTensors& tensors, std::size_t tensor, std::size_t factor, const AxisList& axes) {
  const propagation::EntryRange entries = tensors.layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    if (tensors.layout.entry_factor(entry) != factor) continue;
    tensors.projection.entries[entry].axes = axes;
    tensors.projection.entries[entry].overflow.clear();
  }
}

}  // namespace

void reshard_dot(Module& module, const OpTensors& tensors) {
  const OpId op = tensors.op;
  const OptionalSharding old = ir::get_sharding(module, module.result(op));
  if (!old || module.num_operands(op) != 2 || module.num_results(op) != 1) return;
  const std::optional<FactorConflict> conflict = dot_conflict(factor_axes(module, tensors));
  if (!conflict) return;
  OpTensors changed = tensors;
  set_factor(changed, 2, conflict->factor, conflict->wanted);
  const TensorSharding wanted = old->with_replicated({}).with_dims(
      propagation::back_project(changed.layout, 2, changed.projection));
  const ValueId result = module.result(op);
  ir::set_sharding(module, result, wanted);
  insert_after(module, op, result, reshard_op(module, result, *old));
}

// ---- A.10: reshapes -----------------------------------------------------------------------------

namespace {

/// Returns all axes of a tensor by ascending factor; the overflow of a factor follows its axes.
AxisList axes_by_factor(const OpTensors& tensors, std::size_t tensor) {
  const propagation::EntryRange entries = tensors.layout.tensor_entries(tensor);
  std::vector<std::size_t> order;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) order.push_back(entry);
  std::ranges::sort(order, {},
                    [&](std::size_t entry) { return tensors.layout.entry_factor(entry); });
  AxisList all;
  for (const std::size_t entry : order) {
    const propagation::FactorSharding& factor = tensors.projection.entries[entry];
    append(all, factor.axes);
    append(all, factor.overflow);
  }
  return all;
}

/// Distributes the axes over the factors of a tensor and sets its dims accordingly.
void redistribute(OpTensors& tensors, std::size_t tensor, const AxisList& axes) {
  const propagation::FlatRule& layout = tensors.layout;
  const propagation::EntryRange entries = layout.tensor_entries(tensor);
  std::vector<FactorShare> shares;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    shares.push_back({.size = layout.factor_size(layout.entry_factor(entry))});
  }
  propagation::distribute_axes(shares, axes);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    propagation::FactorSharding& factor = tensors.projection.entries[entry];
    factor.axes = std::move(shares[entry - entries.begin].axes);
    factor.overflow = std::move(shares[entry - entries.begin].overflow);
    factor.is_mapped = true;
  }
  const std::vector<DimSharding> dims =
      propagation::back_project(layout, tensor, tensors.projection);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    tensors.projection.entries[entry] = {};
  }
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    propagation::project_dim(layout, layout.dim_entries(tensor, dim), dims[dim].axes,
                             dims[dim].is_closed, tensors.projection);
  }
}

/// Returns the sharding that follows from the common axes, if it places data differently from the
/// tensor's sharding; else std::nullopt.
OptionalSharding other_sharding(const OpTensors& tensors, std::size_t tensor,
                                const propagation::Projection& common) {
  const OptionalSharding& old = tensors.shardings[tensor];
  const TensorSharding base =
      old ? old->with_replicated({}).with_mesh(tensors.mesh)
          : TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name,
                                         tensors.layout.rank(tensor));
  const TensorSharding wanted = base.with_dims(wanted_dims(tensors, tensor, common));
  return is_equivalent(old, OptionalSharding(wanted)) ? std::nullopt : OptionalSharding(wanted);
}

/// Returns the other shardings under the axes that both sides have.
ReshapeSides sides_under(const OpTensors& tensors) {
  const propagation::Projection common = propagation::uniform_projection(
      tensors.layout, propagation::common_factor_axes(tensors.layout, tensors.projection));
  return {other_sharding(tensors, 0, common), other_sharding(tensors, 1, common)};
}

}  // namespace

void keep_exchanged_dims(const Module& module, OpTensors& tensors) {
  if (!module.is(tensors.op, OpKind::Reshape)) return;
  const OptionalSharding& from = tensors.shardings[0];
  const OptionalSharding& to = tensors.shardings[1];
  const ir::Type& in = module.type(module.operand(tensors.op, 0));
  const ir::Type& out = module.type(module.result(tensors.op));
  if (!from || !to || !in.is_static_tensor() || !out.is_static_tensor()) return;
  const std::vector<AxisList> in_axes = dim_axes(*from);
  const std::vector<AxisList> out_axes = dim_axes(*to);
  std::vector<std::vector<bool>> kept = {std::vector<bool>(in_axes.size()),
                                         std::vector<bool>(out_axes.size())};
  for (const ReshapeGroup& group : reshape_groups(in.dims(), out.dims())) {
    const std::size_t num_in = group.in_end - group.in_begin;
    const std::size_t num_out = group.out_end - group.out_begin;
    const GroupMove move = group_move(in.dims().subspan(group.in_begin, num_in),
                                      std::span(in_axes).subspan(group.in_begin, num_in),
                                      out.dims().subspan(group.out_begin, num_out),
                                      std::span(out_axes).subspan(group.out_begin, num_out));
    if (move != GroupMove::Exchange) continue;
    for (std::size_t dim = group.in_begin; dim < group.in_end; ++dim) kept[0][dim] = true;
    for (std::size_t dim = group.out_begin; dim < group.out_end; ++dim) kept[1][dim] = true;
  }
  tensors.kept = std::move(kept);
  project_all(tensors);
}

bool is_reshape_with_overflow(const Module& module, const OpTensors& tensors) {
  if (!module.is(tensors.op, OpKind::Reshape)) return false;
  return propagation::has_overflow(tensors.layout, 0, tensors.projection) ||
         propagation::has_overflow(tensors.layout, 1, tensors.projection);
}

ReshapeSides shared_sides(const OpTensors& tensors) { return sides_under(tensors); }

ReshapeSides redistributed_sides(OpTensors tensors) {
  const bool prefers_operand = propagation::sharding_size(tensors.layout, 0, tensors.projection) >=
                               propagation::sharding_size(tensors.layout, 1, tensors.projection);
  AxisList all = axes_by_factor(tensors, prefers_operand ? 0 : 1);
  // An axis along which a tensor is unreduced cannot shard its dims (A.15).
  for (const OptionalSharding& sharding : tensors.shardings) {
    if (sharding) truncate_without_overlap(all, sharding->unreduced_axes());
  }
  redistribute(tensors, 0, all);
  redistribute(tensors, 1, all);
  return sides_under(tensors);
}

StepCost reshape_cost(const CommonAxesQuery& query, const ReshapeSides& sides,
                      PricedPlanner& planner) {
  StepCost all;
  const TensorSharding& operand = query.tensors[0].sharding;
  const TensorSharding& result = query.tensors[1].sharding;
  if (sides.operand) add_cost(all, reshard_cost(query, 0, operand, *sides.operand, planner));
  if (sides.result) add_cost(all, reshard_cost(query, 1, *sides.result, result, planner));
  return all;
}

void reshard_reshape(Module& module, OpTensors& tensors, const ReshapeSides& sides) {
  if (sides.operand) {
    insert_before_use(module, {tensors.op, 0},
                      reshard_op(module, module.operand(tensors.op, 0), *sides.operand));
  }
  if (!sides.result) return;
  const ValueId result = module.result(tensors.op);
  const OptionalSharding old = ir::get_sharding(module, result);
  ir::set_sharding(module, result, *sides.result);
  reshard_result(module, tensors.op, result, old, *sides.result);
}

// ---- A.12.2: single devices ---------------------------------------------------------------------

namespace {

TensorSharding replicated_on(const MeshRef& mesh, const ir::Type& type) {
  return TensorSharding::fully_closed(mesh.mesh, mesh.name, ir::sharding_rank(type));
}

bool is_single_device(const OptionalSharding& sharding) {
  return sharding && sharding->mesh().is_maximal();
}

/// Returns the sharding of the only device that runs the op. Error: several devices.
Result<TensorSharding> the_device(const Module& module, OpId op) {
  const OptionalSharding found = single_device_sharding(module, op);
  for (const ValueId result : module.results(op)) {
    const OptionalSharding sharding = ir::get_sharding(module, result);
    if (!is_single_device(sharding) || found->mesh() == sharding->mesh()) continue;
    return fail_at(
        module.source_location(op),
        "'" + std::string(module.name(op)) + "' op has conflicting single-device result shardings");
  }
  return *found;
}

bool is_replicated_on(const OptionalSharding& sharding, const MeshRef& mesh) {
  return sharding && sharding->mesh() == mesh.mesh && sharding->is_fully_replicated() &&
         sharding->unreduced_axes().empty();
}

void send_operands(Module& module, OpId op, const TensorSharding& device, const MeshRef& mesh) {
  for (uint32_t index = 0; index < module.num_operands(op); ++index) {
    const ValueId operand = module.operand(op, index);
    if (!module.type(operand).is_tensor()) continue;
    const OptionalSharding have = ir::get_sharding(module, operand);
    if (is_single_device(have) && have->mesh() == device.mesh()) continue;
    if (!is_replicated_on(have, mesh)) {
      insert_before_use(module, {op, index},
                        reshard_op(module, operand, replicated_on(mesh, module.type(operand))));
    }
    insert_before_use(module, {op, index}, reshard_op(module, module.operand(op, index), device));
  }
}

void spread_results(Module& module, OpId op, const TensorSharding& device, const MeshRef& mesh) {
  if (module.num_results(op) == 0) return;
  ir::ShardingList own;
  OpId last = op;
  for (const ValueId result : module.results(op)) {
    const TensorSharding replicated = replicated_on(mesh, module.type(result));
    own.shardings.push_back(module.type(result).is_tensor() ? device : replicated);
    if (!module.type(result).is_tensor()) continue;
    const OptionalSharding old = ir::get_sharding(module, result);
    last = insert_after(module, last, result, reshard_op(module, result, replicated));
    if (!old || is_single_device(old) || is_replicated_on(old, mesh)) continue;
    const ValueId spread = module.result(last);
    last = insert_after(module, last, spread, reshard_op(module, spread, *old));
  }
  const std::string_view single = ir::detail::single_sharding_attr(module.kind(op));
  if (single.empty()) {
    module.attributes(op).set(ir::kShardingAttr, std::move(own));
  } else if (!own.shardings.empty()) {
    module.attributes(op).set(single, own.shardings.front());
  }
}

}  // namespace

Status reshard_single_device(Module& module, OpId op, const std::optional<MeshRef>& mesh) {
  SHARDY_TRY(const TensorSharding device, the_device(module, op));
  if (!mesh) return {};
  send_operands(module, op, device, *mesh);
  spread_results(module, op, device, *mesh);
  return {};
}

// ---- Transforms ---------------------------------------------------------------------------------
// An fft of several sharded dims becomes ffts along unsharded dims with all-to-alls in between.
// Spec: resharding A.10.1.
//
//   %1 = fft %0, length = [M, N]         %1 = fft of dim 1 of %0        [{"x"}, {}]
//     : [{"x"}, {}]                 ->   %2 = sdy.reshard %1            [{}, {"x"}]
//                                        %3 = fft of dim 0 of %2        [{}, {"x"}]
//                                        %4 = sdy.reshard %3            [{"x"}, {}]

namespace {

using FftDims = std::vector<std::size_t>;

/// An fft of several dims and its shardings.
struct Transform {
  Type operand;
  Type result;
  // Index of the first transformed dim; the transformed dims are the last ones.
  std::size_t first = 0;
  int64_t last_length = 0;  // length of the last dim; for RFFT and IRFFT in real numbers
  std::string type;
  AxisLists from;
  AxisLists to;

  std::size_t last() const { return operand.dims().size() - 1; }
  bool is_real() const { return type == "RFFT" || type == "IRFFT"; }
  /// Returns the complex transform in the same direction.
  std::string complex_type() const { return type.front() == 'I' ? "IFFT" : "FFT"; }
};

/// The dims that are transformed while the value has the axes `axes`.
struct TransformStage {
  FftDims dims;
  AxisLists axes;
  std::string type;
  Type result;
  int64_t last_length = 0;  // length of the last transformed dim
};

/// A schedule of an fft as stages: finds axes with which each transformed dim is unsharded in its
/// stage.
class Passes {
 public:
  explicit Passes(const Transform& transform)
      : transform_(transform), here_(transform.from), now_(transform.operand) {
    todo_.resize(transform.last() + 1 - transform.first);
    std::iota(todo_.begin(), todo_.end(), transform.first);
  }

  /// Returns the stages; empty if a dim cannot give its axes to another dim.
  std::vector<TransformStage> run() {
    while (!todo_.empty()) {
      const FftDims ready = whole_dims();
      if (ready.empty() && !make_whole(next_dim())) return {};
      if (!ready.empty()) transform(ready);
    }
    return std::move(passes_);
  }

 private:
  bool is_todo(std::size_t dim) const { return std::ranges::find(todo_, dim) != todo_.end(); }

  /// Returns the pending dims that are unsharded. Only the last dim has real data, so RFFT
  /// transforms it first and IRFFT last.
  FftDims whole_dims() const {
    const std::size_t last = transform_.last();
    const bool forward = transform_.type == "RFFT" && is_todo(last);
    if (forward && !here_[last].empty()) return {};
    FftDims whole;
    for (const std::size_t dim : todo_) {
      if (here_[dim].empty()) whole.push_back(dim);
    }
    const bool too_early = transform_.type == "IRFFT" && whole.size() < todo_.size();
    if (too_early) std::erase(whole, last);
    return whole;
  }

  std::size_t next_dim() const {
    return transform_.type == "RFFT" && is_todo(transform_.last()) ? transform_.last()
                                                                   : todo_.front();
  }

  AxisList with_axes(std::size_t target, const AxisList& axes) const {
    AxisList all = here_[target];
    for (const AxisRef& axis : axes) append_or_merge(all, axis);
    return all;
  }

  /// Checks whether the new shards of the target are nested in its old ones (resharding B.7).
  bool nests(std::size_t target, const AxisList& axes) const {
    const int64_t size = now_.dim(target);
    const int64_t shards = sharding_size(here_[target]);
    const int64_t more = sharding_size(axes);
    return size > 1 &&
           (shards == 1 || ceil_div(size, shards) == more * ceil_div(size, shards * more));
  }

  /// Sort key of the dims that can get the axes: first dims that have them in the result, then dims
  /// with the least padding, then dims without a pending transform.
  std::tuple<bool, double, bool> order_of(std::size_t target, const AxisList& axes) const {
    const AxisList wanted = with_axes(target, axes);
    const int64_t shards = sharding_size(wanted);
    const auto padded = static_cast<double>(ceil_div(now_.dim(target), shards) * shards);
    return {transform_.to[target] != wanted, padded / static_cast<double>(now_.dim(target)),
            is_todo(target)};
  }

  /// Moves the axes of the dim to another dim.
  bool make_whole(std::size_t dim) {
    const AxisList axes = here_[dim];
    std::optional<std::size_t> best;
    for (std::size_t target = 0; target < here_.size(); ++target) {
      if (target == dim || !nests(target, axes)) continue;
      if (!best || order_of(target, axes) < order_of(*best, axes)) best = target;
    }
    if (!best) return false;
    here_[*best] = with_axes(*best, axes);
    here_[dim].clear();
    return true;
  }

  void transform(const FftDims& dims) {
    const std::size_t last = transform_.last();
    const bool resizes = transform_.is_real() && dims.back() == last;
    std::vector<int64_t> sizes(now_.dims().begin(), now_.dims().end());
    if (resizes) sizes[last] = transform_.result.dim(last);
    const bool is_complex = transform_.type == "IRFFT" && !resizes;
    const Type& like = is_complex ? transform_.operand : transform_.result;
    now_ = like.with_dims(std::move(sizes));
    passes_.push_back({dims, here_, resizes ? transform_.type : transform_.complex_type(), now_,
                       resizes ? transform_.last_length : now_.dim(dims.back())});
    std::erase_if(todo_, [&](std::size_t dim) { return std::ranges::count(dims, dim) > 0; });
  }

  const Transform& transform_;
  AxisLists here_;
  Type now_;
  FftDims todo_;
  std::vector<TransformStage> passes_;
};

/// A value between two stages, with its shardings before and after the reshard between them.
struct StagedValue {
  Type type;
  TensorSharding from;
  TensorSharding to;
};

std::vector<StagedValue> exchanges_of(const Transform& transform,
                                      std::span<const TransformStage> passes, const MeshRef& mesh) {
  const auto sharding = [&](const AxisLists& axes) { return TensorSharding::closed(mesh, axes); };
  std::vector<StagedValue> all;
  Type type = transform.operand;
  AxisLists here = transform.from;
  for (const TransformStage& pass : passes) {
    all.push_back({type, sharding(here), sharding(pass.axes)});
    type = pass.result;
    here = pass.axes;
  }
  all.push_back({type, sharding(here), sharding(transform.to)});
  return all;
}

using TransformPrice = std::tuple<double, int64_t, int64_t>;  // time in s, bytes, messages

/// Returns the cost of all reshards; std::nullopt if a reshard has no plan.
std::optional<TransformPrice> price_of(std::span<const StagedValue> exchanges,
                                       const BoundAxes& bound, PricedPlanner& planner) {
  TransformPrice all;
  for (const StagedValue& each : exchanges) {
    const TensorSize size{each.type.dims(),
                          static_cast<int64_t>(ir::size_bytes(each.type.element()))};
    const auto steps = planner.plan(size, each.from, each.to, bound);
    if (!steps) return std::nullopt;
    const StepCost cost = plan_cost(size, each.from, *steps, planner.options().model);
    std::get<0>(all) += cost.seconds;
    std::get<1>(all) += cost.bytes;
    std::get<2>(all) += cost.messages;
  }
  return all;
}

// ---- Ops ----------------------------------------------------------------------------------------

template <class Value>
std::vector<Value> permuted(std::span<const Value> values, std::span<const int64_t> order) {
  std::vector<Value> result;
  for (const int64_t from : order) result.push_back(values[static_cast<std::size_t>(from)]);
  return result;
}

/// Returns all dims; the dims of the stage come last.
std::vector<int64_t> order_of(const TransformStage& pass) {
  std::vector<int64_t> order(pass.axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t dim) {
    return std::ranges::count(pass.dims, static_cast<std::size_t>(dim));
  });
  return order;
}

std::vector<int64_t> inverse_of(std::span<const int64_t> order) {
  std::vector<int64_t> inverse(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    inverse[static_cast<std::size_t>(order[at])] = static_cast<int64_t>(at);
  }
  return inverse;
}

/// A builder that inserts ops before the fft.
class PassMaker {
 public:
  PassMaker(Module& module, OpId op, MeshRef mesh)
      : module_(module), mesh_(std::move(mesh)), builder_(ir::Builder::before(module, op)) {
    builder_.set_location(module.location(op));
  }

  ValueId resharded(ValueId value, const StagedValue& exchange) {
    if (exchange.from == exchange.to) return value;
    return module_.result(builder_.create(reshard_op(module_, value, exchange.to)));
  }

  ValueId transformed(ValueId value, const TransformStage& pass) {
    const std::vector<int64_t> order = order_of(pass);
    value = transposed(value, order, pass.axes);
    const AxisLists axes = permuted<AxisList>(pass.axes, order);
    const Type type = pass.result.with_dims(permuted<int64_t>(pass.result.dims(), order));
    std::vector<int64_t> length;
    for (const std::size_t dim : pass.dims) length.push_back(pass.result.dim(dim));
    length.back() = pass.last_length;
    value = make(OpKind::Fft, value, type, axes, ir::attributes_of(ir::FftOp{length, pass.type}));
    return transposed(value, inverse_of(order), axes);
  }

 private:
  ValueId transposed(ValueId value, const std::vector<int64_t>& order, const AxisLists& axes) {
    if (std::ranges::is_sorted(order)) return value;
    const Type& from = module_.type(value);
    return make(OpKind::Transpose, value, from.with_dims(permuted<int64_t>(from.dims(), order)),
                permuted<AxisList>(axes, order), ir::attributes_of(ir::TransposeOp{order}));
  }

  ValueId make(OpKind kind, ValueId operand, const Type& type, const AxisLists& axes,
               ir::AttributeMap attributes) {
    const ValueId value = builder_.create_value(kind, {operand}, type, std::move(attributes));
    ir::set_sharding(module_, value, TensorSharding::closed(mesh_, axes));
    return value;
  }

  Module& module_;
  MeshRef mesh_;
  ir::Builder builder_;
};

/// Reads the op; std::nullopt if no dim is sharded or a sharding has unreduced axes.
std::optional<Transform> read_transform(const Module& module, OpId op,
                                        const CommonAxesQuery& query) {
  const auto fft = ir::view<ir::FftOp>(module, op);
  const TensorSharding& from = query.tensors.front().sharding;
  const TensorSharding& to = query.tensors.back().sharding;
  const Type& type = module.type(module.operand(op, 0));
  if (fft.length.size() < 2 || from.mesh_ref() != to.mesh_ref()) return std::nullopt;
  if (type.num_elements() == 0 || fft.length.back() == 0) return std::nullopt;
  return Transform{type,
                   module.type(module.result(op)),
                   type.dims().size() - fft.length.size(),
                   fft.length.back(),
                   std::string(fft.type),
                   dim_axes(from),
                   dim_axes(to)};
}

/// Returns the axes that `value` had before a reshard: looks through elementwise ops up to the
/// reshard. std::nullopt without such a reshard.
std::optional<AxisLists> axes_before_reshard(const Module& module, ValueId value) {
  constexpr int kMaxOps = 16;
  for (int ops = 0; ops < kMaxOps; ++ops) {
    const OpId op = module.defining_op(value);
    if (!op.valid() || module.num_operands(op) == 0) return std::nullopt;
    value = module.operand(op, 0);
    if (is_plain_elementwise(module, op)) continue;
    const auto held = ir::get_sharding(module, value);
    const auto brought = ir::get_sharding(module, module.result(op));
    const bool is_exchange = module.is(op, OpKind::SdyReshard) && held && brought &&
                             held->mesh_ref() == brought->mesh_ref() &&
                             held->unreduced_axes().empty();
    if (!is_exchange) return std::nullopt;
    return dim_axes(*held);
  }
  return std::nullopt;
}

/// The stages of a transform, the reshards around them, and the cost of the reshards.
struct Split {
  std::vector<TransformStage> passes;
  std::vector<StagedValue> exchanges;
  TransformPrice price;
};

/// Returns the stages for an operand with the axes `start`; std::nullopt if none exists.
std::optional<Split> split_from(const Transform& transform, const AxisLists& start,
                                const CommonAxesQuery& query, PricedPlanner& planner) {
  Transform there = transform;
  there.from = start;
  Split split{.passes = Passes(there).run(), .exchanges = {}, .price = {}};
  if (split.passes.empty()) return std::nullopt;
  const MeshRef mesh = query.tensors.front().sharding.mesh_ref();
  split.exchanges = exchanges_of(transform, split.passes, mesh);
  const auto price = price_of(split.exchanges, query.bound, planner);
  if (!price) return std::nullopt;
  split.price = *price;
  return split;
}

}  // namespace

bool split_transform(Module& module, OpId op, const CommonAxesQuery& query, const StepCost& at_once,
                     PricedPlanner& planner) {
  if (!module.is(op, OpKind::Fft)) return false;
  const auto transform = read_transform(module, op, query);
  if (!transform) return false;
  auto split = split_from(*transform, transform->from, query, planner);
  // Stages that start with the axes at the end of an earlier fft make the reshards between the two
  // ffts cancel.
  if (const auto start = axes_before_reshard(module, module.operand(op, 0))) {
    auto other = split_from(*transform, *start, query, planner);
    if (other && (!split || other->price <= split->price)) split = std::move(other);
  }
  if (!split || split->price >= TransformPrice(at_once.seconds, at_once.bytes, at_once.messages)) {
    return false;
  }
  const auto& [passes, exchanges, price] = *split;
  PassMaker make(module, op, query.tensors.front().sharding.mesh_ref());
  ValueId value = module.operand(op, 0);
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    value = make.transformed(make.resharded(value, exchanges[pass]), passes[pass]);
  }
  module.replace_all_uses(module.result(op), make.resharded(value, exchanges.back()));
  module.erase(op);
  return true;
}

}  // namespace shardy::passes::explicit_reshards

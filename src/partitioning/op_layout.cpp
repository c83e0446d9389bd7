// Computes layouts from the sharding rule of an op: the axes of a factor shard every dim that has
// the factor.
//
//   dot ([i, k], [k, j])->([i, j]) of %a [{}, {"y"}] and %b [{"y"}, {}] to [{"x"}, {}]
//                           %a              %b             result
//   Reductions::Whole   ->  [{"x"}, {}]     [{}, {}]       [{"x"}, {}]
//   Reductions::Sharded ->  [{"x"}, {"y"}]  [{"y"}, {}]    [{"x"}, {}], partial over {"y"}
#include "partitioning/op_layout.hpp"

#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

namespace {

std::vector<AxisList> whole(const Type& type) {
  return std::vector<AxisList>(type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0);
}

/// Returns the only factor of the dim, if it has the size of the dim; else -1.
int32_t only_factor(const OpShardingRule& rule, const DimMapping& dim, int64_t size) {
  return dim.size() == 1 && rule.factor_size(dim[0]) == size ? dim[0] : -1;
}

bool overlaps_any(const AxisList& axes, const std::vector<AxisList>& others) {
  return std::ranges::any_of(others, [&](const AxisList& other) {
    return std::ranges::any_of(axes, [&](const AxisRef& a) {
      return std::ranges::any_of(other, [&](const AxisRef& b) { return overlaps(a, b); });
    });
  });
}

/// An assignment of axes to factors, from which the axes of dims follow.
class FactorAssignment {
 public:
  FactorAssignment(const Lowering& lowering, OpId op, const OpShardingRule& rule)
      : lowering_(lowering),
        input_(lowering.input()),
        op_(op),
        rule_(rule),
        axes_(static_cast<std::size_t>(rule.num_factors())) {}

  OpLayout run(Reductions reductions) {
    take_from_results();
    if (reductions != Reductions::Whole) take_reductions(reductions);
    OpLayout layout = whole_layout(input_, op_);
    layout.reduced_dims.resize(layout.operands.size());
    for (std::size_t index = 0; index < layout.operands.size(); ++index) {
      lay_out(rule_.operands()[index], input_.operand(op_, index), layout.operands[index],
              &layout.reduced_dims[index]);
    }
    for (std::size_t index = 0; index < layout.results.size(); ++index) {
      lay_out(rule_.results()[index], input_.result(op_, index), layout.results[index], nullptr);
    }
    layout.reduced = sort_and_merge(std::move(reduced_));
    layout.sources = sources();
    return layout;
  }

 private:
  int32_t factor_of(const TensorMapping& mapping, ValueId value, std::size_t dim) const {
    return only_factor(rule_, mapping.dims[dim], input_.type(value).dim(dim));
  }
  std::size_t rank(ValueId value) const {
    const Type& type = input_.type(value);
    return type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0;
  }

  /// Gives each pass-through factor the axes of the first result dim that has the factor.
  void take_from_results() {
    for (std::size_t index = 0; index < input_.num_results(op_); ++index) {
      const ValueId result = input_.result(op_, index);
      const std::vector<AxisList> wanted = lowering_.axes_of(result);
      for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
        if (wanted[dim].empty()) continue;
        const int32_t factor = factor_of(rule_.results()[index], result, dim);
        if (factor < 0 || rule_.factor_kind(factor) != FactorKind::PassThrough) continue;
        AxisList& axes = axes_[static_cast<std::size_t>(factor)];
        if (axes.empty() && !overlaps_any(wanted[dim], axes_)) axes = wanted[dim];
      }
    }
  }

  /// Gives factors that occur in no result the axes of the first operand dim that has the factor.
  /// Axes of result dims are excluded, even if the dim is not sharded.
  void take_reductions(Reductions reductions) {
    AxisList taken;
    for (std::size_t index = 0; index < input_.num_results(op_); ++index) {
      append(taken, flatten(lowering_.axes_of(input_.result(op_, index))));
    }
    for (const int32_t factor : rule_.reduction_factors()) {
      AxisList axes = truncate_by_removing_overlaps(axes_in_operands(factor), taken);
      const int64_t shards = sharding_size(axes);
      const bool is_even = rule_.factor_size(factor) % shards == 0;
      if (shards == 1 || (reductions == Reductions::Even && !is_even)) continue;
      append(taken, axes);
      append(reduced_, axes);
      axes_[static_cast<std::size_t>(factor)] = std::move(axes);
    }
  }

  AxisList axes_in_operands(int32_t factor) const {
    for (std::size_t index = 0; index < input_.num_operands(op_); ++index) {
      const ValueId operand = input_.operand(op_, index);
      const std::vector<AxisList>& held = lowering_.local(operand).axes;
      for (std::size_t dim = 0; dim < held.size(); ++dim) {
        if (factor_of(rule_.operands()[index], operand, dim) == factor) return held[dim];
      }
    }
    return {};
  }

  void lay_out(const TensorMapping& mapping, ValueId value, std::vector<AxisList>& layout,
               std::vector<std::size_t>* reduced) const {
    for (std::size_t dim = 0; dim < layout.size(); ++dim) {
      const int32_t factor = factor_of(mapping, value, dim);
      if (factor < 0) continue;
      layout[dim] = axes_[static_cast<std::size_t>(factor)];
      const bool is_reduced = rule_.factor_kind(factor) == FactorKind::Reduction;
      if (reduced != nullptr && is_reduced && !layout[dim].empty()) reduced->push_back(dim);
    }
  }

  std::vector<int32_t> sources() const {
    if (input_.num_operands(op_) == 0 || input_.num_results(op_) == 0) return {};
    const ValueId operand = input_.operand(op_, 0);
    const ValueId result = input_.result(op_);
    std::vector<int32_t> of_factor(static_cast<std::size_t>(rule_.num_factors()), -1);
    for (std::size_t dim = 0; dim < rank(operand); ++dim) {
      const int32_t factor = factor_of(rule_.operands()[0], operand, dim);
      if (factor >= 0) of_factor[static_cast<std::size_t>(factor)] = static_cast<int32_t>(dim);
    }
    std::vector<int32_t> sources(rank(result), -1);
    for (std::size_t dim = 0; dim < sources.size(); ++dim) {
      const int32_t factor = factor_of(rule_.results()[0], result, dim);
      if (factor >= 0) sources[dim] = of_factor[static_cast<std::size_t>(factor)];
    }
    return sources;
  }

  const Lowering& lowering_;
  const ir::Module& input_;
  OpId op_;
  const OpShardingRule& rule_;
  std::vector<AxisList> axes_;  // per factor
  AxisList reduced_;
};

/// Returns true for ops that only move elements; the padding of their results has the value of the
/// operand's padding.
bool moves_elements(OpKind kind) {
  return kind == OpKind::Transpose || kind == OpKind::BroadcastInDim;
}

}  // namespace

PartitionedValue laid_out_operand(Lowering& lowering, OpId op, std::size_t index,
                                  const OpLayout& layout) {
  PartitionedValue value = lowering.local(lowering.input().operand(op, index));
  value = lowering.reshard_to(op, std::move(value), layout.operands[index]);
  if (layout.reduced.empty() || layout.reduced_dims[index].empty()) return value;
  // Zeroes the padding in all operands of a product: 0 * NaN in the padding of one would make the
  // sum NaN.
  const ir::Literal zero = ir::splat_literal(Type::tensor({}, value.global.element()), 0);
  return lowering.mask(std::move(value), layout.reduced_dims[index], zero);
}

OpLayout whole_layout(const ir::Module& module, OpId op) {
  OpLayout layout;
  layout.operands.reserve(module.num_operands(op));
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    layout.operands.push_back(whole(module.type(module.operand(op, index))));
  }
  layout.results.reserve(module.num_results(op));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    layout.results.push_back(whole(module.type(module.result(op, index))));
  }
  return layout;
}

std::optional<OpLayout> layout_by_rule(const Lowering& lowering, OpId op, Reductions reductions) {
  const rules::RuleResult rule = lowering.rule_of(op);
  if (!rule || !*rule) return std::nullopt;
  return FactorAssignment(lowering, op, **rule).run(reductions);
}

Status lower_laid_out(Lowering& lowering, OpId op, const OpLayout& layout) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  std::vector<std::optional<ir::Literal>> padding;  // padding values of the first operand
  operands.reserve(input.num_operands(op));
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    const PartitionedValue& held = lowering.local(input.operand(op, index));
    // laid_out_operand would return a copy.
    const bool is_laid_out = layout.reduced.empty() && held.axes == layout.operands[index];
    if (is_laid_out && index == 0 && moves_elements(input.kind(op))) padding = held.padding;
    if (is_laid_out) {
      operands.push_back(held.value);
      continue;
    }
    PartitionedValue operand = laid_out_operand(lowering, op, index, layout);
    operands.push_back(operand.value);
    if (index == 0) padding = std::move(operand.padding);
  }
  std::vector<Type> types;
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    types.push_back(
        lowering.local_type(input.type(input.result(op, index)), layout.results[index]));
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue made = lowering.make(lowering.output().result(local, index),
                                          input.type(result), layout.results[index]);
    for (std::size_t dim = 0; moves_elements(input.kind(op)) && dim < made.axes.size(); ++dim) {
      const int32_t from = layout.sources.empty() ? -1 : layout.sources[dim];
      if (from >= 0) made.padding[dim] = padding[static_cast<std::size_t>(from)];
    }
    if (sharding_size(layout.reduced) > 1) {
      made.partial = PartialResult{layout.reduced, OpKind::Add, ValueId()};
    }
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

}  // namespace shardy::partitioning

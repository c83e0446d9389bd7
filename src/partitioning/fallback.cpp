// Ops without a lowering of their own: local along the dims that their sharding rule passes
// through, whole along the others. Spec: partitioning 5.9, 8.
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/rules/custom_call.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Axes per dim of each operand and result of an op.
struct OpLayout {
  std::vector<std::vector<AxisList>> operands;
  std::vector<std::vector<AxisList>> results;
};

std::vector<std::vector<AxisList>> whole(const ir::Module& module,
                                         std::span<const ValueId> values) {
  std::vector<std::vector<AxisList>> layouts;
  for (const ValueId value : values) {
    const ir::Type& type = module.type(value);
    layouts.emplace_back(type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0);
  }
  return layouts;
}

/// Computes the op on what the devices have under that layout.
Status lower_laid_out(Lowering& lowering, OpId op, const OpLayout& layout) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    LocalValue operand = lowering.local(input.operand(op, index));
    operands.push_back(lowering.conform(op, std::move(operand), layout.operands[index]).value);
  }
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    types.push_back(
        lowering.local_type(input.type(input.result(op, index)), layout.results[index]));
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    LocalValue made = lowering.make(lowering.output().result(local, index), input.type(result),
                                    layout.results[index]);
    lowering.bind(result, lowering.conform(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

/// The factor that is all of a dim and passes through; -1 if there is none.
int32_t only_factor(const OpShardingRule& rule, const DimMapping& dim, int64_t size) {
  if (dim.size() != 1 || rule.factor_size(dim[0]) != size) return -1;
  return rule.factor_kind(dim[0]) == FactorKind::PassThrough ? dim[0] : -1;
}

bool overlaps_any(const AxisList& axes, const std::vector<AxisList>& others) {
  return std::ranges::any_of(others, [&](const AxisList& other) {
    return std::ranges::any_of(axes, [&](const AxisRef& a) {
      return std::ranges::any_of(other, [&](const AxisRef& b) { return overlaps(a, b); });
    });
  });
}

/// Axes of each factor: those of the first result dim that it is.
std::vector<AxisList> factor_axes(const Lowering& lowering, OpId op, const OpShardingRule& rule) {
  const ir::Module& input = lowering.input();
  std::vector<AxisList> axes(static_cast<std::size_t>(rule.num_factors()));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    const std::vector<AxisList> wanted = lowering.axes_of(result);
    for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
      const int32_t factor =
          only_factor(rule, rule.results()[index].dims[dim], input.type(result).dim(dim));
      if (factor < 0 || !axes[static_cast<std::size_t>(factor)].empty()) continue;
      if (overlaps_any(wanted[dim], axes)) continue;
      axes[static_cast<std::size_t>(factor)] = wanted[dim];
    }
  }
  return axes;
}

void lay_out(const OpShardingRule& rule, std::span<const TensorMapping> mappings,
             std::span<const AxisList> factors, std::span<const ir::Type> types,
             std::vector<std::vector<AxisList>>& layouts) {
  for (std::size_t index = 0; index < layouts.size(); ++index) {
    for (std::size_t dim = 0; dim < layouts[index].size(); ++dim) {
      const int32_t factor = only_factor(rule, mappings[index].dims[dim], types[index].dim(dim));
      if (factor >= 0) layouts[index][dim] = factors[static_cast<std::size_t>(factor)];
    }
  }
}

std::vector<ir::Type> types_of(const ir::Module& module, std::span<const ValueId> values) {
  std::vector<ir::Type> types;
  for (const ValueId value : values) types.push_back(module.type(value));
  return types;
}

}  // namespace

/// REPLICATE_AND_SLICE. Spec: partitioning 5.9.
Status lower_replicated(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  return lower_laid_out(lowering, op,
                        {whole(input, input.operands(op)), whole(input, input.results(op))});
}

/// For ops whose attributes say nothing of the size of a dim that passes through: slices of the
/// operands give the slice of the results, whatever the padding holds.
Status lower_by_rule(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const rules::RuleResult found = rules::Registry().rule_for(rules::OpView(input, op));
  if (!found || !*found) return lower_replicated(lowering, op);
  const OpShardingRule& rule = **found;
  const std::vector<ValueId> operands = input.operands(op);
  const std::vector<AxisList> factors = factor_axes(lowering, op, rule);
  OpLayout layout{whole(input, operands), whole(input, input.results(op))};
  lay_out(rule, rule.operands(), factors, types_of(input, operands), layout.operands);
  lay_out(rule, rule.results(), factors, types_of(input, input.results(op)), layout.results);
  return lower_laid_out(lowering, op, layout);
}

/// Spec: partitioning 8.21.
Status lower_custom_call(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::string_view target = rules::call_target(rules::OpView(input, op));
  const bool is_marker = rules::is_manual_marker(target);
  const bool may_annotate =
      target == "Sharding" || target == "xla.sdy.FuncResultSharding" || is_marker;
  const bool keeps_types =
      types_of(input, input.operands(op)) == types_of(input, input.results(op));
  if (may_annotate && keeps_types) return lower_identity(lowering, op);
  if (is_marker) {
    return lowering.error(op, "E_UNSUPPORTED_OP", std::string(rules::kManualMarkerNote));
  }
  if (target.starts_with("check.")) return lower_replicated(lowering, op);
  const auto* has_effect = input.attribute<bool>(op, "has_side_effect");
  if (has_effect != nullptr && *has_effect) {
    return lowering.error(op, "E_SIDE_EFFECT",
                          "every device would run it; only a call without side effects may be");
  }
  return lower_by_rule(lowering, op);
}

}  // namespace shardy::partitioning

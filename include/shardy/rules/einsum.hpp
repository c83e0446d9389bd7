// Rules of embedders, written like einsum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/einsum_rule.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::rules {

namespace detail {

inline std::vector<std::vector<int64_t>> shapes_of(const OpView& op, bool of_results) {
  std::vector<std::vector<int64_t>> shapes;
  const std::size_t count = of_results ? op.num_results() : op.num_operands();
  for (std::size_t index = 0; index < count; ++index) {
    const Shape shape = of_results ? op.result_shape(index) : op.operand_shape(index);
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

}  // namespace detail

/// The rule that an einsum is for the shapes of `op`. Errors: those of shardy::resolve.
inline Result<OpShardingRule> einsum_rule(const OpView& op, const EinsumRule& einsum) {
  return shardy::resolve(einsum, detail::shapes_of(op, false), detail::shapes_of(op, true));
}

/// For Registry::add and add_custom_call. Errors: those of parse_einsum_rule.
inline Result<RuleMaker> einsum_maker(std::string_view text) {
  SHARDY_TRY(EinsumRule einsum, parse_einsum_rule(text));
  return RuleMaker(
      [einsum = std::move(einsum)](const OpView& op, const RuleOptions&) -> RuleResult {
        SHARDY_TRY(OpShardingRule rule, einsum_rule(op, einsum));
        return std::optional<OpShardingRule>(std::move(rule));
      });
}

/// A first guess at the einsum of an op without a rule: dims of the same size at the same place of
/// several tensors are one factor, all others are on their own.
///
/// Example: 8x4, 4 -> 8x4: `i j, k -> i j`.
std::string suggested_einsum(const OpView& op);

/// What to do about an op without a rule: the einsum to add, or what it is that can have none.
std::string missing_rule_note(const OpView& op);

// -------------------------------------------------------------------------------------------------

namespace detail {

/// `i`, ..., `z`, then `f18`, `f19`, ...
inline std::string suggested_name(std::size_t index) {
  constexpr std::size_t kNumLetters = 18;
  return index < kNumLetters ? std::string(1, static_cast<char>('i' + index))
                             : "f" + std::to_string(index);
}

/// Names of factors, by dim and size.
using SuggestedNames = std::map<std::pair<std::size_t, int64_t>, std::string>;

inline EinsumTensor suggested_tensor(const std::vector<int64_t>& shape, SuggestedNames& names) {
  EinsumTensor tensor;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto [name, is_new] = names.try_emplace({dim, shape[dim]});
    if (is_new) name->second = suggested_name(names.size() - 1);
    tensor.dims.push_back({name->second});
  }
  return tensor;
}

}  // namespace detail

inline std::string suggested_einsum(const OpView& op) {
  detail::SuggestedNames names;
  EinsumRule einsum;
  const auto add = [&](const std::vector<std::vector<int64_t>>& shapes,
                       std::vector<EinsumTensor>& tensors) {
    for (const std::vector<int64_t>& shape : shapes) {
      tensors.push_back(detail::suggested_tensor(shape, names));
    }
  };
  add(detail::shapes_of(op, false), einsum.operands);
  add(detail::shapes_of(op, true), einsum.results);
  return to_string(einsum);
}

inline std::string missing_rule_note(const OpView& op) {
  if (is_manual_marker(call_target(op))) return std::string(kManualMarkerNote);
  return "add one: sdy.sharding_rule = \"" + suggested_einsum(op) + "\"";
}

}  // namespace shardy::rules

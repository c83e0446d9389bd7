// Rules of embedders, written like einsum.
#pragma once

#include <cstdint>
#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::rules {

namespace detail {

std::vector<std::vector<int64_t>> shapes_of(const OpView& op, bool of_results);

}  // namespace detail

/// The rule that an einsum is for the shapes of `op`. Errors: those of shardy::resolve.
inline Result<OpShardingRule> einsum_rule(const OpView& op, const EinsumRule& einsum) {
  return shardy::resolve(einsum, detail::shapes_of(op, false), detail::shapes_of(op, true));
}

/// For Registry::add and add_custom_call. Errors: those of parse_einsum_rule.
Result<RuleMaker> einsum_maker(std::string_view text);

/// Guesses the einsum of an op without a rule: dims of the same size at the same place of several
/// tensors are one factor, all others are on their own. The guess may be false of the op: it is for
/// a Cholesky decomposition.
///
/// Example: 8x4, 4 -> 8x4: `i j, k -> i j`.
std::string suggested_einsum(const OpView& op);

/// Returns what to do about an op without a rule: a rule that is true of any op, the guess with the
/// condition under which it is true, and how to test a rule; or why the op can have no rule.
std::string missing_rule_note(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <map>
#include <optional>
#include <shardy/rules/custom_call.hpp>
#include <utility>

namespace shardy::rules::detail {

/// Names of factors, by dim and size.
using SuggestedNames = std::map<std::pair<std::size_t, int64_t>, std::string>;

SHARDY_INLINE std::vector<std::vector<int64_t>> shapes_of(const OpView& op, bool of_results) {
  std::vector<std::vector<int64_t>> shapes;
  const std::size_t count = of_results ? op.num_results() : op.num_operands();
  for (std::size_t index = 0; index < count; ++index) {
    const Shape shape = of_results ? op.result_shape(index) : op.operand_shape(index);
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<RuleMaker> einsum_maker(std::string_view text) {
  SHARDY_TRY(EinsumRule einsum, parse_einsum_rule(text));
  return RuleMaker(
      [einsum = std::move(einsum)](const OpView& op, const RuleOptions&) -> RuleResult {
        SHARDY_TRY(OpShardingRule rule, einsum_rule(op, einsum));
        return std::optional<OpShardingRule>(std::move(rule));
      });
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

/// `i`, ..., `z`, then `f18`, `f19`, ...
SHARDY_INLINE std::string suggested_name(std::size_t index) {
  constexpr std::size_t kNumLetters = 18;
  return index < kNumLetters ? std::string(1, static_cast<char>('i' + index))
                             : "f" + std::to_string(index);
}

SHARDY_INLINE EinsumTensor suggested_tensor(const std::vector<int64_t>& shape,
                                            SuggestedNames& names) {
  EinsumTensor tensor;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto [name, is_new] = names.try_emplace({dim, shape[dim]});
    if (is_new) name->second = suggested_name(names.size() - 1);
    tensor.dims.push_back({name->second});
  }
  return tensor;
}

/// The suggestion, and the names of its factors in the order in which they come up.
struct Suggestion {
  EinsumRule einsum;
  std::vector<std::string> factors;
};

SHARDY_INLINE Suggestion suggestion_for(const OpView& op) {
  SuggestedNames names;
  Suggestion suggestion;
  const auto add = [&](const std::vector<std::vector<int64_t>>& shapes,
                       std::vector<EinsumTensor>& tensors) {
    for (const std::vector<int64_t>& shape : shapes) {
      tensors.push_back(suggested_tensor(shape, names));
    }
  };
  add(shapes_of(op, false), suggestion.einsum.operands);
  add(shapes_of(op, true), suggestion.einsum.results);
  for (std::size_t index = 0; index < names.size(); ++index) {
    suggestion.factors.push_back(suggested_name(index));
  }
  return suggestion;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE std::string suggested_einsum(const OpView& op) {
  return to_string(detail::suggestion_for(op).einsum);
}

SHARDY_INLINE std::string missing_rule_note(const OpView& op) {
  if (is_manual_marker(call_target(op))) return std::string(kManualMarkerNote);
  detail::Suggestion suggestion = detail::suggestion_for(op);
  const std::string guess = to_string(suggestion.einsum);
  suggestion.einsum.need_replication = std::move(suggestion.factors);
  return "add a rule that is true of the op: sdy.sharding_rule = \"" +
         to_string(suggestion.einsum) + "\" always is; \"" + guess +
         "\", guessed from equal sizes, is true only if each shard of the results needs just the "
         "same shard of the operands; checking::check with a kernel of the op tests a rule";
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES

// Rules of embedders, written like einsum.
#pragma once

#include <cstdint>
#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/registry.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/einsum_inl.hpp>
#endif

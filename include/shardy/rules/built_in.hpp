// The table of the ops whose rules this library knows.
#pragma once

#include <array>
#include <cstddef>
#include <shardy/ir/op_table.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <string_view>

namespace shardy::rules {

/// How to make the rule of one kind of op, and what of the op the rule depends on besides its
/// shapes: ops that agree in all of that share their rule.
struct RuleEntry {
  using Make = RuleResult (*)(const OpView&, const RuleOptions&);  // makes the rule of an op
  using Look = bool (*)(const OpView&);  // asks one question about the graph around an op

  ir::OpKind kind = ir::OpKind::Unknown;            // the kind that the entry is for
  Make make = nullptr;                              // makes the rule
  std::size_t min_operands = 1;                     // an op with fewer has no rule
  std::array<std::string_view, 3> attributes = {};  // those it reads
  Look look = nullptr;                              // what it asks the graph, if anything
};

/// The row of a kind, or null when it has no built-in rule.
const RuleEntry* built_in_rule(ir::OpKind kind);

/// Ops that by design have no rule: nothing propagates through them, or it does by other means.
/// Spec: rules 9.1.
bool has_no_rule_by_design(ir::OpKind kind);

/// Checks whether the op is elementwise, for op priorities and conflicts. Spec: rules 9.4.
bool is_elementwise(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/built_in_inl.hpp>
#endif

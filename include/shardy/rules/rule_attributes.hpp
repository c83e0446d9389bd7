// Rules attached to the ops of a module.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/rules/registry.hpp>

namespace shardy::rules {

/// Attaches its rule to every op that has one and carries none. Errors: those of
/// Registry::rule_for, before anything is changed. Spec: rules 6.
Status populate_rules(ir::Module& module, const Registry& registry,
                      const RuleOptions& options = {});

/// Detaches all rules that are not custom. Spec: rules 6.
void drop_rules(ir::Module& module);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/rule_attributes_inl.hpp>
#endif

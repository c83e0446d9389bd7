// Attributes similar to shardings that no import reads. Spec: interop 10.
#pragma once

#include "passes/interop/sharding_attributes.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Checks a module before an import. Errors, one each: misspelled names of sharding attributes,
/// frontend attributes and custom calls; sharding texts under other names; shardings of values that
/// cannot have one.
PassErrors expect_known_attributes(const ir::Module& module);

/// Errors: a key with the prefix of sdy keys that is not one.
Status expect_known_keys(const ir::Module& module, const AttributePlace& place);

/// Returns an error for each sharding that no import read. `with_keys`: also for frontend
/// attributes of sdy.
PassErrors expect_none_left(const ir::Module& module, bool with_keys);

/// Returns an error for a custom call with an unknown target, with the closest known one.
Error unknown_target(const ir::Module& module, ir::OpId call, std::string_view why);

}  // namespace shardy::passes

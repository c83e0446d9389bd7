// Attributes similar to shardings that no import reads. Spec: interop 10.
#pragma once

#include "passes/interop/carriers.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Before an import. Errors, one for each: names of attributes, of frontend attributes and of
/// custom calls that are almost those of shardings; texts of shardings under other names; shardings
/// of what has none.
PassErrors expect_known_carriers(const ir::Module& module);

/// Errors: a key that begins like one of sdy, and is none.
Status expect_known_keys(const ir::Module& module, const Place& place);

/// After an import, reports each sharding at a place that no import reads. `with_keys`: also
/// frontend attributes of sdy.
PassErrors expect_none_left(const ir::Module& module, bool with_keys);

/// An error for a custom call of that target, with what may have been meant.
Error unknown_target(const ir::Module& module, ir::OpId call, std::string_view why);

}  // namespace shardy::passes

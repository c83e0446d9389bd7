// Warnings for well-formed but suspicious modules.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// Warnings, in program order: collectives whose unreduced axes change other than by what they
/// reduce; meshes with different numbers of devices (maximal and empty ones aside).
/// Error::location is the location of the op. Requires: verify accepts the module.
/// Spec: dialect 10 (option `strict`), D3, 11; algebra 1.5.
std::vector<Error> verify_strict(const Module& module);

}  // namespace shardy::ir

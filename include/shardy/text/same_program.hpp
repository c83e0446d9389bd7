// Equality of programs.
#pragma once

#include <optional>
#include <shardy/ir/module.hpp>
#include <string>

namespace shardy::text {

/// Returns a description of the first difference; std::nullopt if both modules are the same
/// program: equal ops in the same order, ignoring ids, locations, and whether shardings are
/// resolved.
std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b);

/// Checks whether both modules are the same program, ignoring locations and value names.
inline bool same_program(const ir::Module& a, const ir::Module& b) {
  return !first_difference(a, b);
}

}  // namespace shardy::text

// True if two modules are one program.
#pragma once

#include <optional>
#include <shardy/ir/module.hpp>
#include <string>

namespace shardy::text {

/// Where two modules first differ, in words; nothing if they are the same program: the same ops in
/// the same order, up to ids, locations, and whether shardings are spelled or resolved.
std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b);

/// Returns whether both have one text: locations and names of values do not count.
inline bool same_program(const ir::Module& a, const ir::Module& b) {
  return !first_difference(a, b);
}

}  // namespace shardy::text

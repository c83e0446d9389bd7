// Faults that are planted in programs: one op is left out, doubled or changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy_test {

struct Mutation {
  std::string kind;   // "axes of a collective"
  std::string place;  // name of the op
  std::function<void(shardy::ir::Module&)> apply;
};

/// Returns all faults that this file can plant in a program, op by op. The verifier may refuse the
/// changed op.
std::vector<Mutation> mutations_of(const shardy::ir::Module& program);

}  // namespace shardy_test

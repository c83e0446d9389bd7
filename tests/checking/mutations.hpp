// Faults that are planted in programs: one op is left out, doubled or altered.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy_test {

struct Mutation {
  std::string kind;   // "axes of a collective"
  std::string place;  // the op
  std::function<void(shardy::ir::Module&)> apply;
};

/// All that this file knows of, op by op. What an op becomes may be wrong for the verifier.
std::vector<Mutation> mutations_of(const shardy::ir::Module& program);

}  // namespace shardy_test

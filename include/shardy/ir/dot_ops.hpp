// Typed views of contractions: their attributes, read once.
#pragma once

#include <shardy/ir/view.hpp>
#include <string>
#include <tuple>

namespace shardy::ir {

/// Also of one operand.
struct EinsumOp {
  const std::string* equation = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kEinsumConfig, &EinsumOp::equation, "a string"}};
  }
};

}  // namespace shardy::ir

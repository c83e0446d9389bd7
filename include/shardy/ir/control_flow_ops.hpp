// Typed views of calls: their attributes, read once.
#pragma once

#include <shardy/ir/view.hpp>
#include <tuple>

namespace shardy::ir {

struct CallOp {
  const SymbolAttr* callee = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kCallee, &CallOp::callee, "a symbol"}};
  }
};

}  // namespace shardy::ir

// Programs as text for the tests of passes: read, printed, looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// The program of a text. Fails the test, with the errors, if the text is none.
inline shardy::ir::Module program(std::string_view text,
                                  const shardy::text::MlirOptions& options = {}) {
  auto module = shardy::text::parse_mlir(text, options);
  if (!module) FAIL(shardy::text::error_text("program", text, module.error()));
  return *std::move(module);
}

/// Names of the top-level symbols, in order.
inline std::vector<std::string> symbols(const shardy::ir::Module& module) {
  std::vector<std::string> names;
  for (const shardy::ir::OpId op : module.ops(module.body())) {
    names.emplace_back(module.symbol_name(op));
  }
  return names;
}

/// Text of the module. Also checks that it verifies and that its text is read as the same.
inline std::string checked_text(const shardy::ir::Module& module) {
  const shardy::Diagnostics errors = shardy::ir::verify(module);
  const std::string text = shardy::text::to_mlir(module);
  INFO(text);
  CHECK(errors.empty());
  for (const shardy::Error& error : errors) CHECK(error.message.empty());
  return text;
}

}  // namespace shardy_test

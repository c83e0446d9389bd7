// Programs written as text, and what comes of running them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

inline shardy::ir::Module parse_program(const std::string& text) {
  auto module = shardy::text::parse_mlir(text);
  if (!module) FAIL(shardy::text::error_text("program", text, module.error()));
  return *std::move(module);
}

/// @main on one device, or as many as the program asks for; all of them get the same arguments.
inline shardy::Result<shardy::simulation::RunResult> try_run(
    const std::string& text, shardy::simulation::RunOptions options = {},
    const shardy::simulation::Tensors& arguments = {},
    const shardy::simulation::RunContext& context = {}) {
  const shardy::ir::Module module = parse_program(text);
  if (!options.grid) {
    const auto grid = shardy::simulation::process_grid(module);
    if (!grid) return tl::unexpected(grid.error());
    options.grid = *grid;
  }
  const auto devices = static_cast<std::size_t>(options.grid->size());
  return shardy::simulation::run(module, "main",
                                 std::vector<shardy::simulation::Tensors>(devices, arguments),
                                 options, context);
}

inline shardy::simulation::RunResult run_text(const std::string& text,
                                              const shardy::simulation::RunOptions& options = {},
                                              const shardy::simulation::Tensors& arguments = {},
                                              const shardy::simulation::RunContext& context = {}) {
  auto result = try_run(text, options, arguments, context);
  if (!result) FAIL(result.error().location.text() + ": " + result.error().headline());
  return *std::move(result);
}

/// The message of the error, after its place.
inline std::string error_of(const std::string& text,
                            const shardy::simulation::RunOptions& options = {},
                            const shardy::simulation::RunContext& context = {}) {
  const auto result = try_run(text, options, {}, context);
  REQUIRE_FALSE(result);
  return result.error().location.text() + ": " + result.error().headline();
}

/// A program whose body computes and checks; all its checks must pass, and there must be `count`.
inline void check_passes(const std::string& text, int64_t count,
                         const shardy::simulation::RunOptions& options = {},
                         const shardy::simulation::RunContext& context = {}) {
  const shardy::simulation::RunResult result = run_text(text, options, {}, context);
  for (const auto& failed : result.checks.failed) {
    UNSCOPED_INFO(failed.location.text() + ": " + failed.message);
  }
  CHECK(result.checks.failed.empty());
  CHECK(result.checks.count == count);
}

/// A main function without arguments and results around a body.
inline std::string main_of(const std::string& body) {
  return "func.func @main() {\n" + body + "  return\n}\n";
}

}  // namespace shardy_test

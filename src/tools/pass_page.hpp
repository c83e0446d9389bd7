// docs/passes.md, made from the registry.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shardy/passes/pass.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// A program before and after a pass, from the first case of a golden file.
struct PassExample {
  std::string command;  // `shardy opt --sdy-...`
  std::string before;
  std::string after;
};

/// The example in a golden file; nothing if its first case fails.
std::optional<PassExample> example_in(const std::string& golden_file);

/// The page: a table of all passes, then a section for each. `example` may find none.
std::string pass_page(
    const passes::PassRegistry& registry,
    const std::function<std::optional<PassExample>(const passes::Pass&)>& example);

/// `shardy pass-page FOLDER`: the page with the examples of FOLDER/PASS/example.mlir on standard
/// output.
int pass_page_command(const std::string& folder);

}  // namespace shardy::tools

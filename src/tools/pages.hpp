// Texts about the command line itself: explanations of codes, ops, passes, completion, the manual.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardy/passes/pass.hpp"
#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"

namespace shardy::tools {

// The explanation of each diagnostic code: `shardy help E_KERNEL`.

/// Checks whether a word is written like a code: `E_KERNEL`, `n_replicated`.
bool looks_like_code(std::string_view word);

/// The explanation of a code, which may be in lower case: its meaning, its cause, its
/// remedy. Errors: an unknown code, with the code that was probably meant.
Result<std::string> code_page(std::string_view code);

/// All codes, a line each.
std::string code_list();

// Descriptions of ops for generated documents.

/// One line per op: `name`, `operands`, `results`, `regions`, `given` or empty. Then one line per
/// attribute of its own, which starts with a tab: `name`, `kind`, the kind of its enum, the words,
/// `required` or empty, the default. Separated by tabs.
std::string op_list();

/// `shardy op-list`, which `scripts/op_docs.py` reads.
int op_list_command();

// docs/passes.md, made from the registry.

/// A program before and after a pass, from the first case of a golden file.
struct PassExample {
  std::string command;  // `shardy opt --sdy-...`
  std::string before;
  std::string after;
};

/// The example in a golden file; std::nullopt if its first case expects an error.
std::optional<PassExample> example_in(const std::string& golden_file);

/// The page: a table of all passes, then a section for each. `example` may return std::nullopt.
std::string pass_page(
    const passes::PassRegistry& registry,
    const std::function<std::optional<PassExample>(const passes::Pass&)>& example);

/// `shardy pass-page FOLDER`: the page with the examples of FOLDER/PASS/example.mlir on standard
/// output.
int pass_page_command(const std::string& folder);

// Completion scripts for shells, and the manual.

/// A script for `bash`, `zsh` or `fish`. Errors: another shell.
Result<std::string> completion_script(std::string_view shell,
                                      std::span<const CommandModel> commands);

/// shardy(1), as troff.
std::string man_page(std::span<const CommandModel> commands, std::string_view version);

}  // namespace shardy::tools

// Texts about the command line: explanations of diagnostic codes, lists of ops, pages of passes,
// completion scripts, the manual.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"

namespace shardy::tools {

// The explanations of diagnostic codes, for `shardy help E_KERNEL`.

/// Checks whether a word has the form of a code, such as `E_KERNEL` or `n_replicated`.
bool looks_like_code(std::string_view word);

/// Returns the explanation of a code: its meaning, its cause and its remedy. The code may be in
/// lower case. Error: an unknown code, with the most similar known code.
Result<std::string> code_page(std::string_view code);

/// Returns all codes, one per line.
std::string code_list();

// Descriptions of ops for generated documents.

/// Returns the ops as tab-separated lines. One line per op: `name`, `operands`, `results`,
/// `regions`, `given` or empty. Then one line per attribute of the op, which starts with a tab:
/// `name`, `kind`, the kind of its enum, the words, `required` or empty, the default.
std::string op_list();

/// Runs `shardy op-list`, whose output `scripts/op_docs.py` reads.
int op_list_command();

// The page docs/passes.md, which is generated from the registry.

/// A program before and after a pass, from the first case of a golden file.
struct PassExample {
  std::string command;  // such as `shardy opt --sdy-...`
  std::string before;
  std::string after;
};

/// Returns the example in a golden file; std::nullopt if its first case expects an error.
std::optional<PassExample> example_in(const std::string& golden_file);

/// Returns the page: a table of all passes, and one section per pass. `example` may return
/// std::nullopt.
std::string pass_page(
    const passes::PassRegistry& registry,
    const std::function<std::optional<PassExample>(const passes::Pass&)>& example);

/// Runs `shardy pass-page FOLDER`: prints the page with the examples of FOLDER/PASS/example.mlir.
int pass_page_command(const std::string& folder);

// Completion scripts for shells, and the manual.

/// Returns a script for `bash`, `zsh` or `fish`. Error: another shell.
Result<std::string> completion_script(std::string_view shell,
                                      std::span<const CommandModel> commands);

/// Returns the manual page shardy(1) as troff.
std::string man_page(std::span<const CommandModel> commands, std::string_view version);

// -------------------------------------------------------------------------------------------------

// The description of the build, for `shardy --version`.

/// Returns the version, the commit if the source was a git tree, the compiler and the build
/// options, one per line.
std::string build_info();

}  // namespace shardy::tools

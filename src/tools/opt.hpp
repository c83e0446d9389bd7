// `shardy opt`: its arguments, and passes over a program, with MLIR's flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"

namespace shardy::tools {

// The arguments of `shardy opt`.

/// `All`: an unexpected diagnostic is an error; `OnlyExpected`: it is ignored.
enum class VerifyDiagnostics : uint8_t { Off, All, OnlyExpected };

struct OptOptions {
  std::string file = "-";
  std::string output = "-";
  std::string
      emit;  // "json", "mlir", or empty: by the name of the output, else the format of the input
  std::vector<passes::PassCall> passes;
  std::string split_marker;  // empty: the input is one program
  VerifyDiagnostics verify_diagnostics = VerifyDiagnostics::Off;
  bool generic = false;     // in the notation of older text
  bool properties = false;  // in the notation of newer text: <{...}>
  bool allow_unregistered = false;
  bool locations = false;
  bool verify_each = true;
  bool timing = false;
  bool print_after_all = false;
  bool list_passes = false;
  bool show_help = false;
  bool short_help = false;  // of show_help
  std::string dump_dir;
  std::optional<std::size_t> bisect_limit;
  checking::Context context;  // rules of ops
};

/// Flags with one or two dashes, passes of the registry among them, in MLIR's spellings. Rules are
/// added to those of the embedder.
/// Errors: unknown flags and passes, values of another type.
Result<OptOptions> parse_opt_arguments(const passes::PassRegistry& registry,
                                       std::span<const std::string> arguments,
                                       checking::Context context = {});

/// The flags and the passes, for completion and the manual.
CommandModel opt_model(const passes::PassRegistry& registry);

/// The page of `shardy opt -h`: names of flags.
std::string opt_short_help();

/// Returns the text of `shardy opt --help`: the flags, and every pass with its options.
std::string opt_help(const passes::PassRegistry& registry);

/// A line per pass, as `--list-passes` prints them.
std::string pass_list(const passes::PassRegistry& registry);

// `shardy opt`: passes over a program, with MLIR's flags.

/// Runs the command with the arguments after its name; returns the exit status. The context has
/// the embedder's rules, lowerings and passes.
int opt_command(std::span<const std::string> arguments, checking::Context context = {});

}  // namespace shardy::tools

// `shardy opt`: parses its arguments and runs passes on a program, with MLIR's flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"

namespace shardy::tools {

// The arguments of `shardy opt`.

/// `All`: an unexpected diagnostic is an error. `OnlyExpected`: unexpected diagnostics are ignored.
enum class VerifyDiagnostics : uint8_t { Off, All, OnlyExpected };

struct OptOptions {
  std::string file = "-";
  std::string output = "-";
  std::string
      emit;  // "json", "mlir", or empty: by the name of the output, else the format of the input
  std::vector<passes::PassCall> passes;
  std::string split_marker;  // empty: the input is one program
  VerifyDiagnostics verify_diagnostics = VerifyDiagnostics::Off;
  bool generic = false;     // prints the generic form of older text
  bool properties = false;  // prints the generic form of newer text: <{...}>
  bool allow_unregistered = false;
  bool locations = false;
  bool verify_each = true;
  bool timing = false;
  bool print_after_all = false;
  bool list_passes = false;
  bool show_help = false;
  bool short_help = false;  // short page, if show_help is set
  std::string dump_dir;
  std::optional<std::size_t> bisect_limit;
  checking::Context context;  // sharding rules of ops
};

/// Parses the arguments. Flags, including the passes of the registry, have one or two dashes and
/// MLIR's spellings. Adds the given sharding rules to the embedder's rules. Errors: unknown flags
/// and passes, values of a wrong type.
Result<OptOptions> parse_opt_arguments(const passes::PassRegistry& registry,
                                       std::span<const std::string> arguments,
                                       checking::Context context = {});

/// Returns the flags and the passes, for completion and the manual.
CommandModel opt_model(const passes::PassRegistry& registry);

/// Returns the page of `shardy opt -h`, the names of flags.
std::string opt_short_help();

/// Returns the page of `shardy opt --help`: the flags, and every pass with its options.
std::string opt_help(const passes::PassRegistry& registry);

/// Returns one line per pass, as `--list-passes` prints.
std::string pass_list(const passes::PassRegistry& registry);

// The command `shardy opt`.

/// Runs the command with the arguments after its name. Returns the exit status. The context has the
/// embedder's rules, lowerings and passes.
int opt_command(std::span<const std::string> arguments, checking::Context context = {});

}  // namespace shardy::tools

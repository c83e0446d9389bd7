#include "tools/opt.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "shardy/text/mlir.hpp"
#include "tools/commands.hpp"
#include "tools/expectations.hpp"
#include "tools/opt_run.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

int usage_error(const Error& error) {
  print_error(error);
  return kBadInput;
}

/// The programs of a text, each with empty lines for those before it.
std::vector<std::string> pieces_of(const std::string& text, const std::string& marker) {
  if (marker.empty()) return {text};
  return text::split_programs(text, marker);
}

/// Returns whether the program, and what was said about it, is as it should be.
bool is_fine(const OptOptions& options, const Source& piece, const OptResult& result) {
  if (options.verify_diagnostics == VerifyDiagnostics::Off) {
    print_diagnostics(piece, with_places(piece, result.said));
    return !result.has_failed;
  }
  const Diagnostics wrong =
      compare_diagnostics(piece.text, result.said, result.num_of_input,
                          options.verify_diagnostics == VerifyDiagnostics::OnlyExpected);
  print_diagnostics(piece, wrong);
  return wrong.empty();
}

int run(const passes::PassRegistry& registry, const OptOptions& options, const Source& source) {
  OptRun opt(registry, options);
  std::string output;
  bool all_fine = true;
  bool is_first = true;
  for (std::string& text : pieces_of(source.text, options.split_marker)) {
    if (!is_first) output += options.split_marker + "\n";
    is_first = false;
    const Source piece{source.path, std::move(text), source.format};
    const OptResult result = opt.run(piece.text, piece.format);
    all_fine = is_fine(options, piece, result) && all_fine;
    output += result.output;
  }
  if (options.timing) print_text(stderr, opt.timing_table());
  const bool is_kept = all_fine || options.output == "-";
  const Status written = is_kept ? write_file(options.output, output) : Status();
  if (!written) return usage_error(written.error());
  return all_fine ? kDone : kFailed;
}

/// Bad places for results are told before the passes run.
Status expect_places(const OptOptions& options) {
  SHARDY_TRY_STATUS(expect_writable(options.output));
  if (options.dump_dir.empty()) return {};
  return expect_folder(options.dump_dir);
}

}  // namespace

int opt_command(std::span<const std::string> arguments, checking::Context context) {
  const Result<passes::PassRegistry> registry = context.all_passes();
  if (!registry) return usage_error(registry.error());
  const Result<OptOptions> options = parse_opt_arguments(*registry, arguments, std::move(context));
  if (!options) return usage_error(options.error());
  if (options->show_help || options->list_passes) {
    print_text(stdout, options->short_help  ? opt_short_help()
                       : options->show_help ? opt_help(*registry)
                                            : pass_list(*registry));
    return kDone;
  }
  const Status places = expect_places(*options);
  if (!places) return usage_error(places.error());
  Source source{options->file};
  const Status read = read_source(source);
  if (!read) return usage_error(read.error());
  return run(*registry, *options, source);
}

}  // namespace shardy::tools

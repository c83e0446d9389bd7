#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "shardy/passes/pipeline.hpp"
#include "tools/command_model.hpp"
#include "tools/opt.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

namespace {

constexpr std::string_view kSplitMarker = "// -----";

/// Flags of other tools that are accepted but have no effect.
constexpr const char* kAcceptedFlags[] = {"--mlir-disable-threading", "--mlir-print-local-scope",
                                          "--no-implicit-module"};
constexpr const char* kAcceptedOptions[] = {"--mlir-diagnostic-verbosity-level",
                                            "--mlir-timing-display"};

/// Unparsed values of the command line.
struct Raw {
  std::string split;
  std::string verify_diagnostics;
  std::string pipeline;
  std::optional<std::string> bisect_limit;
  std::string ignored;
  bool ignored_flag = false;
};

void add_output_flags(CLI::App& app, OptOptions& options) {
  app.add_option("FILE", options.file, "MLIR text or a JSON graph; - reads standard input");
  app.add_option("-o,--output", options.output, "output file; - is standard output");
  allow_only(app.add_option("--emit", options.emit, "format of the output; else as the input"),
             {"json", "mlir"});
  app.add_flag("--mlir-print-op-generic", options.properties, "print ops in generic form");
  app.add_flag("--generic", options.generic,
               "print ops in the generic form of older MLIR, for any parser");
  app.add_flag("--mlir-print-debuginfo", options.locations, "print locations");
}

void add_driver_flags(CLI::App& app, OptOptions& options, Raw& raw) {
  app.add_flag("--allow-unregistered-dialect", options.allow_unregistered,
               "read ops of unknown dialects");
  app.add_flag(
      "--split-input-file", raw.split,
      "the input holds several programs, separated by lines // -----, or by the given text");
  app.add_flag("--verify-diagnostics", raw.verify_diagnostics,
               "compare diagnostics with expected-error and similar comments; =only-expected "
               "ignores unexpected diagnostics");
  app.add_option("--pass-pipeline", raw.pipeline, "builtin.module(PASS{OPTIONS},...)");
  app.add_flag("--verify-each", options.verify_each, "verify after each pass (default: true)");
  app.add_flag("--mlir-timing", options.timing, "print the time of each pass");
  app.add_flag("--mlir-print-ir-after-all", options.print_after_all,
               "print the program after each pass on standard error");
  app.add_option("--dump-dir", options.dump_dir,
                 "write NN.PASS.mlir to this folder after each pass")
      ->check([](const std::string& text) {
        return text.empty() ? "expected the name of a folder" : "";
      });
  app.add_option("--bisect-limit", raw.bisect_limit, "run only the first N passes");
  app.add_flag("--list-passes", options.list_passes, "list the passes with their summaries");
  constexpr const char* kNoEffect = "accepted, no effect";
  for (const char* name : kAcceptedFlags) app.add_flag(name, raw.ignored_flag, kNoEffect);
  for (const char* name : kAcceptedOptions) app.add_option(name, raw.ignored, kNoEffect);
}

std::unique_ptr<CLI::App> make_app(OptOptions& options, Raw& raw) {
  auto app = std::make_unique<CLI::App>("runs passes over a program", "shardy opt");
  add_output_flags(*app, options);
  add_driver_flags(*app, options, raw);
  add_rule_options(*app, options.context);
  set_help_form(*app, options.short_help);
  return app;
}

const passes::Pass* offered(const passes::PassRegistry& registry, std::string_view name) {
  const passes::Pass* pass = registry.find(name);
  return pass == nullptr || pass->is_hidden ? nullptr : pass;
}

/// Parses `--name=options` of a pass; std::nullopt for other words.
std::optional<passes::PassCall> pass_call(const passes::PassRegistry& registry,
                                          std::string_view argument) {
  const std::size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
  if (dashes != 1 && dashes != 2) return std::nullopt;
  argument.remove_prefix(dashes);
  const std::string_view name = argument.substr(0, argument.find('='));
  if (offered(registry, name) == nullptr) return std::nullopt;
  const std::string_view rest = argument.substr(name.size());
  return passes::PassCall{std::string(name), std::string(rest.substr(rest.empty() ? 0 : 1))};
}

/// Adds a second dash to long flags, because the parser requires two.
std::string with_two_dashes(const std::string& argument) {
  const bool is_long = argument.size() > 2 && argument[0] == '-' && argument[1] != '-';
  const bool is_output = argument.starts_with("-o=");
  return is_long && !is_output ? "-" + argument : argument;
}

Status apply(const Raw& raw, OptOptions& options) {
  if (!raw.split.empty() && raw.split != "false") {
    options.split_marker = raw.split == "true" ? std::string(kSplitMarker) : raw.split;
  }
  if (raw.verify_diagnostics == "only-expected") {
    options.verify_diagnostics = VerifyDiagnostics::OnlyExpected;
  } else if (raw.verify_diagnostics == "true" || raw.verify_diagnostics == "all") {
    options.verify_diagnostics = VerifyDiagnostics::All;
  } else if (!raw.verify_diagnostics.empty() && raw.verify_diagnostics != "false") {
    return fail("--verify-diagnostics is all or only-expected, got: " + raw.verify_diagnostics);
  }
  if (!raw.bisect_limit) return {};
  Result<std::size_t> limit = read_integer<std::size_t>(*raw.bisect_limit);
  if (!limit) return tl::unexpected(with_prefix("--bisect-limit: ", std::move(limit).error()));
  options.bisect_limit = *limit;
  return {};
}

Status add_pipeline(const passes::PassRegistry& registry, const std::string& text,
                    OptOptions& options) {
  if (text.empty()) return {};
  if (!options.passes.empty()) {
    return fail("'-pass-pipeline' option can't be used with individual pass options");
  }
  SHARDY_TRY(options.passes, passes::parse_pipeline(registry, text));
  return {};
}

/// Returns the error of a wrong flag, with suggestions of flags and passes, because the word may be
/// a flag or a pass.
Error wrong_flag(const passes::PassRegistry& registry, const CLI::App& app, Error error) {
  std::vector<std::string> names = flags_of(app);
  for (const passes::Pass& pass : registry.passes()) {
    if (!pass.is_hidden) names.push_back("--" + pass.name);
  }
  const std::string extra = first_extra(app);
  if (!extra.empty()) error = Error{"unexpected argument: " + extra};
  add_suggestion(error, extra, names);
  error.notes.emplace_back("shardy opt --help lists the flags and the passes");
  return error;
}

}  // namespace

Result<OptOptions> parse_opt_arguments(const passes::PassRegistry& registry,
                                       std::span<const std::string> arguments,
                                       checking::Context context) {
  OptOptions options;
  options.context = std::move(context);
  Raw raw;
  std::vector<std::string> others;
  for (const std::string& argument : arguments) {
    if (std::optional<passes::PassCall> call = pass_call(registry, argument)) {
      options.passes.push_back(*std::move(call));
    } else {
      others.push_back(with_two_dashes(argument));
    }
  }
  const std::unique_ptr<CLI::App> app = make_app(options, raw);
  std::ranges::reverse(others);  // parse() of a vector expects reverse order
  try {
    app->parse(std::move(others));
  } catch (const CLI::CallForHelp&) {
    options.show_help = true;
    return options;
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(wrong_flag(registry, *app, error_of(error)));
  } catch (const WrongValue& wrong) {
    return tl::unexpected(wrong_flag(registry, *app, wrong.error));
  }
  SHARDY_TRY_STATUS(apply(raw, options));
  if (options.emit == "json" && (options.generic || options.properties)) {
    return fail("generic form is for MLIR text, not for JSON");
  }
  SHARDY_TRY_STATUS(add_pipeline(registry, raw.pipeline, options));
  // Checks the options before the input is read.
  SHARDY_TRY_STATUS(passes::plan_passes(registry, options.passes));
  return options;
}

// ---- Help ---------------------------------------------------------------------------------------

std::string pass_list(const passes::PassRegistry& registry) {
  std::string text;
  for (const passes::Pass& pass : registry.passes()) {
    if (pass.is_hidden) continue;
    text += fmt::format("  --{:<50} {}\n", pass.name, pass.summary);
  }
  return text;
}

CommandModel opt_model(const passes::PassRegistry& registry) {
  OptOptions options;
  Raw raw;
  CommandModel model = model_of(*make_app(options, raw), "opt");
  for (const passes::Pass& pass : registry.passes()) {
    if (!pass.is_hidden) model.options.push_back({{"--" + pass.name}, pass.summary});
  }
  return model;
}

std::string opt_short_help() {
  OptOptions options;
  Raw raw;
  return short_help(*make_app(options, raw), "shardy opt") +
         "shardy opt --list-passes lists the passes, which are options, too\n";
}

std::string opt_help(const passes::PassRegistry& registry) {
  OptOptions options;
  Raw raw;
  std::string text = make_app(options, raw)->help();
  text += "\nPasses, in the order in which they are to run, with options as ='a=b c=d':\n";
  for (const passes::Pass& pass : registry.passes()) {
    if (pass.is_hidden) continue;
    text += fmt::format("  --{:<50} {}\n", pass.name, pass.summary);
    for (const passes::PassOption& option : pass.options) {
      text += fmt::format("      {:<48} {} (default: {})\n",
                          option.name + "=<" + type_text(option) + ">", option.help,
                          option.default_value.empty() ? "\"\"" : option.default_value);
    }
  }
  return text + "\n" + examples_text("opt");
}

}  // namespace shardy::tools

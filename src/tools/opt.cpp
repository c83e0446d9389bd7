#include "tools/opt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/command_model.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

// Compares the diagnostics of a program with its comments, which have the expected diagnostics.

namespace {

constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();

/// An expected diagnostic, such as `expected-error@+1 2 {{text}}`.
struct Expectation {
  std::string severity;
  std::string text;
  std::optional<std::regex> pattern;
  std::size_t line = 0;  // line of the diagnostic; 0: unknown
  std::size_t at = 0;    // line of the comment
  std::size_t least = 1;
  std::size_t most = 1;
  std::size_t found = 0;

  bool matches(std::string_view message) const {
    if (pattern) return std::regex_search(std::string(message), *pattern);
    return message.find(text) != std::string_view::npos;
  }
};

/// Removes `prefix` from the start of `text`. Returns false if `text` does not start with it.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(R"(^$\.*+?()[]{}|)").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Compiles a pattern. Text outside of `{{}}` is literal, text inside is a regular expression.
std::optional<std::regex> pattern_of(std::string_view text) {
  std::string pattern;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("{{"), text.size());
    pattern += escaped(text.substr(0, begin));
    text.remove_prefix(begin);
    if (!take(text, "{{")) break;
    const std::size_t end = std::min(text.find("}}"), text.size());
    pattern += "(" + std::string(text.substr(0, end)) + ")";
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  try {
    return std::regex(pattern, std::regex::extended);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

void take_count(std::string_view& text, Expectation& expected) {
  if (const std::optional<std::size_t> number = take_number(text)) {
    expected.least = expected.most = *number;
    if (take(text, "+")) expected.most = kMany;
  } else if (take(text, "+")) {
    expected.most = kMany;
  } else if (take(text, "*")) {
    expected.least = 0;
    expected.most = kMany;
  }
}

/// Reads the expectations of a text line by line.
class Reader {
 public:
  std::vector<Expectation> read(std::string_view text);

 private:
  bool read_line(std::string_view line);
  bool take_place(std::string_view& text, Expectation& expected);

  std::vector<Expectation> all_;
  std::vector<std::size_t> below_;    // expectations for the next line without expectations
  std::size_t number_ = 0;            // number of the current line
  std::size_t last_without_any_ = 0;  // number of the last line without expectations
};

bool Reader::take_place(std::string_view& text, Expectation& expected) {
  expected.line = number_;
  if (!take(text, "@")) return true;
  if (take(text, "unknown")) {
    expected.line = 0;
  } else if (take(text, "above")) {
    expected.line = last_without_any_;
  } else if (take(text, "below")) {
    below_.push_back(all_.size());
  } else {
    const bool is_up = take(text, "-");
    if (!is_up && !take(text, "+")) return false;
    const std::optional<std::size_t> offset = take_number(text);
    if (!offset || (is_up && *offset >= number_)) return false;
    expected.line = is_up ? number_ - *offset : number_ + *offset;
  }
  return true;
}

/// Returns whether the line ends with an expectation.
bool Reader::read_line(std::string_view line) {
  constexpr std::string_view kStart = "expected-";
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const std::size_t begin = line.find(kStart);
  if (begin == std::string_view::npos || !line.ends_with("}}")) return false;
  line.remove_prefix(begin + kStart.size());
  Expectation expected;
  for (const std::string_view severity : {"error", "note", "remark", "warning"}) {
    if (expected.severity.empty() && take(line, severity)) expected.severity = severity;
  }
  const bool is_pattern = take(line, "-re");
  skip_blanks(line);
  if (expected.severity.empty() || !take_place(line, expected)) return false;
  skip_blanks(line);
  take_count(line, expected);
  skip_blanks(line);
  if (!take(line, "{{")) return false;
  expected.text = line.substr(0, line.size() - 2);
  if (is_pattern) expected.pattern = pattern_of(expected.text);
  expected.at = number_;
  all_.push_back(std::move(expected));
  return true;
}

std::vector<Expectation> Reader::read(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number_;
    if (read_line(line)) continue;
    last_without_any_ = number_;
    for (const std::size_t index : below_) all_[index].line = number_;
    below_.clear();
  }
  return std::move(all_);
}

Expectation* find(std::vector<Expectation>& all, std::string_view severity, std::size_t line,
                  std::string_view message) {
  for (Expectation& expected : all) {
    if (expected.severity == severity && expected.line == line && expected.found < expected.most &&
        expected.matches(message)) {
      ++expected.found;
      return &expected;
    }
  }
  return nullptr;
}

/// Finds an expected note on any line, because notes have no location.
void find_note(std::vector<Expectation>& all, std::string_view note) {
  for (Expectation& expected : all) {
    if (find(all, "note", expected.line, note) != nullptr) return;
  }
}

/// Compares diagnostics with the comments `expected-error {{text}}` (also warning, note, remark) of
/// the text, as MLIR's -verify-diagnostics does. The diagnostic is on the comment's line, or at
/// `@+1`, `@-1`, `@below`, `@above` or `@unknown`. A count `2`, `+` or `*` may precede the text.
/// `expected-error-re` has regular expressions in `{{}}` inside the text. The text is searched in
/// `CODE: message`.
///
/// The first `num_of_input` diagnostics come from reading or verifying, at which other tools stop
/// after the first error. Returns the mismatches and errors in text order. Accepts unexpected
/// notes, and further errors of the input after an expected one.
Diagnostics compare_diagnostics(std::string_view text, const Diagnostics& diagnostics,
                                std::size_t num_of_input, bool only_expected) {
  std::vector<Expectation> all = Reader().read(text);
  Diagnostics wrong;
  bool has_stopped = false;  // an error of the input was expected
  for (std::size_t index = 0; index < diagnostics.size(); ++index) {
    const Diagnostic& each = diagnostics[index];
    const bool is_of_input = index < num_of_input;
    const std::string_view severity = to_string(each.severity);
    const bool is_expected = find(all, severity, each.location.line(), each.headline()) != nullptr;
    for (const std::string& note : each.notes) find_note(all, note);
    const bool is_ignored = only_expected || (has_stopped && is_of_input);
    if (!is_expected && !is_ignored) {
      wrong.push_back({fmt::format("unexpected {}: {}", severity, each.headline()), each.location});
    }
    has_stopped = has_stopped || (is_expected && is_of_input);
  }
  for (const Expectation& expected : all) {
    if (expected.found >= expected.least) continue;
    wrong.push_back(
        {fmt::format("expected {} \"{}\" was not produced", expected.severity, expected.text),
         Location(static_cast<uint32_t>(expected.at), 1)});
  }
  return wrong;
}

}  // namespace

// Runs one program through passes: reads, verifies, transforms and prints it.

namespace {

/// The outcome of a program.
struct OptResult {
  std::string output;  // empty after an error
  Diagnostics diagnostics;
  std::size_t num_of_input = 0;  // number of the first diagnostics that come from the input
  bool has_failed = false;
};

/// Runs the passes of the options on programs, one after the other.
class OptRun {
 public:
  /// Requires: `options` is a result of parse_opt_arguments for the registry.
  OptRun(const passes::PassRegistry& registry, const OptOptions& options);

  /// Runs the passes on one program. `format` is Json or Mlir.
  OptResult run(std::string_view text, Format format);

  /// Returns a table of the passes of all programs with their times.
  std::string timing_table() const;

 private:
  using Seconds = std::chrono::duration<double>;

  DiagnosedResult<ir::Module> read(std::string_view text, Format format) const;
  Diagnostics run_passes(ir::Module& module, OptResult& result);
  Diagnostics after_pass(const passes::Pass& pass, const ir::Module& module);
  std::string print(const ir::Module& module, Format format) const;
  void add_time(std::string name, std::chrono::steady_clock::time_point begin);

  const OptOptions& options_;
  std::vector<passes::PlannedPass> planned_;
  std::vector<std::pair<std::string, Seconds>> times_;
  std::size_t num_dumps_ = 0;
};

using Clock = std::chrono::steady_clock;

text::MlirPrintOptions print_options(const OptOptions& options) {
  return {.generic = options.generic || options.properties,
          .properties = options.properties,
          .locations = options.locations};
}

/// Returns the planned passes, up to the limit.
std::vector<passes::PlannedPass> planned_passes(const passes::PassRegistry& registry,
                                                const OptOptions& options) {
  auto planned = passes::plan_passes(registry, options.passes);
  SHARDY_ASSERT(planned.has_value());
  if (!planned) return {};
  if (options.bisect_limit && planned->size() > *options.bisect_limit) {
    planned->resize(*options.bisect_limit);
  }
  return *std::move(planned);
}

OptRun::OptRun(const passes::PassRegistry& registry, const OptOptions& options)
    : options_(options), planned_(planned_passes(registry, options)) {}

DiagnosedResult<ir::Module> OptRun::read(std::string_view text, Format format) const {
  if (format == Format::Json) return text::parse_json(text);
  return text::parse_mlir(text, {.allow_unregistered = options_.allow_unregistered});
}

OptResult OptRun::run(std::string_view text, Format format) {
  OptResult result;
  const Clock::time_point begin = Clock::now();
  auto module = read(text, format);
  add_time("Parser", begin);
  if (!module) {
    result.diagnostics = std::move(module).error();
    result.num_of_input = result.diagnostics.size();
    result.has_failed = true;
    return result;
  }
  Diagnostics errors = run_passes(*module, result);
  if (!errors.empty()) {
    std::ranges::move(errors, std::back_inserter(result.diagnostics));
    result.has_failed = true;
    return result;
  }
  const Clock::time_point printing = Clock::now();
  result.output = print(*module, format);
  add_time("Output", printing);
  return result;
}

Diagnostics OptRun::run_passes(ir::Module& module, OptResult& result) {
  passes::PipelineHooks hooks;
  hooks.rules = &options_.context.ops.rules;
  hooks.extensions = &options_.context.extensions;
  Clock::time_point begin;
  hooks.sinks.diagnose = [&](const Diagnostic& each) { result.diagnostics.push_back(each); };
  hooks.sinks.save = [](const std::string& path, const ir::Module& saved) {
    return write_file(path, text::to_mlir(saved));
  };
  hooks.before = [&](const passes::Pass&, const ir::Module&) { begin = Clock::now(); };
  hooks.after = [&](const passes::Pass& pass, const ir::Module& changed) {
    add_time(pass.name, begin);
    return after_pass(pass, changed);
  };
  return passes::run_passes(module, planned_, hooks);
}

Diagnostics OptRun::after_pass(const passes::Pass& pass, const ir::Module& module) {
  ++num_dumps_;
  const bool prints = options_.print_after_all || !options_.dump_dir.empty();
  const std::string text = prints ? text::to_mlir(module, print_options(options_)) : "";
  if (options_.print_after_all) {
    print_text(stderr,
               fmt::format("// -----// IR Dump After {} //----- //\n{}\n\n", pass.name, text));
  }
  if (!options_.dump_dir.empty()) {
    const std::string path =
        fmt::format("{}/{:02}.{}.mlir", options_.dump_dir, num_dumps_, pass.name);
    const Status written = write_file(path, text);
    if (!written) return {written.error()};
  }
  if (!options_.verify_each) return {};
  const Clock::time_point begin = Clock::now();
  Diagnostics errors = ir::verify(module);
  add_time("Verifier", begin);
  for (Error& error : errors) error.notes.push_back("after the pass " + pass.name);
  return errors;
}

std::string OptRun::print(const ir::Module& module, Format format) const {
  const bool is_json = options_.emit.empty()
                           ? format_of(options_.output).value_or(format) == Format::Json
                           : options_.emit == "json";
  const text::MlirPrintOptions options = print_options(options_);
  return is_json && !options.generic ? text::to_json(module) : text::to_mlir(module, options);
}

void OptRun::add_time(std::string name, Clock::time_point begin) {
  times_.emplace_back(std::move(name), Clock::now() - begin);
}

std::string OptRun::timing_table() const {
  constexpr std::string_view kRule =
      "===-------------------------------------------------------------------------===\n";
  Seconds total{0};
  for (const auto& time : times_) total += time.second;
  std::string text = fmt::format(
      "{}                         ... Execution time report ...\n{}  Total Execution Time: {:.4f} "
      "seconds\n\n  ----Wall Time----  ----Name----\n",
      kRule, kRule, total.count());
  const auto add_line = [&](const std::string& name, Seconds time) {
    const double share = total.count() > 0 ? 100 * time.count() / total.count() : 100;
    text += fmt::format("  {:8.4f} ({:5.1f}%)  {}\n", time.count(), share, name);
  };
  for (const auto& time : times_) add_line(time.first, time.second);
  add_line("Total", total);
  return text;
}

int usage_error(const Error& error) {
  print_error(error);
  return kBadInput;
}

/// Splits a text into its programs. Each gets empty lines for the programs before it, so that line
/// numbers stay correct.
std::vector<std::string> pieces_of(const std::string& text, const std::string& marker) {
  if (marker.empty()) return {text};
  return text::split_programs(text, marker);
}

/// Checks whether the program and its diagnostics are as expected.
bool is_fine(const OptOptions& options, const Source& piece, const OptResult& result) {
  if (options.verify_diagnostics == VerifyDiagnostics::Off) {
    print_diagnostics(piece, with_places(piece, result.diagnostics));
    return !result.has_failed;
  }
  const Diagnostics wrong =
      compare_diagnostics(piece.text, result.diagnostics, result.num_of_input,
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

/// Returns an error for an output path that cannot be written, before the passes run.
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
/// either.
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

#include "tools/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/rules/registry.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::tools {

std::string first_extra(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  for (const std::string& extra : extras) {
    if (extra.starts_with('-')) return extra;
  }
  return extras.empty() ? std::string() : extras.front();
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

void add_suggestion(Error& error, const std::string& word, const std::vector<std::string>& names) {
  if (word.empty()) return;
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view wanted = std::string_view(word).substr(0, word.find('='));
  if (const auto meant = closest(wanted, views)) {
    error.notes.push_back("did you mean " + *meant + "?");
  }
}

WrongValue no_such(const std::string& option, std::string_view kind, const std::string& word,
                   const std::vector<std::string>& names) {
  WrongValue wrong{{fmt::format("{}: no such {}: {}", option, kind, word)}};
  add_suggestion(wrong.error, word, names);
  wrong.error.notes.push_back("allowed: " + joined(names));
  return wrong;
}

CLI::Option* allow_only(CLI::Option* option, const std::vector<std::string>& names) {
  const auto check = [=](const std::string& word) {
    if (std::ranges::find(names, word) != names.end()) return std::string();
    throw no_such(option->get_name(), "value", word, names);
  };
  return option->check(check, fmt::format("{{{}}}", fmt::join(names, ",")));
}

Error error_of(const CLI::ParseError& parse_error) {
  Error error{parse_error.what()};
  if (error.message.ends_with(" required TEXT missing")) {
    error.message = error.message.substr(0, error.message.find(": ")) + ": expected a value";
  }
  return error;
}

Error in_option(std::string_view option, Error error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kCommandExamples = {
      {{"--mesh", R"('<["x"=2, "y"=3]>')"},
       {"--to-mesh", R"('<["x"=2, "y"=3]>')"},
       {"--shape", "24x24xf32"},
       {"--sharding", R"x('[{"x"}, {}]' or "P('x', None)")x"},
       {"--from", R"x('[{"x"}, {}]' or "P('x', None)")x"},
       {"--to", R"x('[{}, {"x"}]' or "P(None, 'x')")x"},
       {"--axis-cost", "x=full:100GB/s:1us"}}};
  const bool has_wrong_form = error.message.starts_with("expected ");
  const auto* example =
      std::ranges::find(kCommandExamples, option, [](const auto& row) { return row.first; });
  if (has_wrong_form && example != kCommandExamples.end()) {
    error.notes.push_back("for example: " + std::string(option) + " " +
                          std::string(example->second));
  }
  error.message = std::string(option) + ": " + error.message;
  error.location = {};  // a location in the parser's wrapper text, not in the option
  return error;
}

void check_flag_values(CLI::App& app) {
  const auto is_switch = [](const std::string& value) {
    const bool is_known = value == "true" || value == "false";
    return is_known ? std::string() : "expected true, false or no value, got: " + value;
  };
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() == 0) option->check(is_switch);
    }
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Result<double> read_magnitude(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value) && !std::signbit(value)) {
    return value;
  }
  return fail("expected a finite number that is not negative, got: " + std::string(text));
}

namespace {

struct ByteUnit {
  std::string_view name;
  int64_t bytes;
};

constexpr int64_t kKilo = 1000;
constexpr int64_t kKibi = 1024;
constexpr auto kByteUnits = std::to_array<ByteUnit>({{"", 1},
                                                     {"B", 1},
                                                     {"KB", kKilo},
                                                     {"kB", kKilo},
                                                     {"MB", kKilo* kKilo},
                                                     {"GB", kKilo* kKilo* kKilo},
                                                     {"TB", kKilo* kKilo* kKilo* kKilo},
                                                     {"KiB", kKibi},
                                                     {"MiB", kKibi* kKibi},
                                                     {"GiB", kKibi* kKibi* kKibi},
                                                     {"TiB", kKibi* kKibi* kKibi* kKibi}});

/// Returns the number of bytes; std::nullopt if it is not an integer or does not fit.
std::optional<int64_t> exact_bytes(std::string_view number, int64_t unit) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) {
    const Result<int64_t> whole = read_integer<int64_t>(number);
    return whole ? checked_mul(*whole, unit) : std::nullopt;
  }
  const Result<double> value = read_magnitude(number);
  if (!value) return std::nullopt;
  const double bytes = *value * static_cast<double>(unit);
  constexpr double kMost = 9007199254740992;  // 2^53: all integers up to it are exact
  if (bytes > kMost || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

}  // namespace

Result<int64_t> read_bytes(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = std::ranges::find(kByteUnits, text.substr(digits), &ByteUnit::name);
  if (digits > 0 && unit != kByteUnits.end()) {
    if (const auto bytes = exact_bytes(text.substr(0, digits), unit->bytes)) return *bytes;
  }
  return fail(
      fmt::format("expected a whole number of bytes up to {}, such as 4096, 5MB or 1.5GiB (up to "
                  "2^53 with a decimal point), got: {}",
                  std::numeric_limits<int64_t>::max(), text));
}

Result<IntegerPair> read_pair(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos)
    return fail("expected two integers, got: " + std::string(text));
  SHARDY_TRY(const int64_t first, read_integer<int64_t>(text.substr(0, cross)));
  SHARDY_TRY(const int64_t second, read_integer<int64_t>(text.substr(cross + 1)));
  return IntegerPair{first, second};
}

namespace {

using AddOp = Status (checking::Context::*)(checking::ForeignOp);

/// Adds a rule such as `example.rotary=b s, -> b s`.
Status add_rule(const std::string& text, AddOp add, checking::Context& context) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return fail("expected NAME=RULE, got: " + text);
  checking::ForeignOp op{.name = text.substr(0, equals)};
  SHARDY_TRY(op.rule, rules::einsum_maker(text.substr(equals + 1)));
  return (context.*add)(std::move(op));
}

void add_option(CLI::App& app, const std::string& name, const std::string& help, AddOp add,
                checking::Context& context) {
  const auto read = [=, &context](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Status added = add_rule(text, add, context);
      if (!added) throw CLI::ValidationError(name, added.error().message);
    }
  };
  app.add_option_function<std::vector<std::string>>(name, read, help)->allow_extra_args(false);
}

}  // namespace

void add_rule_options(CLI::App& app, checking::Context& context) {
  using checking::Context;
  add_option(app, "--op-rule", "sharding rule of an op of another dialect: NAME='i j -> i j'",
             &Context::add_op, context);
  add_option(app, "--custom-call-rule", "sharding rule of a custom call, by its target",
             &Context::add_custom_call, context);
  add_option(app, "--composite-rule", "sharding rule of a composite, by its name",
             &Context::add_composite, context);
}

}  // namespace shardy::tools

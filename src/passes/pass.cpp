// Passes: options, context and registry.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "shardy/passes/pipeline.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Options ------------------------------------------------------------------------------------

// ---- Values -------------------------------------------------------------------------------------

template <typename T>
const T& OptionValues::get(std::string_view name) const {
  const auto found = values_.find(name);
  const T* value = found == values_.end() ? nullptr : std::get_if<T>(&found->second);
  SHARDY_EXPECTS(value != nullptr);
  return *value;
}

void OptionValues::set(std::string name, OptionValue value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

bool OptionValues::flag(std::string_view name) const { return get<bool>(name); }
int64_t OptionValues::number(std::string_view name) const { return get<int64_t>(name); }
const std::string& OptionValues::text(std::string_view name) const {
  return get<std::string>(name);
}

std::vector<std::string> OptionValues::list(std::string_view name) const {
  std::vector<std::string> items;
  std::string_view rest = text(name);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::string type_text(const PassOption& option) {
  switch (option.type) {
    case OptionType::Bool:
      return "bool";
    case OptionType::Int:
      return "int";
    case OptionType::String:
      return "string";
    case OptionType::Enum:
      break;
  }
  return fmt::format("{}", fmt::join(option.choices, "|"));
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Returns the end of the value at the start of `text`: the first space outside of quotes and
/// braces.
std::size_t end_of_value(std::string_view text) {
  char quote = '\0';
  int64_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      --depth;
    } else if (c == ' ' && depth <= 0) {
      return at;
    }
  }
  return text.size();
}

/// Removes the quotes or braces around a value.
std::string_view unwrapped(std::string_view value) {
  if (value.size() < 2) return value;
  const char first = value.front();
  const char last = value.back();
  const bool is_quoted = (first == '\'' || first == '"') && last == first;
  const bool is_wrapped = is_quoted || (first == '{' && last == '}');
  return is_wrapped ? trimmed(value.substr(1, value.size() - 2)) : value;
}

std::optional<OptionValues::OptionValue> bool_value(std::string_view text) {
  constexpr std::string_view kTrue[] = {"", "true", "TRUE", "True", "1"};
  constexpr std::string_view kFalse[] = {"false", "FALSE", "False", "0"};
  if (std::ranges::find(kTrue, text) != std::end(kTrue)) return true;
  if (std::ranges::find(kFalse, text) != std::end(kFalse)) return false;
  return std::nullopt;
}

std::optional<OptionValues::OptionValue> int_value(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<OptionValues::OptionValue> value_of(const PassOption& option, std::string_view text) {
  if (option.type == OptionType::Bool) return bool_value(text);
  if (option.type == OptionType::Int) return int_value(text);
  const bool is_choice = option.type == OptionType::String ||
                         std::ranges::find(option.choices, text) != option.choices.end();
  if (!is_choice) return std::nullopt;
  return std::string(text);
}

Result<OptionValues> defaults(std::span<const PassOption> options) {
  OptionValues values;
  for (const PassOption& option : options) {
    std::string_view text = option.default_value;
    if (text.empty() && option.type == OptionType::Bool) text = "false";
    if (text.empty() && option.type == OptionType::Int) text = "0";
    const std::optional<OptionValues::OptionValue> value = value_of(option, text);
    if (!value) return fail(fmt::format("option {} cannot be {}", option.name, text));
    values.set(option.name, *value);
  }
  return values;
}

/// Removes an item, `name` or `name=value`, from the start of `text`, which has no leading space.
/// Returns both parts.
std::pair<std::string_view, std::string_view> take_item(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" ="), text.size());
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  std::string_view value;
  if (text.starts_with('=')) {
    text.remove_prefix(1);
    value = text.substr(0, end_of_value(text));
    text.remove_prefix(value.size());
  }
  text = trimmed(text);
  return {name, unwrapped(value)};
}

Error unknown_option(std::span<const PassOption> options, std::string_view name) {
  std::vector<std::string_view> names;
  for (const PassOption& option : options) names.emplace_back(option.name);
  Error error{fmt::format("no such option: {}", name)};
  if (const auto meant = closest(name, names)) {
    error.notes.push_back(fmt::format("did you mean {}?", *meant));
  }
  error.notes.push_back(names.empty() ? "the pass has no options"
                                      : fmt::format("its options: {}", fmt::join(names, ", ")));
  return error;
}

}  // namespace

Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text) {
  SHARDY_TRY(OptionValues values, defaults(options));
  for (text = trimmed(text); !text.empty();) {
    const auto [name, value] = take_item(text);
    const std::string_view wanted = name;
    const auto option = std::ranges::find(
        options, wanted, [](const PassOption& each) { return std::string_view(each.name); });
    if (option == options.end()) return tl::unexpected(unknown_option(options, name));
    const std::optional<OptionValues::OptionValue> parsed = value_of(*option, value);
    if (!parsed) {
      return fail(fmt::format("option {} is of type {}, got: {}", name, type_text(*option), value));
    }
    values.set(option->name, *parsed);
  }
  return values;
}

// ---- The context of a pass ----------------------------------------------------------------------

void PassContext::warn(const ir::Module& module, ir::OpId op, std::string message,
                       std::string remedy) {
  diagnose({.message = std::move(message),
            .location = module.source_location(op),
            .notes = {std::move(remedy)},
            .severity = Severity::Warning});
}

void PassContext::warn(std::string message, std::string remedy) {
  diagnose(
      {.message = std::move(message), .notes = {std::move(remedy)}, .severity = Severity::Warning});
}

void PassContext::remark(const ir::Module& module, ir::OpId op, std::string message) {
  diagnose({.message = std::move(message),
            .location = module.source_location(op),
            .severity = Severity::Remark});
}

void PassContext::diagnose(const Diagnostic& diagnostic) {
  if (sinks_.diagnose) sinks_.diagnose(diagnostic);
}

void PassContext::save_module(const ir::Module& module, const std::string& directory,
                              const std::string& name, std::optional<int64_t> index) {
  if (directory.empty() || !sinks_.save) return;
  const std::string path = index ? fmt::format("{}/{:02}.{}.mlir", directory, *index, name)
                                 : fmt::format("{}/{}.mlir", directory, name);
  const Status status = sinks_.save(path, module);
  if (status) return;
  warn(fmt::format("error when writing file {}: {}", path, status.error().message),
       "the passes run nevertheless; give a directory that can be written");
}

// ---- Passes and their registry ------------------------------------------------------------------

std::string_view to_string(PassKind kind) {
  return kind == PassKind::Module ? "module" : "function";
}

std::string_view to_string(PassPhase phase) {
  constexpr std::string_view kNames[] = {"common", "import", "propagation", "export", "pipeline"};
  return kNames[static_cast<std::size_t>(phase)];
}

PassBody body(Diagnostics (*run)(ir::Module&)) {
  return [run](ir::Module& module, PassContext&) { return run(module); };
}

Status PassRegistry::add(Pass pass) {
  std::vector<std::string> names = pass.aliases;
  names.push_back(pass.name);
  for (const std::string& name : names) {
    if (find(name) != nullptr) return fail("a pass of that name exists: " + name);
  }
  if ((pass.run == nullptr) == (pass.expand == nullptr)) {
    return fail("a pass either runs or is made of other passes: " + pass.name);
  }
  const Result<OptionValues> defaults = parse_options(pass.options, "");
  if (!defaults) return tl::unexpected(with_prefix(pass.name + ": ", defaults.error()));
  passes_.push_back(std::move(pass));
  return {};
}

const Pass* PassRegistry::find(std::string_view name) const {
  const auto found = std::ranges::find_if(passes_, [&](const Pass& pass) {
    return pass.name == name || std::ranges::find(pass.aliases, name) != pass.aliases.end();
  });
  return found == passes_.end() ? nullptr : &*found;
}

}  // namespace shardy::passes

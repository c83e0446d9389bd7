// Options whose text is read by ours.
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <functional>
#include <limits>
#include <string>

#include "shardy/support/result.hpp"
#include "tools/numbers.hpp"

namespace shardy::tools {

/// An empty name would be taken for none.
inline std::string refuse_empty(const std::string& text) {
  return text.empty() ? "expected a text that is not empty" : "";
}

/// Reads an option; returns its error, empty for valid text.
using ReadOption = std::function<std::string(const std::string&)>;

/// An option whose text is read by ours: the parser would take overflow, octal digits and NaN.
inline CLI::Option* add_option(CLI::App& command, const char* name, const char* help,
                               ReadOption read) {
  const auto ignore = [](const std::string&) {};
  return command.add_option_function<std::string>(name, ignore, help)->check(std::move(read));
}

/// From `least` to `most`.
template <std::integral Int, class Target>
ReadOption integer_into(Target& target, Int most = std::numeric_limits<Int>::max(), Int least = 0) {
  return [&target, most, least](const std::string& text) {
    const Result<Int> value = read_integer<Int>(text, least, most);
    if (!value) return value.error().message;
    target = *value;
    return std::string();
  };
}

/// A number of bytes: "5MB".
template <class Target>
ReadOption bytes_into(Target& target) {
  return [&target](const std::string& text) {
    const Result<int64_t> bytes = read_bytes(text);
    if (!bytes) return bytes.error().message;
    target = *bytes;
    return std::string();
  };
}

/// Costs of mesh axes; their text is read again where it is used.
std::string check_axis_costs(const std::string& text);

}  // namespace shardy::tools

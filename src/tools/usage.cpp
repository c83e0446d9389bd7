#include "tools/usage.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "shardy/support/closest.hpp"

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

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace shardy::tools

#include "tools/usage.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "shardy/support/quote.hpp"

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

void explain_value(Error& error) {
  const std::string message = error.message;
  const std::size_t word_begin = message.find(": ") + 2;
  constexpr std::string_view kNotIn = " not in {";
  constexpr std::string_view kThereAre = "; there are ";
  constexpr std::string_view kMissing = " required TEXT missing";
  if (const std::size_t at = message.find(kNotIn); at != std::string::npos && at > word_begin) {
    std::string list = message.substr(at + kNotIn.size());
    list.resize(list.rfind('}'));
    const std::vector<std::string> names = CLI::detail::split(list, ',');
    const std::string word = message.substr(word_begin, at - word_begin);
    error.message = message.substr(0, word_begin) + "no such value: " + word;
    add_suggestion(error, word, names);
    error.notes.push_back("it is one of " + joined(names));
  } else if (const std::size_t list = message.find(kThereAre); list != std::string::npos) {
    const std::size_t word = message.rfind(": ", list) + 2;
    std::vector<std::string> names =
        CLI::detail::split(message.substr(list + kThereAre.size()), ',');
    for (std::string& name : names) name.erase(0, name.find_first_not_of(' '));
    error.message = message.substr(0, list);
    add_suggestion(error, message.substr(word, list - word), names);
    error.notes.push_back("there are " + joined(names));
  } else if (message.ends_with(kMissing)) {
    error.message = message.substr(0, word_begin) + "expected a value";
  }
}

Error in_option(std::string_view option, Error error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kExamples = {
      {{"--mesh", R"('<["x"=2, "y"=3]>')"},
       {"--to-mesh", R"('<["x"=2, "y"=3]>')"},
       {"--shape", "24x24xf32"},
       {"--sharding", R"x('[{"x"}, {}]' or "P('x', None)")x"},
       {"--from", R"x('[{"x"}, {}]' or "P('x', None)")x"},
       {"--to", R"x('[{}, {"x"}]' or "P(None, 'x')")x"},
       {"--axis-cost", "x=full:100GB/s:1us"}}};
  const bool has_wrong_form = error.message.starts_with("expected ");
  const auto* example =
      std::ranges::find(kExamples, option, [](const auto& row) { return row.first; });
  if (has_wrong_form && example != kExamples.end()) {
    error.notes.push_back("for example: " + std::string(option) + " " +
                          std::string(example->second));
  }
  error.message = std::string(option) + ": " + error.message;
  error.location.clear();  // in a text that was put around
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

}  // namespace shardy::tools

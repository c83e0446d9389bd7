// Writes the document of a sweep.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "shardy/version.h"
#include "shardy/view/page.hpp"
#include "view/part_writer.hpp"

namespace shardy::view {

namespace {

/// Returns the text in single quotes for a shell.
std::string quoted(std::string_view text) {
  std::string quotes = "'";
  for (const char c : text) quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return quotes + "'";
}

bool is_plain(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) ||
         std::string_view("_./-=").find(c) != std::string_view::npos;
}

/// Returns a file name or an option as a word of a command line.
std::string shell_word(const std::string& text) {
  return std::ranges::all_of(text, is_plain) ? text : quoted(text);
}

std::string search_command(const std::string& program, std::span<const std::string> options) {
  std::string text = "shardy autoshard " + shell_word(program);
  for (const std::string& option : options) text += " " + shell_word(option);
  return text;
}

}  // namespace

std::string view_command(const std::string& program, const report::SweepStrategy& strategy) {
  if (strategy.set.empty()) return {};
  std::string text = "shardy view " + shell_word(program);
  for (const report::Setting& each : strategy.set) {
    text += " --after " + quoted(each.value + "=" + each.sharding);
  }
  return text;
}

namespace {

/// A value that strategies annotate, and its alternatives in the order of their first use.
struct Choice {
  std::string value;
  std::vector<std::string> alternatives = {};
  std::map<std::string, int64_t> numbers = {};
  Column picks = {};  // per strategy: index of the alternative; -1: not set

  int64_t number_of(const std::string& sharding) {
    const auto [found, is_new] = numbers.try_emplace(sharding, std::ssize(alternatives));
    if (is_new) alternatives.push_back(sharding);
    return found->second;
  }
};

std::vector<Choice> choices_of(const SweepTable& table) {
  std::vector<Choice> choices;
  std::map<std::string, std::size_t> places;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (const report::Setting& setting : table.strategies[row].set) {
      const auto [found, is_new] = places.try_emplace(setting.value, choices.size());
      if (is_new) choices.push_back({.value = setting.value});
      Choice& choice = choices[found->second];
      choice.picks.resize(row + 1, -1);
      choice.picks[row] = choice.number_of(setting.sharding);
    }
  }
  for (Choice& choice : choices) choice.picks.resize(table.rows.size(), -1);
  return choices;
}

void write_choices(PartWriter& out, const SweepTable& table) {
  out.key("choices").begin_array();
  for (const Choice& choice : choices_of(table)) {
    out.begin_object().member("value", choice.value).key("alternatives").begin_array();
    for (const std::string& each : choice.alternatives) out.string(each);
    out.end_array().member("pick", choice.picks).end_object();
  }
  out.end_array();
}

std::string head_part(const SweepTable& table) {
  PartWriter out;
  out.begin_object().key("schema_version").integer(1).member("kind", "sweep");
  out.member("title", table.title).member("command", table.command);
  return out.member("version", SHARDY_VERSION_STRING).end_object().take();
}

/// Writes a column of numbers, with null for strategies without a result.
template <class Write>
void write_numbers(PartWriter& out, std::string_view name, const SweepTable& table, Write write) {
  out.key(name).begin_array();
  for (const SweepRow& row : table.rows) row.error.empty() ? write(row) : out.null();
  out.end_array();
}

std::string sweep_part(const SweepTable& table, StringTable& strings) {
  Column numbers;
  Column names;
  Column errors;
  Column equal;
  Column annotations;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const report::SweepStrategy& strategy = table.strategies[row];
    const SweepRow& costs = table.rows[row];
    numbers.push_back(static_cast<int64_t>(row));
    names.push_back(strings.add(strategy.name));
    errors.push_back(strings.add(costs.error));
    equal.push_back(costs.equal ? static_cast<int64_t>(*costs.equal) : -1);
    annotations.push_back(strings.add(costs.search_options.empty()
                                          ? view_command(table.program, strategy)
                                          : search_command(table.program, costs.search_options)));
  }
  PartWriter out;
  out.begin_object().member("strategy", numbers).member("name", names);
  const auto write = [&](auto member) {
    return [&out, member](const SweepRow& row) -> PartWriter& { return out.number(row.*member); };
  };
  const auto write_integer = [&](auto member) {
    return [&out, member](const SweepRow& row) -> PartWriter& { return out.integer(row.*member); };
  };
  write_numbers(out, "seconds", table, write(&SweepRow::seconds));
  write_numbers(out, "collective_seconds", table, write(&SweepRow::collective_seconds));
  write_numbers(out, "peak_bytes", table, write_integer(&SweepRow::peak_bytes));
  write_numbers(out, "bytes", table, write_integer(&SweepRow::bytes));
  write_numbers(out, "operations", table, write(&SweepRow::operations));
  out.member("error", errors).member("equal", equal).member("annotations", annotations);
  out.member("front", Column(table.front.begin(), table.front.end()));
  write_choices(out, table);
  return out.end_object().take();
}

}  // namespace

std::vector<PagePart> sweep_parts(const SweepTable& table) {
  SHARDY_EXPECTS(table.rows.size() <= table.strategies.size());
  StringTable strings;
  std::string sweep = sweep_part(table, strings);
  PartWriter texts;
  texts.begin_array();
  for (const std::string& text : strings.texts()) texts.string(text);
  return {{"head", head_part(table)},
          {"strings", texts.end_array().take()},
          {"sweep", std::move(sweep)}};
}

}  // namespace shardy::view

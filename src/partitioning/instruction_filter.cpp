// The filter option of sdy-per-instruction-partitioning. Spec: passes 5.19.
#include <algorithm>
#include <charconv>

#include "partitioning/per_instruction.hpp"

namespace shardy::partitioning {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\n");
  return end == text.npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

void add(InstructionFilter& filter, std::string_view token) {
  constexpr std::string_view kLow = "selectLow=";
  constexpr std::string_view kHigh = "selectHigh=";
  const auto bound = [&](std::string_view name, std::optional<int64_t>& slot) {
    if (const auto number = number_of(token.substr(name.size()))) slot = number;
  };
  if (token.starts_with(kLow)) {
    bound(kLow, filter.low);
  } else if (token.starts_with(kHigh)) {
    bound(kHigh, filter.high);
  } else if (!token.empty()) {
    filter.parts.emplace_back(token);
  }
}

}  // namespace

bool InstructionFilter::takes(int64_t number, std::string_view name) const {
  if ((low && number < *low) || (high && number > *high)) return false;
  return parts.empty() || std::ranges::any_of(parts, [&](const std::string& part) {
           return name.find(part) != name.npos;
         });
}

InstructionFilter read_instruction_filter(std::string_view text) {
  InstructionFilter filter;
  text = unquoted(trimmed(text));
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(filter, trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return filter;
}

}  // namespace shardy::partitioning

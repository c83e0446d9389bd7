#include "tools/explain_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "text/error_places.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

using propagation::AbsentAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;

std::string at_place(const std::string& location) {
  return location.empty() ? std::string() : " at " + text::place_text(location);
}

std::string priority_text(int64_t user_priority, int level) {
  return fmt::format("user priority {}, level {}", user_priority, level);
}

std::string_view to_string(AbsentAxis::Why why) {
  switch (why) {
    case AbsentAxis::Why::Written:
      return "written";
    case AbsentAxis::Why::Lost:
      return "lost";
    case AbsentAxis::Why::Closed:
      return "closed";
    case AbsentAxis::Why::NoRule:
      return "no rule";
    case AbsentAxis::Why::NoFactor:
      return "no factor";
    case AbsentAxis::Why::Nobody:
      break;
  }
  return "nobody";
}

std::string absence_text(const AbsentAxis& absent) {
  const std::string has = fmt::format("{}{} has it on dim {} of {}", absent.op,
                                      at_place(absent.location), absent.dim, absent.holder);
  switch (absent.why) {
    case AbsentAxis::Why::Written:
      return "the annotation says so";
    case AbsentAxis::Why::Lost:
      return fmt::format("{}, factor {}, and does not hand it on", has, absent.factor);
    case AbsentAxis::Why::Closed:
      return fmt::format("{}, factor {}, which is a closed dim here", has, absent.factor);
    case AbsentAxis::Why::NoRule:
      return has + ", and has no sharding rule";
    case AbsentAxis::Why::NoFactor:
      return fmt::format("{}, factor {}, which is no dim here", has, absent.factor);
    case AbsentAxis::Why::Nobody:
      break;
  }
  return "no op that makes or uses it has it";
}

namespace {

/// With `%` for each name and without the numbers of steps: what layers have in common.
std::string without_names(std::string_view text) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_#.$-").find(c) != std::string_view::npos;
  };
  std::string out;
  bool is_in_name = false;
  for (const char c : text) {
    is_in_name = is_in_name ? is_of_name(c) : false;
    if (!is_in_name) out += c;
    if (c == '%') is_in_name = true;
  }
  const std::size_t step = out.find("in step ");  // the end of a reason
  const std::size_t end = step == std::string::npos ? step : out.find('|', step);
  return end == std::string::npos ? out : out.erase(step, end - step);
}

std::string following_text(const Following& following) {
  return fmt::format("{} {} of {}, {} bytes{}", following.kind, following.axes, following.type,
                     grouped(following.bytes),
                     following.count == 1 ? "" : fmt::format(" in {}", grouped(following.count)));
}

void add_conflict(std::string& out, const RankedConflict& ranked) {
  const ExplainedConflict& conflict = *ranked.conflict;
  out += fmt::format("conflict: {}{}, factor {}: {} does not reach {} ({})\n", conflict.op,
                     at_place(conflict.location), conflict.factor, conflict.axis,
                     conflict.target.value_or("the tensors of the op"), conflict.reason);
  if (!conflict.calls.empty()) {
    out +=
        fmt::format("  in @{} called by {}\n", conflict.function, fmt::join(conflict.calls, ", "));
  }
  if (conflict.kept) out += fmt::format("  {} of it does\n", *conflict.kept);
  out += fmt::format("  in the way: {}; {}\n", conflict.tensor,
                     priority_text(conflict.user_priority, conflict.level));
  for (const std::string& candidate : conflict.candidates) {
    out += "  candidate: " + candidate + "\n";
  }
  if (!conflict.winner.empty()) {
    out += fmt::format("  winner: {}; {}\n", conflict.winner, conflict.why);
  }
  out += "  needed: " + conflict.needed + "\n";
  for (const Following& each : ranked.following) {
    out += "  leads to: " + following_text(each) + "\n";
  }
}

/// Returns the key of equal conflicts.
std::string conflict_key(const RankedConflict& ranked) {
  const ExplainedConflict& each = *ranked.conflict;
  std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", each.op, each.factor, each.axis,
                                each.kept.value_or(""), each.reason, each.tensor,
                                each.target.value_or("-"), each.winner, each.why, each.needed);
  for (const std::string& candidate : each.candidates) key += candidate + "|";
  for (const Following& following : ranked.following) {
    key += following.kind + following.axes + following.type + "|";
  }
  return without_names(key);
}

/// Rows that are alike, and their bytes together.
template <class Row>
struct AlikeRows {
  std::vector<const Row*> rows;
  int64_t bytes = 0;
};

/// The most bytes first. `bytes_of`: those of a row that its number of rows does not have yet.
template <class Row, class Key, class Bytes>
std::vector<AlikeRows<Row>> alike_rows(const std::vector<Row>& rows, Key key_of, Bytes bytes_of) {
  std::map<std::string, std::size_t> places;
  std::vector<AlikeRows<Row>> all;
  for (const Row& row : rows) {
    const auto [found, is_new] = places.try_emplace(key_of(row), all.size());
    if (is_new) all.emplace_back();
    AlikeRows<Row>& same = all[found->second];
    same.bytes += bytes_of(row, found->second);
    same.rows.push_back(&row);
  }
  std::ranges::stable_sort(all, std::greater<>(), &AlikeRows<Row>::bytes);
  return all;
}

/// `5:3, 8:3, 9:1 and 29 more`.
std::string list_text(const std::vector<std::string>& all) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, all.size());
  std::string text = fmt::format("{}", fmt::join(std::span(all).first(shown), ", "));
  if (shown < all.size()) text += fmt::format(" and {} more", all.size() - shown);
  return text;
}

void add_alike(std::string& out, const AlikeRows<RankedConflict>& same) {
  if (same.rows.size() == 1) return;
  std::vector<std::string> places;
  std::set<std::string_view> seen = {same.rows.front()->conflict->location};
  for (const RankedConflict* row : same.rows) {
    const std::string& location = row->conflict->location;
    if (seen.insert(location).second) places.push_back(text::place_text(location));
  }
  out += fmt::format("  and {} more like it", grouped(static_cast<int64_t>(same.rows.size()) - 1));
  if (!places.empty()) out += " at " + list_text(places);
  if (same.bytes > 0) out += fmt::format("; all of them {} bytes", grouped(same.bytes));
  out += "\n";
}

}  // namespace

void add_conflicts(std::string& out, const std::vector<RankedConflict>& conflicts,
                   std::size_t top) {
  std::set<std::pair<std::size_t, std::string_view>> counted;  // collectives of a place, once
  const auto bytes_of = [&](const RankedConflict& row, std::size_t number) {
    return counted.emplace(number, row.conflict->location).second ? row.bytes : 0;
  };
  const auto all = alike_rows(conflicts, conflict_key, bytes_of);
  const std::size_t shown = std::min(all.size(), top);
  for (const auto& same : std::span(all).first(shown)) {
    add_conflict(out, *same.rows.front());
    add_alike(out, same);
  }
  out += more_text(shown, all.size());
}

namespace {

std::string axes_text(const ReplicatedValue& row) {
  std::vector<std::string_view> axes;
  for (const AbsentAxis* absent : row.axes) axes.push_back(absent->axis);
  return fmt::format("{}", fmt::join(axes, ", "));
}

std::string replicated_key(const ReplicatedValue& row) {
  const AbsentAxis& absent = *row.axes.front();
  const ExplainedValue& value = *row.value;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", value.type, value.op, value.after.value_or(""),
                     axes_text(row), static_cast<int>(absent.why), absent.op, absent.factor,
                     absent.dim);
}

std::string value_text(const ExplainedValue& value) {
  const bool is_main = value.function == "main" || value.function.empty();
  std::string text = (is_main ? "" : "@" + value.function + ":") + value.name + ": " + value.type;
  if (!value.op.empty()) text += ", " + value.op + at_place(value.location);
  return text;
}

}  // namespace

void add_replicated(std::string& out, const std::vector<ReplicatedValue>& values, std::size_t top) {
  if (values.empty()) return;
  const auto all = alike_rows(values, replicated_key,
                              [](const ReplicatedValue& row, std::size_t) { return row.bytes; });
  out +=
      fmt::format("\n{:>14} {:>7}  replicated where nothing conflicts\n", "bytes held", "values");
  const std::size_t shown = std::min(all.size(), top);
  for (const auto& same : std::span(all).first(shown)) {
    const ReplicatedValue& first = *same.rows.front();
    out += fmt::format("{:>14} {:>7}  along {}: {}: {}\n", grouped(same.bytes),
                       grouped(static_cast<int64_t>(same.rows.size())), axes_text(first),
                       value_text(*first.value), absence_text(*first.axes.front()));
  }
  out += more_text(shown, all.size());
}

}  // namespace shardy::tools

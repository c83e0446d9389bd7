// Writes reports of commands as JSON.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "report/records.hpp"
#include "text/json_writer.hpp"

namespace shardy::tools {

/// Returns a writer of a report. A report is ASCII text, so that no character in it controls a
/// terminal.
inline text::JsonWriter report_writer() { return text::JsonWriter(100, true); }

/// The version of the schema of all reports. Within a version, reports only get new members.
inline constexpr int64_t kReportVersion = 1;

inline void write(text::JsonWriter& out, std::string_view text) { out.string(text); }
inline void write(text::JsonWriter& out, const char* text) { out.string(text); }
inline void write(text::JsonWriter& out, const std::string& text) { out.string(text); }
inline void write(text::JsonWriter& out, const Location& location) { out.string(location.text()); }
inline void write(text::JsonWriter& out, bool value) { out.boolean(value); }
template <std::integral Integer>
void write(text::JsonWriter& out, Integer value) {
  out.integer(static_cast<int64_t>(value));
}
/// Writes null if the number is not finite.
inline void write(text::JsonWriter& out, double value) {
  std::isfinite(value) ? out.number(value) : out.null();
}
/// Writes null for std::nullopt.
inline void write(text::JsonWriter& out, const std::optional<std::string>& text) {
  text ? out.string(*text) : out.null();
}
template <report::Record Record>
void write(text::JsonWriter& out, const Record& record);
/// Writes an object with one member per axis.
inline void write(text::JsonWriter& out, const std::vector<report::AxisBytes>& axes) {
  out.begin_object();
  for (const report::AxisBytes& each : axes) out.key(each.axis).integer(each.bytes);
  out.end_object();
}
/// Writes a list of records, one per line except inside filled lines.
template <std::ranges::range List>
requires(!std::convertible_to<List, std::string_view>) void write(text::JsonWriter& out,
                                                                  const List& list) {
  constexpr bool kHasLines = report::Record<std::ranges::range_value_t<List>>;
  out.begin_array(kHasLines ? text::JsonWriter::JsonLayout::Broken
                            : text::JsonWriter::JsonLayout::Fit);
  for (const auto& each : list) write(out, each);
  out.end_array();
}

/// Writes members of the open object. The arguments alternate between key and value.
template <class Value, class... Rest>
void add(text::JsonWriter& out, std::string_view key, const Value& value, const Rest&... rest) {
  write(out.key(key), value);
  if constexpr (sizeof...(rest) > 0) add(out, rest...);
}

/// Writes members of the open object that a table of members lists.
template <class Table, class Record>
void add_members(text::JsonWriter& out, const Table& members, const Record& record) {
  report::visit_members(members, [&](const char* name, const auto& get) {
    const auto& value = std::invoke(get, record);
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
      if (value != nullptr) add(out, name, *value);
    } else {
      add(out, name, value);
    }
  });
}
template <report::Record Record>
void add_members(text::JsonWriter& out, const Record& record) {
  add_members(out, report::members_of(&record), record);
}

template <report::Record Record>
void write(text::JsonWriter& out, const Record& record) {
  constexpr bool kHasLines = std::is_same_v<Record, report::MemoryPeak>;
  out.begin_object(kHasLines ? text::JsonWriter::JsonLayout::Broken
                             : text::JsonWriter::JsonLayout::Fit);
  add_members(out, record);
  out.end_object();
}

/// Opens a report. `kind` names its definition in docs/reports.schema.json.
inline void begin_report(text::JsonWriter& out, std::string_view kind) {
  out.begin_object(text::JsonWriter::JsonLayout::Broken);
  add(out, "schema", "reports.schema.json#/$defs/" + std::string(kind), "schema_version",
      kReportVersion);
}

/// Writes the member `collectives` of the open object: per kind, the bytes of the busiest device.
template <class Kinds>
void add_traffic(text::JsonWriter& out, const Kinds& kinds) {
  out.key("collectives").begin_object();
  for (const auto& [kind, traffic] : kinds) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(kind)>>) {
      add(out, ir::info(kind).name, traffic);
    } else {
      add(out, kind, traffic);
    }
  }
  out.end_object();
}

}  // namespace shardy::tools

// Reports of the command line as JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/support/result.hpp"
#include "text/json_writer.hpp"

namespace shardy::tools {

/// A report is ASCII text, so that nothing in it acts on a terminal.
inline text::JsonWriter report_writer() { return text::JsonWriter(100, true); }

/// The version of the form of all reports. Later reports of a version only add members.
inline constexpr int64_t kReportVersion = 1;

inline void write(text::JsonWriter& out, std::string_view text) { out.string(text); }
inline void write(text::JsonWriter& out, const char* text) { out.string(text); }
inline void write(text::JsonWriter& out, const std::string& text) { out.string(text); }
inline void write(text::JsonWriter& out, bool value) { out.boolean(value); }
template <std::integral Integer>
void write(text::JsonWriter& out, Integer value) {
  out.integer(static_cast<int64_t>(value));
}
/// Null if it is nothing.
inline void write(text::JsonWriter& out, const std::optional<std::string>& text) {
  text ? out.string(*text) : out.null();
}
inline void write(text::JsonWriter& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

inline void write(text::JsonWriter& out, const Diagnostics& diagnostics);

/// Members of the object that is open: a key, its value, the next key, and so on.
template <class Value, class... Rest>
void add(text::JsonWriter& out, std::string_view key, const Value& value, const Rest&... rest) {
  write(out.key(key), value);
  if constexpr (sizeof...(rest) > 0) add(out, rest...);
}

/// Opens a report. `kind`: its definition in docs/reports.schema.json.
inline void begin_report(text::JsonWriter& out, std::string_view kind) {
  out.begin_object(text::JsonWriter::Layout::Broken);
  add(out, "schema", "reports.schema.json#/$defs/" + std::string(kind), "schema_version",
      kReportVersion);
}

/// A list of `{"severity", "code", "message", "location", "notes"}`; what there is not is empty.
inline void write(text::JsonWriter& out, const Diagnostics& diagnostics) {
  out.begin_array(text::JsonWriter::Layout::Broken);
  for (const Diagnostic& each : diagnostics) {
    out.begin_object();
    add(out, "severity", to_string(each.severity), "code", each.code, "message", each.message,
        "location", each.location, "notes", each.notes);
    out.end_object();
  }
  out.end_array();
}

/// The member `notes` of the object that is open. Spec: partitioning 5.10.
inline void add_notes(text::JsonWriter& out,
                      const std::vector<partitioning::ReplicationNote>& notes) {
  out.key("notes").begin_array(text::JsonWriter::Layout::Broken);
  for (const partitioning::ReplicationNote& note : notes) {
    out.begin_object();
    add(out, "kind", partitioning::to_string(note.kind), "op", note.op, "location", note.location,
        "tensor", note.tensor);
    out.key("dims").begin_array();
    for (const int64_t dim : note.dims) out.integer(dim);
    out.end_array();
    add(out, "axes", note.axes, "reason", note.reason, "bytes_moved", note.bytes_moved,
        "bytes_held", note.bytes_held);
    out.end_object();
  }
  out.end_array();
}

/// The member `rewrites` of the object that is open. Spec: resharding C.8.
inline void add_rewrites(text::JsonWriter& out,
                         const std::vector<passes::CollectiveRewrite>& rewrites) {
  out.key("rewrites").begin_array(text::JsonWriter::Layout::Broken);
  for (const passes::CollectiveRewrite& each : rewrites) {
    out.begin_object();
    add(out, "rule", each.rule, "op", each.op, "location", each.location, "bytes_before",
        each.bytes_before, "bytes_after", each.bytes_after, "messages_before", each.messages_before,
        "messages_after", each.messages_after);
    out.end_object();
  }
  out.end_array();
}

}  // namespace shardy::tools

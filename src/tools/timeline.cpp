#include "tools/timeline.hpp"

#include <algorithm>
#include <string_view>

#include "tools/json_report.hpp"

namespace shardy::tools {

namespace {

using report::TimelineEvent;
using text::JsonWriter;

/// Viewers take process 0 for the idle one.
constexpr int64_t kDevices = 1;

void write_name(JsonWriter& out, std::string_view what, std::size_t row, const std::string& name) {
  out.begin_object();
  add(out, "name", what, "ph", "M", "pid", kDevices, "tid", row);
  out.key("args").begin_object();
  add(out, "name", name);
  out.end_object();
  out.end_object();
}

/// Trace events count in microseconds.
void write_event(JsonWriter& out, const TimelineEvent& event, std::size_t row) {
  constexpr double kMicroseconds = 1e6;
  out.begin_object();
  add(out, "name", event.name, "ph", "X", "pid", kDevices, "tid", row);
  out.key("ts").number(event.begin * kMicroseconds);
  out.key("dur").number(event.seconds * kMicroseconds);
  out.key("args").begin_object();
  add(out, "location", event.location, "times", event.times.count, "times_known",
      event.times.is_exact);
  if (event.axes.empty()) {
    out.key("operations").number(event.operations);
  } else {
    add(out, "bytes_sent", event.bytes, "serves", event.serves);
  }
  out.end_object();
  out.end_object();
}

/// Returns the axes of the rows after the first one, which is that of computation.
std::vector<std::string> rows_of(const std::vector<TimelineEvent>& events) {
  std::vector<std::string> rows = {""};
  for (const TimelineEvent& event : events) {
    if (std::ranges::find(rows, event.axes) == rows.end()) rows.push_back(event.axes);
  }
  return rows;
}

}  // namespace

std::string timeline_json(const std::vector<TimelineEvent>& events, int64_t num_devices) {
  const std::vector<std::string> rows = rows_of(events);
  JsonWriter out = report_writer();
  out.begin_object(JsonWriter::Layout::Broken);
  add(out, "displayTimeUnit", "ns");
  out.key("traceEvents").begin_array(JsonWriter::Layout::Broken);
  write_name(
      out, "process_name", 1,
      num_devices == 1 ? "the device" : "each of " + std::to_string(num_devices) + " devices");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    write_name(out, "thread_name", row + 1,
               rows[row].empty() ? "compute" : "communication along " + rows[row]);
  }
  for (const TimelineEvent& event : events) {
    const auto row = std::ranges::find(rows, event.axes) - rows.begin();
    write_event(out, event, static_cast<std::size_t>(row) + 1);
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace shardy::tools

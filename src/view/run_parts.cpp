// Writes time and memory of the per-device program as parts of a document.
#include "view/run_parts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/error_places.hpp"
#include "view/memory_curve.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;

namespace {

int64_t place(StringTable& strings, const Location& location) {
  return strings.add(text::place_text(location));
}

}  // namespace

std::string timeline_part(const ProgramData& data, const ProgramIndex& index,
                          const Outline& outline, StringTable& strings) {
  constexpr double kMicroseconds = 1e6;  // per second, the unit of trace events
  std::vector<std::string> rows = {""};
  std::unordered_map<OpId, int64_t> collectives;  // never iterated
  for (const report::Collective& row : data.report.collectives) {
    collectives.emplace(row.op, std::ssize(collectives));
  }
  std::map<std::string, Column> columns;
  std::vector<double> begin;
  std::vector<double> seconds;
  std::vector<double> operations;
  for (const report::TimelineEvent& event : data.timeline) {
    auto row = std::ranges::find(rows, event.axes);
    if (row == rows.end()) row = rows.insert(rows.end(), event.axes);
    const auto collective = collectives.find(event.op);
    begin.push_back(event.begin * kMicroseconds);
    seconds.push_back(event.seconds * kMicroseconds);
    operations.push_back(event.operations);
    columns["name"].push_back(strings.add(event.name));
    columns["row"].push_back(row - rows.begin());
    columns["place"].push_back(place(strings, event.location));
    columns["serves"].push_back(strings.add(event.serves));
    columns["times"].push_back(event.times.count);
    columns["exact"].push_back(event.times.is_exact ? 1 : 0);
    columns["bytes"].push_back(event.bytes);
    columns["node"].push_back(outline.node_of(index.origin(event.op)));
    columns["collective"].push_back(collective != collectives.end() ? collective->second : -1);
  }
  PartWriter out;
  out.begin_object().key("rows").begin_array().string("compute");
  for (std::size_t row = 1; row < rows.size(); ++row) {
    out.string("communication along " + rows[row]);
  }
  out.end_array().member("ts", begin).member("dur", seconds).member("operations", operations);
  for (const char* name :
       {"name", "row", "place", "serves", "times", "exact", "bytes", "node", "collective"}) {
    out.member(name, columns[name]);
  }
  return out.end_object().take();
}

std::string memory_part(const ProgramData& data, const ProgramIndex& index, const Outline& outline,
                        StringTable& strings) {
  const Module& program = data.compiled.program;
  const MemoryCurve curve = memory_curve(program);
  std::map<std::string, Column> points;
  for (const MemoryPoint& point : curve.points) {
    const std::string name = point.is_entry
                                 ? "start of @" + std::string(program.symbol_name(point.op))
                                 : std::string(program.name(point.op));
    points["name"].push_back(strings.add(name));
    points["place"].push_back(point.is_entry ? 0 : place(strings, program.location_text(point.op)));
    points["node"].push_back(outline.node_of(index.origin(point.op)));
    points["bytes"].push_back(point.bytes);
  }
  std::map<std::string, Column> values;
  for (const LiveRange& range : curve.ranges) {
    values["made_by"].push_back(strings.add(report::maker_of(program, range.value)));
    values["type"].push_back(strings.add(ir::to_string(program.type(range.value))));
    values["place"].push_back(place(strings, report::place_of(program, range.value)));
    values["bytes"].push_back(program.type(range.value).num_bytes());
    values["first"].push_back(range.first);
    values["last"].push_back(range.last);
    values["node"].push_back(outline.node_of(index.origin(program.defining_op(range.value))));
  }
  PartWriter out;
  out.begin_object().key("peak").integer(static_cast<int64_t>(curve.peak()));
  for (const char* name : {"name", "place", "node", "bytes"}) out.member(name, points[name]);
  out.key("values").begin_object();
  for (const char* name : {"made_by", "type", "place", "bytes", "first", "last", "node"}) {
    out.member(name, values[name]);
  }
  return out.end_object().end_object().take();
}

}  // namespace shardy::view

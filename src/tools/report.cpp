// The commands report and diff. The first prints the cost of a program and of its ops without
// running the program. The second compares the costs of two programs, or of one program with two
// sets of annotations.
#include "tools/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"
#include "support/quantities.hpp"
#include "text/error_places.hpp"
#include "text/mlir_reader.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

using report::Collective;
using report::TimelineEvent;
using report::Total;
using text::JsonWriter;

// The modelled timeline of a device as trace events.

namespace {

/// The process number of all devices; viewers treat process 0 as idle.
constexpr int64_t kDevices = 1;

void write_name(JsonWriter& out, std::string_view what, std::size_t row, const std::string& name) {
  out.begin_object();
  add(out, "name", what, "ph", "M", "pid", kDevices, "tid", row);
  out.key("args").begin_object();
  add(out, "name", name);
  out.end_object();
  out.end_object();
}

/// Writes an event. Times of trace events are in microseconds.
void write_event(JsonWriter& out, const TimelineEvent& event, std::size_t row) {
  constexpr double kMicroseconds = 1e6;
  out.begin_object();
  add(out, "name", event.name, "ph", "X", "pid", kDevices, "tid", row, "ts",
      event.begin * kMicroseconds, "dur", event.seconds * kMicroseconds);
  out.key("args").begin_object();
  add(out, "location", event.location, "times", event.times.count, "times_known",
      event.times.is_exact);
  if (event.axes.empty()) {
    add(out, "operations", event.operations);
  } else {
    add(out, "bytes_sent", event.bytes, "serves", event.serves);
  }
  out.end_object();
  out.end_object();
}

/// Returns the axes of the rows after the first row, which has the computations.
std::vector<std::string> rows_of(const std::vector<TimelineEvent>& events) {
  std::vector<std::string> rows = {""};
  for (const TimelineEvent& event : events) {
    if (std::ranges::find(rows, event.axes) == rows.end()) rows.push_back(event.axes);
  }
  return rows;
}

/// Returns JSON in the trace event format. One process represents all devices, because they run the
/// same program. It has a row for computations and a row for each set of axes along which devices
/// send.
std::string timeline_json(const std::vector<TimelineEvent>& events, int64_t num_devices) {
  const std::vector<std::string> rows = rows_of(events);
  JsonWriter out = report_writer();
  out.begin_object(JsonWriter::JsonLayout::Broken);
  add(out, "displayTimeUnit", "ns");
  out.key("traceEvents").begin_array(JsonWriter::JsonLayout::Broken);
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

}  // namespace

std::string summary_row(std::string_view name, int64_t number, std::string_view rest) {
  return fmt::format("{:<24}{:>12}{}\n", name, grouped(number), rest);
}

std::string peak_row(int64_t bytes) {
  return summary_row("peak memory per device", bytes, headline_unit(bytes));
}

std::string traffic_head() {
  return fmt::format("{:<24}{:>12}{:>23}\n", "collectives", "count", "bytes sent per device");
}

std::string traffic_row(std::string_view kind, int64_t count, int64_t bytes) {
  return fmt::format("  {:<22}{:>12}{:>23}\n", kind, grouped(count), grouped(bytes));
}

std::string more_text(std::size_t shown, std::size_t all) {
  if (shown >= all) return "";
  return fmt::format("  ... {} more; --top={} shows all\n",
                     grouped(static_cast<int64_t>(all - shown)), all);
}

namespace {

std::string after(std::string_view word, const std::string& what) {
  return what.empty() ? std::string() : fmt::format("{}{}", word, what);
}

/// Returns the location after a word, such as `at model.py:31 (embed)`; empty without a location.
std::string place_after(std::string_view word, const Location& location) {
  return after(word, text::place_text(location));
}

/// Checks whether a location contains the text, as MLIR text or as reports show it.
bool is_at(const Location& location, const std::string& wanted) {
  return wanted.empty() || location.text().find(wanted) != std::string::npos ||
         text::place_text(location).find(wanted) != std::string::npos;
}

/// Returns up to three places, such as `29:9, 69:9, 109:10 and 2 more`.
std::string places_text(std::span<const Location> places) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (const Location& place : places.first(std::min(kShown, places.size()))) {
    text += after(text.empty() ? "" : ", ", text::place_text(place));
  }
  return places.size() <= kShown ? text
                                 : text + fmt::format(" and {} more", places.size() - kShown);
}

/// Lines of a table. Lines that are equal but for their place, such as those of equal layers, are
/// one line with all places. Lines without a place stay apart.
class PlacedLines {
 public:
  /// Adds the line `text`, `before_place` and the place, `rest`. Equal lines are one line only if
  /// their `kind` is equal, too.
  void add(std::string text, const Location& place, std::string_view before_place,
           std::string_view rest = "", std::string_view kind = "") {
    if (!place.empty()) {
      const auto [found, is_new] =
          line_of_.try_emplace(fmt::format("{}\n{}\n{}", text, rest, kind), lines_.size());
      if (!is_new) return lines_[found->second].places.push_back(place);
    }
    Line& line = lines_.emplace_back();
    line.text = std::move(text);
    line.rest = rest;
    if (place.empty()) return;
    line.text += before_place;
    line.places.push_back(place);
  }

  void print_to(std::string& out, std::size_t top) const {
    const std::size_t shown = std::min(lines_.size(), top);
    for (const Line& line : std::span(lines_).first(shown)) {
      const std::string_view each = line.places.size() > 1 ? ", each" : "";
      out += fmt::format("{}{}{}{}\n", line.text, places_text(line.places), each, line.rest);
    }
    out += more_text(shown, lines_.size());
  }

 private:
  struct Line {
    std::string text;
    std::vector<Location> places = {};
    std::string rest;
  };
  std::vector<Line> lines_;
  std::unordered_map<std::string, std::size_t> line_of_;
};

/// Returns a chain such as `%arg0 (annotation) -> stablehlo.add at 5:10 -> ..`.
std::string chain_text(const report::AxisOrigin& origin) {
  using Kind = report::AxisStep::Kind;
  std::string out;
  for (const report::AxisStep& step : origin.steps) {
    if (!out.empty()) out += " -> ";
    if (step.kind == Kind::Annotation) out += step.value + " (annotation)";
    if (step.kind == Kind::Import) out += step.value + " (before propagation)";
    if (step.kind == Kind::Group) out += step.value + " (sharding group)";
    if (step.kind == Kind::Skipped) out += step.value + " more";
    if (step.kind == Kind::Step) out += step.op + place_after(" at ", step.location);
  }
  return out;
}

/// Prints the sharding of each tensor of the op, and the origins of the collective's axes.
void add_cause(std::string& out, const report::Cause& cause) {
  constexpr std::size_t kMargin = 44;
  const std::string margin(kMargin, ' ');
  for (const report::TensorOrigin& tensor : cause.tensors) {
    out += fmt::format("{}{}{} is {}\n", margin, tensor.role, after(", ", tensor.name),
                       tensor.sharding);
    for (const report::AxisOrigin& axis : tensor.axes) {
      out += fmt::format("{}  {} on dim {}: {}\n", margin, axis.axis, axis.dim, chain_text(axis));
    }
  }
  for (const std::string& conflict : cause.conflicts) out += margin + conflict + "\n";
}

/// Returns whether the selection excludes some collectives.
bool is_filtered(const ReportSelection& selection) {
  return !selection.axis.empty() || !selection.line.empty() || !selection.op.empty();
}

std::vector<const Collective*> chosen(const report::Report& report,
                                      const ReportSelection& selection) {
  std::vector<const Collective*> rows;
  for (const Collective& row : report.collectives) {
    const bool has_axis = selection.axis.empty() ||
                          std::ranges::find(row.axis_bytes, selection.axis,
                                            &report::AxisBytes::axis) != row.axis_bytes.end();
    const bool has_line = is_at(row.location, selection.line);
    const bool has_op = selection.op.empty() || row.serves == selection.op;
    if (has_axis && has_line && has_op) rows.push_back(&row);
  }
  return rows;
}

/// Returns a text such as `; did you mean --op stablehlo.tanh?`; empty if no word is similar.
std::string meant_text(const report::Report& report, const ReportSelection& selection) {
  if (!selection.op.empty()) {
    const bool has_dialect = selection.op.find('.') != std::string::npos;
    const std::string name = (has_dialect ? "" : "stablehlo.") + selection.op;
    if (ir::find_op(name) != ir::OpKind::Unknown) {
      return has_dialect ? "" : "; did you mean --op " + name + "?";
    }
    const std::optional<std::string> known = text::closest_op(name);
    return known ? "; did you mean --op " + *known + "?" : "";
  }
  std::vector<std::string> places;
  for (const Collective& row : report.collectives) places.push_back(text::place_text(row.location));
  for (const report::ReportedValue& value : report.values) {
    places.push_back(text::place_text(value.location));
  }
  const std::vector<std::string_view> views(places.begin(), places.end());
  const auto meant = selection.line.empty() ? std::nullopt : closest(selection.line, views);
  return meant ? "; did you mean --line '" + *meant + "'?" : "";
}

void add_collectives(std::string& out, const report::Report& report,
                     const ReportSelection& selection) {
  const std::vector<report::EqualCollectives> rows = report::group_equal(chosen(report, selection));
  if (rows.empty()) {
    if (is_filtered(selection)) {
      out += "\nno collective matches the filters" + meant_text(report, selection) + "\n";
    }
    return;
  }
  int64_t all_bytes = 0;  // sum over rows, each with its own busiest device
  for (const Collective& row : report.collectives) all_bytes += row.times.count * row.bytes;
  out += fmt::format("\n{:>14} {:>7} {:>8} {:>9}  {}\n", "bytes sent", "share", "count", "time",
                     "collective");
  const std::size_t shown = std::min(rows.size(), selection.top);
  for (const report::EqualCollectives& row : std::span(rows).first(shown)) {
    out += fmt::format("{:>14} {:>7} {:>7}{} {:>9}  {}{} of {}", grouped(row.bytes),
                       share_text(static_cast<double>(row.bytes), static_cast<double>(all_bytes)),
                       grouped(row.count), row.is_exact ? " " : "?", time_text(row.seconds),
                       row.first->kind, after(" ", row.first->axes), row.first->type);
    out += after(" for ", row.first->serves) + after(" at ", places_text(row.locations)) + "\n";
    if (selection.why && row.first->cause) add_cause(out, *row.first->cause);
  }
  out += more_text(shown, rows.size());
  const auto is_guess = [](const report::EqualCollectives& row) { return !row.is_exact; };
  if (std::ranges::any_of(rows, is_guess)) {
    out +=
        "  ? in a loop with an unknown trip count, which counts once, or in one of several "
        "branches\n";
  }
}

/// Returns the collectives of each location, as text.
std::map<std::string_view, std::string> collectives_by_location(const report::Report& report) {
  std::map<std::string_view, std::string> all;
  for (const Collective& row : report.collectives) {
    all[row.location.text()] +=
        fmt::format("{} {} {} {};", row.kind, row.axes, row.type, row.serves);
  }
  return all;
}

/// Prints the bytes by location. Places whose collectives are equal are one row.
void add_places(std::string& out, const report::Report& report, std::size_t top) {
  if (report.by_location.empty()) return;
  out += fmt::format("\n{:>14} {:>8}  by location\n", "bytes sent", "count");
  const auto kinds = collectives_by_location(report);
  PlacedLines lines;
  for (const Total& total : report.by_location) {
    const std::string figures =
        fmt::format("{:>14} {:>8}  ", grouped(total.bytes), grouped(total.count));
    if (total.name.empty()) {
      lines.add(figures + "(no location)", {}, "");
    } else {
      const auto kind = kinds.find(total.name);
      lines.add(figures, Location(total.name), "", "", kind != kinds.end() ? kind->second : "");
    }
  }
  lines.print_to(out, top);
}

void add_axes(std::string& out, std::span<const Total> totals, std::size_t top) {
  if (totals.empty()) return;
  out += fmt::format("\n{:>14} {:>8}  by axis, on its busiest link\n", "bytes sent", "count");
  const std::size_t shown = std::min(totals.size(), top);
  for (const Total& total : totals.first(shown)) {
    out +=
        fmt::format("{:>14} {:>8}  {}\n", grouped(total.bytes), grouped(total.count), total.name);
  }
  out += more_text(shown, totals.size());
}

/// Live values of one type and size that ops of one kind made, such as those of equal layers.
struct EqualLiveValues {
  const report::LiveValue* first = nullptr;
  int64_t bytes = 0;  // of all
  std::size_t count = 0;
  std::vector<Location> places = {};
};

/// Groups equal values. Groups with more bytes come first.
std::vector<EqualLiveValues> group_live(std::span<const report::LiveValue> live) {
  std::vector<EqualLiveValues> groups;
  std::map<std::tuple<std::string_view, std::string_view, int64_t>, std::size_t> group_of;
  for (const report::LiveValue& value : live) {
    const auto [found, is_new] =
        group_of.try_emplace({value.made_by, value.type, value.bytes}, groups.size());
    if (is_new) groups.push_back({.first = &value});
    EqualLiveValues& group = groups[found->second];
    group.bytes = saturating_add(group.bytes, value.bytes);
    ++group.count;
    if (!value.location.empty()) group.places.push_back(value.location);
  }
  std::ranges::stable_sort(groups, std::greater<>(), &EqualLiveValues::bytes);
  return groups;
}

void add_live(std::string& out, const report::MemoryPeak& peak, std::size_t top) {
  if (peak.live.empty()) return;
  out += fmt::format("\n{:>14} {:>7}  values live at peak memory\n", "bytes", "share");
  const std::vector<EqualLiveValues> groups = group_live(peak.live);
  const std::size_t shown = std::min(groups.size(), top);
  for (const EqualLiveValues& group : std::span(groups).first(shown)) {
    const auto bytes = static_cast<double>(group.bytes);
    const std::string times = group.count > 1 ? fmt::format("{} of ", group.count) : "";
    out += fmt::format("{:>14} {:>7}  {}{} from {}{}\n", grouped(group.bytes),
                       share_text(bytes, static_cast<double>(peak.bytes)), times, group.first->type,
                       group.first->made_by, after(" at ", places_text(group.places)));
  }
  out += more_text(shown, groups.size());
}

/// Prints the largest values on a device.
void add_largest(std::string& out, const report::Report& report, const ReportSelection& selection) {
  std::vector<const report::ReportedValue*> rows;
  for (const report::ReportedValue& value : report.values) {
    if (is_at(value.location, selection.line)) rows.push_back(&value);
  }
  std::ranges::stable_sort(rows, std::greater<>(), &report::ReportedValue::local_bytes);
  if (rows.empty()) return;
  out += fmt::format("\n{:>14} {:>9}  values per device\n", "bytes", "padding");
  PlacedLines lines;
  for (const report::ReportedValue* value : rows) {
    lines.add(fmt::format("{:>14} {:>9}  {} of {}{} from {}", grouped(value->local_bytes),
                          grouped(value->padding_bytes), value->local_type, value->type,
                          after(" ", value->sharding), value->made_by),
              value->location, " at ");
  }
  lines.print_to(out, selection.top);
}

void add_replicated(std::string& out, const report::Report& report, std::size_t top) {
  std::vector<const partitioning::ReplicationNote*> notes;
  for (const partitioning::ReplicationNote& note : report.notes) notes.push_back(&note);
  std::ranges::stable_sort(notes, std::greater<>(), &partitioning::ReplicationNote::bytes_moved);
  if (notes.empty()) return;
  out += fmt::format("\n{:>14} {:>14}  replicated beyond the given shardings\n", "bytes moved",
                     "bytes held");
  PlacedLines lines;
  for (const partitioning::ReplicationNote* note : notes) {
    lines.add(fmt::format("{:>14} {:>14}  {}: {} of {}", grouped(note->bytes_moved),
                          grouped(note->bytes_held), partitioning::to_string(note->kind),
                          note->tensor, note->op),
              note->location, " at ", fmt::format(", along {}: {}", note->axes, note->reason));
  }
  lines.print_to(out, top);
}

void add_row(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("{:<24}{}\n", name, text);
}

int64_t padding_of(const report::Report& report) {
  int64_t padding = 0;
  for (const report::ReportedValue& value : report.values) padding += value.padding_bytes;
  return padding;
}

int64_t value_bytes(const report::Report& report) {
  int64_t bytes = 0;
  for (const report::ReportedValue& value : report.values) bytes += value.local_bytes;
  return bytes;
}

std::string useful_text(const report::Work& work) {
  if (work.once == 0) return "- (the unsharded program has no operations)";
  return share_text(work.efficiency(), 1);
}

}  // namespace

namespace {

/// Returns the parts of the modelled time, such as `collectives 4 us (1 us hidden), operations 2
/// us`.
std::string time_parts_text(const report::DeviceTime& time) {
  std::string text = "collectives " + time_text(time.collectives);
  if (time.hidden > 0) text += " (" + time_text(time.hidden) + " hidden)";
  text += ", operations " + time_text(time.operations);
  if (time.memory > 0) text += ", waiting for memory " + time_text(time.memory);
  return text;
}

std::string device_time_text(const report::DeviceTime& time) {
  return fmt::format("{}: {}", time_text(time.total()), time_parts_text(time));
}

/// Returns the bytes sent and the number of collectives.
std::string sent_text(const report::Cost& cost) {
  return fmt::format("{} in {} collective{}", headline_bytes(cost.bytes), grouped(cost.count),
                     cost.count == 1 ? "" : "s");
}

}  // namespace

std::string cost_text(const report::Cost& cost, double operations_per_second) {
  return cost_text(
      cost, {.collectives = cost.seconds, .operations = cost.operations / operations_per_second});
}

std::string cost_text(const report::Cost& cost, const report::DeviceTime& time) {
  std::string out;
  add_row(out, "bytes sent per device", sent_text(cost));
  add_row(out, "time per device", device_time_text(time));
  return out;
}

std::vector<FigureRow> figures_of(const report::Report& report, const report::DeviceTime& time) {
  const report::Work& work = report.work;
  const report::Cost cost = report::cost_of(report);
  const std::string peak =
      fmt::format("{}{}{}", headline_bytes(report.peak.bytes), after(" at ", report.peak.op),
                  place_after(", ", report.peak.location));
  const auto padding = static_cast<double>(padding_of(report));
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  return {
      {"devices", "devices", grouped(work.devices), number(work.devices)},
      {"bytes", "bytes sent per device", sent_text(cost), number(cost.bytes)},
      {"seconds", "time per device", device_time_text(time), time.total()},
      {"peak", "peak memory per device", peak, number(report.peak.bytes)},
      {"operations", "operations per device", operations_text(work.per_device), work.per_device},
      {"useful", "useful work", useful_text(work), work.efficiency()},
      {"padding", "padding", share_text(padding, number(value_bytes(report))) + " of tensor bytes",
       padding}};
}

std::string report_text(const report::Report& report, const report::DeviceTime& time,
                        const ReportSelection& selection) {
  std::string out;
  for (const FigureRow& row : figures_of(report, time)) add_row(out, row.label, row.text);
  add_collectives(out, report, selection);
  if (!is_filtered(selection)) {
    add_axes(out, report.by_axis, selection.top);
    add_places(out, report, selection.top);
  }
  if (selection.memory) {
    add_live(out, report.peak, selection.top);
    add_largest(out, report, selection);
  }
  if (!is_filtered(selection)) add_replicated(out, report, selection.top);
  return out;
}

std::string report_json(const report::Report& report, const report::DeviceTime& time,
                        const Diagnostics& diagnostics) {
  JsonWriter out = report_writer();
  begin_report(out, "report");
  add_members(out, report::traffic_members_of(&report), report);
  add(out, "modelled_seconds", time.total(), "hidden_seconds", time.hidden, "memory_seconds",
      time.memory);
  add_members(out, report);
  add(out, "notes", report.notes, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

namespace {

/// Returns how many rows need reasons. A selection may show rows that are not among the first rows
/// of the full report.
std::size_t rows_with_reasons(const ReportSelection& shown) {
  const bool shows_all = shown.axis.empty() && shown.line.empty() && shown.op.empty();
  return shows_all ? shown.top : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::optional<PricedProgram> priced_program(const CommandOptions& options, Source& source,
                                            Reporter& reporter,
                                            std::span<const report::Setting> settings,
                                            text::WrittenNames* names) {
  auto module = names != nullptr      ? read_named_program(source, *names)
                : source.text.empty() ? read_program(source)
                                      : parse_source(source);
  auto model = parse_cost_model(options.stages.compile.pipeline.exporting.resharding.axis_costs);
  if (!module || !model) {
    reporter.refuse(module ? Diagnostics{model.error()} : module.error());
    return std::nullopt;
  }
  if (!reporter.import(*module, options.import_form)) return std::nullopt;
  if (!settings.empty() && report::is_one_per_device(*module)) {
    reporter.refuse(
        {Error{.message = "the program is already a per-device program, its shardings are fixed; "
                          "set shardings of the program before partitioning"}});
    return std::nullopt;
  }
  if (const Status annotated = report::annotate(*module, settings); !annotated) {
    reporter.refuse({annotated.error()});
    return std::nullopt;
  }
  const checking::CompileOptions& compile = options.stages.compile;
  if (options.report.equal_layers) {
    auto compiled = report::compile_equal_layers(*module, compile, options.context);
    if (compiled) return PricedProgram{*std::move(module), *std::move(compiled), *std::move(model)};
  }
  auto compiled = report::compile_for_report(*module, compile, options.context);
  if (!compiled) {
    reporter.refuse(compiled.error());
    return std::nullopt;
  }
  reporter.emit_without_notes(compiled->diagnostics);
  return PricedProgram{*std::move(module), *std::move(compiled), *std::move(model)};
}

namespace {

Status write_timeline(const CommandOptions& options, const PricedProgram& priced,
                      int64_t num_devices) {
  if (options.timeline.empty()) return {};
  const auto events = report::make_timeline(priced.compiled,
                                            {.model = priced.model, .rates = options.report.rates});
  return write_file(options.timeline, timeline_json(events, num_devices));
}

}  // namespace

report::Report report_on(const CommandOptions& options, const PricedProgram& priced) {
  report::Report report = report::make_report(priced.compiled, priced.model);
  if (!options.report.why) return report;
  const auto reasons =
      report::Reasons::make(priced.module, options.stages.compile, options.context);
  if (reasons) report::add_reasons(report, *reasons, rows_with_reasons(options.report));
  return report;
}

std::optional<report::Report> report_of(const CommandOptions& options, Source& source,
                                        Reporter& reporter,
                                        std::span<const report::Setting> settings) {
  const auto priced = priced_program(options, source, reporter, settings);
  if (!priced) return std::nullopt;
  return report_on(options, *priced);
}

Diagnostics no_mesh_note(const PricedProgram& priced) {
  const ir::Module& program = priced.compiled.program;
  const auto main = program.main_function();
  if (!priced.module.meshes().empty() || !main) return {};
  if (simulation::num_devices(program, *main) != 1) return {};
  return {
      {.message = "the program has no mesh: one device has all of it",
       .notes = {"shardy autoshard FILE --mesh '<[\"x\"=8]>' chooses annotations for 8 devices"},
       .severity = Severity::Note}};
}

int report_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (options.json && options.timeline == "-") {
    return reporter.refuse({Error{
        "standard output is used by the report; --timeline FILE writes the events to a file"}});
  }
  const auto priced = priced_program(options, source, reporter, {});
  if (!priced) return kBadInput;
  if (const Status known = expect_axis(priced->module, options.report.axis); !known) {
    return reporter.refuse({known.error()});
  }
  reporter.emit(no_mesh_note(*priced));
  const report::Report report = report_on(options, *priced);
  if (const Status written = write_timeline(options, *priced, report.work.devices); !written) {
    return reporter.refuse({written.error()});
  }
  const report::DeviceTime time =
      report::device_time(priced->compiled, priced->model, options.report.rates);
  print_text(stdout, options.json ? report_json(report, time, reporter.diagnostics())
                                  : report_text(report, time, options.report));
  return kDone;
}

namespace {

using report::Cost;
using report::ReportDifference;

/// Returns a row with the text of a quantity for both programs; the change is "=" if it is equal.
template <class Number>
DiffRow quantity_row(std::string_view name, Number before, Number after,
                     std::string (*text)(Number)) {
  return {
      std::string(name), text(before), text(after),
      before == after ? "=" : change_text(static_cast<double>(before), static_cast<double>(after))};
}

}  // namespace

std::vector<DiffRow> diff_rows(const ReportDifference& difference) {
  const Cost& before = difference.before;
  const Cost& after = difference.after;
  return {quantity_row("bytes sent", before.bytes, after.bytes, &bytes_text),
          quantity_row("collectives", before.count, after.count, &grouped),
          quantity_row("time of collectives", before.seconds, after.seconds, &time_text),
          quantity_row("peak memory", before.peak_bytes, after.peak_bytes, &bytes_text),
          quantity_row("operations", before.operations, after.operations, &operations_number)};
}

namespace {

void add_row(std::string& out, const DiffRow& row) {
  out += fmt::format("{:<24}{:>20}{:>20}{:>12}\n", row.label, row.before, row.after, row.change);
}

std::string diff_text(const ReportDifference& difference, std::size_t top) {
  std::string out;
  add_row(out, {"per device", "before", "after", "change"});
  for (const DiffRow& row : diff_rows(difference)) add_row(out, row);
  if (!difference.collectives.empty()) {
    out += fmt::format("\n{:>15} {:>13} {:>12}  collectives that differ\n", "change in bytes",
                       "count before", "count after");
  }
  std::size_t shown = 0;
  for (const report::CollectiveChange& change : difference.collectives) {
    if (shown++ == top) break;
    out += fmt::format("{:>15} {:>13} {:>12}  {} {} of {}{}\n",
                       signed_grouped(change.bytes_after - change.bytes_before),
                       grouped(change.count_before), grouped(change.count_after), change.kind,
                       change.axes, change.type,
                       change.serves.empty() ? std::string() : " for " + change.serves);
  }
  out += more_text(std::min(top, difference.collectives.size()), difference.collectives.size());
  if (!difference.shardings.empty()) out += "\nvalues with another sharding\n";
  shown = 0;
  for (const report::ShardingChange& change : difference.shardings) {
    if (shown++ == top) break;
    out += fmt::format("  {} from {}{}: {} -> {}\n", change.type, change.made_by,
                       change.location.empty() ? std::string() : " at " + change.location.text(),
                       change.before.empty() ? "none" : change.before,
                       change.after.empty() ? "none" : change.after);
  }
  out += more_text(std::min(top, difference.shardings.size()), difference.shardings.size());
  if (difference.values_before + difference.values_after > 0) {
    out += fmt::format("\n{} values are only in the first program, {} only in the second\n",
                       grouped(difference.values_before), grouped(difference.values_after));
  }
  return out;
}

}  // namespace

std::string diff_json(const ReportDifference& difference, bool is_worse) {
  text::JsonWriter out = report_writer();
  begin_report(out, "diff");
  add(out, "before", difference.before, "after", difference.after, "worse", is_worse, "collectives",
      difference.collectives, "shardings", difference.shardings, "values_before",
      difference.values_before, "values_after", difference.values_after);
  out.end_object();
  return out.take() + "\n";
}

int diff_command(const CommandOptions& options) {
  Source first{options.file};
  Reporter of_first(first, options.json);
  if (options.other_file.empty() && options.before.empty() && options.after.empty()) {
    return of_first.refuse(
        {Error{"expected OTHER, the second program, or --before and --after",
               {},
               {"for example: shardy diff model.mlir --after '%arg0=[{\"x\"}, {}]'"}}});
  }
  const auto before = report_of(options, first, of_first, options.before);
  if (!before) return kBadInput;
  const bool is_same_file = options.other_file.empty() || options.other_file == options.file;
  Source second =
      is_same_file ? first : Source{options.other_file};  // standard input can be read only once
  Reporter of_second(second, options.json);
  const auto after = report_of(options, second, of_second, options.after);
  if (!after) return kBadInput;
  const ReportDifference difference = report::difference(*before, *after);
  const bool is_worse = difference.is_worse(options.worse_by.value_or(0));
  print_text(stdout, options.json ? diff_json(difference, is_worse)
                                  : diff_text(difference, options.report.top));
  return is_worse && options.worse_by ? kFailed : kDone;
}

}  // namespace shardy::tools

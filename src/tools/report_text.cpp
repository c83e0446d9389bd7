#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/report/report.hpp"
#include "shardy/support/quote.hpp"
#include "text/error_places.hpp"
#include "text/mlir_reader.hpp"
#include "tools/numbers.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string more_text(std::size_t shown, std::size_t all) {
  return shown < all ? fmt::format("  ... {} more; --top={} shows all\n", all - shown, all) : "";
}

namespace {

using report::Collective;
using report::Total;

std::string share_text(double part, double all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : "-";
}

std::string behind(std::string_view word, const std::string& what) {
  return what.empty() ? std::string() : fmt::format("{}{}", word, what);
}

/// `model.py:31 (embed)`.
std::string place_behind(std::string_view word, const std::string& location) {
  return behind(word, text::place_text(location));
}

/// As MLIR writes the location, or as it is shown.
bool is_at(const std::string& location, const std::string& wanted) {
  return wanted.empty() || location.find(wanted) != std::string::npos ||
         text::place_text(location).find(wanted) != std::string::npos;
}

std::string places_text(const report::Alike& fold) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t at = 0; at < std::min(kShown, fold.locations.size()); ++at) {
    text += (at == 0 ? " at " : ", ") + text::place_text(fold.locations[at]);
  }
  const std::size_t all = fold.locations.size();
  return all <= kShown ? text : text + fmt::format(" and {} more", all - kShown);
}

/// `%arg0 (annotation) -> stablehlo.add at 5:10 -> ..`.
std::string chain_text(const report::AxisStory& story) {
  using Kind = report::AxisStep::Kind;
  std::string out;
  for (const report::AxisStep& step : story.steps) {
    if (!out.empty()) out += " -> ";
    if (step.kind == Kind::Annotation) out += step.value + " (annotation)";
    if (step.kind == Kind::Import) out += step.value + " (before propagation)";
    if (step.kind == Kind::Group) out += step.value + " (sharding group)";
    if (step.kind == Kind::Skipped) out += step.value + " more";
    if (step.kind == Kind::Step) out += step.op + place_behind(" at ", step.location);
  }
  return out;
}

/// The sharding of each tensor of the op, and how it got the axes that the collective is about.
void add_because(std::string& out, const report::Because& because) {
  constexpr std::size_t kMargin = 44;
  const std::string margin(kMargin, ' ');
  for (const report::TensorStory& tensor : because.tensors) {
    out += fmt::format("{}{}{} is {}\n", margin, tensor.role, behind(", ", tensor.name),
                       tensor.sharding);
    for (const report::AxisStory& axis : tensor.axes) {
      out += fmt::format("{}  {} on dim {}: {}\n", margin, axis.axis, axis.dim, chain_text(axis));
    }
  }
  for (const std::string& conflict : because.conflicts) out += margin + conflict + "\n";
}

/// Returns whether it is about some of the collectives.
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

/// `; did you mean --op stablehlo.tanh?`; empty: nothing is like what was asked for.
std::string meant_text(const report::Report& report, const ReportSelection& selection) {
  if (!selection.op.empty()) {
    const bool has_dialect = selection.op.find('.') != std::string::npos;
    const std::string name = (has_dialect ? "" : "stablehlo.") + selection.op;
    if (ir::find_op(name) != ir::OpKind::Unknown) {
      return has_dialect ? "" : "; did you mean --op " + name + "?";
    }
    const std::vector<std::string> notes = text::notes_on_unknown_op(name);
    constexpr std::string_view kMeant = "did you mean ";
    if (notes.empty() || !notes.front().starts_with(kMeant)) return {};
    return "; did you mean --op " + notes.front().substr(kMeant.size());
  }
  std::vector<std::string> places;
  for (const Collective& row : report.collectives) places.push_back(text::place_text(row.location));
  for (const report::Value& value : report.values) {
    places.push_back(text::place_text(value.location));
  }
  const std::vector<std::string_view> views(places.begin(), places.end());
  const auto meant = selection.line.empty() ? std::nullopt : closest(selection.line, views);
  return meant ? "; did you mean --line '" + *meant + "'?" : "";
}

void add_collectives(std::string& out, const report::Report& report,
                     const ReportSelection& selection) {
  const std::vector<report::Alike> rows = report::alike(chosen(report, selection));
  if (rows.empty()) {
    if (is_filtered(selection)) {
      out += "\nno collective is of what was asked for" + meant_text(report, selection) + "\n";
    }
    return;
  }
  int64_t all_bytes = 0;  // more than a device sends where collectives have other busiest ones
  for (const Collective& row : report.collectives) all_bytes += row.times.count * row.bytes;
  out += fmt::format("\n{:>14} {:>7} {:>8} {:>9}  {}\n", "bytes sent", "share", "times", "time",
                     "collective");
  const std::size_t shown = std::min(rows.size(), selection.top);
  for (const report::Alike& row : std::span(rows).first(shown)) {
    out += fmt::format("{:>14} {:>7} {:>7}{} {:>9}  {}{} of {}", grouped(row.bytes),
                       share_text(static_cast<double>(row.bytes), static_cast<double>(all_bytes)),
                       grouped(row.count), row.is_exact ? " " : "?", time_text(row.seconds),
                       row.first->kind, behind(" ", row.first->axes), row.first->type);
    out += behind(" for ", row.first->serves) + places_text(row) + "\n";
    if (selection.why && row.first->because) add_because(out, *row.first->because);
  }
  out += more_text(shown, rows.size());
  const auto is_guess = [](const report::Alike& row) { return !row.is_exact; };
  if (std::ranges::any_of(rows, is_guess)) {
    out +=
        "  ? in a loop whose iterations are not known, which counts once, or in one of several "
        "branches\n";
  }
}

void add_totals(std::string& out, std::string_view title, std::span<const Total> totals,
                std::size_t top, bool names_places) {
  if (totals.empty()) return;
  out += fmt::format("\n{:>14} {:>8}  {}\n", "bytes sent", "times", title);
  const std::size_t shown = std::min(totals.size(), top);
  for (const Total& total : totals.first(shown)) {
    const std::string name = names_places ? text::place_text(total.name) : total.name;
    out += fmt::format("{:>14} {:>8}  {}\n", grouped(total.bytes), grouped(total.count),
                       name.empty() ? "(no location)" : name);
  }
  out += more_text(shown, totals.size());
}

void add_live(std::string& out, const report::MemoryPeak& peak, std::size_t top) {
  if (peak.live.empty()) return;
  out += fmt::format("\n{:>14} {:>7}  live at the peak\n", "bytes", "share");
  const std::size_t shown = std::min(peak.live.size(), top);
  for (const report::LiveValue& value : std::span(peak.live).first(shown)) {
    out +=
        fmt::format("{:>14} {:>7}  {} from {}{}\n", grouped(value.bytes),
                    share_text(static_cast<double>(value.bytes), static_cast<double>(peak.bytes)),
                    value.type, value.made_by, place_behind(" at ", value.location));
  }
  out += more_text(shown, peak.live.size());
}

/// The largest on a device.
void add_largest(std::string& out, const report::Report& report, const ReportSelection& selection) {
  std::vector<const report::Value*> rows;
  for (const report::Value& value : report.values) {
    if (is_at(value.location, selection.line)) rows.push_back(&value);
  }
  std::ranges::stable_sort(rows, std::greater<>(), &report::Value::local_bytes);
  if (rows.empty()) return;
  out += fmt::format("\n{:>14} {:>9}  values on a device\n", "bytes", "filled up");
  const std::size_t shown = std::min(rows.size(), selection.top);
  for (const report::Value* value : std::span(rows).first(shown)) {
    out += fmt::format("{:>14} {:>9}  {} of {}{} from {}{}\n", grouped(value->local_bytes),
                       grouped(value->padding_bytes), value->local_type, value->type,
                       behind(" ", value->sharding), value->made_by,
                       place_behind(" at ", value->location));
  }
  out += more_text(shown, rows.size());
}

void add_replicated(std::string& out, const report::Report& report, std::size_t top) {
  std::vector<const partitioning::ReplicationNote*> notes;
  for (const partitioning::ReplicationNote& note : report.notes) notes.push_back(&note);
  std::ranges::stable_sort(notes, std::greater<>(), &partitioning::ReplicationNote::bytes_moved);
  if (notes.empty()) return;
  out += fmt::format("\n{:>14} {:>14}  replicated beyond what shardings ask for\n", "bytes moved",
                     "bytes held");
  const std::size_t shown = std::min(notes.size(), top);
  for (const partitioning::ReplicationNote* note : std::span(notes).first(shown)) {
    out += fmt::format("{:>14} {:>14}  {}: {} of {}{}, along {}: {}\n", grouped(note->bytes_moved),
                       grouped(note->bytes_held), partitioning::to_string(note->kind), note->tensor,
                       note->op, place_behind(" at ", note->location), note->axes, note->reason);
  }
  out += more_text(shown, notes.size());
}

void add_row(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("{:<24}{}\n", name, text);
}

int64_t padding_of(const report::Report& report) {
  int64_t padding = 0;
  for (const report::Value& value : report.values) padding += value.padding_bytes;
  return padding;
}

int64_t value_bytes(const report::Report& report) {
  int64_t bytes = 0;
  for (const report::Value& value : report.values) bytes += value.local_bytes;
  return bytes;
}

std::string useful_text(const report::Work& work) {
  if (work.once == 0) return "the program itself has none";
  return share_text(work.efficiency(), 1) + " of what all devices do is needed once";
}

}  // namespace

std::string cost_text(const report::Cost& cost, double operations_per_second) {
  std::string out;
  add_row(out, "sent per device",
          fmt::format("{} bytes by {} collectives", grouped(cost.bytes), grouped(cost.count)));
  add_row(out, "time per device",
          fmt::format("{}: collectives {}, operations {}",
                      time_text(report::modelled_seconds(cost, operations_per_second)),
                      time_text(cost.seconds), time_text(cost.operations / operations_per_second)));
  return out;
}

std::string report_text(const report::Report& report, const ReportSelection& selection) {
  std::string out;
  const report::Work& work = report.work;
  add_row(out, "devices", grouped(work.devices));
  out += cost_text(report::cost_of(report), selection.operations_per_second);
  add_row(out, "peak per device",
          fmt::format("{} bytes{}{}", grouped(report.peak.bytes), behind(" at ", report.peak.op),
                      place_behind(", ", report.peak.location)));
  add_row(out, "work per device",
          fmt::format("{:.4g} operations; {}", work.per_device, useful_text(work)));
  add_row(out, "filled up",
          fmt::format("{} of the bytes of values",
                      share_text(static_cast<double>(padding_of(report)),
                                 static_cast<double>(value_bytes(report)))));
  add_collectives(out, report, selection);
  if (!is_filtered(selection)) {
    add_totals(out, "along the busiest link of an axis", report.by_axis, selection.top, false);
    add_totals(out, "by place", report.by_location, selection.top, true);
  }
  if (selection.memory) {
    add_live(out, report.peak, selection.top);
    add_largest(out, report, selection);
  }
  if (!is_filtered(selection)) add_replicated(out, report, selection.top);
  return out;
}

}  // namespace shardy::tools

// report: what a program costs and where, without running it.
#include "tools/report.hpp"

#include <cstddef>
#include <limits>
#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/report/report.hpp"
#include "shardy/resharding/cost_text.hpp"
#include "tools/device_program.hpp"
#include "tools/explain_select.hpp"
#include "tools/input.hpp"
#include "tools/json_report.hpp"
#include "tools/output.hpp"
#include "tools/reporter.hpp"
#include "tools/timeline.hpp"

namespace shardy::tools {

namespace {

using text::JsonWriter;

void write_total(JsonWriter& out, const report::Total& total) {
  out.begin_object();
  add(out, "name", total.name, "count", total.count, "bytes", total.bytes);
  out.key("seconds").number(total.seconds);
  out.end_object();
}

void write_totals(JsonWriter& out, std::string_view key, const std::vector<report::Total>& totals) {
  out.key(key).begin_array(JsonWriter::Layout::Broken);
  for (const report::Total& total : totals) write_total(out, total);
  out.end_array();
}

std::string_view name_of(report::AxisStep::Kind kind) {
  constexpr std::string_view kNames[] = {"annotation", "import", "group", "step", "skipped"};
  return kNames[static_cast<std::size_t>(kind)];
}

void write_axis_story(JsonWriter& out, const report::AxisStory& story) {
  out.begin_object();
  add(out, "dim", story.dim, "axis", story.axis);
  out.key("steps").begin_array();
  for (const report::AxisStep& step : story.steps) {
    out.begin_object();
    add(out, "kind", name_of(step.kind), "value", step.value);
    if (step.kind == report::AxisStep::Kind::Step) {
      add(out, "op", step.op, "location", step.location, "factor", step.factor, "direction",
          step.direction);
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_because(JsonWriter& out, const report::Because& because) {
  out.key("because").begin_object();
  out.key("tensors").begin_array();
  for (const report::TensorStory& tensor : because.tensors) {
    out.begin_object();
    add(out, "role", tensor.role, "name", tensor.name, "sharding", tensor.sharding);
    out.key("axes").begin_array();
    for (const report::AxisStory& axis : tensor.axes) write_axis_story(out, axis);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  add(out, "conflicts", because.conflicts);
  out.end_object();
}

void write_collective(JsonWriter& out, const report::Collective& row) {
  out.begin_object();
  add(out, "kind", row.kind, "axes", row.axes, "type", row.type, "serves", row.serves, "location",
      row.location, "times", row.times.count, "times_known", row.times.is_exact, "bytes", row.bytes,
      "messages", row.messages);
  out.key("seconds").number(row.seconds);
  out.key("axis_bytes").begin_object();
  for (const report::AxisBytes& axis : row.axis_bytes) add(out, axis.axis, axis.bytes);
  out.end_object();
  if (row.because) write_because(out, *row.because);
  out.end_object();
}

void write_peak(JsonWriter& out, const report::MemoryPeak& peak) {
  out.key("peak").begin_object(JsonWriter::Layout::Broken);
  add(out, "bytes", peak.bytes, "op", peak.op, "location", peak.location);
  out.key("live").begin_array(JsonWriter::Layout::Broken);
  for (const report::LiveValue& value : peak.live) {
    out.begin_object();
    add(out, "made_by", value.made_by, "type", value.type, "location", value.location, "bytes",
        value.bytes);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_values(JsonWriter& out, const std::vector<report::Value>& values) {
  out.key("values").begin_array(JsonWriter::Layout::Broken);
  for (const report::Value& value : values) {
    out.begin_object();
    add(out, "made_by", value.made_by, "location", value.location, "type", value.type, "sharding",
        value.sharding, "local_type", value.local_type, "local_bytes", value.local_bytes,
        "padding_bytes", value.padding_bytes);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

std::string report_json(const report::Report& report, const Diagnostics& said,
                        double operations_per_second) {
  JsonWriter out = report_writer();
  begin_report(out, "report");
  add(out, "devices", report.work.devices, "bytes", report.all.bytes, "collectives_run",
      report.all.count);
  out.key("seconds").number(report.all.seconds);
  out.key("modelled_seconds")
      .number(report::modelled_seconds(report::cost_of(report), operations_per_second));
  out.key("operations_once").number(report.work.once);
  out.key("operations_per_device").number(report.work.per_device);
  out.key("efficiency").number(report.work.efficiency());
  out.key("collectives").begin_array(JsonWriter::Layout::Broken);
  for (const report::Collective& row : report.collectives) write_collective(out, row);
  out.end_array();
  write_totals(out, "by_kind", report.by_kind);
  write_totals(out, "by_axis", report.by_axis);
  write_totals(out, "by_location", report.by_location);
  write_peak(out, report.peak);
  write_values(out, report.values);
  add_notes(out, report.notes);
  write(out.key("diagnostics"), said);
  out.end_object();
  return out.take() + "\n";
}

namespace {

/// A selection may show rows that are not among the first of all.
std::size_t rows_with_reasons(const ReportSelection& shown) {
  const bool shows_all = shown.axis.empty() && shown.line.empty() && shown.op.empty();
  return shows_all ? shown.top : std::numeric_limits<std::size_t>::max();
}

/// A priced program.
struct Priced {
  ir::Module module;
  checking::CompiledProgram compiled;
  CostModel model;
};

/// std::nullopt: the error was reported.
std::optional<Priced> priced_program(const CommandOptions& options, Source& source,
                                     Reporter& reporter,
                                     std::span<const report::Setting> settings) {
  auto module = source.text.empty() ? read_program(source) : parse_source(source);
  auto model = parse_cost_model(options.stages.compile.pipeline.exporting.resharding.axis_costs);
  if (!module || !model) {
    reporter.refuse(module ? Diagnostics{model.error()} : module.error());
    return std::nullopt;
  }
  if (!reporter.import(*module, options.import_form)) return std::nullopt;
  if (!settings.empty() && is_device_program(*module)) {
    reporter.refuse({Error{.message = "the program is already one per device, its shardings are "
                                      "fixed; set shardings of the program it was made from"}});
    return std::nullopt;
  }
  if (const Status annotated = report::annotate(*module, settings); !annotated) {
    reporter.refuse({annotated.error()});
    return std::nullopt;
  }
  auto compiled = report::compile_for_report(*module, options.stages.compile, options.context);
  if (!compiled) {
    reporter.refuse(compiled.error());
    return std::nullopt;
  }
  reporter.say_but_notes(compiled->diagnostics);
  return Priced{*std::move(module), *std::move(compiled), *std::move(model)};
}

Status write_timeline(const CommandOptions& options, const Priced& priced, int64_t num_devices) {
  if (options.timeline.empty()) return {};
  const auto events = report::make_timeline(priced.compiled, {.model = priced.model});
  return write_file(options.timeline, timeline_json(events, num_devices));
}

report::Report report_on(const CommandOptions& options, const Priced& priced) {
  report::Report report = report::make_report(priced.compiled, priced.model);
  if (!options.report.why) return report;
  const auto reasons =
      report::Reasons::make(priced.module, options.stages.compile, options.context);
  if (reasons) report::add_reasons(report, *reasons, rows_with_reasons(options.report));
  return report;
}

}  // namespace

std::optional<report::Report> report_of(const CommandOptions& options, Source& source,
                                        Reporter& reporter,
                                        std::span<const report::Setting> settings) {
  const auto priced = priced_program(options, source, reporter, settings);
  if (!priced) return std::nullopt;
  return report_on(options, *priced);
}

int report_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (options.json && options.timeline == "-") {
    return reporter.refuse(
        {Error{"the report takes standard output; --timeline FILE says where the "
               "events go"}});
  }
  const auto priced = priced_program(options, source, reporter, {});
  if (!priced) return kBadInput;
  if (const Status known = expect_axis(priced->module, options.report.axis); !known) {
    return reporter.refuse({known.error()});
  }
  const report::Report report = report_on(options, *priced);
  if (const Status written = write_timeline(options, *priced, report.work.devices); !written) {
    return reporter.refuse({written.error()});
  }
  print_text(stdout, options.json ? report_json(report, reporter.said(),
                                                options.report.operations_per_second)
                                  : report_text(report, options.report));
  return kDone;
}

}  // namespace shardy::tools

// The command run: runs all stages and the simulation, or a compiled program, and prints a table of
// the results.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "report/program_analysis.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/text/mlir.hpp"
#include "support/quantities.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/interpret.hpp"
#include "tools/json_report.hpp"
#include "tools/mpi_run.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

namespace {

using checking::CheckReport;

constexpr std::string_view kCancelled = "E_CANCELLED";

/// Returns the communication of the busiest device by kind of op.
std::map<std::string, simulation::Traffic> traffic_by_kind(const CheckReport& report) {
  std::map<std::string, simulation::Traffic> kinds;
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    for (const auto& [kind, traffic] : device.traffic) {
      simulation::Traffic& most = kinds[std::string(ir::info(kind).name)];
      most.count = std::max(most.count, traffic.count);
      most.bytes_sent = std::max(most.bytes_sent, traffic.bytes_sent);
    }
  }
  return kinds;
}

int64_t peak_bytes(const CheckReport& report) {
  int64_t peak = 0;
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    peak = std::max(peak, device.peak_live_bytes);
  }
  return peak;
}

std::string cost_table(const CheckReport& report) {
  std::string text = summary_row("devices", std::ssize(report.sharded.devices));
  if (report.num_values > 0) {
    text += summary_row("values sharded", report.num_sharded_values,
                        " of " + grouped(report.num_values));
  }
  text += peak_row(peak_bytes(report)) + traffic_head();
  for (const auto& [kind, traffic] : traffic_by_kind(report)) {
    text += traffic_row(kind, traffic.count, traffic.bytes_sent);
  }
  return text;
}

std::string comparison(const CheckReport& report) {
  if (report.cancelled && report.results.empty()) {
    return "interrupted before the comparison with the unsharded run\n";
  }
  return checking::comparison_text(report) + (report.cancelled ? "interrupted; until then " : "") +
         (report.equal() ? "equal to the unsharded run\n" : "NOT EQUAL to the unsharded run\n");
}

void print_table(const CheckReport& report, bool checked) {
  if (report.sharded.devices.empty()) {
    return print_text(stdout, "interrupted before the end of the run on all devices\n");
  }
  print_text(stdout, cost_table(report));
  if (checked) print_text(stdout, comparison(report));
}

void write(text::JsonWriter& out, std::string_view key, const checking::NumberCheck& check) {
  if (!check.done && check.impossible.empty()) return;
  out.key(key).begin_object();
  add(out, "done", check.done, "equal", check.done && check.equal());
  if (!check.impossible.empty()) add(out, "why_not", check.impossible);
  if (!check.smaller_sizes.empty()) add(out, "smaller_sizes", check.smaller_sizes);
  if (!check.failure.empty()) add(out, "failure", check.failure);
  if (!check.accuracy.empty()) add(out, "relative_errors", check.accuracy);
  out.end_object();
}

void print_json(const CheckReport& report, bool checked, const Reporter& reporter) {
  text::JsonWriter out = report_writer();
  begin_report(out, "run");
  add(out, "devices", report.sharded.devices.size(), "values", report.num_values, "values_sharded",
      report.num_sharded_values, "peak_bytes_per_device", peak_bytes(report));
  add_traffic(out, traffic_by_kind(report));
  add(out, "notes", report.compiled.notes, "rewrites", report.compiled.rewrites, "interrupted",
      report.cancelled);
  if (checked && !report.results.empty()) {
    add(out, "equal", report.equal(), "results", report.results);
    write(out, "f64", report.wide);
    write(out, "exact", report.exact);
  }
  if (!reporter.imported().empty()) add(out, "imported", reporter.imported());
  add(out, "diagnostics", reporter.diagnostics());
  out.end_object();
  print_text(stdout, out.take() + "\n");
}

Diagnostics failed_checks(const CheckReport& report) {
  Diagnostics failed;
  for (const simulation::FailedCheck& check : report.sharded.checks.failed) {
    failed.push_back(
        {check.message, check.location, {"on device " + std::to_string(check.device)}});
  }
  return failed;
}

/// Writes the trace and the results to files.
Status write_files(const CommandOptions& options, const CheckReport& report, const Trace& trace) {
  if (!options.output_dir.empty()) {
    SHARDY_TRY_STATUS(write_outputs(options.output_dir, "result", report.sharded.outputs));
  }
  if (options.trace.empty()) return {};
  return trace.write(options.trace, report.compiled.program);
}

/// Returns the report of all stages of a program, or of the run of a compiled program.
DiagnosedResult<CheckReport> report_on(const ir::Module& module, const simulation::Tensors& inputs,
                                       const CommandOptions& options,
                                       const checking::CheckOptions& stages) {
  if (!report::is_one_per_device(module)) {
    return checking::check(module, inputs, stages, options.context);
  }
  Result<CheckReport> report = run_devices(module, inputs, options, stages.run);
  if (report) return *std::move(report);
  if (report.error().code != kCancelled) return tl::unexpected(Diagnostics{report.error()});
  CheckReport cancelled;
  cancelled.cancelled = true;
  cancelled.compiled.program = module;
  return cancelled;
}

/// Returns a text such as "phase 2 of 5, 20 %: running on all devices".
std::string phase_text(const checking::CheckPhase& phase) {
  return fmt::format("phase {} of {}, {:.0f} %: {}", phase.number, phase.count,
                     100 * phase.fraction_done(), phase.name);
}

int run_sharded(Reporter& reporter, const ir::Module& module, const CommandOptions& options) {
  const auto inputs = report::is_one_per_device(module)
                          ? read_device_arguments(module, options)
                          : read_arguments(module, *module.main_function(), options);
  if (!inputs) return reporter.refuse({inputs.error()});
  const InterruptGuard guard;
  Progress progress;
  checking::CheckOptions check = options.stages;
  check.run.cancel = guard.token();
  Trace trace(options.max_trace_bytes, guard.source());
  if (!options.trace.empty()) trace.watch(check.run);
  check.progress = [&](const checking::CheckPhase& phase) {
    progress.stage(phase_text(phase), phase.fraction_done());
  };
  const auto report = report_on(module, *inputs, options, check);
  if (const Status complete = trace.complete(); !complete) {
    return reporter.refuse({complete.error()}, kFailed);
  }
  if (!report) return reporter.refuse(report.error(), kFailed);
  reporter.emit(report->compiled.diagnostics);
  if (options.show_rewrites) reporter.emit(passes::diagnostics_of(report->compiled.rewrites));
  reporter.emit(failed_checks(*report));
  if (options.json && !report->equal()) {
    reporter.emit(checking::open_reducers(report->compiled.propagated));
  }
  const Status written = write_files(options, *report, trace);
  if (!written) reporter.emit({written.error()});
  if (options.json) {
    print_json(*report, check.compare, reporter);
  } else {
    print_table(*report, check.compare);
  }
  if (!written) return kBadInput;
  return report->equal() && report->sharded.checks.passed() ? kDone : kFailed;
}

int run_program(const Source& source, const CommandOptions& options) {
  Reporter reporter(source, options.json);
  auto module = parse_source(source);
  if (!module) return reporter.refuse(module.error());
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (const Status loaded = text::load_resources(*module); !loaded) {
    return reporter.refuse({loaded.error()});
  }
  if (report::is_one_per_device(*module)) {
    if (const Status valid = check_device_options(options); !valid) {
      return reporter.refuse({valid.error()});
    }
  } else if (options.local_buffers) {
    return reporter.refuse({Error{"--buffers=local is for per-device programs"}});
  }
  if (const auto resized = resize_meshes(*module, options.devices); !resized) {
    return reporter.refuse(resized.error());
  }
  const bool unsharded = options.reference || !is_sharded(*module);
  return (unsharded ? &interpret : &run_sharded)(reporter, *module, options);
}

/// Returns an error for an output path that cannot be written, before the run.
Status expect_places(const CommandOptions& options) {
  if (!options.output_dir.empty()) {
    SHARDY_TRY_STATUS(expect_folder(options.output_dir));
  }
  return options.trace.empty() ? Status() : expect_writable(options.trace);
}

}  // namespace

int run_command(const CommandOptions& options) {
  if (options.mpi) return run_on_mpi(options);
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (options.check_by_rows) {
    return reporter.refuse({Error{.message = "--check-by-rows goes with --engine=mpi",
                                  .notes = {"--check compares on one process"}}});
  }
  if (options.reference && options.stages.compare) {
    return reporter.refuse({Error{"--reference runs unsharded only: --check needs a sharded run"}});
  }
  if (options.json && options.trace == "-") {
    return reporter.refuse(
        {Error{"standard output is used by the report; --trace FILE writes the events to a file"}});
  }
  if (const Status places = expect_places(options); !places) {
    return reporter.refuse({places.error()});
  }
  if (const Status read = read_source(source); !read) return reporter.refuse({read.error()});
  if (!options.split || source.format == Format::Json) return run_program(source, options);
  const std::vector<std::string> parts = programs_of(source.text);
  if (parts.size() > 1 && !options.trace.empty()) {
    return reporter.refuse(
        {Error{fmt::format("--trace is for one run, the file holds {} programs", parts.size())}});
  }
  int status = kDone;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    CommandOptions of_part = options;
    if (!options.output_dir.empty() && parts.size() > 1) {
      of_part.output_dir += "/part" + std::to_string(index);
    }
    status = std::max(status, run_program({source.path, parts[index], source.format}, of_part));
  }
  return status;
}

}  // namespace shardy::tools

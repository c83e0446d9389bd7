// The command check: runs a program under many shardings.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "shardy/checking/sweep.hpp"
#include "shardy/text/mlir.hpp"
#include "support/quantities.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

namespace {

using checking::SweepReport;

std::string number_row(std::string_view name, const checking::NumberCases& cases) {
  if (!cases.impossible.empty()) {
    return summary_row(name, cases.cases, ", not more: " + cases.impossible);
  }
  return cases.cases == 0 ? std::string() : summary_row(name, cases.cases);
}

std::string table(const SweepReport& report, const CommandOptions& options) {
  std::string text = summary_row("cases", report.cases, " of " + grouped(options.cases)) +
                     summary_row("values sharded", report.num_sharded_values,
                                 " of " + grouped(report.num_values)) +
                     summary_row("replicated for an op", report.num_notes) + traffic_head();
  for (const auto& [kind, traffic] : report.collectives) {
    text += traffic_row(ir::info(kind).name, traffic.count, traffic.bytes_sent);
  }
  text += fmt::format("{:<24}{:>12.3g}\n", "largest difference", report.largest_difference);
  if (report.num_rounding_choices > 0) {
    text += summary_row("chosen by rounding", report.num_rounding_choices,
                        "  equal exactly, in f64 and for other inputs");
  }
  text += number_row("compared in f64", report.wide);
  return text + number_row("compared exactly", report.exact);
}

std::string verdict(const SweepReport& report) {
  if (report.failure) {
    const checking::SweepFailure& failure = *report.failure;
    return fmt::format("{}seed {}: {} the unsharded run\n", failure.difference, failure.seed,
                       failure.errors.empty() ? "NOT EQUAL to" : "REFUSED, unlike");
  }
  if (report.cases == 0) return "nothing compared\n";
  return fmt::format("{}all equal to the unsharded run\n",
                     report.stopped ? "interrupted; until then " : "");
}

/// Writes the failing program as input for `run --check`. Its first line has the command.
Status write_failure(const SweepReport& report, const CommandOptions& options) {
  if (!report.failure || options.reduce.empty()) return {};
  return write_file(options.reduce,
                    fmt::format("// shardy run {} --check{}\n{}", options.reduce, options.flags,
                                text::to_mlir(report.failure->program)));
}

void print_json(const SweepReport& report, const CommandOptions& options,
                const Diagnostics& diagnostics) {
  constexpr auto kBroken = text::JsonWriter::JsonLayout::Broken;
  text::JsonWriter out = report_writer();
  begin_report(out, "check");
  add(out, "cases", report.cases, "cases_wanted", options.cases, "values", report.num_values,
      "values_sharded", report.num_sharded_values, "notes", report.num_notes);
  add_traffic(out, report.collectives);
  add(out, "largest_difference", report.largest_difference);
  if (report.num_rounding_choices > 0) {
    add(out, "chosen_by_rounding", report.num_rounding_choices);
  }
  add(out, "exact_cases", report.exact.cases, "f64_cases", report.wide.cases);
  if (!report.exact.impossible.empty()) add(out, "not_exact", report.exact.impossible);
  add(out, "interrupted", report.stopped, "equal", report.passed());
  if (report.failure) {
    out.key("failure").begin_object(kBroken);
    add(out, "seed", report.failure->seed, "difference", report.failure->difference, "program",
        text::to_mlir(report.failure->program));
    out.end_object();
  }
  add(out, "diagnostics", diagnostics);
  out.end_object();
  print_text(stdout, out.take() + "\n");
}

/// Prints the number of the case and the remaining time, later the size of the reduced program.
class SweepProgress {
 public:
  explicit SweepProgress(int64_t cases) : cases_(cases), begin_(Clock::now()) {}
  bool operator()(const SweepReport& report) {
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    const double left = elapsed.count() * static_cast<double>(cases_ - report.cases) /
                        static_cast<double>(report.cases);
    progress_.stage(fmt::format("{} of {} cases, {} left", grouped(report.cases), grouped(cases_),
                                time_text(left)));
    return !was_interrupted();
  }
  bool operator()(const checking::ReduceProgress& reduction) {
    progress_.stage(fmt::format("reducing: {} of {} runs, {} ops left", grouped(reduction.runs),
                                grouped(reduction.max_runs), grouped(reduction.num_ops)));
    return !was_interrupted();
  }

 private:
  using Clock = std::chrono::steady_clock;
  int64_t cases_;
  Clock::time_point begin_;
  Progress progress_;
};

}  // namespace

int check_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (!options.reduce.empty()) {
    if (const Status place = expect_writable(options.reduce); !place) {
      return reporter.refuse({place.error()});
    }
  }
  auto module = read_program(source);
  if (!module) return reporter.refuse(module.error());
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (const Status loaded = text::load_resources(*module); !loaded) {
    return reporter.refuse({loaded.error()});
  }
  const std::optional<ir::OpId> main = module->main_function();
  if (!main) return reporter.refuse({Error{"the program has no main function to run"}});
  const auto inputs = read_arguments(*module, *main, options);
  if (!inputs) return reporter.refuse({inputs.error()});
  const InterruptGuard guard;
  SweepProgress progress(options.cases);
  checking::CaseSweepOptions sweep{.cases = options.cases,
                                   .seed = options.stages.run.kernels.seed.value_or(0),
                                   .max_devices = options.max_devices,
                                   .reduce = !options.reduce.empty(),
                                   .reduction = {.max_runs = options.reduce_runs,
                                                 .compile = {},
                                                 .context = {},
                                                 .progress = std::ref(progress)},
                                   .check = options.stages,
                                   .progress = std::ref(progress)};
  sweep.check.run.cancel = guard.token();
  const auto report = checking::sweep(*module, *inputs, sweep, options.context);
  if (!report) return reporter.refuse({report.error()}, kFailed);
  if (report->failure) reporter.emit(report->failure->errors);
  const Status written = write_failure(*report, options);
  if (!written) reporter.emit({written.error()});
  if (options.json) {
    print_json(*report, options, reporter.diagnostics());
  } else {
    print_text(stdout, table(*report, options) + verdict(*report));
  }
  if (!written) return kBadInput;
  return report->passed() ? kDone : kFailed;
}

}  // namespace shardy::tools

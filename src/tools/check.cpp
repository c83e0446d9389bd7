// The commands check and soak: runs of a program under many shardings, and of random programs and
// programs of files under millions of random shardings.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
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

namespace {

/// The number of consecutive cases with one program. Changing it changes the meaning of seeds.
constexpr uint64_t kCasesOfProgram = 8;
/// If files are given, one in this many programs is from a file, because these programs are larger.
constexpr uint64_t kProgramsPerFile = 16;
constexpr int64_t kCasesOfLine = 10000;
constexpr int64_t kMaxReduceRuns = 1000;
/// The limit of iterations. Loops of random programs are short, but a loop that waits for a float
/// may not end.
constexpr int64_t kMaxIterations = 4096;

struct SweptProgram {
  std::string name;
  ir::Module module;
  simulation::Tensors inputs;
};

checking::RandomProgramOptions mixed_options(uint64_t seed) {
  checking::Random random(seed);
  checking::RandomProgramOptions options;
  options.max_dim = random.chance(2) ? 6 : 12;
  options.max_depth = random.between(0, 2);
  options.transcendental = random.chance(2);
  options.barriers = random.chance(4);
  options.small_floats = random.chance(4);
  options.indexed = random.chance(3);
  options.windows = random.chance(3);
  options.whole_dims = random.chance(3);
  options.free_axes = random.chance(4);
  if (options.free_axes) options.max_depth = 3;
  options.manual_collectives = !options.free_axes && random.chance(4);
  return options;
}

/// Returns the generator's options for one kind of program; `Mixed` has all kinds.
checking::RandomProgramOptions options_of(uint64_t seed, SoakKind kind) {
  checking::RandomProgramOptions options = mixed_options(seed);
  switch (kind) {
    case SoakKind::Mixed:
      break;
    case SoakKind::ManualAxes:
      options.free_axes = true;
      options.manual_collectives = false;
      options.max_depth = 3;
      break;
    case SoakKind::ManualCollectives:
      options.manual_collectives = true;
      options.free_axes = false;
      break;
    case SoakKind::Meshes:
      options.device_orders = true;
      options.free_axes = false;
      break;
    case SoakKind::BatchNorms:  // the order of float sums could affect later choices
      return {.max_ops = 6,
              .transcendental = false,
              .batch_norms = true,
              .max_depth = static_cast<int64_t>(seed % 3)};
  }
  return options;
}

/// Reads a program as `check` does. Additional error: a sweep cannot check the program.
DiagnosedResult<SweptProgram> read_swept(const std::string& path) {
  Source source{path};
  auto module = read_program(source);
  if (!module) return tl::unexpected(std::move(module).error());
  if (const auto note = passes::enter_module(*module)) {
    print_text(stdout, fmt::format("{}: {}\n", path, note->message));
  }
  const auto imported = passes::import_shardings(*module, passes::ImportForm::Auto);
  if (!imported) return tl::unexpected(imported.error());
  if (const Status loaded = text::load_resources(*module); !loaded) {
    return tl::unexpected(Diagnostics{loaded.error()});
  }
  const auto inputs = checking::random_inputs(*module, 0);
  if (!inputs) return tl::unexpected(Diagnostics{inputs.error()});
  checking::CaseSweepOptions none;
  none.cases = 0;
  const auto swept = checking::sweep(*module, *inputs, none);
  if (!swept) return tl::unexpected(Diagnostics{swept.error()});
  return SweptProgram{path, *std::move(module), {}};
}

/// Returns program number `index`, from a file or random.
Result<SweptProgram> program_number(uint64_t index, const std::vector<SweptProgram>& files,
                                    SoakKind kind) {
  const bool is_file = !files.empty() && index % kProgramsPerFile == kProgramsPerFile - 1;
  if (is_file) {
    SweptProgram program = files[index / kProgramsPerFile % files.size()];
    SHARDY_TRY(program.inputs, checking::random_inputs(program.module, index));
    return program;
  }
  checking::RandomProgram random = checking::random_program(index, options_of(index, kind));
  return SweptProgram{fmt::format("random program {}", index), std::move(random.module),
                      std::move(random.inputs)};
}

struct Totals {
  int64_t cases = 0;
  int64_t values = 0;
  int64_t sharded = 0;
  int64_t exact = 0;
  int64_t wide = 0;
  int64_t rounding = 0;  // number of cases in which rounding decides a choice
  int64_t findings = 0;
  int64_t refused = 0;  // number of programs that cannot be run

  void add(const checking::SweepReport& report) {
    cases += report.cases;
    values += report.num_values;
    sharded += report.num_sharded_values;
    exact += report.exact.cases;
    wide += report.wide.cases;
    rounding += report.num_rounding_choices;
    findings += report.failure ? 1 : 0;
  }
};

class SoakRunner {
 public:
  explicit SoakRunner(const SoakOptions& order) : order_(order) {
    for (const std::string& path : order.files) {
      auto program = read_swept(path);
      if (program) {
        files_.push_back(*std::move(program));
      } else {
        print_text(stdout, fmt::format("{}: skipped: {}\n", path, program.error().front().message));
      }
    }
    context_.runs.limits.max_iterations = kMaxIterations;
  }

  int run() {
    if (order_.first > std::numeric_limits<uint64_t>::max() - static_cast<uint64_t>(order_.cases)) {
      print_error(
          Error{fmt::format("--first {}: fewer than {} seeds remain", order_.first, order_.cases)});
      return kBadInput;
    }
    const InterruptGuard guard;
    uint64_t seed = order_.first;
    const uint64_t end = order_.first + static_cast<uint64_t>(order_.cases);
    while (seed < end && !was_interrupted()) {
      const uint64_t stop = std::min(end, (seed / kCasesOfProgram + 1) * kCasesOfProgram);
      sweep_program(seed, static_cast<int64_t>(stop - seed));
      seed = stop;
      const auto done = static_cast<int64_t>(seed - order_.first);
      progress_.stage(fmt::format("{} of {} cases, {} findings", grouped(done),
                                  grouped(order_.cases), grouped(totals_.findings)));
      const bool is_line = done / kCasesOfLine > lines_;
      if (is_line || seed >= end) print_line(seed);
      if (is_line) ++lines_;
    }
    print_text(stdout, fmt::format("{} of {} cases, {} findings; go on with --first {}\n",
                                   grouped(totals_.cases), grouped(order_.cases),
                                   grouped(totals_.findings), seed));
    return totals_.findings == 0 ? kDone : kFailed;
  }

 private:
  void sweep_program(uint64_t seed, int64_t cases) {
    const auto program = program_number(seed / kCasesOfProgram, files_, order_.kind);
    if (!program) return refuse(seed, program.error().message);
    checking::CaseSweepOptions options;
    options.cases = cases;
    options.seed = seed;
    options.max_devices = order_.max_devices;
    options.reduce = !order_.findings.empty();
    options.reduction.max_runs = kMaxReduceRuns;
    options.check.exact = true;
    options.check.wide = true;
    options.check.run.num_workers = order_.threads;
    options.check.run.kernels.seed = seed;
    options.inspect = [](const checking::CheckReport& ran) {
      return report::run_difference(ran.compiled, report::make_report(ran.compiled),
                                    ran.sharded.devices);
    };
    const auto report = checking::sweep(program->module, program->inputs, options, context_);
    if (!report) return refuse(seed, program->name + ": " + report.error().message);
    totals_.add(*report);
    if (report->failure) print_failure(*program, *report->failure);
  }

  void refuse(uint64_t seed, const std::string& why) {
    ++totals_.refused;
    print_text(stdout, fmt::format("seed {}: not run: {}\n", seed, why));
  }

  void print_failure(const SweptProgram& program, const checking::SweepFailure& failure) {
    const std::string what =
        failure.errors.empty() ? failure.difference : failure.errors.front().headline() + "\n";
    std::string text = fmt::format("seed {}: {}: {}", failure.seed, program.name, what);
    print_text(stdout, text);
    if (order_.findings.empty()) return;
    const std::string path = fmt::format("{}/seed-{}.mlir", order_.findings, failure.seed);
    const Status written =
        write_file(path, fmt::format("// shardy run {} --check --seed={}\n// {}\n{}", path,
                                     failure.seed, program.name, text::to_mlir(failure.program)));
    if (!written) print_text(stdout, written.error().message + "\n");
  }

  void print_line(uint64_t seed) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    print_text(stdout,
               fmt::format("seeds {} to {}: {} cases, {} of {} values sharded, {} exact, {} in "
                           "f64, {} chosen by rounding, {} not run, {} findings, {}\n",
                           order_.first, seed - 1, grouped(totals_.cases), grouped(totals_.sharded),
                           grouped(totals_.values), grouped(totals_.exact), grouped(totals_.wide),
                           grouped(totals_.rounding), grouped(totals_.refused),
                           grouped(totals_.findings), time_text(elapsed.count())));
    std::fflush(stdout);
  }

  const SoakOptions& order_;
  std::vector<SweptProgram> files_;
  checking::Context context_;
  Totals totals_;
  int64_t lines_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Progress progress_;
};

}  // namespace

int soak_command(const SoakOptions& order) {
  for (const std::string& path : order.files) {
    Source source{path};
    if (const Status read = read_source(source); !read) {
      print_error(read.error());
      return kBadInput;
    }
  }
  if (!order.findings.empty()) {
    if (const Status folder = expect_folder(order.findings); !folder) {
      print_error(folder.error());
      return kBadInput;
    }
  }
  return SoakRunner(order).run();
}

}  // namespace shardy::tools

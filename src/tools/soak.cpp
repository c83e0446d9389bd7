// The command soak: runs random programs, and programs of files, under millions of random
// shardings.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "support/quantities.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

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
        print_text(stdout,
                   fmt::format("{}: left out: {}\n", path, program.error().front().message));
      }
    }
    context_.runs.limits.max_iterations = kMaxIterations;
  }

  int run() {
    if (order_.first > std::numeric_limits<uint64_t>::max() - static_cast<uint64_t>(order_.cases)) {
      print_error(
          Error{fmt::format("--first {} has no {} seeds from it on", order_.first, order_.cases)});
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

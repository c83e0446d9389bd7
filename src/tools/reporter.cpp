#include "tools/reporter.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/quantities.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"

namespace shardy::tools {
namespace {

/// Drops notes after the third one with equal text, which gets the number of those that were
/// dropped. Equal layers have equal notes.
Diagnostics without_repeated_notes(const Diagnostics& diagnostics) {
  constexpr std::size_t kMostPlaces = 3;
  struct Places {
    std::size_t count = 0;
    std::size_t last_printed = 0;  // index in the result
  };
  Diagnostics printed;
  std::unordered_map<std::string, Places> places_of;
  for (const Diagnostic& each : diagnostics) {
    if (each.severity != Severity::Note) {
      printed.push_back(each);
      continue;
    }
    Places& places = places_of[each.headline()];
    if (++places.count > kMostPlaces) continue;
    places.last_printed = printed.size();
    printed.push_back(each);
  }
  for (const auto& [text, places] : places_of) {
    if (places.count <= kMostPlaces) continue;
    const std::size_t others = places.count - kMostPlaces;
    printed[places.last_printed].message +=
        fmt::format("; also at {} other place{}", others, others > 1 ? "s" : "");
  }
  return printed;
}

}  // namespace

void Reporter::emit(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  std::fflush(stdout);
  const Diagnostics located = with_places(source_, diagnostics);
  print_diagnostics(source_, without_repeated_notes(located));
  diagnostics_.insert(diagnostics_.end(), located.begin(), located.end());
}

void Reporter::emit_without_notes(Diagnostics diagnostics) {
  std::erase_if(diagnostics, [](const Diagnostic& each) {
    return each.severity == Severity::Note && each.code != "N_PLACEMENT";
  });
  emit(diagnostics);
}

bool Reporter::import(ir::Module& module, passes::ImportForm form) {
  if (std::optional<Diagnostic> note = passes::enter_module(module)) emit({*std::move(note)});
  const auto imported = passes::import_shardings(module, form);
  if (!imported) {
    refuse(imported.error());
    return false;
  }
  imported_ = imported->note();
  if (!imported_.empty()) {
    emit({Diagnostic{.message = imported_, .severity = Severity::Note}});
  }
  return true;
}

int Reporter::refuse(const Diagnostics& diagnostics, int status) {
  const auto is_error = [](const Diagnostic& each) { return each.severity == Severity::Error; };
  Diagnostics in_order;  // chronological: the error that ended the work comes last
  std::ranges::remove_copy_if(diagnostics, std::back_inserter(in_order), is_error);
  std::ranges::copy_if(diagnostics, std::back_inserter(in_order), is_error);
  emit(in_order);
  if (json_) {
    text::JsonWriter out = report_writer();
    begin_report(out, "refusal");
    add(out, "diagnostics", diagnostics_);
    out.end_object();
    print_text(stdout, out.take() + "\n");
  }
  return status;
}

Progress::Progress(std::chrono::seconds interval) : begin_(std::chrono::steady_clock::now()) {
  if (isatty(STDERR_FILENO) != 0) {
    thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
  } else if (interval.count() > 0) {
    thread_ = std::jthread(
        [this, interval](const std::stop_token& stop) { print_lines(stop, interval); });
  }
}

Progress::~Progress() = default;

void Progress::stage(std::string_view name) {
  const std::lock_guard lock(mutex_);
  stage_ = name;
  end_.reset();
}

void Progress::stage(std::string_view name, double fraction_done) {
  const std::lock_guard lock(mutex_);
  stage_ = name;
  end_.reset();
  if (fraction_done <= 0) return;
  const std::chrono::duration<double> all = (Clock::now() - begin_) / fraction_done;
  end_ = begin_ + std::chrono::duration_cast<Clock::duration>(all);
}

void Progress::print_lines(const std::stop_token& stop, std::chrono::seconds interval) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, interval, [] { return false; });
    if (stop.stop_requested()) return;
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    fmt::print(stderr, "[{}] {}\n", time_text(elapsed.count()), stage_);
    std::fflush(stderr);
  }
}

void Progress::show(const std::stop_token& stop) {
  using namespace std::chrono_literals;
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, 200ms, [] { return false; });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    if (elapsed < 1s || stop.stop_requested()) continue;
    shown = true;
    const std::chrono::duration<double> left = end_.value_or(Clock::now()) - Clock::now();
    const std::string left_text =
        left > 0s ? fmt::format(", about {} left", time_text(left.count())) : std::string();
    fmt::print(stderr, "\r\033[K[{}{}] {}", time_text(elapsed.count()), left_text, stage_);
    std::fflush(stderr);
  }
  if (!shown) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> num_guards = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Interrupts the command at the first signal and ends the process at the second one.
void on_interrupt(int /*signal*/) {
  if (num_guards > 0 && !interrupted.exchange(true)) return;
  ::_exit(kInterrupted);
}

}  // namespace

void handle_interrupts() { std::signal(SIGINT, &on_interrupt); }

bool was_interrupted() { return interrupted; }

InterruptGuard::InterruptGuard() {
  ++num_guards;
  watcher_ = std::jthread([source = source_](const std::stop_token& end) mutable {
    constexpr auto kStep = std::chrono::milliseconds(20);
    while (!end.stop_requested() && !interrupted) std::this_thread::sleep_for(kStep);
    if (interrupted) source.request_stop();
  });
}

InterruptGuard::~InterruptGuard() { --num_guards; }

namespace {

/// Returns the requested format; else the format of the output's name, else the input's format.
Format output_format(const CommandOptions& options, const Source& source) {
  if (options.generic) return Format::Generic;
  if (options.emit == "mlir") return Format::Mlir;
  if (options.emit == "json") return Format::Json;
  return format_of(options.output).value_or(source.format);
}

}  // namespace

DiagnosedResult<ir::Module> read_input(const CommandOptions& options, Source& source) {
  const bool is_json =
      options.emit.empty() ? format_of(options.output) == Format::Json : options.emit == "json";
  if (options.generic && is_json) {
    return tl::unexpected(Diagnostics{Error{"--generic is for MLIR text, not for JSON"}});
  }
  if (Status place = expect_writable(options.output); !place) {
    return tl::unexpected(Diagnostics{std::move(place).error()});
  }
  return read_program(source);
}

bool export_form(const CommandOptions& options, Reporter& reporter, ir::Module& module) {
  if (!options.export_form) return true;
  const auto lost = passes::export_shardings(module, *options.export_form);
  if (!lost) {
    reporter.refuse(lost.error());
    return false;
  }
  reporter.emit(*lost);
  return true;
}

std::string program_text(const CommandOptions& options, const Source& source, ir::Module& module,
                         const passes::ProgramMarks& written) {
  const Format format = output_format(options, source);
  if (format == Format::Json) passes::drop_marks(module, written);
  return format == Format::Json
             ? text::to_json(module, {.names = true})
             : text::to_mlir(module, {.generic = format == Format::Generic, .names = true});
}

int write_program(const CommandOptions& options, const Source& source, ir::Module& module,
                  const passes::ProgramMarks& written) {
  const Status status = write_file(options.output, program_text(options, source, module, written));
  if (status) return kDone;
  print_error(status.error());
  return kBadInput;
}

}  // namespace shardy::tools

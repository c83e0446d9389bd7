// A command at work: its diagnostics, its progress, Ctrl-C, and the program that it writes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

/// Prints diagnostics as they come and keeps them for the JSON report of the command.
class Reporter {
 public:
  /// `json`: the command prints a JSON report. The source outlives the reporter.
  explicit Reporter(const Source& source, bool json = false) : source_(source), json_(json) {}

  void emit(const Diagnostics& diagnostics);
  /// Prints without the notes, for commands whose report contains them.
  void emit_without_notes(Diagnostics diagnostics);
  /// Prints the errors that prevent a report; with JSON, a report of the diagnostics only.
  /// Returns the status.
  int refuse(const Diagnostics& diagnostics, int status = kBadInput);

  /// Imports shardings of other forms with a note. Errors: those of the import; they were
  /// reported. Spec: interop 10.
  bool import(ir::Module& module, passes::ImportForm form);
  /// Returns the description of the import; empty without one.
  const std::string& imported() const { return imported_; }
  /// Returns all diagnostics.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  const Source& source_;
  bool json_;
  Diagnostics diagnostics_;
  std::string imported_;
};

// One line on a terminal with the current stage of the work.

/// Shows the current stage and the elapsed seconds on standard error, once the work has taken more
/// than a second; prints only to a terminal. The line is erased at the end.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(std::string_view name);
  /// A stage that starts when this share of the time is expected to be over; the line shows the
  /// time left.
  void stage(std::string_view name, double fraction_done);

 private:
  using Clock = std::chrono::steady_clock;

  void show(const std::stop_token& stop);

  Clock::time_point begin_;
  std::mutex mutex_;  // guards stage_ and end_
  std::condition_variable_any wake_;
  std::string stage_;
  std::optional<Clock::time_point> end_;  // expected
  std::jthread thread_;                   // last: it uses the members above
};

// Ctrl-C ends a command with a report of the results so far.

/// Exits with kInterrupted on Ctrl-C from now on, at once unless a guard lives.
void handle_interrupts();

/// Checks whether Ctrl-C was pressed while a guard existed.
bool was_interrupted();

/// Records Ctrl-C during its lifetime, and requests a stop; a second Ctrl-C ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Callers may request the stop, too.
  std::stop_source source() const { return source_; }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;  // a signal handler must not request a stop itself
};

// Programs that commands write.

/// Reads the program, after a check that the output can be written.
DiagnosedResult<ir::Module> read_input(const CommandOptions& options, Source& source);

/// Exports shardings to the requested form, if any. Returns false after reporting an error.
bool export_form(const CommandOptions& options, Reporter& reporter, ir::Module& module);

/// Writes the program to the file and in the format of the options. JSON has the marks of compilers
/// only if the program had them (`written`). Returns the status.
int write_program(const CommandOptions& options, const Source& source, ir::Module& module,
                  const passes::ProgramMarks& written);

}  // namespace shardy::tools

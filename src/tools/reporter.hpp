// The state of a running command: its diagnostics, its progress, Ctrl-C, and the program that it
// writes.
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

/// Prints diagnostics immediately and keeps them for the command's JSON report.
class Reporter {
 public:
  /// `json`: the command prints a JSON report. The source must outlive the reporter.
  explicit Reporter(const Source& source, bool json = false) : source_(source), json_(json) {}

  void emit(const Diagnostics& diagnostics);
  /// Prints diagnostics without their notes, for commands whose report contains the notes.
  void emit_without_notes(Diagnostics diagnostics);
  /// Prints the errors that prevent a report. With JSON, prints a report with only the diagnostics.
  /// Returns `status`.
  int refuse(const Diagnostics& diagnostics, int status = kBadInput);

  /// Imports shardings of other forms and prints a note. Returns false after reporting an error of
  /// the import. Spec: interop 10.
  bool import(ir::Module& module, passes::ImportForm form);
  /// Returns the description of the import; empty without an import.
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

/// Shows the current stage and the elapsed seconds on standard error, if the work takes more than a
/// second and standard error is a terminal. The destructor erases the line. Long searches print
/// lines if standard error is not a terminal.
class Progress {
 public:
  /// Without a terminal, prints a line per `interval`; 0: none.
  explicit Progress(std::chrono::seconds interval = {});
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
  void print_lines(const std::stop_token& stop, std::chrono::seconds interval);

  Clock::time_point begin_;
  std::mutex mutex_;  // guards stage_ and end_
  std::condition_variable_any wake_;
  std::string stage_;
  std::optional<Clock::time_point> end_;  // expected end of the work
  std::jthread thread_;                   // declared last, because it uses the members above
};

// Ctrl-C ends a command with a report of the results so far.

/// Makes Ctrl-C end the process with kInterrupted: immediately, unless an InterruptGuard exists.
void handle_interrupts();

/// Checks whether Ctrl-C was pressed while a guard existed.
bool was_interrupted();

/// Records Ctrl-C during its lifetime and requests a stop. A second Ctrl-C ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Returns the source of the stop. Callers may request the stop, too.
  std::stop_source source() const { return source_; }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;  // requests the stop, because a signal handler must not
};

// Programs that commands write.

/// Reads the program after checking that the output can be written.
DiagnosedResult<ir::Module> read_input(const CommandOptions& options, Source& source);

/// Exports shardings to the requested form, if any. Returns false after reporting an error.
bool export_form(const CommandOptions& options, Reporter& reporter, ir::Module& module);

/// Returns the text of the program in the format of the options, as write_program writes it.
std::string program_text(const CommandOptions& options, const Source& source, ir::Module& module,
                         const passes::ProgramMarks& written);

/// Writes the program to the file and in the format of the options. JSON gets the marks of
/// compilers only if the program had them (`written`). Returns the status.
int write_program(const CommandOptions& options, const Source& source, ir::Module& module,
                  const passes::ProgramMarks& written);

}  // namespace shardy::tools

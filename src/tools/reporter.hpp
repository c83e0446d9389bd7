// Diagnostics of a command: on standard error, and in its report.
#pragma once

#include <string>

#include "shardy/passes/interop.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"

namespace shardy::tools {

/// Prints diagnostics as they come and keeps them for the JSON report of the command.
class Reporter {
 public:
  /// `json`: whether the command prints a JSON report. The source outlives the reporter.
  explicit Reporter(const Source& source, bool json = false) : source_(source), json_(json) {}

  void say(const Diagnostics& said);
  /// Without the notes, for commands whose report tells what they tell.
  void say_but_notes(Diagnostics said);
  /// Says why there will be no other report; with JSON, in a report of what was said alone.
  /// Returns the status.
  int refuse(const Diagnostics& said, int status = kBadInput);

  /// Imports shardings of other forms with a note. Errors: those of the import; they were
  /// reported. Spec: interop 10.
  bool import(ir::Module& module, passes::ImportForm form);
  /// Returns the description of the import; empty without one.
  const std::string& imported() const { return imported_; }
  /// All that was said.
  const Diagnostics& said() const { return said_; }

 private:
  const Source& source_;
  bool json_;
  Diagnostics said_;
  std::string imported_;
};

}  // namespace shardy::tools

// Errors, warnings and notes of all stages, from the reader to the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// An error stops the work, a warning does not; a remark tells what was done, a note what it costs.
enum class Severity : uint8_t { Error, Warning, Remark, Note };

/// "error", "warning", "remark", "note".
constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Remark:
      return "remark";
    default:
      return "note";
  }
}

/// `Diagnostic{"no such axis: \"x\"", "12:7"}` is an error at that place.
struct Diagnostic {
  std::string message;        // the rule that was broken, with the offending value in it
  std::string location = {};  // "12:7" in text, "/functions/0/args/1" in JSON, empty if none
  std::vector<std::string> notes = {};  // context and the way out
  std::string_view code = {};           // a literal such as "E_KERNEL", which programs may rely on
  Severity severity = Severity::Error;  // what it means for the caller

  /// Returns `CODE: message`, or the message if the code is empty.
  std::string headline() const {
    return code.empty() ? message : std::string(code).append(": ").append(message);
  }

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Diagnostics in the order in which they were reported.
using Diagnostics = std::vector<Diagnostic>;

/// Why an input was refused: a diagnostic whose severity is Error.
using Error = Diagnostic;

}  // namespace shardy

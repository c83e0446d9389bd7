// A propagated program with its decisions, and the values of a request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

struct ExplainedProgram {
  ir::Module original;  // as in the file, with imported shardings
  text::WrittenValues names;
  propagation::Explanation explanation;
  int64_t num_steps = 0;  // number of propagation steps
};

/// Propagates the program as `shardy propagate` does. Returns std::nullopt after reporting an
/// error.
std::optional<ExplainedProgram> explain_program(Source& source, Reporter& reporter,
                                                const CommandOptions& options);

/// Propagates a program whose shardings are imported. `receive` gets the diagnostics.
DiagnosedResult<ExplainedProgram> explain_module(
    ir::Module module, text::WrittenNames names, const CommandOptions& options,
    const std::function<void(const Diagnostics&)>& diagnose);

/// Reads a program and the names of its values.
DiagnosedResult<ir::Module> read_named_program(Source& source, text::WrittenNames& names);

// The values that a request selects.

/// A selection of values. If all members are empty, no value is selected.
struct ExplainRequest {
  std::string value;     // such as `%12`, `@f:%12`, `@f/%3/1:%12`; the `%` is optional
  std::string function;  // such as `@f` or `f`
  bool all = false;      // all values, or all values with the name

  bool is_empty() const { return value.empty() && function.empty() && !all; }
};

/// Returns the selected values. Errors: an unknown value or function, several values with the name.
Result<std::vector<const propagation::ExplainedValue*>> select_values(
    const std::vector<propagation::ExplainedValue>& values, const ExplainRequest& request,
    const text::WrittenValues& names);

/// Returns an error if no mesh of the program has the axis.
Status expect_axis(const ir::Module& module, const std::string& axis);

}  // namespace shardy::tools

// The program of a file, propagated, its decisions, and the values of a request.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

struct ExplainedProgram {
  ir::Module original;  // as written, but with shardings imported
  text::WrittenValues names;
  propagation::Explanation explanation;
  int64_t num_steps = 0;  // of propagation
};

/// Propagates like `shardy propagate`. std::nullopt: the error was reported.
std::optional<ExplainedProgram> explain_program(Source& source, Reporter& reporter,
                                                const CommandOptions& options);

/// Propagates a program that was read, its shardings imported, and receives the diagnostics.
DiagnosedResult<ExplainedProgram> explain_module(
    ir::Module module, text::WrittenNames names, const CommandOptions& options,
    const std::function<void(const Diagnostics&)>& diagnose);

/// Reads a program and the names of its values.
DiagnosedResult<ir::Module> read_named_program(Source& source, text::WrittenNames& names);

// The values that a request is about.

/// Selection of values to explain. All empty: none.
struct ExplainRequest {
  std::string value;     // `%12`, `@f:%12`, `@f/%3/1:%12`; the `%` may be missing
  std::string function;  // `@f` or `f`
  bool all = false;      // all values, or all with that name

  bool is_empty() const { return value.empty() && function.empty() && !all; }
};

/// Errors: no such value or function, several values of that name.
Result<std::vector<const propagation::ExplainedValue*>> select_values(
    const std::vector<propagation::ExplainedValue>& values, const ExplainRequest& request,
    const text::WrittenValues& names);

/// Errors: no mesh of the program has the axis.
Status expect_axis(const ir::Module& module, const std::string& axis);

}  // namespace shardy::tools

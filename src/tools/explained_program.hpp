// The program of a file, propagated, and what was decided.
#pragma once

#include <cstdint>
#include <optional>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/commands.hpp"
#include "tools/input.hpp"
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

}  // namespace shardy::tools

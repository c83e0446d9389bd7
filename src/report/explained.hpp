// One more propagation of a program, of which every decision is kept.
#pragma once

#include <tl/expected.hpp>

#include "shardy/checking/compile.hpp"
#include "shardy/checking/context.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::report {

/// Propagates a copy of the program that `names` are of, as compile does. Errors: those of the
/// passes and of propagation.
tl::expected<propagation::Explanation, Diagnostics> explain(const text::WrittenValues& names,
                                                            const checking::CompileOptions& options,
                                                            const checking::Context& context);

}  // namespace shardy::report

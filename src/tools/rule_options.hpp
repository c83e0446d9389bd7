// Sharding rules that are given on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "shardy/checking/compile.hpp"

namespace shardy::tools {

/// `--op-rule`, `--custom-call-rule` and `--composite-rule`, each `NAME=RULE` and as often as
/// wanted, with a rule written like an einsum. They go to the context, which must outlive the app.
void add_rule_options(CLI::App& app, checking::Context& context);

}  // namespace shardy::tools

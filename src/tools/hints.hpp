// The hints of a program as text and as JSON, and changed annotations as patches.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

/// Searches for hints with the options of the command.
DiagnosedResult<report::Hints> hints_for(const CommandOptions& options, const ir::Module& module);

/// Returns the patches of a hint and the collectives that the hint changes.
std::string hint_text(const Source& source, const ir::Module& module, const report::Hint& hint);
/// Returns the hints as JSON. `diagnostics`: diagnostics of the command.
std::string hints_json(const Source& source, const ir::Module& module, const report::Hints& hints,
                       const Diagnostics& diagnostics);

/// An edit of one annotation, and how to print it.
struct PatchedEdit {
  report::HintEdit edit;
  /// The text of a new constraint, such as `before stablehlo.dot, only for this op`. Empty if the
  /// annotation exists.
  std::string new_constraint = {};
  bool is_op_attribute = false;  // the annotation is `sdy.sharding` of the defining op
};

/// Returns the place of the annotation, such as `model.mlir:4`, or its location in the program.
std::string edit_place(const Source& source, const ir::Module& module,
                       const report::HintEdit& edit);

/// Appends the change of one annotation: its place, the old text and the new text. It is not an
/// input of `patch`, because an op or an argument is only a part of its line.
void add_patch(std::string& out, const Source& source, const ir::Module& module,
               const PatchedEdit& patched);

}  // namespace shardy::tools

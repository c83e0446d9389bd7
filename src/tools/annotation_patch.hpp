// Prints changes of annotations, for hints and autoshard.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"
#include "tools/files.hpp"

namespace shardy::tools {

/// An edit of one annotation, and how to print it.
struct PatchedEdit {
  report::HintEdit edit;
  /// The text of a new constraint, such as `before stablehlo.dot, for it alone`. Empty if the
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

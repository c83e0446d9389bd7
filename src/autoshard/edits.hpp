// The differences between the annotations of two programs, in the form that users see.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autoshard/emission.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::autoshard {

/// An edit, and the change that causes it. For a change of the results of an op, the port of the
/// change is the index of the edited result.
struct ChangedEdit {
  AnnotationEdit edit;
  std::optional<SourceChange> change;  // std::nullopt: the options of the search cause the edit
};

/// Returns the edits from `source` to `program`, to which `changes` were applied. The order is:
/// arguments, results, ops, new constraints.
std::vector<ChangedEdit> annotation_edits(const ir::Module& source, const ir::Module& program,
                                          std::span<const SourceChange> changes);

}  // namespace shardy::autoshard

// Differences between the annotations of two programs, for people.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autoshard/emission.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::autoshard {

/// An edit, and the change that it comes from, with the port of the edited value.
struct ChangedEdit {
  AnnotationEdit edit;
  std::optional<SourceChange> change;  // std::nullopt: by the options of the search
};

/// Returns the edits from `source` to `program`, to which `changes` were applied. Arguments first,
/// then results, ops and new constraints.
std::vector<ChangedEdit> annotation_edits(const ir::Module& source, const ir::Module& program,
                                          std::span<const SourceChange> changes);

}  // namespace shardy::autoshard

// Parts of an answer: the fewest annotations, their edits, and the dims that mesh axes shard.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autoshard/emission.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::autoshard {

// Fewest changes. Spec: autoshard U.8.2.

/// Returns a flag per list of changes: the program is as good with these changes alone.
using ChangeTest =
    std::function<std::vector<bool>(std::span<const std::vector<SourceChange>> lists)>;

/// Drops runs of changes, then halves of runs, while the program is as good; then single ones until
/// none can be dropped. A few lists are tested in one call, whatever the number of threads, so that
/// the result depends on the test alone. Cost: about log2(n) tests per change that stays.
std::vector<SourceChange> fewest_changes(std::vector<SourceChange> changes, const ChangeTest& test);

// Edits.

/// An edit, and the change that it comes from, with the port of the edited value.
struct ChangedEdit {
  AnnotationEdit edit;
  std::optional<SourceChange> change;  // std::nullopt: by the options of the search
};

/// Returns the edits from `source` to `program`, to which `changes` were applied. Arguments first,
/// then results, ops and new constraints.
std::vector<ChangedEdit> annotation_edits(const ir::Module& source, const ir::Module& program,
                                          std::span<const SourceChange> changes);

// Mesh axes. Spec: autoshard U.8.4.

/// Returns the dims that each mesh axis shards in main of a propagated program, joined by the
/// sharding rules of its ops. Cost: linear in the program times the axes.
std::vector<AxisRole> axis_roles(const ir::Module& propagated, const rules::Registry& rules);

/// Returns the names of arguments of main that no axis shards, of at least two elements. `is_tied`
/// has a flag per argument: it is left out.
std::vector<std::string> whole_arguments(const ir::Module& propagated,
                                         const std::vector<bool>& is_tied);

}  // namespace shardy::autoshard

// Lists of annotations that differ from a list in one annotation, as hints try them.
#pragma once

#include <span>
#include <vector>

#include "autoshard/emission.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.7.2.

namespace shardy::autoshard {

/// Returns lists that differ from `changes` in one annotation of main or of a function with one
/// call, in the order of report::hint_candidates. Annotations of `searched` remain. Empty if the
/// program with `changes` does not compile. Changed annotations have no node of the model.
std::vector<std::vector<SourceChange>> hint_neighbors(const ir::Module& searched,
                                                      std::span<const SourceChange> changes,
                                                      const AutoshardOptions& options,
                                                      const checking::Context& context);

}  // namespace shardy::autoshard

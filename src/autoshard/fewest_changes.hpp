// The fewest changes of a program with which it is as good as with all changes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autoshard/emission.hpp"

// Spec: autoshard U.8.2.

namespace shardy::autoshard {

/// Returns a flag per list of changes: whether the program is as good with only these changes.
using ChangeTest =
    std::function<std::vector<bool>(std::span<const std::vector<SourceChange>> lists)>;

/// Drops runs of changes, then halves of runs, then single changes, as long as the program stays as
/// good. A fixed number of lists is tested in one call, whatever the number of threads, so that the
/// result depends only on the test. Cost: about log2(n) tests per change that remains.
std::vector<SourceChange> fewest_changes(std::vector<SourceChange> changes, const ChangeTest& test);

}  // namespace shardy::autoshard

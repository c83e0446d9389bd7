// The fewest changes of a program with which it is as good as with all.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autoshard/emission.hpp"

// Spec: autoshard U.8.2.

namespace shardy::autoshard {

/// Returns a flag per list of changes: the program is as good with these changes alone.
using ChangeTest =
    std::function<std::vector<bool>(std::span<const std::vector<SourceChange>> lists)>;

/// Drops runs of changes, then halves of runs, while the program is as good; then single ones until
/// none can be dropped. A few lists are tested in one call, whatever the number of threads, so that
/// the result depends on the test alone. Cost: about log2(n) tests per change that stays.
std::vector<SourceChange> fewest_changes(std::vector<SourceChange> changes, const ChangeTest& test);

}  // namespace shardy::autoshard

// Differences of texts as unified diffs, which patch and git apply read.
#pragma once

#include <string>
#include <string_view>

namespace shardy::tools {

/// Returns the unified diff without context lines that turns the file `name` from `before` into
/// `after`: `patch` and `git apply --unidiff-zero` apply it. Empty if the texts are equal. The diff
/// is shortest if at most 2,000 lines differ; of more, all lines between the first and the last
/// different one are replaced. Cost: linear in the lines times the lines that differ.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace shardy::tools

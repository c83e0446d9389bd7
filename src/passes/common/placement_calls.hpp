// Custom calls that say where a value is kept, and compute nothing. Spec: interop 3.4.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace shardy::passes {

/// Checks whether a call of `target` is the identity on values, whatever has_side_effect says: the
/// flag keeps other compilers from removing it.
inline bool only_places(std::string_view target) {
  constexpr std::array<std::string_view, 4> kTargets = {"annotate_device_placement", "MoveToHost",
                                                        "MoveToDevice", "LayoutConstraint"};
  return std::ranges::find(kTargets, target) != kTargets.end();
}

}  // namespace shardy::passes

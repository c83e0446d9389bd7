// Custom calls that only place a value, for example in host memory. Spec: interop 3.4.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace shardy::passes {

/// Checks whether a call of `target` is the identity on values. Such calls have has_side_effect
/// only to keep other compilers from removing them.
inline bool only_places(std::string_view target) {
  constexpr std::array<std::string_view, 4> kTargets = {"annotate_device_placement", "MoveToHost",
                                                        "MoveToDevice", "LayoutConstraint"};
  return std::ranges::find(kTargets, target) != kTargets.end();
}

}  // namespace shardy::passes

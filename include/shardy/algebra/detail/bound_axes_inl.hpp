// Bodies of bound_axes.hpp.
#pragma once

#include <algorithm>
#include <shardy/algebra/bound_axes.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

SHARDY_INLINE BoundAxes BoundAxes::of(AxisNames names) {
  std::vector<std::string> all(names.begin(), names.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return BoundAxes(std::move(all));
}

SHARDY_INLINE const AxisRef* BoundAxes::first_in(const Mesh& mesh, AxisSpan refs) const {
  if (names_.empty()) return nullptr;
  const auto found = std::ranges::find_if(refs, [&](const AxisRef& ref) { return has(mesh, ref); });
  return found == refs.end() ? nullptr : &*found;
}

SHARDY_INLINE Status BoundAxes::expect_free(const TensorSharding& sharding) const {
  if (names_.empty()) return {};
  const Mesh& mesh = sharding.mesh();
  std::string_view bound;
  const auto is_bound = [&](const AxisRef& ref) {
    if (!has(mesh, ref)) return false;
    bound = mesh.axis_name(ref.axis);
    return true;
  };
  if (!sharding.any_axis(is_bound)) return {};
  return fail("sharding: axis " + in_quotes(bound) +
              " is bound by a manual computation around; use an axis that is free");
}

}  // namespace shardy

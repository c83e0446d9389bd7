// Axis lists that stand on ops by themselves, outside of any sharding.
#pragma once

#include <string_view>

#include "shardy/algebra/axis_check.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The rules of algebra 9.1 for one list that is a set; `what` is "reduction", ...
Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what);
/// The same for one list whose neighbours may merge.
Status check_axis_parts(const Mesh& mesh, const AxisList& axes);

}  // namespace shardy::ir

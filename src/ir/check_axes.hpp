// Axis lists that stand on ops by themselves, outside of any sharding.
#pragma once

#include <span>
#include <string_view>

#include "shardy/algebra/axis_check.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The rules of algebra 9.1 over all lists of one op, which may share no axis. An attribute of
/// axis indices keeps no rule by itself, so the indices are checked first.
Status check_axis_lists(const Mesh& mesh, std::span<const AxisList> lists);
/// The same for one list that is a set; `what` is "reduction", ...
Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what);
/// The same for one list whose neighbours may merge.
Status check_axis_parts(const Mesh& mesh, const AxisList& axes);

}  // namespace shardy::ir

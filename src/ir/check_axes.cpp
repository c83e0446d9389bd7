#include "check_axes.hpp"

#include <algorithm>
#include <string>

namespace shardy::ir {

namespace {

Status check_indices(const Mesh& mesh, const AxisList& axes) {
  for (const AxisRef& ref : axes) {
    if (ref.axis >= 0 && ref.axis < mesh.num_axes()) continue;
    return fail("axis index out of range: " + std::to_string(ref.axis) +
                ", num_axes: " + std::to_string(mesh.num_axes()));
  }
  return {};
}

}  // namespace

Status check_axis_lists(const Mesh& mesh, std::span<const AxisList> lists) {
  AxisChecker checker(mesh);
  for (const AxisList& list : lists) {
    SHARDY_TRY_STATUS(check_indices(mesh, list));
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, AxisSpan(list))));
  }
  return checker.finish();
}

Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what) {
  SHARDY_TRY_STATUS(check_indices(mesh, axes));
  AxisChecker checker(mesh);
  SHARDY_TRY_STATUS(checker.add_sorted(loosen(mesh, AxisSpan(axes)), what));
  return checker.finish();
}

Status check_axis_parts(const Mesh& mesh, const AxisList& axes) {
  SHARDY_TRY_STATUS(check_indices(mesh, axes));
  AxisChecker checker(mesh);
  for (const AxisRef& ref : axes) {
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, AxisSpan(&ref, 1))));
  }
  return checker.finish();
}

}  // namespace shardy::ir

#include "check_axes.hpp"

namespace shardy::ir {

Status check_sorted_axes(const Mesh& mesh, const AxisList& axes, std::string_view what) {
  SHARDY_TRY_STATUS(check_axis_indices(mesh, axes));
  AxisChecker checker(mesh);
  SHARDY_TRY_STATUS(checker.add_sorted(loosen(mesh, AxisSpan(axes)), what));
  return checker.finish();
}

Status check_axis_parts(const Mesh& mesh, const AxisList& axes) {
  SHARDY_TRY_STATUS(check_axis_indices(mesh, axes));
  AxisChecker checker(mesh);
  for (const AxisRef& ref : axes) {
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, AxisSpan(&ref, 1))));
  }
  return checker.finish();
}

}  // namespace shardy::ir

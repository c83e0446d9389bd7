// The axes and the steps of reshards in the form that Python has.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"

namespace shardy::python {

/// Returns the names of axes and sub-axes, such as `["x", "y:(1)2"]`.
std::vector<std::string> axis_names(const Mesh& mesh, AxisSpan axes);
/// Reads a list of names of axes and sub-axes. None gives no axes. Throws: Refused.
AxisList axes_from(const Mesh& mesh, pybind11::handle names);

}  // namespace shardy::python

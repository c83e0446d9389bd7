// Axes and steps of reshards, as Python has them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"

namespace shardy::python {

/// Returns `["x", "y:(1)2"]`.
std::vector<std::string> axis_names(const Mesh& mesh, AxisSpan axes);
/// Reads such a list; None has no axes. Throws: Refused.
AxisList axes_from(const Mesh& mesh, pybind11::handle names);

}  // namespace shardy::python

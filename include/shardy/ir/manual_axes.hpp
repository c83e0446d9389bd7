// Shardings on the two sides of a manual computation.
#pragma once

#include <shardy/algebra/manual_axes.hpp>

namespace shardy::ir {

using shardy::add_free;
using shardy::AxisNames;
using shardy::erase_manual;
using shardy::first_free;
using shardy::is_manual;
using shardy::manual_size;

}  // namespace shardy::ir

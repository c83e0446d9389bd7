// Whether parts of a value are combined by collectives of the program, and by those alone. Spec:
// partitioning 1.2 I5.
#pragma once

#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Whether all that is done with the result of an op, of which devices hold parts over `axes`, is
/// to combine it over all of these, before or after other collectives move it. What "combine" means
/// is then up to the op that makes the parts, whatever is declared in between.
bool is_combined_behind(const ir::Module& input, ir::ValueId value, const AxisList& axes);

}  // namespace shardy::partitioning

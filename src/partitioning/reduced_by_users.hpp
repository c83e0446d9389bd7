// Analysis of partial values that collectives of the program reduce. Spec: partitioning 1.2 I5.
#pragma once

#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Checks whether all users of a value that is partial over `axes` only reduce it over these axes,
/// before or after other collectives move it. The reducer is then that of the op that defines the
/// value, whatever is declared in between.
bool is_reduced_by_users(const ir::Module& input, ir::ValueId value, const AxisList& axes);

}  // namespace shardy::partitioning

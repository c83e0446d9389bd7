// The same program under other shardings, as a reference that no device holds whole.
#pragma once

#include <span>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// The program with none of its shardings but those of `results`: each argument is split along its
/// largest dim over as many axes of the mesh as find room there. Compiled and run, a device has the
/// same parts of results as under the shardings that the program asks for, made from other parts
/// of everything else.
///
/// Errors: no main function; manual computations, which are written for their shardings; results
/// that are unreduced, or that no mesh has.
Result<ir::Module> sharded_by_rows(const ir::Module& module,
                                   std::span<const simulation::WholeValue> results);

}  // namespace shardy::checking

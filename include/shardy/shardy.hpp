// The whole library, for small programs and C++ notebooks: all layers, and short names for the
// functions that most programs call. No header of the library includes this one.
//
//   Module ---compile--> CompiledProgram   propagated, with collectives, and per device
//      +------check----> CheckReport       run on all devices and compared with the unsharded run
//      +-------run-----> RunResult         run as it is, unsharded or per device
#pragma once

#include <shardy/algebra.hpp>
#include <shardy/autoshard.hpp>
#include <shardy/checking.hpp>
#include <shardy/ir.hpp>
#include <shardy/partitioning.hpp>
#include <shardy/passes.hpp>
#include <shardy/propagation.hpp>
#include <shardy/report.hpp>
#include <shardy/resharding.hpp>
#include <shardy/rules.hpp>
#include <shardy/simulation.hpp>
#include <shardy/text.hpp>
#include <shardy/view.hpp>

namespace shardy {

using checking::check;
using checking::CheckOptions;
using checking::CheckReport;
using checking::compile;
using checking::CompiledProgram;
using checking::CompileOptions;
using checking::Context;
using checking::random_inputs;
using simulation::run;
using simulation::RunOptions;
using simulation::RunResult;

}  // namespace shardy

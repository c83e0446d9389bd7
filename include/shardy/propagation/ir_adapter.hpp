// Propagation of the shardings of a module: fills in a Problem, solves it, reads the answer back.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/propagation/ir_options.hpp>
#include <shardy/support/result.hpp>

namespace shardy::propagation {

class ModuleObserver;

/// Extends the shardings of the module along its ops, erases ops that are dead, and puts
/// constraints between sharding groups and members that disagree.
///
/// The module is as the import passes leave it: data-flow ops without edges do not propagate, calls
/// are boundaries. Errors: dynamic and tuple results, several functions and no main, a value in two
/// groups, rules and shardings that do not fit their values. Cost: linear in the module.
/// Spec: propagation 10.1.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options = {});
/// The same under the eyes of an observer; options say nothing of debugging attributes then.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options,
                                    ModuleObserver& observer);

}  // namespace shardy::propagation

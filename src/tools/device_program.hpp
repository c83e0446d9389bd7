// Programs for other devices: one per-device program for all, and other sizes of meshes.
#pragma once

#include <string>
#include <string_view>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Checks that a per-device program supports all options.
Status check_device_options(const CommandOptions& options);

/// Returns the inputs of the run: whole values that are sharded over the devices, or, by option, a
/// buffer for each device along an additional first dim. Errors: those of read_arguments.
Result<simulation::Tensors> read_device_arguments(const ir::Module& module,
                                                  const CommandOptions& options);

/// Runs it on all devices; results have the form of the values. Does not compare results.
Result<checking::CheckReport> run_devices(const ir::Module& module,
                                          const simulation::Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run);

// Other mesh sizes for a program.

/// Gives mesh axes other sizes, `x=2,y=4`, and reads all shardings on the changed meshes; explicit
/// device orders are dropped. Errors: text of another form, an axis that no mesh has, shardings
/// that the new sizes make invalid.
DiagnosedResult<void> resize_meshes(ir::Module& module, std::string_view sizes);

}  // namespace shardy::tools

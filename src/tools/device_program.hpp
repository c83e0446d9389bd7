// Runs of a per-device program on all devices, and other mesh sizes for a program.
#pragma once

#include <string>
#include <string_view>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Checks that all options are supported for a per-device program.
Status check_device_options(const CommandOptions& options);

/// Returns the inputs of the run: global values, which are sharded over the devices, or, with an
/// option, one buffer per device along an additional first dim. Errors: those of read_arguments.
Result<simulation::Tensors> read_device_arguments(const ir::Module& module,
                                                  const CommandOptions& options);

/// Runs the program on all devices. Results have the form of the inputs. Results are not compared.
Result<checking::CheckReport> run_devices(const ir::Module& module,
                                          const simulation::Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run);

// Other mesh sizes for a program.

/// Sets the sizes of mesh axes, such as `x=2,y=4`, and resolves all shardings on the changed
/// meshes. Drops explicit device orders. Errors: text of another form, an axis that no mesh has,
/// shardings that are invalid with the new sizes.
DiagnosedResult<void> resize_meshes(ir::Module& module, std::string_view sizes);

}  // namespace shardy::tools

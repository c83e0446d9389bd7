// Running what `shardy partition` has printed: one program for all devices.
#pragma once

#include <optional>
#include <string>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Returns whether the main function of the program is what each device runs.
bool is_device_program(const ir::Module& module);

/// Returns the error of an option that such a program does not support.
std::optional<Error> refused_option(const CommandOptions& options);

/// Returns the inputs of the run: whole values that are sharded over the devices, or, by option, a
/// buffer for each device along an additional first dim. Errors: those of read_arguments.
Result<simulation::Tensors> read_device_arguments(const ir::Module& module,
                                                  const CommandOptions& options);

/// Runs it on all devices; results are in the form of the values. Nothing is compared.
Result<checking::CheckReport> run_devices(const ir::Module& module,
                                          const simulation::Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run);

}  // namespace shardy::tools

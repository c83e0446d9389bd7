#include "tools/device_program.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

using simulation::Tensor;
using simulation::Tensors;

namespace {

/// One value per device, in a new dim in front.
ir::Type stacked(const ir::Type& type, int64_t devices) {
  if (!type.is_tensor()) return type;
  std::vector<int64_t> dims = {devices};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  return ir::Type::tensor(std::move(dims), type.element());
}

std::vector<Tensors> unstack(const Tensors& values, const std::vector<ir::Type>& types,
                             int64_t devices) {
  std::vector<Tensors> arguments(static_cast<std::size_t>(devices));
  for (int64_t device = 0; device < devices; ++device) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      const ir::Type& type = types[index];
      arguments[static_cast<std::size_t>(device)].push_back(
          type.is_tensor() ? values[index].part(type, device * type.num_elements())
                           : values[index]);
    }
  }
  return arguments;
}

Result<Tensor> stack(const std::vector<Tensors>& outputs, std::size_t index) {
  const Tensor& first = outputs.front()[index];
  if (!first.type().is_tensor()) return first;
  SHARDY_TRY(auto writer,
             simulation::TensorWriter::make(stacked(first.type(), std::ssize(outputs))));
  std::byte* to = writer.data();
  for (const Tensors& each : outputs) {
    to = std::ranges::copy(each[index].bytes(), to).out;
  }
  return std::move(writer).finish();
}

Result<simulation::GlobalResult> run_local(const ir::Module& module, ir::OpId main,
                                           const Tensors& values, const CommandOptions& options,
                                           const simulation::RunOptions& run) {
  const int64_t devices = simulation::num_devices(module, main);
  SHARDY_TRY(
      simulation::RunResult result,
      simulation::run(module, module.symbol_name(main),
                      unstack(values, module.arg_types(main), devices), run, options.context.runs));
  simulation::GlobalResult all{{}, std::move(result.devices), std::move(result.checks)};
  for (std::size_t index = 0; index < result.outputs.front().size(); ++index) {
    SHARDY_TRY(Tensor value, stack(result.outputs, index));
    all.outputs.push_back(std::move(value));
  }
  return all;
}

}  // namespace

bool is_device_program(const ir::Module& module) {
  const std::optional<ir::OpId> main = module.main_function();
  return main && !module.is_external(*main) && simulation::is_per_device(module, *main);
}

std::optional<Error> refused_option(const CommandOptions& options) {
  const char* const option = options.stages.compare     ? "--check"
                             : options.reference        ? "--reference"
                             : !options.devices.empty() ? "--devices"
                                                        : nullptr;
  if (option == nullptr) return std::nullopt;
  return Error{.message = std::string(option) + " needs the program from which this one was made",
               .notes = {"the program is already one per device"}};
}

Result<Tensors> read_device_arguments(const ir::Module& module, const CommandOptions& options) {
  const ir::OpId main = *module.main_function();
  if (!options.local_buffers) {
    return read_arguments(module, main, simulation::global_arg_types(module, main), options);
  }
  std::vector<ir::Type> types = module.arg_types(main);
  for (ir::Type& type : types) type = stacked(type, simulation::num_devices(module, main));
  return read_arguments(module, main, types, options);
}

Result<checking::CheckReport> run_devices(const ir::Module& module, const Tensors& values,
                                          const CommandOptions& options,
                                          const simulation::RunOptions& run) {
  const ir::OpId main = *module.main_function();
  checking::CheckReport report;
  if (options.local_buffers) {
    SHARDY_TRY(report.sharded, run_local(module, main, values, options, run));
  } else {
    SHARDY_TRY(report.sharded, simulation::run_global(module, module.symbol_name(main), values, run,
                                                      options.context.runs));
  }
  report.compiled.program = module;
  return report;
}

}  // namespace shardy::tools

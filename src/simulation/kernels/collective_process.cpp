// Where a program runs, and programs that run other programs. Spec: stablehlo 31.1, 31.4.
#include <optional>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

template <class Number>
Result<Kernel> make_process_number(const KernelRequest& request, Number number_of) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return [type = reader.result(), grid = request.grid,
          number_of](const KernelCall& call) -> Result<Tensors> {
    const int64_t number[] = {number_of(call.device, grid)};
    SHARDY_TRY(Tensor value, Tensor::from_integers(type, number));
    return Tensors{std::move(value)};
  };
}

Result<Kernel> make_partition_id(const KernelRequest& request) {
  return make_process_number(request, [](int64_t device, const ProcessGrid& grid) {
    return device % grid.num_partitions;
  });
}
Result<Kernel> make_replica_id(const KernelRequest& request) {
  return make_process_number(request, [](int64_t device, const ProcessGrid& grid) {
    return device / grid.num_partitions;
  });
}

// ---- run_parallel ------------------------------------------------------------------------------

/// The functions of all processes, row by row.
struct Processes {
  ProcessGrid grid;
  std::vector<ir::OpId> functions;
};

Result<ir::OpId> find_program(const KernelRequest& request, const ir::Attribute& name) {
  const ir::Module& module = request.module;
  const auto* symbol = name.as<ir::SymbolAttr>();
  const std::optional<ir::OpId> function =
      symbol == nullptr ? std::nullopt : module.find_symbol(symbol->name);
  if (function && module.is(*function, ir::OpKind::Func) && !module.is_external(*function)) {
    return *function;
  }
  return op_fail(module, request.op,
                 "Function \"" + (symbol == nullptr ? "" : symbol->name) + "\" not found");
}

Result<Processes> read_programs(const KernelRequest& request) {
  const auto* rows = request.module.attribute<ir::ArrayAttr>(request.op, ir::attr::kPrograms);
  const auto* first = rows == nullptr || rows->elements.empty()
                          ? nullptr
                          : rows->elements.front().as<ir::ArrayAttr>();
  if (first == nullptr || first->elements.empty()) {
    return op_fail(request.module, request.op, "`programs` attribute cannot be empty");
  }
  Processes processes;
  processes.grid = {std::ssize(rows->elements), std::ssize(first->elements)};
  for (const ir::Attribute& row : rows->elements) {
    const auto* names = row.as<ir::ArrayAttr>();
    const std::size_t count = names == nullptr ? 0 : names->elements.size();
    if (count != first->elements.size()) {
      return op_fail(request.module, request.op,
                     "Sizes of second dimension of `programs` should all match " +
                         std::to_string(first->elements.size()) + " but got " +
                         std::to_string(count));
    }
    for (const ir::Attribute& name : names->elements) {
      SHARDY_TRY(const ir::OpId function, find_program(request, name));
      processes.functions.push_back(function);
    }
  }
  return processes;
}

Status verify_count(const KernelRequest& request, std::string_view what, std::size_t count,
                    std::size_t sum) {
  if (count == sum) return {};
  return op_fail(request.module, request.op,
                 "Number of " + std::string(what) + " (" + std::to_string(count) +
                     ") should match the sum of the number of " + std::string(what) +
                     " of all programs (" + std::to_string(sum) + ")");
}

Status verify_types(const KernelRequest& request, std::span<const ir::ValueId> values,
                    const std::vector<ir::Type>& types) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const ir::Type& type = request.module.type(values[index]);
    if (type == types[index]) continue;
    return op_fail(request.module, request.op,
                   "hands on " + ir::to_string(type) + " where " + ir::to_string(types[index]) +
                       " is expected");
  }
  return {};
}

/// Operands and results are those of all processes, one after the other.
Status verify_values(const KernelRequest& request, const Processes& processes) {
  const ir::Module& module = request.module;
  std::vector<ir::Type> inputs;
  std::vector<ir::Type> results;
  for (const ir::OpId function : processes.functions) {
    const std::vector<ir::Type> arguments = module.arg_types(function);
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    const std::vector<ir::Type>& returned = module.function(function).result_types;
    results.insert(results.end(), returned.begin(), returned.end());
  }
  SHARDY_TRY_STATUS(
      verify_count(request, "inputs", module.num_operands(request.op), inputs.size()));
  SHARDY_TRY_STATUS(
      verify_count(request, "results", module.num_results(request.op), results.size()));
  SHARDY_TRY_STATUS(verify_types(request, module.operands(request.op), inputs));
  return verify_types(request, module.results(request.op), results);
}

Result<Kernel> make_run_parallel(const KernelRequest& request) {
  const ir::Module& module = request.module;
  SHARDY_TRY(const Processes processes, read_programs(request));
  const auto* infeed = module.attribute<ir::ArrayAttr>(request.op, ir::attr::kInfeed);
  if (infeed != nullptr && infeed->elements.empty()) {
    return op_fail(module, request.op, "infeed attribute is optional or should not be empty");
  }
  SHARDY_TRY_STATUS(verify_values(request, processes));
  if (!request.compile_processes) {
    return op_fail(module, request.op, "cannot be used where a single op is run");
  }
  SHARDY_TRY(GridRunner run, request.compile_processes(processes.functions, processes.grid));
  std::vector<std::size_t> counts;
  for (const ir::OpId function : processes.functions) {
    counts.push_back(module.arg_types(function).size());
  }
  return [run = std::move(run), counts](const KernelCall& call) -> Result<Tensors> {
    std::vector<Tensors> arguments;
    std::size_t next = 0;
    for (const std::size_t count : counts) {
      const auto own = call.operands.subspan(next, count);
      arguments.emplace_back(own.begin(), own.end());
      next += count;
    }
    SHARDY_TRY(const std::vector<Tensors> results, run(std::move(arguments)));
    Tensors all;
    for (const Tensors& each : results) all.insert(all.end(), each.begin(), each.end());
    return all;
  };
}

}  // namespace

SHARDY_KERNEL(PartitionId, make_partition_id)
SHARDY_KERNEL(ReplicaId, make_replica_id)
SHARDY_KERNEL(InterpreterRunParallel, make_run_parallel)

}  // namespace shardy::simulation

#include "shardy/simulation/run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ir/program_facts.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/buffer_pool.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/program.hpp"
#include "simulation/run_log.hpp"
#include "simulation/workers.hpp"

namespace shardy::simulation {
namespace {

constexpr int64_t kMaxDevices = ProcessGrid::kMaxSize;
constexpr std::string_view kGlobalTypeAttr = "spmd.global_type";
constexpr std::string_view kPerDeviceAttr = "spmd.per_device";

Result<ir::OpId> find_function(const ir::Module& module, std::string_view name) {
  const std::optional<ir::OpId> op = module.find_symbol(name);
  if (!op || !module.is(*op, ir::OpKind::Func)) {
    return fail("unknown function @" + std::string(name));
  }
  if (module.is_external(*op)) {
    return fail("function @" + std::string(name) + " has no body");
  }
  return *op;
}

Status verify_arguments(const ir::Module& module, ir::OpId function, const Tensors& arguments) {
  const auto declared = module.args(module.entry(function));
  if (arguments.size() != declared.size()) {
    return fail("the function takes " + std::to_string(declared.size()) +
                " arguments, got: " + std::to_string(arguments.size()));
  }
  for (std::size_t index = 0; index < declared.size(); ++index) {
    const ir::Type& type = module.type(declared[index]);
    if (arguments[index] && arguments[index].type() == type) continue;
    return fail("argument " + std::to_string(index) + " must have type " + ir::to_string(type) +
                (arguments[index] ? ", got: " + ir::to_string(arguments[index].type()) : ""));
  }
  return {};
}

Status verify_all_arguments(const ir::Module& module, ir::OpId function,
                            const std::vector<Tensors>& arguments) {
  if (arguments.empty()) return fail("a run needs a device");
  for (std::size_t device = 0; device < arguments.size(); ++device) {
    Status status = verify_arguments(module, function, arguments[device]);
    if (!status) {
      status.error().notes.push_back("on device " + std::to_string(device));
      return status;
    }
  }
  return {};
}

// ---- Global arguments and results --------------------------------------------------------------

const ir::AttributeMap* at_or_null(const std::vector<ir::AttributeMap>& all, std::size_t index) {
  return index < all.size() ? &all[index] : nullptr;
}

WholeValue global_value(const ir::Type& local, const ir::AttributeMap* attributes) {
  WholeValue value{local, std::nullopt};
  if (attributes == nullptr) return value;
  const auto* type = attributes->get<ir::TypeAttr>(kGlobalTypeAttr);
  const auto* sharding = attributes->get<TensorSharding>(ir::kShardingAttr);
  if (type != nullptr) value.type = type->type;
  if (sharding != nullptr) value.sharding = *sharding;
  return value;
}

bool has_global_types(const ir::FunctionData& data) {
  const auto has_one = [](const ir::AttributeMap& attributes) {
    return attributes.contains(kGlobalTypeAttr);
  };
  return std::ranges::any_of(data.arg_attributes, has_one) ||
         std::ranges::any_of(data.result_attributes, has_one);
}

template <class Predicate>
bool any_op(const ir::Module& module, Predicate holds) {
  for (std::size_t index = 0; index < module.num_ops(); ++index) {
    const ir::OpId op(static_cast<uint32_t>(index));
    if (!module.is_erased(op) && holds(op)) return true;
  }
  return false;
}

/// Checks whether a function has an op of per-device programs.
bool uses_spmd_ops(const ir::Module& module) {
  return any_op(module, [&](ir::OpId op) { return ir::is_spmd(module.kind(op)); });
}

Result<Tensors> gather_all(const ir::Module& module, ir::OpId function,
                           const std::vector<Tensors>& outputs) {
  const std::vector<WholeValue> values = whole_results(module, function);
  Tensors gathered;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const WholeValue& value = values[index];
    Tensors parts;
    for (const Tensors& device : outputs) parts.push_back(device[index]);
    SHARDY_TRY(Tensor whole,
               gather_output(parts, value.sharding, value.type).map_error([&](Error error) {
                 error.notes.push_back("in result " + std::to_string(index));
                 return error;
               }));
    gathered.push_back(std::move(whole));
  }
  return gathered;
}

}  // namespace

std::vector<WholeValue> whole_arguments(const ir::Module& module, ir::OpId function) {
  std::vector<WholeValue> values;
  for (const ir::Type& type : module.arg_types(function)) {
    const auto& attributes = module.function(function).arg_attributes;
    values.push_back(global_value(type, at_or_null(attributes, values.size())));
  }
  return values;
}

std::vector<WholeValue> whole_results(const ir::Module& module, ir::OpId function) {
  const ir::FunctionData& data = module.function(function);
  std::vector<WholeValue> values;
  for (const ir::Type& type : data.result_types) {
    values.push_back(global_value(type, at_or_null(data.result_attributes, values.size())));
  }
  return values;
}

Result<std::vector<Tensors>> arguments_of(const ir::Module& module, ir::OpId function,
                                          std::span<const Tensor> inputs,
                                          const DeviceBlock& devices, Fill fill) {
  const std::vector<WholeValue> values = whole_arguments(module, function);
  if (inputs.size() != values.size()) {
    return fail("the function takes " + std::to_string(values.size()) +
                " arguments, got: " + std::to_string(inputs.size()));
  }
  std::vector<Tensors> arguments(static_cast<std::size_t>(devices.count));
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!inputs[index] || inputs[index].type() != values[index].type) {
      return fail("input " + std::to_string(index) + " must have type " +
                  ir::to_string(values[index].type));
    }
    SHARDY_TRY(const Tensors parts,
               scatter_input(inputs[index], values[index].sharding, devices, fill));
    for (std::size_t place = 0; place < parts.size(); ++place) {
      arguments[place].push_back(parts[place]);
    }
  }
  return arguments;
}

bool is_per_device(const ir::Module& module, ir::OpId function) {
  return has_global_types(module.function(function)) ||
         module.attributes(function).contains(kPerDeviceAttr) || uses_spmd_ops(module);
}

std::vector<ir::Type> global_arg_types(const ir::Module& module, ir::OpId function) {
  std::vector<ir::Type> types;
  for (const WholeValue& value : whole_arguments(module, function)) types.push_back(value.type);
  return types;
}

namespace {

Result<ProcessGrid> grid_of(const RunOptions& options, int64_t num_devices) {
  const ProcessGrid grid = options.grid.value_or(ProcessGrid{1, num_devices});
  const bool fits = grid.num_replicas > 0 && grid.num_partitions > 0 &&
                    checked_mul(grid.num_replicas, grid.num_partitions) == num_devices;
  if (fits) return grid;
  return fail("a grid of " + std::to_string(grid.num_replicas) + " replicas and " +
              std::to_string(grid.num_partitions) + " partitions needs as many devices, got " +
              std::to_string(num_devices));
}

/// Adds the checks that failed before the run was aborted to its error.
Error with_failed_checks(Error error, const CheckOutcome& checks) {
  for (const FailedCheck& check : checks.failed) {
    const std::string place = check.location.empty() ? "" : " at " + check.location.text();
    error.notes.push_back("failed check" + place + ": " + check.message);
  }
  return error;
}

}  // namespace

namespace {

/// The common state of runs on one and on several ranks.
struct PreparedRun {
  ir::OpId function;
  RunLog log;
  Program program;

  explicit PreparedRun(Printer print) : log(std::move(print)) {}
};

Result<std::unique_ptr<PreparedRun>> prepare(const ir::Module& module, std::string_view function,
                                             const std::vector<Tensors>& arguments,
                                             int64_t num_devices, const RunOptions& options,
                                             const RunContext& context) {
  auto prepared = std::make_unique<PreparedRun>(options.print);
  SHARDY_TRY(prepared->function, find_function(module, function));
  SHARDY_TRY_STATUS(verify_all_arguments(module, prepared->function, arguments));
  SHARDY_TRY(const ProcessGrid grid, grid_of(options, num_devices));
  ProgramOptions program_options;
  program_options.num_devices = num_devices;
  program_options.grid = grid;
  // A grid in the options is a grid of processes. Without a grid, several devices mean a
  // partitioned program.
  program_options.is_global =
      num_devices == 1 || (options.grid && !is_per_device(module, prepared->function));
  program_options.kernels = options.kernels;
  program_options.limits = context.limits;
  program_options.cancel = options.cancel;
  program_options.foreign = &context.kernels;
  program_options.log = &prepared->log;
  SHARDY_TRY(prepared->program, compile_function(module, prepared->function, program_options));
  return prepared;
}

}  // namespace

Result<RunResult> run(const ir::Module& module, std::string_view function,
                      std::vector<Tensors> arguments, const RunOptions& options,
                      const RunContext& context) {
  const KeptBuffers kept_buffers;
  SHARDY_TRY(const auto prepared,
             prepare(module, function, arguments, std::ssize(arguments), options, context));
  // A separate statement, because an argument could be evaluated after the move.
  const RankPlace place = RankPlace::of_one_rank(std::ssize(arguments));
  Result<RunResult> result = Workers(prepared->program, std::move(arguments), options, place).run();
  if (!result) {
    return tl::unexpected<Error>(
        with_failed_checks(std::move(result).error(), prepared->log.checks()));
  }
  result->checks = prepared->log.checks();
  return result;
}

// ---- One rank ----------------------------------------------------------------------------------

DeviceBlock devices_of_rank(int64_t num_devices, int64_t rank, int64_t ranks) {
  SHARDY_EXPECTS(rank >= 0 && rank < ranks && ranks <= num_devices);
  // The quotient is split, because the product could overflow. Ranks <= num_devices.
  const auto first = [&](int64_t of) {
    return num_devices / ranks * of + num_devices % ranks * of / ranks;
  };
  return {first(rank), first(rank + 1) - first(rank)};
}

int64_t rank_of_device(int64_t num_devices, int64_t device, int64_t ranks) {
  SHARDY_EXPECTS(ranks >= 1 && ranks <= num_devices && device >= 0 && device < num_devices);
  int64_t rank = device / (num_devices / ranks + (num_devices % ranks != 0 ? 1 : 0));
  while (!devices_of_rank(num_devices, rank, ranks).contains(device)) ++rank;
  return rank;
}

namespace {

/// Returns a hash of the names, types and operands of the ops in order.
uint64_t hash_of_ops(const ir::Module& module) {
  std::string text;
  for (std::size_t index = 0; index < module.num_ops(); ++index) {
    const ir::OpId op(static_cast<uint32_t>(index));
    if (module.is_erased(op)) continue;
    text.append(module.name(op)).append("(");
    for (const ir::ValueId value : module.operands(op)) text += std::to_string(value.value) + ",";
    for (const ir::ValueId value : module.results(op)) text += ir::to_string(module.type(value));
    text += ")";
  }
  return hash_of_text(text);
}

Status expect_ranks(const Transport& transport, const RankOptions& options,
                    const std::vector<Tensors>& arguments) {
  const int64_t ranks = transport.ranks();
  if (options.num_devices < 1 || ranks < 1 || ranks > options.num_devices) {
    return fail("a run on " + std::to_string(options.num_devices) +
                " devices has as many ranks at most, got: " + std::to_string(ranks));
  }
  const DeviceBlock block = devices_of_rank(options.num_devices, transport.rank(), ranks);
  if (std::ssize(arguments) == block.count) return {};
  return fail("rank " + std::to_string(transport.rank()) + " runs " + std::to_string(block.count) +
              " devices, got arguments for " + std::to_string(arguments.size()));
}

/// Notifies the other ranks of the error, so that they do not wait for this rank.
tl::unexpected<Error> refused(RankLink& link, const Error& error) {
  link.give_up(error);
  return tl::unexpected<Error>(error);
}

}  // namespace

Result<RankResult> run_on_rank(const ir::Module& module, std::string_view function,
                               std::vector<Tensors> arguments, Transport& transport,
                               const RankOptions& options, const RunContext& context) {
  const KeptBuffers kept_buffers;
  RankLink link(transport, options, hash_of_ops(module));
  if (const Status fits = expect_ranks(transport, options, arguments); !fits) {
    return refused(link, fits.error());
  }
  const auto prepared =
      prepare(module, function, arguments, options.num_devices, options.run, context);
  if (!prepared) return refused(link, prepared.error());
  SHARDY_TRY_STATUS(link.agree());
  RankPlace place{options.num_devices,
                  devices_of_rank(options.num_devices, transport.rank(), transport.ranks()), &link,
                  options.min_divided_bytes};
  Result<RunResult> result =
      Workers((*prepared)->program, std::move(arguments), options.run, place).run();
  if (!result) {
    return tl::unexpected<Error>(
        with_failed_checks(std::move(result).error(), (*prepared)->log.checks()));
  }
  result->checks = (*prepared)->log.checks();
  return RankResult{place.devices, *std::move(result), link.traffic()};
}

namespace {

/// Checks whether an op outside of functions that run_parallel runs reads its process id or
/// communicates with other processes.
bool uses_processes(const ir::Module& module) {
  if (any_op(module,
             [&](ir::OpId op) { return module.is(op, ir::OpKind::InterpreterRunParallel); })) {
    return false;
  }
  return any_op(module, [&](ir::OpId op) {
    const ir::OpKind kind = module.kind(op);
    return kind == ir::OpKind::PartitionId || kind == ir::OpKind::ReplicaId ||
           is_process_collective(kind);
  });
}

int64_t module_number(const ir::Module& module, std::string_view name) {
  const auto* number = module.module_attributes().get<ir::IntegerAttr>(name);
  return number == nullptr ? 1 : number->value;
}

}  // namespace

Result<ProcessGrid> process_grid(const ir::Module& module) {
  if (!module.meshes().empty() || !uses_processes(module)) return ProcessGrid{};
  const ProcessGrid grid{module_number(module, "mhlo.num_replicas"),
                         module_number(module, "mhlo.num_partitions")};
  if (grid.is_usable()) return grid;
  return fail(
      "a run has 1 to " + std::to_string(ProcessGrid::kMaxSize) +
      " processes, but the module has mhlo.num_replicas = " + std::to_string(grid.num_replicas) +
      ", mhlo.num_partitions = " + std::to_string(grid.num_partitions));
}

int64_t num_devices(const ir::Module& module, ir::OpId function) {
  if (!is_per_device(module, function)) return 1;
  return ir::devices_of(module, ir::reached_functions(module, function));
}

Result<GlobalResult> run_global(const ir::Module& module, std::string_view function,
                                std::span<const Tensor> inputs, const RunOptions& options,
                                const RunContext& context) {
  SHARDY_TRY(const ir::OpId op, find_function(module, function));
  const int64_t devices = num_devices(module, op);
  if (devices > kMaxDevices) {
    return fail("a run can have at most " + std::to_string(kMaxDevices) +
                " devices, got: " + std::to_string(devices));
  }
  if (devices == 1 && !has_global_types(module.function(op))) {
    SHARDY_TRY(RunResult result,
               run(module, function, {Tensors(inputs.begin(), inputs.end())}, options, context));
    return GlobalResult{std::move(result.outputs[0]), std::move(result.devices),
                        std::move(result.checks)};
  }
  SHARDY_TRY(std::vector<Tensors> arguments,
             arguments_of(module, op, inputs, {0, devices}, options.kernels.fill));
  RunOptions on_devices = options;
  if (!options.grid && module_number(module, "mhlo.num_replicas") == devices) {
    on_devices.grid = ProcessGrid{devices, 1};
  }
  SHARDY_TRY(RunResult result, run(module, function, std::move(arguments), on_devices, context));
  SHARDY_TRY(Tensors outputs, gather_all(module, op, result.outputs));
  return GlobalResult{std::move(outputs), std::move(result.devices), std::move(result.checks)};
}

}  // namespace shardy::simulation

// Runs a function on simulated devices.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/simulation/kernels/kernel.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::simulation {

/// The contiguous devices first, first + 1, ... of a run.
struct DeviceBlock {
  int64_t first = 0;  // number of the first device
  int64_t count = 0;  // number of devices
  /// Checks whether the block contains the device.
  bool contains(int64_t device) const {
    const uint64_t place = static_cast<uint64_t>(device) - static_cast<uint64_t>(first);
    return device >= first && count > 0 && place < static_cast<uint64_t>(count);
  }
  friend bool operator==(const DeviceBlock&, const DeviceBlock&) = default;
};

/// Returns the buffer of each device, by device id. Padding is `fill`; along unreduced axes, rank 0
/// gets the value, others the identity of the reduction. Without a sharding, or on a mesh without
/// axes, all devices get the tensor; devices outside the mesh get `fill`. Devices with equal
/// content share one buffer.
///
/// Errors: another rank than the tensor's, an unreduced tensor of a type without arithmetic.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              int64_t num_devices, Fill fill = Fill::Zero);
/// Returns the buffers of some devices, in their order; reads only their elements.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Reads rows first, first + 1, ... of a tensor, or a scalar. Each row is requested once, in order.
using Rows = std::function<Result<Tensor>(int64_t first, int64_t count)>;
/// Returns the buffers for a tensor that is read by rows; only the shards are kept in memory.
Result<Tensors> scatter_rows(const ir::Type& global, const Rows& rows,
                             const std::optional<TensorSharding>& sharding,
                             const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Returns the global tensor: drops padding, places shards, reduces unreduced axes in rank order.
///
/// Errors: E_REPLICA_DIVERGENCE if replicas differ in a bit; buffers of other types than the
/// sharding implies; a mesh with devices without buffers.
Result<Tensor> gather_output(std::span<const Tensor> locals,
                             const std::optional<TensorSharding>& sharding,
                             const ir::Type& global_type);

/// Errors: quantized elements, dynamic dims, encodings; types other than tensors.
inline Status expect_runnable(const ir::Type& type) {
  if (type.is_static_tensor() && type.tensor()->encoding.empty()) return {};
  const std::string text = ir::to_string(type);
  if (text.find("!quant.") != std::string::npos) return fail("quantized types are not supported");
  const bool is_dynamic = type.is_tensor() || text.starts_with("tensor<*");
  if (is_dynamic) return fail("dynamic shapes are not supported");
  return fail("unsupported type " + text);
}

/// Checks the type of each argument of a function by expect_runnable, with its location in errors.
inline Status expect_runnable_arguments(const ir::Module& module, ir::OpId function) {
  int64_t index = 0;
  for (const ir::Type& type : module.arg_types(function)) {
    Status status = expect_runnable(type);
    const std::string argument = "argument " + std::to_string(index++);
    if (status) continue;
    status.error().location = module.source_location(function);
    return tl::unexpected(with_prefix(
        argument + " of @" + std::string(module.symbol_name(function)) + ": ", status.error()));
  }
  return {};
}

/// Traffic of one device for one kind of collective. Bytes assume a link between each pair of
/// devices: an all_reduce of b bytes over G devices sends 2b(G-1)/G, rounded up. Spec: partitioning
/// 11.9, resharding C.1.
struct Traffic {
  int64_t count = 0;       // number of executed ops
  int64_t bytes_sent = 0;  // sent by the device
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Counters of one device. They depend on the program and its shapes, not on the number of workers.
struct DeviceAccount {
  int64_t num_ops = 0;                    // executed compute and communication ops
  int64_t peak_live_bytes = 0;            // each value counts from its op to its last user
  std::map<ir::OpKind, Traffic> traffic;  // by kind of op
  friend bool operator==(const DeviceAccount&, const DeviceAccount&) = default;
};

/// A failed `check` op. Spec: stablehlo 32.
struct FailedCheck {
  int64_t device = 0;   // on which it failed
  ir::OpId op;          // of the executed program
  Location location;    // of the op
  std::string message;  // the elements that differ
  friend bool operator==(const FailedCheck&, const FailedCheck&) = default;
};
/// Results of all `check` ops of a run.
struct CheckOutcome {
  int64_t count = 0;                // passed and failed checks
  std::vector<FailedCheck> failed;  // by device, in execution order
  /// Checks whether no check failed.
  bool passed() const { return failed.empty(); }
};

/// An op executed by a device.
struct OpEvent {
  int64_t device = 0;  // that ran it
  ir::OpId op;         // of the executed program
  /// Start in ns since the start of the run. A communication op starts when its device arrives.
  int64_t begin = 0;
  /// End in ns since the start of the run; at least `begin`.
  int64_t end = 0;
  int64_t bytes_sent = 0;  // to other devices
  std::optional<int64_t> instance =
      {};  // for communication ops: equal for devices of one collective instance
  std::span<const int64_t> path;     // per enclosing loop and call: the iteration, the call op
  std::span<const Tensor> operands;  // valid during the call
  std::span<const Tensor> results;   // valid during the call
};
/// Called from the threads of the run, one at a time; the order across devices may vary. Must not
/// throw.
using Observer = std::function<void(const OpEvent& event)>;
/// Receives the operand of each executed `interpreter.print`. Called like an Observer.
using Printer = std::function<void(ir::OpId op, const Tensor& value)>;

/// Options of run.
struct RunOptions {
  int64_t num_workers = 0;      // number of threads, at most 256; 0: one per core
  std::stop_token cancel = {};  // ends the run with E_CANCELLED
  Observer observer = {};       // receives each executed op; may be empty
  Printer print = {};           // receives the output of interpreter.print; may be empty
  /// Grid of the devices as processes; std::nullopt: one replica.
  std::optional<ProcessGrid> grid = {};
  KernelOptions kernels = {};  // options of kernels
};

/// Limits of a run.
struct Limits {
  int64_t max_steps = std::numeric_limits<int64_t>::max();       // per device, including jumps
  int64_t max_iterations = std::numeric_limits<int64_t>::max();  // per loop
  int64_t max_bytes = int64_t{1} << 34;                          // live bytes per device
};

/// Kernels and limits for all runs of an embedder.
struct RunContext {
  ForeignKernels kernels = {};  // of an embedder's ops
  Limits limits = {};           // per run
};

/// Result of a run on all devices.
struct RunResult {
  std::vector<Tensors> outputs;        // per device
  std::vector<DeviceAccount> devices;  // per device
  CheckOutcome checks;                 // of all devices
};

/// Runs a function on as many devices as there are lists of arguments; list d is for device d.
/// Results depend only on the program and the arguments: reductions are in rank order, for any
/// number of workers. Values that a mask hides cannot make an op fail.
///
/// Failed checks are part of the result; they are not errors and do not end the run.
///
/// Errors: an unknown function, arguments of other types, ops without kernel; at run time, by code:
/// E_KERNEL, E_STEP_LIMIT, E_MEMORY_LIMIT (of the failed device with the lowest number),
/// E_DIVERGENT, E_DEADLOCK, E_COLLECTIVE_MISMATCH, E_CANCELLED. Notes list checks that failed
/// earlier. Spec: partitioning 11, 12, stablehlo 32.
Result<RunResult> run(const ir::Module& module, std::string_view function,
                      std::vector<Tensors> arguments, const RunOptions& options = {},
                      const RunContext& context = {});

/// Result of a run with global tensors.
struct GlobalResult {
  Tensors outputs;                     // one per result of the function
  std::vector<DeviceAccount> devices;  // per device
  CheckOutcome checks = {};            // of all devices
};

/// Checks whether a function is per-device: it has `spmd.global_type` at an argument or result, or
/// `spmd.per_device` if it has neither, or its program uses an spmd op.
bool is_per_device(const ir::Module& module, ir::OpId function);

/// Returns the global types of the arguments of a per-device function.
std::vector<ir::Type> global_arg_types(const ir::Module& module, ir::OpId function);

/// Returns the number of devices of a function: that of the largest mesh that it and its callees
/// use as a per-device program, else 1.
int64_t num_devices(const ir::Module& module, ir::OpId function);

/// Returns the process grid of a program: `mhlo.num_replicas` times `mhlo.num_partitions` if it has
/// no mesh and uses StableHLO collectives or process ids outside of `run_parallel`; else one
/// process. Errors: an unusable grid. Spec: stablehlo 31.1.
Result<ProcessGrid> process_grid(const ir::Module& module);

/// Runs a function on global tensors: shards the inputs by the shardings of the arguments, runs the
/// devices, and gathers the outputs. Devices are partitions, or replicas if the module has that
/// number of replicas. A function that is not per-device runs on one device, ignoring shardings.
///
/// Errors: those of run, scatter_input and gather_output.
Result<GlobalResult> run_global(const ir::Module& module, std::string_view function,
                                std::span<const Tensor> inputs, const RunOptions& options = {},
                                const RunContext& context = {});

}  // namespace shardy::simulation

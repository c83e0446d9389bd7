// Runs of a function on simulated devices, and kernels: functions that compute an op on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// Names of random draws; see src/ir/program_facts.hpp.
class DrawNames;

}  // namespace shardy::ir

namespace shardy::simulation {

// ---- Kernels ------------------------------------------------------------------------------------

/// A thread pool for large ops; see src/simulation/thread_pool.hpp.
class ThreadPool;

/// Arguments of a kernel for one execution of an op.
struct KernelCall {
  std::span<const Tensor> operands;  // operands of the op, then the captured values of its regions
  int64_t device = 0;                // device id
  /// Position in the program: the iteration of each enclosing loop, the op of each enclosing call.
  std::span<const int64_t> path = {};
  ThreadPool* pool = nullptr;  // null: the kernel is single-threaded
};

/// A function that runs a region. Its arguments are the block arguments, then the captured values.
using RegionRunner = std::function<Result<Tensors>(Tensors arguments)>;

/// A function that computes the results of an op. Attributes, element types and loop bounds were
/// read when the kernel was created. Requires: operands of the types that the op declares. A kernel
/// must not fail or trap for any element values. Spec: partitioning 3 (V3).
using Kernel = std::function<Result<Tensors>(const KernelCall&)>;

/// A function that runs one program per process of a grid. The argument has the arguments of each
/// process; the result has the results of each process.
using GridRunner = std::function<Result<std::vector<Tensors>>(std::vector<Tensors> arguments)>;

/// A grid of processes (replica, partition). Process (r, p) runs on device r * num_partitions + p.
/// Spec: stablehlo 31.1.
struct ProcessGrid {
  static constexpr int64_t kMaxSize = int64_t{1} << 20;  // maximal number of processes

  int64_t num_replicas = 1;    // >= 1
  int64_t num_partitions = 1;  // >= 1
  /// Returns the number of processes. Requires: is_usable().
  int64_t size() const { return num_replicas * num_partitions; }
  /// Checks whether a run supports this number of processes.
  bool is_usable() const {
    return num_replicas >= 1 && num_partitions >= 1 && num_replicas <= kMaxSize &&
           num_partitions <= kMaxSize / num_replicas;
  }
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// A call of an op or custom call that an embedder defines.
struct ForeignCall {
  std::string_view name;                   // op name, or target of the custom call
  const ir::AttributeMap& attributes;      // attributes of the op
  std::span<const Tensor> operands;        // operands on one device
  std::span<const ir::Type> result_types;  // types that the results must have
};
/// A function that computes the results of a foreign op from its operands and attributes only.
/// Threads: called from the threads of the run. Must not throw.
using ForeignKernel = std::function<Result<Tensors>(const ForeignCall& call)>;
/// Kernels that an embedder defines.
struct ForeignKernels {
  /// Kernels by op name or custom-call target.
  using KernelsByName = std::map<std::string, ForeignKernel, std::less<>>;

  KernelsByName ops = {};           // kernels of ops of unregistered dialects
  KernelsByName custom_calls = {};  // kernels of custom calls; they override the library's kernels
};

/// Options of kernels.
struct KernelOptions {
  Fill fill = Fill::Zero;             // content of spmd.undef and of input padding
  std::optional<uint64_t> seed = {};  // seed of `rng` ops, which fail without a seed
  bool strict_nan = false;            // equality checks treat NaN as unequal to NaN
};

/// A log of checks, prints and probes of a run; see src/simulation/run_log.hpp.
class RunLog;

/// The op for which a kernel is created, and its run.
struct KernelRequest {
  const ir::Module& module;  // module of the op
  ir::OpId op;               // the op
  int64_t num_devices = 1;   // number of devices of the run
  /// Values from outside that the regions use. The kernel gets them after the operands.
  std::vector<ir::ValueId> captured = {};
  /// Compiles a region of the op. The region must have no communication ops.
  std::function<Result<RegionRunner>(ir::RegionId region)> compile_region = {};

  /// True if values of the program are global, false for a per-device program.
  bool is_global = true;
  ProcessGrid grid = {};                    // grid of processes that the devices represent
  KernelOptions options = {};               // options of the kernel
  const ForeignKernels* foreign = nullptr;  // kernels of the embedder, or null
  RunLog* log = nullptr;                    // null: a failed check is an error
  /// Names of random draws of the module, if a seed is given.
  std::shared_ptr<const ir::DrawNames> draw_names = nullptr;
  /// Compiles a region that the processes of a grid run. The region may have communication ops.
  std::function<Result<GridRunner>(ir::RegionId region, ProcessGrid grid)> compile_on_grid = {};
  std::function<Result<GridRunner>(std::span<const ir::OpId> functions, ProcessGrid grid)>
      /// Compiles one function per process of a grid. The functions may have communication ops.
      compile_processes = {};
};

/// Creates the kernel of an op. Requires: an op that ir::verify_types accepts.
using KernelMaker = Result<Kernel> (*)(const KernelRequest&);

/// Creates the kernel of an op. Errors: those of ir::verify_types, which is called first; no kernel
/// for the op or for its element type. Errors name the op and have its location.
Result<Kernel> make_kernel(const KernelRequest& request);

/// Checks whether make_kernel supports ops of this kind. The engine runs control flow and
/// communication ops without kernels.
bool has_kernel(ir::OpKind kind);

/// Executes one op on one device, for constant folding and tests. Errors: as make_kernel; operands
/// of other types than the op declares.
Result<Tensors> evaluate(const ir::Module& module, ir::OpId op, std::span<const Tensor> operands);

// ---- Runs ---------------------------------------------------------------------------------------

/// A contiguous block of devices: first, first + 1, ...
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

/// Returns the buffer of each device, by device id. Padding has the content `fill`. Along unreduced
/// axes, the device with coordinate 0 gets the value, and other devices get the identity of the
/// reduction. Without a sharding, or on a mesh without axes, all devices get the tensor. Devices
/// outside of the mesh get `fill`. Devices with equal content share one buffer.
///
/// Errors: the sharding has another rank than the tensor; an unreduced sharding of a tensor whose
/// type has no arithmetic.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              int64_t num_devices, Fill fill = Fill::Zero);
/// Returns the buffers of the devices `devices`, in their order. Only the elements of these buffers
/// are read.
Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              const DeviceBlock& devices, Fill fill = Fill::Zero);

/// A function that returns rows first, first + 1, ..., first + count - 1 of a tensor, or a scalar.
/// Each row is requested once, in order.
using RowReader = std::function<Result<Tensor>(int64_t first, int64_t count)>;
/// Returns the buffers of `devices` for a tensor that is read by rows. Only the shards are kept in
/// memory.
Result<Tensors> scatter_rows(const ir::Type& global, const RowReader& rows,
                             const std::optional<TensorSharding>& sharding,
                             const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Returns the global tensor of the local buffers: removes padding, joins the shards, and reduces
/// partial values in the order of devices.
///
/// Errors: E_REPLICA_DIVERGENCE if replicas differ in a bit; buffers of other types than the
/// sharding implies; a mesh with devices that have no buffer.
Result<Tensor> gather_output(std::span<const Tensor> locals,
                             const std::optional<TensorSharding>& sharding,
                             const ir::Type& global_type);

/// Checks that the simulator supports values of the type. Errors: types other than tensors; tensors
/// with quantized elements, dynamic dims or an encoding.
inline Status expect_runnable(const ir::Type& type) {
  if (type.is_static_tensor() && type.tensor()->encoding.empty()) return {};
  const std::string text = ir::to_string(type);
  if (text.find("!quant.") != std::string::npos) return fail("quantized types are not supported");
  const bool is_dynamic = type.is_tensor() || text.starts_with("tensor<*");
  if (is_dynamic) return fail("dynamic shapes are not supported");
  return fail("unsupported type " + text);
}

/// Checks the type of each argument of a function with expect_runnable. Errors have the location of
/// the argument.
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

/// Traffic of one device for one kind of collective. Bytes assume a direct link between each pair
/// of devices: in an all_reduce of b bytes over G devices, a device sends 2b(G-1)/G bytes, rounded
/// up. Spec: partitioning 11.9, resharding C.1.
struct Traffic {
  int64_t count = 0;       // number of executed ops
  int64_t bytes_sent = 0;  // bytes sent by the device
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Counters of one device. The counters depend on the program and its shapes, but not on the number
/// of workers.
struct DeviceAccount {
  int64_t num_ops = 0;          // number of executed compute and communication ops
  int64_t peak_live_bytes = 0;  // peak of live bytes; a value is live from its op to its last user
  std::map<ir::OpKind, Traffic> traffic;  // traffic by op kind
  friend bool operator==(const DeviceAccount&, const DeviceAccount&) = default;
};

/// A failed `check` op. Spec: stablehlo 32.
struct FailedCheck {
  int64_t device = 0;   // device on which the check failed
  ir::OpId op;          // the check op
  Location location;    // location of the op
  std::string message;  // text with the elements that differ
  friend bool operator==(const FailedCheck&, const FailedCheck&) = default;
};
/// Results of all `check` ops of a run.
struct CheckOutcome {
  int64_t count = 0;                // number of passed and failed checks
  std::vector<FailedCheck> failed;  // failed checks by device, then in execution order
  /// Checks whether no check failed.
  bool passed() const { return failed.empty(); }
};

/// An op executed by a device.
struct OpEvent {
  int64_t device = 0;  // device that ran the op
  ir::OpId op;         // op of the executed program
  /// Start in ns since the start of the run. A communication op starts when this device reaches it.
  int64_t begin = 0;
  /// End in ns since the start of the run; at least `begin`.
  int64_t end = 0;
  int64_t bytes_sent = 0;  // bytes sent to other devices
  std::optional<int64_t> instance =
      {};  // number of the collective instance, equal on all of its devices
  /// Position in the program: the iteration of each enclosing loop, the op of each enclosing call.
  std::span<const int64_t> path;
  std::span<const Tensor> operands;  // valid during the call
  std::span<const Tensor> results;   // valid during the call
};
/// A callback for executed ops. Threads: called from the threads of the run, by one thread at a
/// time. The order of events of different devices may vary. Must not throw.
using Observer = std::function<void(const OpEvent& event)>;
/// A callback with the operand of each executed `interpreter.print`. Called in the same way as an
/// Observer.
using Printer = std::function<void(ir::OpId op, const Tensor& value)>;

/// Options of run.
struct RunOptions {
  int64_t num_workers = 0;      // number of threads, at most 256; 0: one per core
  std::stop_token cancel = {};  // ends the run with E_CANCELLED
  Observer observer = {};       // called for each executed op; may be empty
  Printer print = {};           // called for each executed interpreter.print; may be empty
  /// Grid of processes that the devices represent; std::nullopt: partitions of one replica.
  std::optional<ProcessGrid> grid = {};
  KernelOptions kernels = {};  // options of kernels
};

/// Limits of a run.
struct RunLimits {
  int64_t max_steps = std::numeric_limits<int64_t>::max();       // per device; jumps count as steps
  int64_t max_iterations = std::numeric_limits<int64_t>::max();  // iterations per loop
  int64_t max_bytes = int64_t{1} << 34;                          // live bytes per device
};
/// Former name of RunLimits.
using Limits [[deprecated("renamed to RunLimits")]] = RunLimits;

/// Kernels and limits that an embedder defines for all runs.
struct RunContext {
  ForeignKernels kernels = {};  // kernels of the embedder's ops
  RunLimits limits = {};        // limits of each run
};

/// Result of a run on all devices.
struct RunResult {
  std::vector<Tensors> outputs;        // outputs of each device
  std::vector<DeviceAccount> devices;  // counters of each device
  CheckOutcome checks;                 // checks of all devices
};

/// Runs a function on arguments.size() devices; arguments[d] has the arguments of device d. Results
/// depend only on the program and the arguments: for any number of workers, reductions are in the
/// order of devices. Values that a mask hides never make an op fail.
///
/// Failed checks are part of the result. They are not errors and do not end the run.
///
/// Errors: an unknown function, arguments of other types, ops without kernel; at run time, by code:
/// E_KERNEL, E_STEP_LIMIT, E_MEMORY_LIMIT (of the failed device with the lowest number),
/// E_DIVERGENT, E_DEADLOCK, E_COLLECTIVE_MISMATCH, E_CANCELLED. Notes list checks that failed
/// earlier. Spec: partitioning 11, 12, stablehlo 32.
Result<RunResult> run(const ir::Module& module, std::string_view function,
                      std::vector<Tensors> arguments, const RunOptions& options = {},
                      const RunContext& context = {});

/// Result of a run on global tensors.
struct GlobalResult {
  Tensors outputs;                     // one global tensor per result of the function
  std::vector<DeviceAccount> devices;  // counters of each device
  CheckOutcome checks = {};            // checks of all devices
};

/// Checks whether a function is per-device. A function is per-device if an argument or result has
/// the attribute `spmd.global_type`, if the function has the attribute `spmd.per_device` but no
/// arguments and results, or if its program has an spmd op.
bool is_per_device(const ir::Module& module, ir::OpId function);

/// Returns the global types of the arguments of a per-device function.
std::vector<ir::Type> global_arg_types(const ir::Module& module, ir::OpId function);

/// Returns the number of devices of a function. For a per-device program, this is the size of the
/// largest mesh that the function and its callees use; for other functions it is 1.
int64_t num_devices(const ir::Module& module, ir::OpId function);

/// Returns the process grid of a program. If the program has no mesh and uses StableHLO collectives
/// or process ids outside of `run_parallel`, the grid is `mhlo.num_replicas` times
/// `mhlo.num_partitions`; otherwise it is one process. Errors: an unusable grid. Spec: stablehlo
/// 31.1.
Result<ProcessGrid> process_grid(const ir::Module& module);

/// Runs a function on global tensors: shards the inputs by the shardings of the arguments, runs all
/// devices, and gathers the outputs. Devices are partitions, or replicas if the module has as many
/// replicas. A function that is not per-device runs on one device, and shardings are ignored.
///
/// Errors: those of run, scatter_input and gather_output.
Result<GlobalResult> run_global(const ir::Module& module, std::string_view function,
                                std::span<const Tensor> inputs, const RunOptions& options = {},
                                const RunContext& context = {});

}  // namespace shardy::simulation

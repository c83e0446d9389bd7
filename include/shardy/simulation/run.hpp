// Running a function on logical devices.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
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

/// Errors: quantized elements, dims of unknown size, encodings; types other than tensors.
inline Status expect_runnable(const ir::Type& type) {
  if (type.is_static_tensor() && type.tensor()->encoding.empty()) return {};
  const std::string text = ir::to_string(type);
  if (text.find("!quant.") != std::string::npos) return fail("quantized types are not supported");
  const bool is_dynamic = type.is_tensor() || text.starts_with("tensor<*");
  if (is_dynamic) return fail("dynamic shapes are not supported");
  return fail("unsupported type " + text);
}

/// The same of each argument of a function, at its place.
inline Status expect_runnable_arguments(const ir::Module& module, ir::OpId function) {
  int64_t index = 0;
  for (const ir::Type& type : module.arg_types(function)) {
    Status status = expect_runnable(type);
    const std::string argument = "argument " + std::to_string(index++);
    if (status) continue;
    status.error().location = module.location_text(function);
    return tl::unexpected(with_prefix(
        argument + " of @" + std::string(module.symbol_name(function)) + ": ", status.error()));
  }
  return {};
}

/// Traffic of one device for one kind of collective. Bytes are those of an exchange in which
/// every pair of devices has a link: an all_reduce of b bytes over G devices sends 2b(G-1)/G,
/// rounded up. Spec: partitioning 11.9, resharding C.1.
struct Traffic {
  int64_t count = 0;       // how many ran
  int64_t bytes_sent = 0;  // by the device
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A function of the program and its shapes; the number of workers does not show.
struct DeviceAccount {
  int64_t num_ops = 0;          // computed and communicated
  int64_t peak_live_bytes = 0;  // each value counted by itself, from its op to its last reader
  std::map<ir::OpKind, Traffic> traffic;  // by kind of op
  friend bool operator==(const DeviceAccount&, const DeviceAccount&) = default;
};

/// A `check` op that did not hold. Spec: stablehlo 32.
struct FailedCheck {
  int64_t device = 0;    // on which it failed
  ir::OpId op;           // of the program that ran
  std::string location;  // of the op
  std::string message;   // which elements differ
  friend bool operator==(const FailedCheck&, const FailedCheck&) = default;
};
/// Results of the `check` ops of a program.
struct CheckOutcome {
  int64_t count = 0;                // passed and failed
  std::vector<FailedCheck> failed;  // by device, in the order in which they ran
  /// Returns whether no check failed.
  bool passed() const { return failed.empty(); }
};

/// One op that one device has run.
struct OpEvent {
  int64_t device = 0;  // that ran it
  ir::OpId op;         // of the program that runs
  /// Nanoseconds since the run began. An op that communicates begins when its device arrives.
  int64_t begin = 0;
  /// Nanoseconds since the run began; at least `begin`.
  int64_t end = 0;
  int64_t bytes_sent = 0;               // to other devices
  std::optional<int64_t> meeting = {};  // of ops that communicate: equal where devices met
  std::span<const int64_t> path;        // per loop and call around it: the iteration, the call op
  std::span<const Tensor> operands;     // valid during the call
  std::span<const Tensor> results;      // valid during the call
};
/// Called from the threads of the run, one at a time; the order across devices may differ from run
/// to run. It must not throw.
using Observer = std::function<void(const OpEvent& event)>;
/// Gets the operand of each `interpreter.print` that runs. Called as an observer is.
using Printer = std::function<void(ir::OpId op, const Tensor& value)>;

/// How a program is run.
struct RunOptions {
  int64_t num_workers = 0;      // threads, 256 at most; 0: one per core
  std::stop_token cancel = {};  // ends the run with E_CANCELLED when it is asked to
  Observer observer = {};       // receives every op that ran; may be empty
  Printer print = {};           // receives the output of the program; may be empty
  /// Grid of processes of the devices; std::nullopt: one replica.
  std::optional<ProcessGrid> grid = {};
  KernelOptions kernels = {};  // what ops mean beyond their text
};

/// Limits of a run.
struct Limits {
  int64_t max_steps = std::numeric_limits<int64_t>::max();       // per device, jumps included
  int64_t max_iterations = std::numeric_limits<int64_t>::max();  // of one loop
  int64_t max_bytes = int64_t{1} << 34;                          // live per device
};

/// Shared state of all runs of an embedder.
struct RunContext {
  ForeignKernels kernels = {};  // of ops that the library does not know
  Limits limits = {};           // of each run
};

/// Outcome of a run on all devices.
struct RunResult {
  std::vector<Tensors> outputs;        // per device
  std::vector<DeviceAccount> devices;  // one per device
  CheckOutcome checks;                 // of all devices
};

/// Runs a function on as many devices as there are lists of arguments; list d is that of device d.
/// Results depend on the program and the arguments only: reductions go in rank order, whatever the
/// number of workers. No value that a mask should hide can make an op fail.
///
/// A failed check is not an error and does not end the run: it is part of the result.
///
/// Errors: no such function, arguments of other types, ops without kernel, and at run time, by
/// their codes: E_KERNEL, E_STEP_LIMIT, E_MEMORY_LIMIT (of the smallest device that failed),
/// E_DIVERGENT, E_DEADLOCK, E_COLLECTIVE_MISMATCH, E_CANCELLED. Checks that had failed before are
/// among the notes. Spec: partitioning 11, 12, stablehlo 32.
Result<RunResult> run(const ir::Module& module, std::string_view function,
                      std::vector<Tensors> arguments, const RunOptions& options = {},
                      const RunContext& context = {});

/// Outcome of a run with global tensors instead of shards.
struct GlobalResult {
  Tensors outputs;                     // one per result of the function
  std::vector<DeviceAccount> devices;  // one per device
  CheckOutcome checks = {};            // of all devices
};

/// Returns whether a function is one of a per-device program: it says `spmd.global_type` at an
/// argument or result, or `spmd.per_device` if it has neither, or its program uses an spmd op.
bool is_per_device(const ir::Module& module, ir::OpId function);

/// The types of the whole tensors of which a device gets its part as an argument.
std::vector<ir::Type> global_arg_types(const ir::Module& module, ir::OpId function);

/// The number of devices that a function is written for: that of the largest mesh that it and
/// its callees use for a per-device program, else 1.
int64_t num_devices(const ir::Module& module, ir::OpId function);

/// The processes that a program asks for: `mhlo.num_replicas` times `mhlo.num_partitions` if it
/// has no mesh and uses StableHLO collectives or process ids outside of `run_parallel`; else one.
/// Errors: numbers that make no usable grid. Spec: stablehlo 31.1.
Result<ProcessGrid> process_grid(const ir::Module& module);

/// Runs a function on whole tensors: cuts the inputs by the shardings of the arguments, runs the
/// devices, puts the outputs together. Devices are partitions, or replicas if the module says that
/// there are as many. A function that is not a per-device program runs on one device, whatever its
/// shardings say.
///
/// Errors: those of run, scatter_inputs and gather_outputs (sharded_io.hpp).
Result<GlobalResult> run_global(const ir::Module& module, std::string_view function,
                                std::span<const Tensor> inputs, const RunOptions& options = {},
                                const RunContext& context = {});

}  // namespace shardy::simulation

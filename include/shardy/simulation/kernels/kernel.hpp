// A kernel: what one op computes on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::simulation {

/// Threads that help with large ops: src/simulation/thread_pool.hpp.
class ThreadPool;

/// The arguments of one execution of an op.
struct KernelCall {
  std::span<const Tensor> operands;    // of the op, then the values its regions use from outside
  int64_t device = 0;                  // device id
  std::span<const int64_t> path = {};  // per loop and call around it: the iteration, the call op
  ThreadPool* pool = nullptr;          // null: the kernel computes alone
};

/// Runs a region on its block arguments, followed by the values it uses from outside.
using RegionRunner = std::function<Result<Tensors>(Tensors arguments)>;

/// The results of an op. Everything that does not change between executions (attributes, element
/// types, loops over the shapes) was read when the kernel was made.
/// Requires: operands of the types that the op declares. Spec: partitioning 3 (V3): no garbage in
/// the elements makes it fail or trap.
using Kernel = std::function<Result<Tensors>(const KernelCall&)>;

/// Runs one program per process of a grid, given the arguments of each; the results of each.
using GridRunner = std::function<Result<std::vector<Tensors>>(std::vector<Tensors> arguments)>;

/// Processes (replica, partition); the device of a process is replica * num_partitions + partition.
/// Spec: stablehlo 31.1.
struct ProcessGrid {
  static constexpr int64_t kMaxSize = int64_t{1} << 20;  // processes of a run, at most

  int64_t num_replicas = 1;    // at least 1
  int64_t num_partitions = 1;  // at least 1
  /// How many processes there are. Requires: is_usable().
  int64_t size() const { return num_replicas * num_partitions; }
  /// Returns whether a run can have so many processes. No other grid is to be asked for its size.
  bool is_usable() const {
    return num_replicas >= 1 && num_partitions >= 1 && num_replicas <= kMaxSize &&
           num_partitions <= kMaxSize / num_replicas;
  }
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// An op, or a custom call of a target, that only the embedder knows.
struct ForeignCall {
  std::string_view name;                   // of the op, or the target
  const ir::AttributeMap& attributes;      // all attributes of the op
  std::span<const Tensor> operands;        // on one device
  std::span<const ir::Type> result_types;  // that the results must have
};
/// Computes the results of a call, which must have the declared types, from its operands and
/// attributes alone. It is called from the threads of the run and must not throw.
using ForeignKernel = std::function<Result<Tensors>(const ForeignCall& call)>;
/// Kernels of the embedder.
struct ForeignKernels {
  /// Kernels by name of op or target.
  using ByName = std::map<std::string, ForeignKernel, std::less<>>;

  ByName ops = {};           // of dialects that the library does not know
  ByName custom_calls = {};  // by target; one that the library knows is replaced
};

/// Options of kernels.
struct KernelOptions {
  Fill fill = Fill::Zero;             // content of spmd.undef, and padding of inputs
  std::optional<uint64_t> seed = {};  // of `rng`; without one `rng` is an error
  bool strict_nan = false;            // checks for equality find NaN unequal to NaN
};

}  // namespace shardy::simulation

namespace shardy::ir {

/// Names of ops that draw random numbers: src/ir/draw_names.hpp.
class DrawNames;

}  // namespace shardy::ir

namespace shardy::simulation {

/// Output of checks, prints and probes of a run: src/simulation/run_log.hpp.
class RunLog;

/// The op that a kernel is made for, and the run it is made for.
struct KernelRequest {
  const ir::Module& module;  // the program
  ir::OpId op;               // the op of it
  int64_t num_devices = 1;   // of the run
  /// Values that the regions use from outside; the kernel gets them after the operands.
  std::vector<ir::ValueId> captured = {};
  /// Makes a region of the op runnable. Its ops must not communicate.
  std::function<Result<RegionRunner>(ir::RegionId region)> compile_region = {};

  bool is_global = true;                    // of a program whose values are whole
  ProcessGrid grid = {};                    // the processes that the devices are
  KernelOptions options = {};               // what ops mean beyond their text
  const ForeignKernels* foreign = nullptr;  // those of the embedder, if there are any
  RunLog* log = nullptr;                    // null: a failed check is an error
  std::shared_ptr<const ir::DrawNames> draw_names = nullptr;  // of the module, with a seed
  /// Make a region, or one function per process, runnable on the processes of a grid, which may
  /// communicate.
  std::function<Result<GridRunner>(ir::RegionId region, ProcessGrid grid)> compile_on_grid = {};
  std::function<Result<GridRunner>(std::span<const ir::OpId> functions, ProcessGrid grid)>
      /// Makes one function per process runnable on the processes of a grid, which may communicate.
      compile_processes = {};
};

/// Requires: an op that ir::verify_types accepts.
using KernelMaker = Result<Kernel> (*)(const KernelRequest&);

/// The kernel of an op. Errors: as of ir::verify_types, which is asked first; no kernel for this op
/// or its element type. They name the op and stand at its location.
Result<Kernel> make_kernel(const KernelRequest& request);

/// True for ops that make_kernel knows; control flow and communication ops are run by other means.
bool has_kernel(ir::OpKind kind);

/// Runs one op on one device: for constant folding and for tests.
/// Errors: as make_kernel; operands of other types than the op declares.
Result<Tensors> evaluate(const ir::Module& module, ir::OpId op, std::span<const Tensor> operands);

}  // namespace shardy::simulation

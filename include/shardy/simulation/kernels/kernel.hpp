// Kernels: functions that compute an op on one device.
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

}  // namespace shardy::simulation

namespace shardy::ir {

/// Names of random draws; see src/ir/program_facts.hpp.
class DrawNames;

}  // namespace shardy::ir

namespace shardy::simulation {

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

}  // namespace shardy::simulation

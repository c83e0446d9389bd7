// Kernels: the computation of an op on one device.
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

/// Thread pool for large ops: src/simulation/thread_pool.hpp.
class ThreadPool;

/// Arguments of one execution of an op.
struct KernelCall {
  std::span<const Tensor> operands;    // of the op, then captured values of its regions
  int64_t device = 0;                  // device id
  std::span<const int64_t> path = {};  // per enclosing loop and call: the iteration, the call op
  ThreadPool* pool = nullptr;          // null: single-threaded
};

/// Runs a region on its block arguments, followed by its captured values.
using RegionRunner = std::function<Result<Tensors>(Tensors arguments)>;

/// Computes the results of an op. Attributes, element types and loop bounds were read when the
/// kernel was created. Requires: operands of the types that the op declares. Arbitrary element
/// values cannot make it fail or trap. Spec: partitioning 3 (V3).
using Kernel = std::function<Result<Tensors>(const KernelCall&)>;

/// Runs one program per process of a grid on the arguments of each; returns the results of each.
using GridRunner = std::function<Result<std::vector<Tensors>>(std::vector<Tensors> arguments)>;

/// Processes (replica, partition); the device of a process is replica * num_partitions + partition.
/// Spec: stablehlo 31.1.
struct ProcessGrid {
  static constexpr int64_t kMaxSize = int64_t{1} << 20;  // limit of processes

  int64_t num_replicas = 1;    // at least 1
  int64_t num_partitions = 1;  // at least 1
  /// Returns the number of processes. Requires: is_usable().
  int64_t size() const { return num_replicas * num_partitions; }
  /// Checks whether a run supports that number of processes. Other grids have no size.
  bool is_usable() const {
    return num_replicas >= 1 && num_partitions >= 1 && num_replicas <= kMaxSize &&
           num_partitions <= kMaxSize / num_replicas;
  }
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;
};

/// A call of an embedder's op or custom call.
struct ForeignCall {
  std::string_view name;                   // of the op, or the custom call target
  const ir::AttributeMap& attributes;      // of the op
  std::span<const Tensor> operands;        // on one device
  std::span<const ir::Type> result_types;  // required types of the results
};
/// Computes results of the declared types from operands and attributes only. Called from the
/// threads of the run; must not throw.
using ForeignKernel = std::function<Result<Tensors>(const ForeignCall& call)>;
/// Kernels of an embedder.
struct ForeignKernels {
  /// Kernels by op name or custom call target.
  using ByName = std::map<std::string, ForeignKernel, std::less<>>;

  ByName ops = {};           // of unregistered dialects
  ByName custom_calls = {};  // by target; overrides those of the library
};

/// Options of kernels.
struct KernelOptions {
  Fill fill = Fill::Zero;             // content of spmd.undef and of input padding
  std::optional<uint64_t> seed = {};  // of `rng`, which fails without a seed
  bool strict_nan = false;            // equality checks treat NaN as unequal to NaN
};

}  // namespace shardy::simulation

namespace shardy::ir {

/// Names of random draws: src/ir/draw_names.hpp.
class DrawNames;

}  // namespace shardy::ir

namespace shardy::simulation {

/// Log of checks, prints and probes of a run: src/simulation/run_log.hpp.
class RunLog;

/// The op that a kernel is created for, and its run.
struct KernelRequest {
  const ir::Module& module;  // module of the op
  ir::OpId op;               // op of that module
  int64_t num_devices = 1;   // of the run
  /// Captured values of the regions; the kernel receives them after the operands.
  std::vector<ir::ValueId> captured = {};
  /// Compiles a region of the op. Its ops must not communicate.
  std::function<Result<RegionRunner>(ir::RegionId region)> compile_region = {};

  bool is_global = true;                                      // the program has global values
  ProcessGrid grid = {};                                      // grid of the devices as processes
  KernelOptions options = {};                                 // options of kernels
  const ForeignKernels* foreign = nullptr;                    // the embedder's; null: none
  RunLog* log = nullptr;                                      // null: a failed check is an error
  std::shared_ptr<const ir::DrawNames> draw_names = nullptr;  // of the module, for a seed
  /// Compiles a region for the processes of a grid, which may communicate.
  std::function<Result<GridRunner>(ir::RegionId region, ProcessGrid grid)> compile_on_grid = {};
  std::function<Result<GridRunner>(std::span<const ir::OpId> functions, ProcessGrid grid)>
      /// Compiles one function per process of a grid, which may communicate.
      compile_processes = {};
};

/// Requires: an op that ir::verify_types accepts.
using KernelMaker = Result<Kernel> (*)(const KernelRequest&);

/// Creates the kernel of an op. Errors: those of ir::verify_types, which is called first; no kernel
/// for the op or its element type. Errors name the op and have its location.
Result<Kernel> make_kernel(const KernelRequest& request);

/// Checks whether make_kernel supports the op. Control flow and communication ops are executed
/// otherwise.
bool has_kernel(ir::OpKind kind);

/// Executes one op on one device, for constant folding and tests. Errors: as make_kernel; operands
/// of other types than the op declares.
Result<Tensors> evaluate(const ir::Module& module, ir::OpId op, std::span<const Tensor> operands);

}  // namespace shardy::simulation

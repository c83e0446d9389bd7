// A function and its callees as flat lists of instructions, compiled once and run by every device.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/simulation/kernels/kernel.hpp"
#include "shardy/simulation/run.hpp"
#include "simulation/kernels/collective.hpp"

namespace shardy::simulation {

/// A place for one value in the frame of a function. Values that are never live together share one.
using SlotIndex = uint32_t;
inline constexpr SlotIndex kNoSlot = std::numeric_limits<SlotIndex>::max();

/// All of them read `operands`, then free `released`, then write `results` (kNoSlot: dropped).
struct Instruction {
  enum class Kind : uint8_t {
    Compute,        // kernel `index`
    Communicate,    // collective `index`
    Move,           // results := operands
    EnterLoop,      // start counting iterations
    NextIteration,  // count, go to `index`
    LeaveLoop,      // stop counting
    Jump,           // to `index`
    JumpUnless,     // to `index` if operand 0 is false
    Branch,         // to targets[operand 0]; to the last one if it is out of range
    BranchIf,       // to targets[0] if operand 0 is true, else to targets[1]
    Call,           // function `index`
    Return
  };

  Kind kind = Kind::Jump;
  ir::OpId op = {};
  uint32_t index = 0;
  std::vector<SlotIndex> operands = {};
  std::vector<SlotIndex> results = {};
  std::vector<SlotIndex> released = {};
  std::vector<uint32_t> targets = {};
  int64_t result_bytes = 0;  // of Compute and Communicate
  uint32_t num_together =
      1;  // Compute: number of instructions from this one on that may run concurrently
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<SlotIndex> arguments;  // kNoSlot: unused
  std::size_t num_slots = 0;
};

struct ProgramKernel {
  Kernel run;
  bool same_on_all_devices = true;  // equal operands give equal results on all devices
};

/// Programs of the regions compiled so far: region_programs.hpp.
class RegionPrograms;

/// Options of a program.
struct ProgramOptions {
  int64_t num_devices = 1;
  ProcessGrid grid = {};  // of the devices
  bool is_global = true;  // a program before lowering: its values are whole
  KernelOptions kernels = {};
  Limits limits = {};  // bytes: of a device of an inner run
  std::stop_token cancel = {};
  const ForeignKernels* foreign = nullptr;
  RunLog* log = nullptr;
  int region_depth = 0;         // regions inside of regions that kernels run
  bool may_communicate = true;  // false in regions that run on one device by themselves
  bool in_run_parallel = false;
  // Both are created with the outermost program.
  std::shared_ptr<RegionPrograms> region_programs = nullptr;
  std::shared_ptr<const ir::DrawNames> draw_names = nullptr;
};

struct Program {
  const ir::Module* module = nullptr;
  ProgramOptions options;
  std::vector<Code> functions;        // the first one is where it starts
  std::vector<uint32_t> starts = {};  // per device, where not all start there
  std::vector<ProgramKernel> kernels;
  std::vector<CollectiveKernel> collectives;
};

/// Errors: ops without kernel, types that differ between a value and its use, values used before
/// they are defined, regions of several blocks. They have the location of their op.
Result<Program> compile_function(const ir::Module& module, ir::OpId function,
                                 const ProgramOptions& options);
/// One function per device.
Result<Program> compile_functions(const ir::Module& module, std::span<const ir::OpId> functions,
                                  const ProgramOptions& options);
/// The region as a function of its block arguments and of its outer values. Errors: as above;
/// communication ops, unless the options allow them.
Result<Program> compile_region(const ir::Module& module, ir::RegionId region,
                               std::span<const ir::ValueId> captured,
                               const ProgramOptions& options);

/// The request for the kernel of `op`, with all that regions need.
KernelRequest kernel_request(const ir::Module& module, ir::OpId op, const ProgramOptions& options);

/// Computes for each instruction how many following ones may run concurrently: ops that compute,
/// without effects, large enough for a thread, and independent of each other's results.
void find_independent_ops(const Program& program, Code& code);

/// Compiled regions. Without it, functions that call one another from such regions would be
/// compiled once per call path, and the number of call paths may be exponential.
class RegionPrograms {
 public:
  struct Entry {
    std::shared_ptr<const Program> program;
    int height = 0;  // regions inside of regions below it
  };

  /// Returns null if it has not been compiled for such options.
  const Entry* find(ir::RegionId region, const ProgramOptions& options) const {
    const auto found = entries_.find(key_of(region, options));
    return found == entries_.end() ? nullptr : &found->second;
  }
  void add(ir::RegionId region, const ProgramOptions& options, Entry entry) {
    entries_.emplace(key_of(region, options), std::move(entry));
  }

  /// Greatest nesting depth of the regions requested since it was set.
  int deepest = 0;

 private:
  /// With the options in which the programs of one run differ.
  using Key = std::tuple<ir::RegionId, int64_t, int64_t, bool, bool>;

  static Key key_of(ir::RegionId region, const ProgramOptions& options) {
    return {region, options.grid.num_replicas, options.grid.num_partitions, options.may_communicate,
            options.in_run_parallel};
  }

  std::map<Key, Entry> entries_;
};

}  // namespace shardy::simulation

// A program: a function and its callees as flat lists of instructions. It is compiled once, and
// every device runs it.
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
#include "shardy/simulation/run.hpp"
#include "simulation/kernels/collective.hpp"

namespace shardy::simulation {

/// The index of a value in the frame of a function. Values that are never live at the same time may
/// share a slot.
using SlotIndex = uint32_t;
inline constexpr SlotIndex kNoSlot = std::numeric_limits<SlotIndex>::max();

/// Each instruction reads `operands`, then frees `released`, then writes `results` (kNoSlot: the
/// result is dropped).
struct Instruction {
  enum class Kind : uint8_t {
    Compute,        // runs kernel `index`
    Communicate,    // runs collective `index`
    Move,           // copies operands to results
    EnterLoop,      // starts counting iterations
    NextIteration,  // counts an iteration and goes to `index`
    LeaveLoop,      // stops counting iterations
    Jump,           // goes to `index`
    JumpUnless,     // goes to `index` if operand 0 is false
    Branch,         // goes to targets[operand 0]; to the last target if out of range
    BranchIf,       // goes to targets[0] if operand 0 is true, else to targets[1]
    Call,           // calls function `index`
    Return
  };

  Kind kind = Kind::Jump;
  ir::OpId op = {};
  uint32_t index = 0;
  std::vector<SlotIndex> operands = {};
  std::vector<SlotIndex> results = {};
  std::vector<SlotIndex> released = {};
  std::vector<uint32_t> targets = {};
  int64_t result_bytes = 0;  // for Compute and Communicate
  uint32_t num_together =
      1;  // for Compute: number of instructions from this one on that may run concurrently
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<SlotIndex> arguments;  // kNoSlot: the argument is unused
  std::size_t num_slots = 0;
};

struct ProgramKernel {
  Kernel run;
  bool same_on_all_devices = true;  // devices with equal operands get equal results
};

/// The programs of the regions compiled so far.
class RegionPrograms;

/// The options of a program.
struct ProgramOptions {
  int64_t num_devices = 1;
  ProcessGrid grid = {};  // grid of the devices
  bool is_global = true;  // the program is not partitioned: its values are global
  KernelOptions kernels = {};
  RunLimits limits = {};  // limit of the bytes of one device of an inner run
  std::stop_token cancel = {};
  const ForeignKernels* foreign = nullptr;
  RunLog* log = nullptr;
  int region_depth = 0;         // number of regions around this one that kernels run
  bool may_communicate = true;  // false in regions that run on one device
  bool in_run_parallel = false;
  // The outermost program creates both.
  std::shared_ptr<RegionPrograms> region_programs = nullptr;
  std::shared_ptr<const ir::DrawNames> draw_names = nullptr;
};

struct Program {
  const ir::Module* module = nullptr;
  ProgramOptions options;
  std::vector<Code> functions;        // the program starts in the first one
  std::vector<uint32_t> starts = {};  // start function per device, if they differ
  std::vector<ProgramKernel> kernels;
  std::vector<CollectiveKernel> collectives;
};

/// Compiles a function. Errors, at the location of their op: ops without a kernel, types that
/// differ between a value and its use, values used before their definition, regions of several
/// blocks.
Result<Program> compile_function(const ir::Module& module, ir::OpId function,
                                 const ProgramOptions& options);
/// Compiles a program in which device i runs functions[i].
Result<Program> compile_functions(const ir::Module& module, std::span<const ir::OpId> functions,
                                  const ProgramOptions& options);
/// Compiles the region as a function of its block arguments and its outer values. Errors: as
/// compile_function; communication ops, unless the options allow them.
Result<Program> compile_region(const ir::Module& module, ir::RegionId region,
                               std::span<const ir::ValueId> captured,
                               const ProgramOptions& options);

/// Returns the request for the kernel of `op`, with everything that its regions need.
KernelRequest kernel_request(const ir::Module& module, ir::OpId op, const ProgramOptions& options);

/// Sets, for each instruction, how many following instructions may run concurrently with it. These
/// compute, have no side effects, are large enough for a thread, and do not use each other's
/// results.
void find_independent_ops(const Program& program, Code& code);

/// A table of compiled regions. Without it, functions that call one another from such regions would
/// be compiled once per call path, of which there may be exponentially many.
class RegionPrograms {
 public:
  struct CompiledRegion {
    std::shared_ptr<const Program> program;
    int height = 0;  // number of region levels nested below
  };

  /// Returns null if the region has not been compiled with these options.
  const CompiledRegion* find(ir::RegionId region, const ProgramOptions& options) const {
    const auto found = entries_.find(key_of(region, options));
    return found == entries_.end() ? nullptr : &found->second;
  }
  void add(ir::RegionId region, const ProgramOptions& options, CompiledRegion entry) {
    entries_.emplace(key_of(region, options), std::move(entry));
  }

  /// The largest nesting depth of the regions requested since this member was set.
  int deepest = 0;

 private:
  /// The region, and the options that may differ between programs of one run.
  using RegionKey = std::tuple<ir::RegionId, int64_t, int64_t, bool, bool>;

  static RegionKey key_of(ir::RegionId region, const ProgramOptions& options) {
    return {region, options.grid.num_replicas, options.grid.num_partitions, options.may_communicate,
            options.in_run_parallel};
  }

  std::map<RegionKey, CompiledRegion> entries_;
};

}  // namespace shardy::simulation

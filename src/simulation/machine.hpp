// The interpreter of one device. A step runs one instruction, or several that do not depend on each
// other; between steps it can be suspended.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "simulation/program.hpp"

namespace shardy::simulation {

/// The results of the current instruction by the buffers of its operands. The devices of one worker
/// share them, so that the results of replicated values are computed once.
class SharedResults {
 public:
  /// Drops the results of any other instruction.
  void start(const Instruction* instruction) {
    if (instruction_ != instruction) entries_.clear();
    instruction_ = instruction;
  }
  const Tensors* find(const Tensors& operands) const {
    const auto found = entries_.find(buffers(operands));
    return found == entries_.end() ? nullptr : &found->second.results;
  }
  void add(const Tensors& operands, const Tensors& results) {
    entries_.insert({buffers(operands), KernelResults{operands, results}});
  }

 private:
  struct KernelResults {
    Tensors operands;  // keeps the buffers alive, so that no other value gets their addresses
    Tensors results;
  };
  static std::vector<const std::byte*> buffers(const Tensors& tensors) {
    std::vector<const std::byte*> pointers;
    for (const Tensor& tensor : tensors) pointers.push_back(tensor.data());
    return pointers;
  }

  const Instruction* instruction_ = nullptr;
  std::map<std::vector<const std::byte*>, KernelResults> entries_;
};

struct MachineLimits {
  int64_t max_steps = std::numeric_limits<int64_t>::max();
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
};

/// Measures the nanoseconds since the start of a run, for observers.
class RunClock {
 public:
  int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                                begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The observers of a run, copied into each device.
struct RunObservers {
  const Observer* observer = nullptr;
  const RunClock* clock = nullptr;
  int64_t now() const { return observer == nullptr ? 0 : clock->now(); }
};

/// A stack of frames, each with a function, a position in it, and values. `step` advances it.
class Machine {
 public:
  enum class MachineState : uint8_t {
    Ready,
    AtCommunication,  // waits for `resume`
    Finished,
    Failed
  };

  /// `pool` divides large ops among threads. Null: ops run on the calling thread.
  Machine(const Program& program, int64_t device, const MachineLimits& limits,
          ThreadPool* pool = nullptr)
      : program_(&program), device_(device), limits_(limits), pool_(pool) {}

  /// Starts the program. Requires: arguments of the declared types.
  void start(Tensors arguments);
  /// Runs one instruction, or several that do not depend on each other. Requires: the state is
  /// Ready.
  void step(SharedResults* shared, const RunObservers& watch);
  /// Continues after a communication op with its results. Requires: the state is AtCommunication.
  void resume(Tensors results, int64_t bytes_sent, int64_t instance, const RunObservers& watch);
  /// Ends the run of this device with an error.
  void fail(Error error);

  MachineState state() const { return state_; }
  int64_t device() const { return device_; }
  int64_t num_steps() const { return num_steps_; }
  /// Returns the next instruction. Requires: the state is not Finished.
  const Instruction& instruction() const { return code().instructions[frames_.back().next]; }
  /// Returns the iterations of the loops and the ids of the calls around the instruction.
  std::span<const int64_t> path() const { return path_; }
  /// Returns the operands of the collective for which the device waits.
  const Tensors& operands() const { return operands_; }
  const Tensors& outputs() const { return outputs_; }
  const Error& error() const { return error_; }
  const DeviceAccount& account() const { return account_; }

 private:
  struct CallFrame {
    uint32_t function = 0;
    uint32_t next = 0;  // index of the next instruction
    std::vector<Tensor> slots;
  };

  const Code& code() const { return program_->functions[frames_.back().function]; }
  void enter(uint32_t function, Tensors arguments);
  bool has_room_for(const Instruction& instruction);
  /// An op that has ended or failed.
  struct EndedOp {
    Result<Tensors> results = Tensors();
    int64_t begin = 0;
    int64_t end = 0;
  };
  bool counts_step();
  void compute(const Instruction& instruction, SharedResults* shared, const RunObservers& watch);
  bool can_compute_together(const Instruction& first) const;
  void compute_together(const Instruction& first, const RunObservers& watch);
  EndedOp run_kernel(const Instruction& instruction, const Tensors& operands,
                     const RunObservers& watch) const;
  void finish(const Instruction& instruction, EndedOp done, const RunObservers& watch);
  void communicate(const Instruction& instruction, const RunObservers& watch);
  Error too_many_iterations() const;
  void control(const Instruction& instruction);
  void branch(const Instruction& instruction);
  void call(const Instruction& instruction);
  void leave(const Instruction& instruction);
  OpEvent event(const Instruction& instruction, const Tensors& results) const;

  Tensors read(const Instruction& instruction) const;
  bool read_predicate(const Instruction& instruction) const;
  void release(const Instruction& instruction);
  void write(const Instruction& instruction, Tensors values);
  void set(SlotIndex slot, Tensor value);

  const Program* program_;
  int64_t device_;
  MachineLimits limits_;
  ThreadPool* pool_;
  MachineState state_ = MachineState::Ready;
  std::vector<CallFrame> frames_;
  std::vector<int64_t> path_;
  Tensors operands_;
  Tensors outputs_;
  Error error_;
  int64_t num_steps_ = 0;
  int64_t live_bytes_ = 0;
  int64_t op_begin_ = 0;  // start of the op that runs or communicates, if events are observed
  DeviceAccount account_;
};

/// Runs a program without communication on one device.
Result<Tensors> run_to_end(const Program& program, Tensors arguments);

}  // namespace shardy::simulation

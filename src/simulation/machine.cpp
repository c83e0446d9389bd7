#include "simulation/machine.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/detail/number.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {
namespace {

constexpr std::size_t kMaxCallDepth = 1000;

}  // namespace

void Machine::start(Tensors arguments) {
  const auto place = static_cast<std::size_t>(device_);
  enter(program_->starts.empty() ? 0 : program_->starts[place], std::move(arguments));
}

void Machine::enter(uint32_t function, Tensors arguments) {
  const Code& entered = program_->functions[function];
  frames_.push_back({function, 0, std::vector<Tensor>(entered.num_slots)});
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    set(entered.arguments[index], std::move(arguments[index]));
  }
  account_.peak_live_bytes = std::max(account_.peak_live_bytes, live_bytes_);
}

bool Machine::counts_step() {
  if (++num_steps_ <= limits_.max_steps) return true;
  fail({.message = "more than " + std::to_string(limits_.max_steps) + " steps",
        .code = "E_STEP_LIMIT"});
  return false;
}

void Machine::step(SharedResults* shared, const RunObservers& watch) {
  const Instruction& next = instruction();
  if (next.kind == Instruction::Kind::Compute && shared == nullptr && can_compute_together(next)) {
    return compute_together(next, watch);
  }
  if (!counts_step()) return;
  switch (next.kind) {
    case Instruction::Kind::Compute:
      return compute(next, shared, watch);
    case Instruction::Kind::Communicate:
      return communicate(next, watch);
    case Instruction::Kind::Call:
      return call(next);
    case Instruction::Kind::Return:
      return leave(next);
    case Instruction::Kind::Branch:
    case Instruction::Kind::BranchIf:
      return branch(next);
    default:
      return control(next);
  }
}

// ---- Ops ---------------------------------------------------------------------------------------

/// Checks the memory limit before an op runs, so that no kernel allocates a value beyond it.
bool Machine::has_room_for(const Instruction& instruction) {
  if (instruction.result_bytes <= limits_.max_bytes - live_bytes_) {
    account_.peak_live_bytes =
        std::max(account_.peak_live_bytes, live_bytes_ + instruction.result_bytes);
    return true;
  }
  fail({.message = "more than " + std::to_string(limits_.max_bytes) + " bytes are live",
        .code = "E_MEMORY_LIMIT"});
  return false;
}

void Machine::compute(const Instruction& instruction, SharedResults* shared,
                      const RunObservers& watch) {
  if (!has_room_for(instruction)) return;
  op_begin_ = watch.now();
  operands_ = read(instruction);
  const bool shares = shared != nullptr && program_->kernels[instruction.index].same_on_all_devices;
  const Tensors* known = shares ? shared->find(operands_) : nullptr;
  if (known != nullptr) return finish(instruction, {*known, op_begin_, watch.now()}, watch);
  EndedOp done = run_kernel(instruction, operands_, watch);
  if (shares && done.results) shared->add(operands_, *done.results);
  finish(instruction, std::move(done), watch);
}

/// Checks that the results of all ops fit the memory limit at the same time.
bool Machine::can_compute_together(const Instruction& first) const {
  if (pool_ == nullptr || first.num_together == 1) return false;
  int64_t room = limits_.max_bytes - live_bytes_;
  for (const Instruction& each : std::span(&first, first.num_together)) {
    if (each.result_bytes > room) return false;
    room -= each.result_bytes;
  }
  return true;
}

/// Runs independent ops concurrently. Accounts, errors and observers get the results in program
/// order.
void Machine::compute_together(const Instruction& first, const RunObservers& watch) {
  const std::span<const Instruction> all(&first, first.num_together);
  std::vector<Tensors> operands;
  for (const Instruction& each : all) operands.push_back(read(each));
  std::vector<EndedOp> done(all.size());
  pool_->run(std::ssize(all), [&](int64_t index) {
    const auto at = static_cast<std::size_t>(index);
    done[at] = run_kernel(all[at], operands[at], watch);
  });
  for (std::size_t at = 0; at < all.size() && state_ == MachineState::Ready; ++at) {
    if (!counts_step() || !has_room_for(all[at])) return;
    operands_ = std::move(operands[at]);
    finish(all[at], std::move(done[at]), watch);
  }
}

Machine::EndedOp Machine::run_kernel(const Instruction& instruction, const Tensors& operands,
                                     const RunObservers& watch) const {
  EndedOp done;
  done.begin = watch.now();
  done.results = program_->kernels[instruction.index].run(
      {.operands = operands, .device = device_, .path = path_, .pool = pool_});
  done.end = watch.now();
  return done;
}

void Machine::finish(const Instruction& instruction, EndedOp done, const RunObservers& watch) {
  if (!done.results) {
    Error error = std::move(done.results).error();
    if (error.code.empty()) error.code = "E_KERNEL";
    return fail(std::move(error));
  }
  if (watch.observer != nullptr) {
    op_begin_ = done.begin;
    OpEvent seen = event(instruction, *done.results);
    seen.end = done.end;
    (*watch.observer)(seen);
  }
  ++account_.num_ops;
  operands_.clear();
  release(instruction);
  write(instruction, *std::move(done.results));
  ++frames_.back().next;
}

void Machine::communicate(const Instruction& instruction, const RunObservers& watch) {
  if (!has_room_for(instruction)) return;
  op_begin_ = watch.now();
  operands_ = read(instruction);
  state_ = MachineState::AtCommunication;
}

void Machine::resume(Tensors results, int64_t bytes_sent, int64_t instance,
                     const RunObservers& watch) {
  const Instruction& done = instruction();
  if (watch.observer != nullptr) {
    OpEvent met = event(done, results);
    met.end = watch.now();
    met.bytes_sent = bytes_sent;
    met.instance = instance;
    (*watch.observer)(met);
  }
  ++account_.num_ops;
  Traffic& traffic = account_.traffic[program_->module->kind(done.op)];
  ++traffic.count;
  traffic.bytes_sent += bytes_sent;
  operands_.clear();
  release(done);
  write(done, std::move(results));
  ++frames_.back().next;
  state_ = MachineState::Ready;
}

OpEvent Machine::event(const Instruction& instruction, const Tensors& results) const {
  OpEvent event;
  event.device = device_;
  event.op = instruction.op;
  event.begin = op_begin_;
  event.path = path_;
  event.operands = operands_;
  event.results = results;
  return event;
}

void Machine::fail(Error error) {
  if (error.location.empty()) error.location = program_->module->source_location(instruction().op);
  error.notes.push_back("on device " + std::to_string(device_) + ", at " +
                        std::string(program_->module->name(instruction().op)));
  error_ = std::move(error);
  state_ = MachineState::Failed;
}

// ---- Control flow ------------------------------------------------------------------------------

Error Machine::too_many_iterations() const {
  return {.message = "while exceeded " + std::to_string(program_->options.limits.max_iterations) +
                     " iterations",
          .code = "E_STEP_LIMIT"};
}

void Machine::control(const Instruction& instruction) {
  uint32_t next = frames_.back().next + 1;
  switch (instruction.kind) {
    case Instruction::Kind::EnterLoop:
      path_.push_back(0);
      break;
    case Instruction::Kind::NextIteration:
      ++path_.back();
      next = instruction.index;
      break;
    case Instruction::Kind::LeaveLoop:
      path_.pop_back();
      break;
    case Instruction::Kind::Jump:
      next = instruction.index;
      break;
    case Instruction::Kind::JumpUnless:
      if (!read_predicate(instruction)) {
        next = instruction.index;
      } else if (path_.back() >= program_->options.limits.max_iterations) {
        return fail(too_many_iterations());
      }
      break;
    default:  // Move
      break;
  }
  Tensors values = instruction.results.empty() ? Tensors() : read(instruction);
  release(instruction);
  write(instruction, std::move(values));
  frames_.back().next = next;
}

void Machine::branch(const Instruction& instruction) {
  const auto last = static_cast<int64_t>(instruction.targets.size()) - 1;
  int64_t target = 0;
  if (instruction.kind == Instruction::Kind::BranchIf) {
    target = read_predicate(instruction) ? 0 : 1;
  } else {
    const Tensor& index = frames_.back().slots[instruction.operands[0]];
    target = ir::decode_int(index.bytes(), index.type().element());
    if (target < 0 || target > last) target = last;
  }
  release(instruction);
  frames_.back().next = instruction.targets[static_cast<std::size_t>(target)];
}

void Machine::call(const Instruction& instruction) {
  if (frames_.size() >= kMaxCallDepth) {
    return fail({.message = "calls are nested too deeply", .code = "E_KERNEL"});
  }
  Tensors arguments = read(instruction);
  release(instruction);
  path_.push_back(static_cast<int64_t>(instruction.op.value));
  enter(instruction.index, std::move(arguments));
}

void Machine::leave(const Instruction& instruction) {
  Tensors values = read(instruction);
  for (Tensor& slot : frames_.back().slots) live_bytes_ -= slot.num_bytes();
  if (frames_.size() == 1) {
    outputs_ = std::move(values);
    frames_.back().slots.clear();
    state_ = MachineState::Finished;
    return;
  }
  frames_.pop_back();
  path_.pop_back();
  write(this->instruction(), std::move(values));
  ++frames_.back().next;
}

// ---- Values ------------------------------------------------------------------------------------

Tensors Machine::read(const Instruction& instruction) const {
  Tensors values;
  values.reserve(instruction.operands.size());
  for (const SlotIndex slot : instruction.operands) values.push_back(frames_.back().slots[slot]);
  return values;
}

bool Machine::read_predicate(const Instruction& instruction) const {
  return frames_.back().slots[instruction.operands[0]].bytes()[0] != std::byte{0};
}

void Machine::release(const Instruction& instruction) {
  for (const SlotIndex slot : instruction.released) set(slot, Tensor());
}

void Machine::write(const Instruction& instruction, Tensors values) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    set(instruction.results[index], std::move(values[index]));
  }
}

void Machine::set(SlotIndex slot, Tensor value) {
  if (slot == kNoSlot) return;
  Tensor& place = frames_.back().slots[slot];
  live_bytes_ += value.num_bytes() - place.num_bytes();
  place = std::move(value);
}

Result<Tensors> run_to_end(const Program& program, Tensors arguments) {
  Machine machine(program, 0, {.max_steps = program.options.limits.max_steps});
  machine.start(std::move(arguments));
  while (machine.state() == Machine::MachineState::Ready) {
    if (program.options.cancel.stop_requested()) return fail("the run was cancelled");
    machine.step(nullptr, {});
  }
  if (machine.state() == Machine::MachineState::Failed)
    return tl::unexpected<Error>(machine.error());
  return machine.outputs();
}

}  // namespace shardy::simulation

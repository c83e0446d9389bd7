#include "simulation/workers.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "shardy/support/contract.hpp"
#include "simulation/rank_failure.hpp"

namespace shardy::simulation {
namespace {

constexpr std::size_t kMaxThreads = 256;
/// The number of polls of the inbox before a worker sleeps. A wake-up costs more than a short wait.
constexpr int kNumSpins = 20000;
/// The number of polls of the transport before a worker rests, and the length of the rest.
constexpr int kNumLooks = 100;
constexpr int kNumLooksAtMoving = 2000;
constexpr auto kShortestRest = std::chrono::microseconds(20);
constexpr auto kLongestRest = std::chrono::microseconds(1000);
/// The interval at which a rank whose workers all compute receives packets.
constexpr auto kPulse = std::chrono::milliseconds(20);

std::size_t count_threads(int64_t wanted) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(wanted > 0 ? static_cast<std::size_t>(wanted) : cores, kMaxThreads);
}

}  // namespace

Workers::Workers(const Program& program, std::vector<Tensors> arguments, const RunOptions& options,
                 RankPlace place)
    : program_(program),
      place_(place),
      options_(options),
      workers_(std::min(count_threads(options.num_workers), arguments.size())),
      pool_(count_threads(options.num_workers) - workers_.size(), workers_.size() - 1),
      rendezvous_(program, place, &pool_) {
  const bool has_helpers = count_threads(options.num_workers) > workers_.size();
  if (options_.observer) {
    observer_ = [this](const OpEvent& event) {
      const std::scoped_lock lock(observer_mutex_);
      options_.observer(event);
    };
    watch_ = {&observer_, &clock_};
  }
  const MachineLimits limits{program.options.limits.max_steps,
                             std::max<int64_t>(program.options.limits.max_bytes, 0)};
  devices_.reserve(arguments.size());
  for (std::size_t device = 0; device < arguments.size(); ++device) {
    const int64_t id = place.devices.first + static_cast<int64_t>(device);
    devices_.push_back({Machine(program, id, limits, has_helpers ? &pool_ : nullptr)});
    devices_.back().machine.start(std::move(arguments[device]));
  }
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    Worker& worker = workers_[owner_of(device)];
    worker.shares = !worker.ready.empty();
    worker.ready.push_back(&devices_[device]);
  }
  if (place.link != nullptr) {
    end_.emplace(program, *place.link, place.num_devices, [this] { return states(); });
  }
}

Result<RunResult> Workers::run() {
  const std::stop_callback on_cancel(options_.cancel, [this] { wake_all(); });
  {
    std::optional<std::jthread> pulse;
    if (place_.link != nullptr) {
      pulse.emplace([this](const std::stop_token& stop) { beat(stop); });
    }
    std::vector<std::jthread> threads;
    for (std::size_t index = 1; index < workers_.size(); ++index) {
      threads.emplace_back([this, index, handler = ContractScope::handler()] {
        const ContractScope scope(handler);
        work_or_fail(workers_[index]);
      });
    }
    work_or_fail(workers_[0]);
  }
  if (failure_) std::rethrow_exception(failure_);
  return result();
}

/// Runs a worker. An exception ends the run on all threads; only a contract handler throws.
void Workers::work_or_fail(Worker& worker) {
  try {
    work(worker);
  } catch (...) {
    {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    broken_ = true;
    wake_all();
  }
}

void Workers::work(Worker& worker) {
  while (!options_.cancel.stop_requested() && !broken_.load(std::memory_order_relaxed)) {
    if (worker.has_mail.load(std::memory_order_acquire)) open_mail(worker);
    if (worker.ready.empty()) {
      if (!(end_ ? wait_for_ranks(worker) : wait_for_mail(worker))) break;
      continue;
    }
    step(worker);
  }
  worker.shared.start(nullptr);
}

/// Runs one instruction on all devices of the worker that are at this instruction.
void Workers::step(Worker& worker) {
  const Device* slowest = *std::ranges::min_element(
      worker.ready, {}, [](const Device* device) { return device->machine.num_steps(); });
  const Instruction* instruction = &slowest->machine.instruction();
  worker.shared.start(instruction);
  for (Device* device : worker.ready) {
    if (&device->machine.instruction() != instruction) continue;
    device->machine.step(worker.shares ? &worker.shared : nullptr, watch_);
    if (device->machine.state() == Machine::MachineState::AtCommunication) arrive(*device);
  }
  std::erase_if(worker.ready, [](const Device* device) {
    return device->machine.state() != Machine::MachineState::Ready;
  });
}

void Workers::arrive(Device& device) {
  Machine& machine = device.machine;
  Result<Arrival> arrival = rendezvous_.arrive(machine.instruction(), machine.path(),
                                               machine.device(), machine.operands());
  if (!arrival) return machine.fail(std::move(arrival).error());
  device.instance = arrival->instance;
  if (arrival->is_complete) deliver(arrival->instance);
}

void Workers::deliver(const std::shared_ptr<CollectiveInstance>& instance) {
  const std::scoped_lock lock(mutex_);
  for (int64_t rank = 0; rank < std::ssize(instance->arrived); ++rank) {
    if (!place_.devices.contains(instance->device(rank))) continue;
    const auto device = static_cast<std::size_t>(instance->device(rank) - place_.devices.first);
    Worker& worker = workers_[owner_of(device)];
    worker.inbox.push_back({&devices_[device], rank, instance});
    worker.has_mail.store(true, std::memory_order_release);
    if (!worker.waits) continue;
    worker.waits = false;
    --num_waiting_;
    worker.woken.notify_one();
  }
}

void Workers::open_mail(Worker& worker) {
  std::vector<Completion> inbox;
  {
    const std::scoped_lock lock(mutex_);
    inbox.swap(worker.inbox);
    worker.has_mail.store(false, std::memory_order_release);
  }
  for (const Completion& mail : inbox) {
    Device& device = *mail.device;
    const auto rank = static_cast<std::size_t>(mail.rank);
    const Result<Exchanged>& outcome = mail.instance->outcome;
    device.instance = nullptr;
    if (outcome) {
      device.machine.resume(outcome->results[rank], outcome->bytes_sent[rank],
                            mail.instance->number, watch_);
      worker.ready.push_back(&device);
    } else {
      Error error = outcome.error();
      if (error.code.empty()) error.code = "E_KERNEL";
      device.machine.fail(std::move(error));
    }
  }
}

/// Waits for mail. Returns false if no mail can arrive any more.
bool Workers::wait_for_mail(Worker& worker) {
  const bool may_spin = workers_.size() <= std::thread::hardware_concurrency();
  for (int spin = 0; may_spin && spin < kNumSpins; ++spin) {
    if (worker.has_mail.load(std::memory_order_acquire)) return true;
    if (pool_.help_once()) spin = 0;
  }
  std::unique_lock lock(mutex_);
  if (!worker.inbox.empty()) return true;
  if (stopped_) return false;
  worker.waits = true;
  if (++num_waiting_ == workers_.size()) {
    // Only a running worker can send mail, and none runs.
    stopped_ = true;
    for (Worker& other : workers_) other.woken.notify_one();
    return false;
  }
  worker.woken.wait(lock, [&] { return !worker.waits || stopped_; });
  return !worker.inbox.empty();
}

void Workers::wake_all() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  for (Worker& worker : workers_) worker.woken.notify_one();
}

// ---- Other ranks -------------------------------------------------------------------------------

/// Sends heartbeats while the workers of this rank compute.
void Workers::beat(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    place_.link->pulse();
    if (place_.link->failed()) {
      broken_ = true;
      return wake_all();
    }
    ended.wait_for(lock, stop, kPulse, [] { return false; });
  }
}

/// Waits for mail or packets. Returns false if no mail can arrive any more.
bool Workers::wait_for_ranks(Worker& worker) {
  if (!becomes_idle(worker)) return true;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      worker.woken.wait(lock, [&] { return !worker.waits || stopped_ || !takes_; });
      if (!worker.inbox.empty()) {
        // Another worker must receive packets now, because this one may have done so until its mail
        // arrived.
        if (!takes_) wake_another(worker);
        return true;
      }
      if (stopped_) return false;
      takes_ = true;
    }
    take_packets(worker);
    const std::scoped_lock lock(mutex_);
    takes_ = false;
    wake_another(worker);
  }
}

/// Wakes another waiting worker to receive packets. Requires: the mutex is locked.
void Workers::wake_another(const Worker& worker) {
  const auto next = std::ranges::find_if(
      workers_, [&](const Worker& other) { return other.waits && &other != &worker; });
  if (next != workers_.end()) next->woken.notify_one();
}

/// Marks the worker as idle. Returns false if mail has arrived.
bool Workers::becomes_idle(Worker& worker) {
  const std::scoped_lock lock(mutex_);
  if (!worker.inbox.empty()) return false;
  worker.waits = true;
  ++num_waiting_;
  return true;
}

bool Workers::all_wait() {
  const std::scoped_lock lock(mutex_);
  return num_waiting_ == workers_.size();
}

/// Receives packets until mail for this worker arrives or the run ends.
void Workers::take_packets(Worker& worker) {
  RankLink& link = *place_.link;
  PollCounts patience;
  while (!worker.has_mail.load(std::memory_order_acquire)) {
    std::optional<Incoming> incoming = link.receive();
    const bool has_come = incoming.has_value();
    if (has_come) {
      patience = {};
      take_packet(*std::move(incoming));
    } else if (all_wait()) {
      end_->idle({link.traffic().messages_sent, num_taken_});
    }
    if (link.failed()) broken_ = true;
    if (broken_ || end_->is_over()) return wake_all();
    if (options_.cancel.stop_requested()) return;  // all workers are awake
    if (!has_come) rest(worker, patience);
  }
}

void Workers::take_packet(Incoming incoming) {
  RankLink& link = *place_.link;
  if (incoming.header.kind != PacketKind::Values) {
    return end_->take(incoming, all_wait(), {link.traffic().messages_sent, num_taken_});
  }
  const Result<std::shared_ptr<CollectiveInstance>> instance =
      rendezvous_.take(std::move(incoming));
  if (!instance) return link.give_up(instance.error());
  ++num_taken_;
  if (*instance != nullptr) deliver(*instance);
}

/// Waits between two polls of the transport. The wait grows with the time since the last packet.
void Workers::rest(Worker& worker, PollCounts& patience) {
  const int most = place_.link->is_moving() ? kNumLooksAtMoving : kNumLooks;
  if (++patience.num_looks < most) return std::this_thread::yield();
  const auto time = std::min(kShortestRest * (1 + patience.num_rests++ / 16), kLongestRest);
  std::unique_lock lock(mutex_);
  worker.woken.wait_for(lock, time, [&] { return !worker.waits || stopped_; });
}

/// Returns the states of all devices of this rank. Requires: none of them runs.
std::vector<PackedDeviceState> Workers::states() const {
  std::vector<PackedDeviceState> all;
  for (const Device& each : devices_) {
    PackedDeviceState& state = all.emplace_back();
    const Machine& machine = each.machine;
    state.device = machine.device();
    if (machine.state() == Machine::MachineState::Failed) {
      state.state = PackedDeviceState::DeviceStatus::Failed;
      state.error = machine.error();
    } else if (machine.state() != Machine::MachineState::Finished && each.instance != nullptr) {
      state.state = PackedDeviceState::DeviceStatus::Waiting;
      state.op = each.instance->instruction->op;
      state.collective = machine.instruction().index;
      state.leader = each.instance->leader;
      state.path = each.instance->path;
    }
  }
  return all;
}

/// Adds the instructions of this rank's devices to the error.
Error Workers::with_standings(Error error) const {
  const ir::Module& module = *program_.module;
  for (const Device& each : devices_) {
    if (each.instance == nullptr || each.instance->instruction == nullptr) continue;
    const ir::OpId op = each.instance->instruction->op;
    std::string place = std::string(module.name(op));
    if (!module.location_text(op).empty()) place += " (" + module.location_text(op) + ")";
    error.notes.push_back("device " + std::to_string(each.machine.device()) + " of rank " +
                          std::to_string(place_.link->rank()) + " waits at " + place + " for " +
                          ranks_text(awaited_ranks(*each.instance, place_)));
    break;
  }
  return error;
}

Result<RunResult> Workers::outcome_of_ranks() {
  if (!end_->is_over() && options_.cancel.stop_requested()) {
    place_.link->give_up(
        {.message = "the run was cancelled on rank " + std::to_string(place_.link->rank()),
         .code = "E_CANCELLED"});
  }
  if (end_->is_over()) {
    if (!end_->outcome()) return tl::unexpected<Error>(end_->outcome().error());
    return finished();
  }
  const Status status = place_.link->status();
  SHARDY_ASSERT(!status);
  return tl::unexpected(with_standings(status.error()));
}

// ---- The end -----------------------------------------------------------------------------------

Error Workers::first_failure() const {
  const auto has_failed = [](const Device& device) {
    return device.machine.state() == Machine::MachineState::Failed;
  };
  Error error = std::ranges::find_if(devices_, has_failed)->machine.error();
  const auto more = std::ranges::count_if(devices_, has_failed) - 1;
  if (more > 0) error.notes.push_back(std::to_string(more) + " more devices failed");
  return error;
}

Error Workers::deadlock() const {
  std::vector<DeviceState> states;
  for (const Device& device : devices_) {
    states.push_back({&device.machine, device.instance.get()});
  }
  return explain_deadlock(program_, states);
}

RunResult Workers::finished() const {
  RunResult result;
  for (const Device& device : devices_) {
    result.outputs.push_back(device.machine.outputs());
    result.devices.push_back(device.machine.account());
  }
  return result;
}

Result<RunResult> Workers::result() {
  if (end_) return outcome_of_ranks();
  const auto count = [&](Machine::MachineState state) {
    return std::ranges::count_if(
        devices_, [&](const Device& device) { return device.machine.state() == state; });
  };
  if (count(Machine::MachineState::Finished) == std::ssize(devices_)) return finished();
  if (options_.cancel.stop_requested()) {
    return fail_as("E_CANCELLED", "the run was cancelled");
  }
  if (count(Machine::MachineState::Failed) > 0) return tl::unexpected<Error>(first_failure());
  return tl::unexpected<Error>(deadlock());
}

}  // namespace shardy::simulation

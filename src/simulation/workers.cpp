#include "simulation/workers.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "simulation/standstill.hpp"

namespace shardy::simulation {
namespace {

constexpr std::size_t kMaxThreads = 256;
/// Looks into the inbox before a worker sleeps: waking up costs more than a short wait.
constexpr int kNumSpins = 2000;

std::size_t count_threads(int64_t wanted) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(wanted > 0 ? static_cast<std::size_t>(wanted) : cores, kMaxThreads);
}

}  // namespace

Workers::Workers(const Program& program, std::vector<Tensors> arguments, const RunOptions& options)
    : program_(program),
      options_(options),
      rendezvous_(program),
      workers_(std::min(count_threads(options.num_workers), arguments.size())) {
  const std::size_t num_threads = count_threads(options.num_workers);
  if (num_threads > workers_.size()) crew_.emplace(num_threads - workers_.size());
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
    devices_.push_back(
        {Machine(program, static_cast<int64_t>(device), limits, crew_ ? &*crew_ : nullptr)});
    devices_.back().machine.start(std::move(arguments[device]));
  }
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    Worker& worker = workers_[owner_of(device)];
    worker.shares = !worker.ready.empty();
    worker.ready.push_back(&devices_[device]);
  }
}

Result<RunResult> Workers::run() {
  const std::stop_callback on_cancel(options_.cancel, [this] { wake_all(); });
  {
    std::vector<std::jthread> threads;
    for (std::size_t index = 1; index < workers_.size(); ++index) {
      threads.emplace_back([this, index] { work(workers_[index]); });
    }
    work(workers_[0]);
  }
  return result();
}

void Workers::work(Worker& worker) {
  while (!options_.cancel.stop_requested()) {
    if (worker.has_mail.load(std::memory_order_acquire)) open_mail(worker);
    if (worker.ready.empty()) {
      if (!wait_for_mail(worker)) break;
      continue;
    }
    step(worker);
  }
  worker.shared.start(nullptr);
}

/// One instruction, on all devices that stand at it.
void Workers::step(Worker& worker) {
  const Device* behind = *std::ranges::min_element(
      worker.ready, {}, [](const Device* device) { return device->machine.num_steps(); });
  const Instruction* instruction = &behind->machine.instruction();
  worker.shared.start(instruction);
  for (Device* device : worker.ready) {
    if (&device->machine.instruction() != instruction) continue;
    device->machine.step(worker.shares ? &worker.shared : nullptr, watch_);
    if (device->machine.state() == Machine::State::AtCommunication) arrive(*device);
  }
  std::erase_if(worker.ready, [](const Device* device) {
    return device->machine.state() != Machine::State::Ready;
  });
}

void Workers::arrive(Device& device) {
  Machine& machine = device.machine;
  Result<Arrival> arrival = rendezvous_.arrive(machine.instruction(), machine.path(),
                                               machine.device(), machine.operands());
  if (!arrival) return machine.fail(std::move(arrival).error());
  device.meeting = arrival->meeting;
  if (arrival->is_complete) deliver(arrival->meeting);
}

void Workers::deliver(const std::shared_ptr<Meeting>& meeting) {
  const std::scoped_lock lock(mutex_);
  for (int64_t rank = 0; rank < std::ssize(meeting->arrived); ++rank) {
    const auto device = static_cast<std::size_t>(meeting->device(rank));
    Worker& worker = workers_[owner_of(device)];
    worker.inbox.push_back({&devices_[device], rank, meeting});
    worker.has_mail.store(true, std::memory_order_release);
    if (!worker.waits) continue;
    worker.waits = false;
    --num_waiting_;
    worker.woken.notify_one();
  }
}

void Workers::open_mail(Worker& worker) {
  std::vector<Mail> inbox;
  {
    const std::scoped_lock lock(mutex_);
    inbox.swap(worker.inbox);
    worker.has_mail.store(false, std::memory_order_release);
  }
  for (const Mail& mail : inbox) {
    Device& device = *mail.device;
    const auto rank = static_cast<std::size_t>(mail.rank);
    const Result<Exchanged>& outcome = mail.meeting->outcome;
    device.meeting = nullptr;
    if (outcome) {
      device.machine.resume(outcome->results[rank], outcome->bytes_sent[rank], mail.meeting->number,
                            watch_);
      worker.ready.push_back(&device);
    } else {
      Error error = outcome.error();
      if (error.code.empty()) error.code = "E_KERNEL";
      device.machine.fail(std::move(error));
    }
  }
}

/// False when nothing will ever come.
bool Workers::wait_for_mail(Worker& worker) {
  const bool may_spin = workers_.size() <= std::thread::hardware_concurrency();
  for (int spin = 0; may_spin && spin < kNumSpins; ++spin) {
    if (worker.has_mail.load(std::memory_order_acquire)) return true;
  }
  std::unique_lock lock(mutex_);
  if (!worker.inbox.empty()) return true;
  if (stopped_) return false;
  worker.waits = true;
  if (++num_waiting_ == workers_.size()) {
    // Only a worker that runs can send mail.
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

// ---- The end -----------------------------------------------------------------------------------

Error Workers::first_failure() const {
  const auto has_failed = [](const Device& device) {
    return device.machine.state() == Machine::State::Failed;
  };
  Error error = std::ranges::find_if(devices_, has_failed)->machine.error();
  const auto more = std::ranges::count_if(devices_, has_failed) - 1;
  if (more > 0) error.notes.push_back(std::to_string(more) + " more devices failed");
  return error;
}

Error Workers::standstill() const {
  std::vector<Standing> standings;
  for (const Device& device : devices_) {
    standings.push_back({&device.machine, device.meeting.get()});
  }
  return explain_standstill(program_, standings);
}

Result<RunResult> Workers::result() {
  const auto count = [&](Machine::State state) {
    return std::ranges::count_if(
        devices_, [&](const Device& device) { return device.machine.state() == state; });
  };
  if (count(Machine::State::Finished) == std::ssize(devices_)) {
    RunResult result;
    for (const Device& device : devices_) {
      result.outputs.push_back(device.machine.outputs());
      result.devices.push_back(device.machine.account());
    }
    return result;
  }
  if (options_.cancel.stop_requested()) {
    return fail_as("E_CANCELLED", "the run was cancelled");
  }
  if (count(Machine::State::Failed) > 0) return tl::unexpected<Error>(first_failure());
  return tl::unexpected<Error>(standstill());
}

}  // namespace shardy::simulation

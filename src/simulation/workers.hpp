// Threads that own devices and run them until no device can continue. Spec: partitioning 11.1 to
// 11.5.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "simulation/machine.hpp"
#include "simulation/rank_failure.hpp"
#include "simulation/rendezvous.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

/// The workers of one run. A worker steps its devices op by op, the least advanced ones first, so
/// that devices advance together and replicated values are computed once. A worker waits only if
/// none of its devices can continue. When all workers wait, the run has ended or is deadlocked.
///
/// With several ranks, one of the waiting workers receives packets. When all workers of all ranks
/// wait, the ranks determine together whether the run has ended.
class Workers {
 public:
  /// Requires: one list of arguments of the declared types per device of this rank.
  Workers(const Program& program, std::vector<Tensors> arguments, const RunOptions& options,
          RankPlace place);

  /// Runs all devices. Errors: as for simulation::run or run_on_rank.
  Result<RunResult> run();

 private:
  struct Device {
    Machine machine;
    // The instance for which the device waits.
    std::shared_ptr<CollectiveInstance> instance = nullptr;
  };
  /// The result of a complete instance for one device.
  struct Completion {
    Device* device = nullptr;
    int64_t rank = 0;
    std::shared_ptr<CollectiveInstance> instance;
  };
  struct Worker {
    std::vector<Device*> ready;
    SharedResults shared;
    bool shares = false;  // the worker owns several devices
    std::atomic<bool> has_mail = false;
    std::vector<Completion> inbox;  // guarded by mutex_
    bool waits = false;             // guarded by mutex_
    std::condition_variable woken;  // used with mutex_
  };

  /// The polls of a worker that receives packets, since the last packet.
  struct PollCounts {
    int num_looks = 0;
    int num_rests = 0;
  };

  /// Returns the worker that owns a device, given by its index in devices_.
  std::size_t owner_of(std::size_t place) const {
    return place * workers_.size() / devices_.size();
  }
  void work_or_fail(Worker& worker);
  void work(Worker& worker);
  void step(Worker& worker);
  void arrive(Device& device);
  void deliver(const std::shared_ptr<CollectiveInstance>& instance);
  void open_mail(Worker& worker);
  bool wait_for_mail(Worker& worker);
  void wake_all();
  // Sends heartbeats to other ranks.
  void beat(const std::stop_token& stop);
  bool wait_for_ranks(Worker& worker);
  void wake_another(const Worker& worker);
  bool becomes_idle(Worker& worker);
  void take_packets(Worker& worker);
  void take_packet(Incoming incoming);
  void rest(Worker& worker, PollCounts& patience);
  bool all_wait();
  std::vector<PackedDeviceState> states() const;
  Result<RunResult> outcome_of_ranks();
  Error with_standings(Error error) const;

  Result<RunResult> result();
  RunResult finished() const;
  Error first_failure() const;
  Error deadlock() const;

  const Program& program_;
  const RankPlace place_;
  RunOptions options_;
  Observer observer_;
  RunClock clock_;
  RunObservers watch_;
  std::mutex observer_mutex_;  // guards calls of the user's observer
  std::vector<Device> devices_;
  std::vector<Worker> workers_;
  ThreadPool pool_;  // has threads beyond one per device, and workers that wait
  Rendezvous rendezvous_;
  std::mutex mutex_;                  // guards inboxes and the three members below
  std::size_t num_waiting_ = 0;       // number of waiting workers
  bool stopped_ = false;              // no device can continue, or the run is cancelled
  bool takes_ = false;                // a worker receives packets
  std::atomic<bool> broken_ = false;  // the link to other ranks or a worker has failed
  std::exception_ptr failure_;        // exception of the first worker that threw; guarded by mutex_
  std::atomic<int64_t> num_taken_ = 0;  // number of packets of values received
  std::optional<RankFailure> end_;      // used by the worker that receives packets
};

}  // namespace shardy::simulation

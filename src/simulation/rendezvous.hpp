// Exchanges operands and results between the devices of a group. Spec: partitioning 11.3,
// stablehlo 31.4.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulation/program.hpp"
#include "simulation/rank_link.hpp"

namespace shardy::simulation {

/// An all_reduce where some ranks of the run fold a part each: divided_fold.hpp.
struct DividedFold {
  std::vector<int64_t> owners;                   // ranks of the run with members, in their order
  std::vector<int64_t> folders;                  // those that fold a part, in the order of parts
  Tensors own_part;                              // result of its part if this rank folds one
  std::vector<std::optional<Incoming>> packets;  // by folder, this rank left out: their parts
  int64_t num_missing = 0;                       // parts

  bool folds(int64_t rank) const;
  /// Returns the packet of a folding rank; null if the rank folds no part.
  std::optional<Incoming>* packet_of(int64_t rank);
};

/// One execution of a communication op by one group. Once complete, only its outcome is read.
struct CollectiveInstance {
  const Instruction* instruction = nullptr;  // of the first to arrive
  std::vector<int64_t> devices;              // by rank
  std::vector<int64_t> path;                 // of the op: iterations and calls around it
  int64_t leader = 0;                        // names the group
  int64_t number = 0;                        // of the run's instances, in no certain order
  std::vector<Tensors> operands;             // by rank
  std::vector<bool> arrived;                 // by rank
  int64_t num_missing = 0;
  int64_t num_missing_here = 0;             // of the devices of this rank of the run
  std::vector<Incoming> from_other_ranks;   // operands of their devices
  std::optional<DividedFold> divided;       // set after all devices of this rank have arrived
  Result<Exchanged> outcome = Exchanged{};  // of the last one to arrive

  int64_t device(int64_t rank) const { return devices[static_cast<std::size_t>(rank)]; }
};

/// The outcome for a device that deposits its operands.
struct Arrival {
  std::shared_ptr<CollectiveInstance> instance;
  int64_t rank = 0;
  bool is_complete = false;  // this was the last one
};

/// The devices of this rank, and the link to the other ranks.
struct RankPlace {
  int64_t num_devices = 0;  // of all ranks
  DeviceBlock devices;
  RankLink* link = nullptr;       // null: all devices are here
  int64_t min_divided_bytes = 0;  // of an all_reduce over ranks

  /// All devices of the run are here.
  static RankPlace of_one_rank(int64_t num_devices) { return {num_devices, {0, num_devices}}; }

  int64_t owner(int64_t device) const {
    return link == nullptr ? 0 : rank_of_device(num_devices, device, link->ranks());
  }
  /// Returns the ranks of some devices: each once, in order.
  std::vector<int64_t> owners(std::span<const int64_t> some) const;
};

/// Ranks of the run whose operands or parts an instance waits for.
std::vector<int64_t> awaited_ranks(const CollectiveInstance& instance, const RankPlace& place);

/// The instances that are not complete, by op, dynamic path and group. Each execution of an op is
/// an instance of its own, so a slow reader never reads values of the next one.
///
/// Devices that run different functions are matched by channel and group instead, and by the number
/// of their previous executions.
class Rendezvous {
 public:
  /// `pool` divides exchanges; null: they run on the calling thread.
  Rendezvous(const Program& program, RankPlace place, ThreadPool* pool);

  /// Any thread may call it. The arrival that completes the instance computes its outcome. Errors:
  /// the device is in no group of the op; its operands differ from those of earlier devices.
  Result<Arrival> arrive(const Instruction& instruction, std::span<const int64_t> path,
                         int64_t device, Tensors operands);

  /// Takes the operands of devices of another rank; returns the instance if it is complete, with
  /// its results. Errors: values that this program cannot have requested.
  Result<std::shared_ptr<CollectiveInstance>> take(Incoming incoming);

 private:
  using Key = std::vector<int64_t>;
  struct Table {
    std::mutex mutex;  // guards the members, and instances until they are complete
    std::map<Key, std::shared_ptr<CollectiveInstance>> instances;
    std::map<Key, int64_t> num_arrivals;  // of a device at a group, if the functions differ
  };

  Key key_of(Table& table, const ReplicaGroups& groups, std::span<const int64_t> path,
             int64_t device) const;
  std::shared_ptr<CollectiveInstance> instance_of(Table& table, const Key& key,
                                                  const CollectiveKernel& collective,
                                                  std::span<const int64_t> path, int64_t leader);
  Result<std::vector<OutgoingValues>> outgoing(const CollectiveKernel& collective,
                                               std::size_t index,
                                               CollectiveInstance& instance) const;
  void send(const PacketTopic& topic, std::vector<OutgoingValues> values) const;
  bool finish(Table& table, const Key& key, const CollectiveKernel& collective,
              CollectiveInstance& instance);
  Result<std::shared_ptr<CollectiveInstance>> take_part(Table& table, const Key& key,
                                                        Incoming incoming);
  void end_divided(CollectiveInstance& instance) const;
  void complete(const CollectiveKernel& collective, CollectiveInstance& instance) const;
  Status verify_match(const CollectiveInstance& instance, const Instruction& instruction,
                      const Tensors& operands) const;

  const Program& program_;
  const RankPlace place_;
  ThreadPool* const pool_;
  bool functions_differ_ = false;
  std::vector<std::size_t> table_of_;  // index of the table of each communication op
  std::vector<Table> tables_;
  std::atomic<int64_t> num_instances_ = 0;
};

}  // namespace shardy::simulation

// Exchanges operands and results among the devices of a group, on one rank and, in packets, on
// several. Spec: partitioning 11.3, stablehlo 31.4.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/program.hpp"
#include "simulation/rank_link.hpp"

namespace shardy::simulation {

/// An all_reduce in which some ranks each fold a part of the operands (remote_values.cpp).
struct DividedFold {
  std::vector<int64_t> owners;   // ranks with members, ascending
  std::vector<int64_t> folders;  // ranks that fold a part, in the order of the parts
  Tensors own_part;              // the folded part of this rank, if it has one
  // Packet with the part of each folder; unset for this rank.
  std::vector<std::optional<Incoming>> packets;
  int64_t num_missing = 0;  // number of missing parts

  bool folds(int64_t rank) const;
  /// Returns the packet of a folding rank; null if the rank folds no part.
  std::optional<Incoming>* packet_of(int64_t rank);
};

/// One execution of a communication op by one group. After completion, only the outcome is read.
struct CollectiveInstance {
  const Instruction* instruction = nullptr;  // instruction of the first device that arrived
  std::vector<int64_t> devices;              // device of each group rank
  std::vector<int64_t> path;                 // iterations and calls around the op
  int64_t leader = 0;                        // identifies the group
  int64_t number = 0;                        // number among the run's instances, in no fixed order
  std::vector<Tensors> operands;             // operands of each group rank
  std::vector<bool> arrived;                 // per group rank
  int64_t num_missing = 0;
  int64_t num_missing_here = 0;             // number of missing devices of this rank
  std::vector<Incoming> from_other_ranks;   // packets with operands of their devices
  std::optional<DividedFold> divided;       // set after all devices of this rank have arrived
  Result<Exchanged> outcome = Exchanged{};  // set when the last device arrives

  int64_t device(int64_t rank) const { return devices[static_cast<std::size_t>(rank)]; }
};

/// The state of the instance after a device deposits its operands.
struct Arrival {
  std::shared_ptr<CollectiveInstance> instance;
  int64_t rank = 0;
  bool is_complete = false;  // this device was the last one
};

/// The devices of this rank, and the link to other ranks.
struct RankPlace {
  int64_t num_devices = 0;  // number on all ranks
  DeviceBlock devices;
  RankLink* link = nullptr;       // null if this is the only rank
  int64_t min_divided_bytes = 0;  // an all_reduce over ranks with at least this size is divided

  /// Returns the place of a run on a single rank.
  static RankPlace of_one_rank(int64_t num_devices) { return {num_devices, {0, num_devices}}; }

  int64_t owner(int64_t device) const {
    return link == nullptr ? 0 : rank_of_device(num_devices, device, link->ranks());
  }
  /// Returns the ranks of the given devices, each once and ascending.
  std::vector<int64_t> owners(std::span<const int64_t> some) const;
};

/// Returns the ranks for whose operands or parts an instance waits.
std::vector<int64_t> awaited_ranks(const CollectiveInstance& instance, const RankPlace& place);

/// The incomplete instances by op, dynamic path and group. Each execution of an op is a separate
/// instance, so a slow device never reads values of the next execution.
///
/// Devices that run different functions are matched by channel, group and the number of their
/// previous executions instead.
class Rendezvous {
 public:
  /// `pool` divides exchanges among threads. Null: they run on the calling thread.
  Rendezvous(const Program& program, RankPlace place, ThreadPool* pool);

  /// Adds the operands of a device. Thread-safe. The arrival that completes the instance computes
  /// its outcome. Errors: the device is in no group of the op; its operands differ from the
  /// operands of earlier devices.
  Result<Arrival> arrive(const Instruction& instruction, std::span<const int64_t> path,
                         int64_t device, Tensors operands);

  /// Adds the operands of devices of another rank. Returns the instance with its results if it is
  /// complete. Error: values that this program cannot have requested.
  Result<std::shared_ptr<CollectiveInstance>> take(Incoming incoming);

 private:
  using InstanceKey = std::vector<int64_t>;
  struct Table {
    std::mutex mutex;  // guards the members, and instances until they are complete
    std::map<InstanceKey, std::shared_ptr<CollectiveInstance>> instances;
    std::map<InstanceKey, int64_t>
        num_arrivals;  // number per device and group, if the functions differ
  };

  InstanceKey key_of(Table& table, const ReplicaGroups& groups, std::span<const int64_t> path,
                     int64_t device) const;
  std::shared_ptr<CollectiveInstance> instance_of(Table& table, const InstanceKey& key,
                                                  const CollectiveKernel& collective,
                                                  std::span<const int64_t> path, int64_t leader);
  Result<std::vector<OutgoingValues>> outgoing(const CollectiveKernel& collective,
                                               std::size_t index,
                                               CollectiveInstance& instance) const;
  void send(const PacketTopic& topic, std::vector<OutgoingValues> values) const;
  bool finish(Table& table, const InstanceKey& key, const CollectiveKernel& collective,
              CollectiveInstance& instance);
  Result<std::shared_ptr<CollectiveInstance>> take_part(Table& table, const InstanceKey& key,
                                                        Incoming incoming);
  void end_divided(CollectiveInstance& instance) const;
  void complete(const CollectiveKernel& collective, CollectiveInstance& instance) const;
  Status verify_match(const CollectiveInstance& instance, const Instruction& instruction,
                      const Tensors& operands) const;

  const Program& program_;
  const RankPlace place_;
  ThreadPool* const pool_;
  bool functions_differ_ = false;
  std::vector<std::size_t> table_of_;  // table index of each communication op
  std::vector<Table> tables_;
  std::atomic<int64_t> num_instances_ = 0;
};

/// Returns the first part of a packet of values, the path of the op; std::nullopt if memory is
/// exhausted.
std::optional<SharedBytes> packed_path(std::span<const int64_t> path);

/// Appends the elements of a tensor without a copy.
void add_tensor(const Tensor& tensor, std::vector<SharedBytes>& pieces);

/// Reads the tensors of a packet in order.
class TensorCursor {
 public:
  /// Error: the packet does not begin with a path.
  static Result<TensorCursor> make(const Incoming& incoming);

  /// Returns the next tensor, which shares the packet's memory. Error: E_TRANSPORT if the packet is
  /// too short.
  Result<Tensor> take(const ir::Type& type);
  /// Returns E_TRANSPORT if the packet has more bytes.
  Status expect_end() const;

 private:
  TensorCursor(const Incoming& incoming, std::size_t position)
      : incoming_(&incoming), position_(position) {}

  const Incoming* incoming_;
  std::size_t position_;
};

/// Returns the payload for each other rank with members of the group: the path of the op, then for
/// each member on this rank, in group order, the operands that the receiver needs. The payload
/// shares the operands' memory. Requires: all members on this rank have arrived. Error: values that
/// are not tensors.
Result<std::vector<OutgoingValues>> values_for_others(const CollectiveKernel& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place);

/// Sets the operands of members on other ranks to the received values; operands that no member of
/// this rank needs become zeros. Requires: all members have arrived, and some are on this rank.
/// Error: the packets have a wrong number of bytes.
Status read_values_of_others(const CollectiveKernel& collective, CollectiveInstance& instance,
                             const RankPlace& place);

/// The stages of packets of values: operands of members, then folded parts.
inline constexpr uint32_t kOperandStage = 0;
inline constexpr uint32_t kPartStage = 1;

/// Returns the division of the fold among ranks; std::nullopt if one step is enough: for few ranks,
/// and for ops that do not fold elementwise. Equal on all ranks. The `index` of the collective
/// selects the folding rank. Requires: all members on this rank have arrived.
std::optional<DividedFold> divided_fold(const CollectiveKernel& collective, std::size_t index,
                                        const CollectiveInstance& instance, const RankPlace& place);

// All functions below require that the fold of the instance is divided.

/// Returns for each other folding rank its part of the operands of members on this rank. The
/// payload shares the operands' memory. Error: memory is exhausted.
Result<std::vector<OutgoingValues>> operands_by_part(const CollectiveInstance& instance,
                                                     const RankPlace& place);

/// Folds the part of this rank. Requires: this rank has a part, and all members have arrived.
/// Errors: packets of other sizes; memory is exhausted.
Result<Tensors> fold_own_part(const CollectiveKernel& collective,
                              const CollectiveInstance& instance, const RankPlace& place,
                              ThreadPool* pool);

/// Returns the folded part for each other rank with members. Error: memory is exhausted.
Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part);

/// Returns the results of the op. Requires: all parts have arrived. Errors: packets of a wrong
/// size; memory is exhausted.
Result<Exchanged> put_together(const CollectiveInstance& instance, const RankPlace& place);

}  // namespace shardy::simulation

// Detects that no device of any rank can continue, determines the error of the run, and ends the
// run. Spec: partitioning 11.5.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "simulation/machine.hpp"
#include "simulation/program.hpp"
#include "simulation/rank_link.hpp"
#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// The instruction of a device and the collective for which the device waits.
struct DeviceState {
  const Machine* machine = nullptr;
  const CollectiveInstance* instance = nullptr;  // null if the device has finished
};

/// Returns E_DIVERGENT if devices of one group wait at different ops or one of them has finished,
/// and E_DEADLOCK if groups wait for each other in a cycle. Requires: `states` by device id; at
/// least one device waits, and all others wait or have finished.
Error explain_deadlock(const Program& program, std::span<const DeviceState> states);

/// The state of a device that cannot continue, in the form in which other ranks receive it.
struct PackedDeviceState {
  enum class DeviceStatus : int64_t { Finished, Failed, Waiting };
  int64_t device = 0;
  DeviceStatus state = DeviceStatus::Finished;
  Error error = {};  // set if the device failed
  // Set if the device waits: the op, the index of the collective, the leader of the group, and the
  // path of the instance.
  ir::OpId op = {};
  int64_t collective = 0;
  int64_t leader = 0;
  std::vector<int64_t> path = {};
};

/// The numbers of packets of values that a rank has sent and received.
struct ValueCounts {
  int64_t sent = 0;
  int64_t taken = 0;
  friend bool operator==(const ValueCounts&, const ValueCounts&) = default;
};

/// The protocol by which ranks determine the end of a run. A rank whose devices all wait, have
/// finished or have failed reports to rank 0 how many packets of values it has sent and received.
/// When all ranks have reported and the sums are equal, rank 0 probes all ranks. If no rank has
/// continued since its report, no packet is in flight and no device can continue (four counters,
/// Mattern, 1987). Rank 0 then sends the outcome of the run, which equals the outcome on one rank.
///
/// Probes are numbered. A report that a rank sends after its answer may arrive before the answer.
/// So reports contain the number of the last answered probe.
///
/// Only one thread at a time uses the object, while no device of this rank runs.
class RankFailure {
 public:
  using DeviceStates = std::function<std::vector<PackedDeviceState>()>;

  RankFailure(const Program& program, RankLink& link, int64_t num_devices, DeviceStates states);

  /// Reports that no device of this rank can continue and that all received packets were handled.
  void idle(const ValueCounts& counts);
  /// Handles a packet of the protocol. `idle` is true if no device of this rank can continue.
  void take(const Incoming& incoming, bool idle, const ValueCounts& counts);

  bool is_over() const { return is_over_; }
  /// Returns the error of the run. Requires: is_over().
  const Status& outcome() const { return outcome_; }

 private:
  struct RankAnswer {
    bool idle = false;
    ValueCounts counts;
    std::vector<PackedDeviceState> states;
  };

  void answer(int64_t asker, bool idle, const ValueCounts& counts);
  bool take_answer(int64_t sender, ByteReader& in);
  void note_counts(std::size_t rank, int64_t round, const ValueCounts& counts);
  void note(int64_t rank, int64_t round, const ValueCounts& counts);
  void probe();
  bool all_answered() const;
  void conclude(bool is_idle, const ValueCounts& counts);
  Status judge(const std::vector<PackedDeviceState>& states) const;
  Error deadlock(const std::vector<PackedDeviceState>& states) const;
  void end(Status outcome);

  const Program& program_;
  RankLink& link_;
  const int64_t num_devices_;
  const DeviceStates states_;
  std::optional<ValueCounts> reported_;  // set from a report until a device continues
  int64_t answered_ = 0;                 // number of the last probe that this rank answered
  // Members of rank 0:
  std::vector<std::optional<ValueCounts>> idle_;  // last report of each rank
  // Per rank: number of the last probe that the rank had answered when it sent its latest report.
  std::vector<int64_t> idle_round_;
  std::vector<std::optional<ValueCounts>> asked_;   // idle_ at the time of the probe
  std::vector<std::optional<RankAnswer>> answers_;  // answer of each rank to the current probe
  int64_t round_ = 0;                               // number of the current probe
  bool is_asking_ = false;
  bool is_over_ = false;
  Status outcome_;
};

}  // namespace shardy::simulation

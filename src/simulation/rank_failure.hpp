// Detection of a deadlock by several ranks: no device of any rank can continue, the reasons, and
// the end of the run. Spec: partitioning 11.5.
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

/// The next instruction of a device and the collective that it waits for.
struct DeviceState {
  const Machine* machine = nullptr;
  const CollectiveInstance* instance = nullptr;  // null: finished
};

/// E_DIVERGENT if devices of one group wait at different places, or one of them is finished;
/// E_DEADLOCK if groups wait for each other in a circle.
/// Requires: states by device id; some device waits; the others wait or are finished.
Error explain_deadlock(const Program& program, std::span<const DeviceState> states);

/// The state of a device that cannot continue, as other ranks receive it.
struct PackedDeviceState {
  enum class State : int64_t { Finished, Failed, Waiting };
  int64_t device = 0;
  State state = State::Finished;
  Error error = {};  // of one that failed
  // For a waiting device: the op, and its group.
  ir::OpId op = {};
  int64_t collective = 0;
  int64_t leader = 0;
  std::vector<int64_t> path = {};
};

/// Numbers of packets of values that a rank has sent and received.
struct ValueCounts {
  int64_t sent = 0;
  int64_t taken = 0;
  friend bool operator==(const ValueCounts&, const ValueCounts&) = default;
};

/// A rank whose devices all wait, are finished or failed sends rank 0 how many packets of values it
/// has sent and received. When all have and the sums are equal, rank 0 asks again: if no rank
/// continued in between, no packet is in flight and no device can continue (four counters,
/// Mattern, 1987). Questions are numbered, because later packets may overtake an answer.
/// Rank 0 then sends the outcome of the run, equal to that of a run on one rank.
///
/// Used by one thread at a time, while no device of this rank runs.
class RankFailure {
 public:
  using DeviceStates = std::function<std::vector<PackedDeviceState>()>;

  RankFailure(const Program& program, RankLink& link, int64_t num_devices, DeviceStates states);

  /// Reports that no device of this rank can continue, and that all received packets were handled.
  void idle(const ValueCounts& counts);
  /// Handles a packet of the protocol. `idle`: no device of this rank can continue.
  void take(const Incoming& incoming, bool idle, const ValueCounts& counts);

  bool is_over() const { return is_over_; }
  /// Requires: is_over. The error of the run.
  const Status& outcome() const { return outcome_; }

 private:
  struct Answer {
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
  std::optional<ValueCounts> reported_;  // while no device has gone on since
  int64_t answered_ = 0;                 // the last question that this rank has answered
  // State of rank 0.
  std::vector<std::optional<ValueCounts>> idle_;  // by rank: its last report
  std::vector<int64_t> idle_round_;  // by rank: the last question that it had answered by then
  std::vector<std::optional<ValueCounts>> asked_;  // the same, at the time of the question
  std::vector<std::optional<Answer>> answers_;     // by rank: to the question under way
  int64_t round_ = 0;                              // of questions
  bool is_asking_ = false;
  bool is_over_ = false;
  Status outcome_;
};

}  // namespace shardy::simulation

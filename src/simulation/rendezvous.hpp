// Where the devices of a group meet. Spec: partitioning 11.3.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulation/program.hpp"

namespace shardy::simulation {

/// One use of a communication op by one group. Once complete only its outcome is read.
struct Meeting {
  const Instruction* instruction = nullptr;
  const DeviceGroups* groups = nullptr;
  std::vector<int64_t> path;      // of the op: iterations and calls around it
  int64_t leader = 0;             // logical position of rank 0
  std::vector<Tensors> operands;  // by rank
  std::vector<bool> arrived;      // by rank
  int64_t num_missing = 0;
  Result<Exchanged> outcome = Exchanged{};  // of the last one to arrive

  int64_t device(int64_t rank) const { return groups->device(leader, rank); }
};

/// What a device gets when it deposits its operands.
struct Arrival {
  std::shared_ptr<Meeting> meeting;
  int64_t rank = 0;
  bool is_complete = false;  // this was the last one
};

/// The meetings that are not complete, by op, dynamic path and group. Each use of an op is a
/// meeting of its own, so a slow reader never sees values of the next round.
class Rendezvous {
 public:
  explicit Rendezvous(const Program& program)
      : program_(program), tables_(program.collectives.size()) {}

  /// Any thread. When the arrival completes the meeting, its outcome has been computed.
  /// Errors: the device is not in the mesh of the op.
  Result<Arrival> arrive(const Instruction& instruction, std::span<const int64_t> path,
                         int64_t device, Tensors operands);

 private:
  using Key = std::pair<std::vector<int64_t>, int64_t>;  // path, leader
  struct Table {
    std::mutex mutex;  // guards meetings and what they hold until they are complete
    std::map<Key, std::shared_ptr<Meeting>> meetings;
  };

  const Program& program_;
  std::vector<Table> tables_;  // one per communication op
};

}  // namespace shardy::simulation

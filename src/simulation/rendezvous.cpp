#include "simulation/rendezvous.hpp"

namespace shardy::simulation {
namespace {

std::shared_ptr<Meeting> open_meeting(const Instruction& instruction, const DeviceGroups& groups,
                                      const std::vector<int64_t>& path, int64_t leader) {
  const auto size = static_cast<std::size_t>(groups.size());
  auto meeting = std::make_shared<Meeting>();
  meeting->instruction = &instruction;
  meeting->groups = &groups;
  meeting->path = path;
  meeting->leader = leader;
  meeting->operands.resize(size);
  meeting->arrived.resize(size, false);
  meeting->num_missing = groups.size();
  return meeting;
}

}  // namespace

Result<Arrival> Rendezvous::arrive(const Instruction& instruction, std::span<const int64_t> path,
                                   int64_t device, Tensors operands) {
  const Collective& collective = program_.collectives[instruction.index];
  const std::optional<int64_t> position = collective.groups.mesh().position_of(device);
  if (!position) return fail("E_KERNEL: the device is not in the mesh of the op");
  const int64_t rank = collective.groups.rank(*position);
  const auto place = static_cast<std::size_t>(rank);
  Key key({path.begin(), path.end()}, collective.groups.leader(*position));
  Table& table = tables_[instruction.index];
  std::shared_ptr<Meeting> meeting;
  {
    const std::scoped_lock lock(table.mutex);
    std::shared_ptr<Meeting>& entry = table.meetings[key];
    if (entry == nullptr) {
      entry = open_meeting(instruction, collective.groups, key.first, key.second);
    }
    meeting = entry;
    SHARDY_ASSERT(!meeting->arrived[place]);
    meeting->operands[place] = std::move(operands);
    meeting->arrived[place] = true;
    if (--meeting->num_missing > 0) return Arrival{std::move(meeting), rank, false};
    table.meetings.erase(key);
  }
  // All others wait: from here on the meeting is ours until they are told.
  meeting->outcome = collective.exchange(meeting->operands, meeting->leader);
  meeting->operands.clear();
  return Arrival{std::move(meeting), rank, true};
}

}  // namespace shardy::simulation

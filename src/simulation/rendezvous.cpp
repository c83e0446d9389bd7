#include "simulation/rendezvous.hpp"

#include <algorithm>

namespace shardy::simulation {
namespace {

bool starts_differ(const Program& program) {
  return std::ranges::adjacent_find(program.starts, std::ranges::not_equal_to()) !=
         program.starts.end();
}

/// Per communication op: itself, or the first one of its kind and channel.
std::vector<std::size_t> meeting_tables(const Program& program, bool functions_differ) {
  std::vector<std::size_t> tables;
  for (std::size_t index = 0; index < program.collectives.size(); ++index) {
    const Collective& collective = program.collectives[index];
    const auto first = std::ranges::find_if(program.collectives, [&](const Collective& other) {
      return other.kind == collective.kind && other.channel == collective.channel;
    });
    tables.push_back(
        functions_differ ? static_cast<std::size_t>(first - program.collectives.begin()) : index);
  }
  return tables;
}

std::shared_ptr<Meeting> new_meeting(const Instruction& instruction, const Collective& collective,
                                     std::span<const int64_t> path, int64_t leader) {
  auto meeting = std::make_shared<Meeting>();
  meeting->instruction = &instruction;
  meeting->devices = collective.groups.members(leader);
  meeting->path.assign(path.begin(), path.end());
  meeting->leader = leader;
  meeting->operands.resize(meeting->devices.size());
  meeting->arrived.resize(meeting->devices.size(), false);
  meeting->num_missing = std::ssize(meeting->devices);
  return meeting;
}

}  // namespace

Rendezvous::Rendezvous(const Program& program)
    : program_(program),
      functions_differ_(starts_differ(program)),
      table_of_(meeting_tables(program, functions_differ_)),
      tables_(program.collectives.size()) {}

/// Requires: the device is in a group.
Rendezvous::Key Rendezvous::key_of(Table& table, const MeetingGroups& groups,
                                   std::span<const int64_t> path, int64_t device) const {
  const int64_t leader = groups.place_of(device)->leader;
  if (!functions_differ_) {
    Key key(path.begin(), path.end());
    key.push_back(leader);
    return key;
  }
  Key key = groups.members(leader);
  Key own = key;
  own.push_back(device);
  key.push_back(table.num_arrivals[own]++);
  return key;
}

/// Devices may bring different things only if they run different functions.
Status Rendezvous::verify_match(const Meeting& meeting, const Instruction& instruction,
                                const Tensors& operands) const {
  if (meeting.instruction == &instruction) return {};
  const ir::Module& module = *program_.module;
  const auto first = std::ranges::find(meeting.arrived, true) - meeting.arrived.begin();
  const Tensors& before = meeting.operands[static_cast<std::size_t>(first)];
  const bool fits = std::ranges::equal(
      operands, before, [](const Tensor& a, const Tensor& b) { return a.type() == b.type(); });
  if (fits && module.attributes(instruction.op) == module.attributes(meeting.instruction->op)) {
    return {};
  }
  return tl::unexpected<Error>(
      Error{.message = std::string(module.name(instruction.op)) + " does not fit that of device " +
                       std::to_string(meeting.device(first)),
            .notes = {"the other one is at " + module.location_text(meeting.instruction->op)},
            .code = "E_COLLECTIVE_MISMATCH"});
}

Result<Arrival> Rendezvous::arrive(const Instruction& instruction, std::span<const int64_t> path,
                                   int64_t device, Tensors operands) {
  const Collective& collective = program_.collectives[instruction.index];
  const auto place = collective.groups.place_of(device);
  if (!place) {
    return fail_as("E_KERNEL", std::string(program_.module->name(instruction.op)) + ": device " +
                                   std::to_string(device) + " is in no group of the op");
  }
  const auto rank = static_cast<std::size_t>(place->rank);
  Table& table = tables_[table_of_[instruction.index]];
  std::shared_ptr<Meeting> meeting;
  {
    const std::scoped_lock lock(table.mutex);
    const Key key = key_of(table, collective.groups, path, device);
    const auto entry = table.meetings.try_emplace(key).first;
    if (entry->second == nullptr) {
      entry->second = new_meeting(instruction, collective, path, place->leader);
      entry->second->number = num_meetings_++;
    }
    meeting = entry->second;
    SHARDY_ASSERT(!meeting->arrived[rank]);
    SHARDY_TRY_STATUS(verify_match(*meeting, instruction, operands));
    meeting->operands[rank] = std::move(operands);
    meeting->arrived[rank] = true;
    if (--meeting->num_missing > 0) return Arrival{std::move(meeting), place->rank, false};
    table.meetings.erase(entry);
  }
  // All others wait: from here on the meeting is ours until they are told.
  meeting->outcome = collective.exchange(meeting->operands, place->leader);
  meeting->operands.clear();
  return Arrival{std::move(meeting), place->rank, true};
}

}  // namespace shardy::simulation

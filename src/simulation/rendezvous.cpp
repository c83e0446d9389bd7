#include "simulation/rendezvous.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "shardy/support/hash.hpp"
#include "simulation/divided_fold.hpp"
#include "simulation/remote_values.hpp"

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

std::shared_ptr<Meeting> new_meeting(const Collective& collective, std::span<const int64_t> path,
                                     int64_t leader, const RankPlace& place) {
  auto meeting = std::make_shared<Meeting>();
  meeting->devices = collective.groups.members(leader);
  meeting->path.assign(path.begin(), path.end());
  meeting->leader = leader;
  meeting->operands.resize(meeting->devices.size());
  meeting->arrived.resize(meeting->devices.size(), false);
  meeting->num_missing = std::ssize(meeting->devices);
  meeting->num_missing_here = std::ranges::count_if(
      meeting->devices, [&](int64_t device) { return place.devices.contains(device); });
  return meeting;
}

/// Of a run on several ranks: the same on all of them.
int64_t common_number(std::size_t table, std::span<const int64_t> key) {
  constexpr auto kPositive = static_cast<std::size_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(hash_combine(table, hash_range(key)) & kPositive);
}

tl::unexpected<Error> not_asked_for(const Incoming& incoming) {
  return fail_as("E_TRANSPORT", "rank " + std::to_string(incoming.header.sender) +
                                    " sent values that the program does not ask for");
}

}  // namespace

Rendezvous::Rendezvous(const Program& program, RankPlace place, Crew* crew)
    : program_(program),
      place_(place),
      crew_(crew),
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

/// Requires: the mutex of the table is held.
std::shared_ptr<Meeting> Rendezvous::meeting_of(Table& table, const Key& key,
                                                const Collective& collective,
                                                std::span<const int64_t> path, int64_t leader) {
  std::shared_ptr<Meeting>& meeting = table.meetings[key];
  if (meeting == nullptr) {
    meeting = new_meeting(collective, path, leader, place_);
    meeting->number = place_.link == nullptr
                          ? num_meetings_++
                          : common_number(static_cast<std::size_t>(&table - tables_.data()), key);
  }
  return meeting;
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
  std::vector<OutgoingValues> values;
  bool is_complete = false;
  Key key;
  {
    const std::scoped_lock lock(table.mutex);
    key = key_of(table, collective.groups, path, device);
    meeting = meeting_of(table, key, collective, path, place->leader);
    if (meeting->instruction == nullptr) meeting->instruction = &instruction;
    SHARDY_ASSERT(!meeting->arrived[rank]);
    SHARDY_TRY_STATUS(verify_match(*meeting, instruction, operands));
    meeting->operands[rank] = std::move(operands);
    meeting->arrived[rank] = true;
    is_complete = --meeting->num_missing == 0;
    if (--meeting->num_missing_here == 0 && place_.link != nullptr) {
      SHARDY_TRY(values, outgoing(collective, instruction.index, *meeting));
    }
    const bool folds = !meeting->divided || meeting->divided->folds(place_.link->rank());
    is_complete = is_complete && folds;  // else it waits for what others fold
    if (is_complete && !meeting->divided) table.meetings.erase(key);
  }
  send({instruction.index, meeting->leader, kOperandStage}, std::move(values));
  // All others wait: from here on the meeting is ours until they are told.
  if (is_complete) is_complete = finish(table, key, collective, *meeting);
  return Arrival{std::move(meeting), place->rank, is_complete};
}

Result<std::shared_ptr<Meeting>> Rendezvous::take(Incoming incoming) {
  const auto broken = [&] { return not_asked_for(incoming); };
  const int64_t index = incoming.header.collective;
  if (functions_differ_ || index < 0 || index >= std::ssize(program_.collectives) ||
      incoming.header.stage > kPartStage) {
    return broken();
  }
  const Collective& collective = program_.collectives[static_cast<std::size_t>(index)];
  const int64_t leader = incoming.header.leader;
  if (!collective.groups.has_leader(leader)) return broken();
  ByteReader reader(incoming.payload());
  Key key = reader.numbers();
  if (!reader.ok()) return broken();
  const std::vector<int64_t> path = key;
  key.push_back(leader);
  Table& table = tables_[static_cast<std::size_t>(index)];
  if (incoming.header.stage == kPartStage) return take_part(table, key, std::move(incoming));
  std::shared_ptr<Meeting> meeting;
  {
    const std::scoped_lock lock(table.mutex);
    meeting = meeting_of(table, key, collective, path, leader);
    if (meeting->divided && !meeting->divided->folds(place_.link->rank())) return broken();
    for (std::size_t rank = 0; rank < meeting->devices.size(); ++rank) {
      if (place_.owner(meeting->devices[rank]) != incoming.header.sender) continue;
      if (meeting->arrived[rank]) return broken();
      meeting->arrived[rank] = true;
      --meeting->num_missing;
    }
    meeting->from_other_ranks.push_back(std::move(incoming));
    if (meeting->num_missing > 0) return std::shared_ptr<Meeting>();
    if (!meeting->divided) table.meetings.erase(key);
  }
  if (!finish(table, key, collective, *meeting)) return std::shared_ptr<Meeting>();
  return meeting;
}

// ---- Divided folds -----------------------------------------------------------------------------

/// Requires: the mutex of the table is held, all members on this rank are there.
Result<std::vector<OutgoingValues>> Rendezvous::outgoing(const Collective& collective,
                                                         std::size_t index,
                                                         Meeting& meeting) const {
  meeting.divided = divided_fold(collective, index, meeting, place_);
  return meeting.divided ? operands_by_part(meeting, place_)
                         : values_for_others(collective, meeting, place_);
}

void Rendezvous::send(const PacketTopic& topic, std::vector<OutgoingValues> values) const {
  for (OutgoingValues& each : values) {
    place_.link->send(each.to, PacketKind::Values, topic, std::move(each.pieces));
  }
}

/// All members are there. False if parts of other ranks are still to come.
bool Rendezvous::finish(Table& table, const Key& key, const Collective& collective,
                        Meeting& meeting) {
  if (!meeting.divided) {
    complete(collective, meeting);
    return true;
  }
  SHARDY_ASSERT(meeting.divided->folds(place_.link->rank()));
  Result<Tensors> part = fold_own_part(collective, meeting, place_, crew_);
  meeting.from_other_ranks.clear();
  auto values = part ? part_for_others(meeting, place_, *part)
                     : Result<std::vector<OutgoingValues>>(tl::unexpected<Error>(part.error()));
  if (!values) {
    // The meeting stays in the table, as parts of others come.
    meeting.outcome = tl::unexpected<Error>(values.error());
    return true;
  }
  const auto index = static_cast<int64_t>(&collective - program_.collectives.data());
  send({index, meeting.leader, kPartStage}, *std::move(values));
  {
    const std::scoped_lock lock(table.mutex);
    meeting.divided->own_part = *std::move(part);
    if (--meeting.divided->num_missing > 0) return false;
    table.meetings.erase(key);
  }
  end_divided(meeting);
  return true;
}

/// What a rank has folded.
Result<std::shared_ptr<Meeting>> Rendezvous::take_part(Table& table, const Key& key,
                                                       Incoming incoming) {
  std::shared_ptr<Meeting> meeting;
  {
    const std::scoped_lock lock(table.mutex);
    const auto found = table.meetings.find(key);
    const int64_t sender = incoming.header.sender;
    std::optional<Incoming>* place = nullptr;
    if (found != table.meetings.end() && found->second->divided) {
      place = found->second->divided->packet_of(sender);
    }
    if (place == nullptr || place->has_value()) return not_asked_for(incoming);
    *place = std::move(incoming);
    meeting = found->second;
    if (--meeting->divided->num_missing > 0) return std::shared_ptr<Meeting>();
    table.meetings.erase(found);
  }
  end_divided(*meeting);
  return meeting;
}

/// Requires: all parts are there, and nobody else has the meeting.
void Rendezvous::end_divided(Meeting& meeting) const {
  meeting.outcome = put_together(meeting, place_);
  meeting.operands.clear();
  meeting.divided.reset();
}

bool DividedFold::folds(int64_t rank) const {
  return std::ranges::find(folders, rank) != folders.end();
}

std::optional<Incoming>* DividedFold::packet_of(int64_t rank) {
  const auto folder = std::ranges::find(folders, rank);
  return folder == folders.end() ? nullptr
                                 : &packets[static_cast<std::size_t>(folder - folders.begin())];
}

std::vector<int64_t> RankPlace::owners(std::span<const int64_t> some) const {
  std::vector<int64_t> ranks;
  for (const int64_t device : some) ranks.push_back(owner(device));
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<int64_t> awaited_ranks(const Meeting& meeting, const RankPlace& place) {
  std::vector<int64_t> missing;  // devices
  const bool needs_all = !meeting.divided || meeting.divided->folds(place.link->rank());
  for (std::size_t member = 0; needs_all && member < meeting.devices.size(); ++member) {
    if (!meeting.arrived[member]) missing.push_back(meeting.devices[member]);
  }
  if (!missing.empty() || !meeting.divided) return place.owners(missing);
  std::vector<int64_t> ranks;
  for (std::size_t part = 0; part < meeting.divided->folders.size(); ++part) {
    if (!meeting.divided->packets[part]) ranks.push_back(meeting.divided->folders[part]);
  }
  std::erase(ranks, place.link->rank());
  return ranks;
}

// ---- The end -----------------------------------------------------------------------------------

/// Requires: all members are there, and nobody else has the meeting.
void Rendezvous::complete(const Collective& collective, Meeting& meeting) const {
  std::vector<bool> here;
  if (place_.link != nullptr) {
    for (const int64_t device : meeting.devices) here.push_back(place_.devices.contains(device));
    if (const Status read = read_values_of_others(collective, meeting, place_); !read) {
      meeting.outcome = tl::unexpected<Error>(read.error());
      return;
    }
  }
  meeting.outcome = collective.exchange(
      {meeting.operands, meeting.leader, crew_, {here.empty() ? nullptr : &here}});
  meeting.operands.clear();
  meeting.from_other_ranks.clear();
}

}  // namespace shardy::simulation

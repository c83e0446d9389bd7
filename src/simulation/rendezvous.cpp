#include "simulation/rendezvous.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "shardy/support/detail/hash.hpp"

namespace shardy::simulation {
namespace {

bool starts_differ(const Program& program) {
  return std::ranges::adjacent_find(program.starts, std::ranges::not_equal_to()) !=
         program.starts.end();
}

/// Returns the table index of each communication op: its own index, or the index of the first op of
/// its kind and channel if devices run different functions.
std::vector<std::size_t> instance_tables(const Program& program, bool functions_differ) {
  std::vector<std::size_t> tables;
  for (std::size_t index = 0; index < program.collectives.size(); ++index) {
    const CollectiveKernel& collective = program.collectives[index];
    const auto first =
        std::ranges::find_if(program.collectives, [&](const CollectiveKernel& other) {
          return other.kind == collective.kind && other.channel == collective.channel;
        });
    tables.push_back(
        functions_differ ? static_cast<std::size_t>(first - program.collectives.begin()) : index);
  }
  return tables;
}

std::shared_ptr<CollectiveInstance> new_instance(const CollectiveKernel& collective,
                                                 std::span<const int64_t> path, int64_t leader,
                                                 const RankPlace& place) {
  auto instance = std::make_shared<CollectiveInstance>();
  instance->devices = collective.groups.members(leader);
  instance->path.assign(path.begin(), path.end());
  instance->leader = leader;
  instance->operands.resize(instance->devices.size());
  instance->arrived.resize(instance->devices.size(), false);
  instance->num_missing = std::ssize(instance->devices);
  instance->num_missing_here = std::ranges::count_if(
      instance->devices, [&](int64_t device) { return place.devices.contains(device); });
  return instance;
}

/// Returns an instance number that is equal on all ranks of a run.
int64_t common_number(std::size_t table, std::span<const int64_t> key) {
  constexpr auto kPositive = static_cast<std::size_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(hash_combine(table, hash_range(key)) & kPositive);
}

tl::unexpected<Error> not_asked_for(const Incoming& incoming) {
  return fail_as("E_TRANSPORT", "rank " + std::to_string(incoming.header.sender) +
                                    " sent values that the program does not receive");
}

}  // namespace

Rendezvous::Rendezvous(const Program& program, RankPlace place, ThreadPool* pool)
    : program_(program),
      place_(place),
      pool_(pool),
      functions_differ_(starts_differ(program)),
      table_of_(instance_tables(program, functions_differ_)),
      tables_(program.collectives.size()) {}

/// Returns the key of the device's instance. Requires: the device is in a group.
Rendezvous::InstanceKey Rendezvous::key_of(Table& table, const ReplicaGroups& groups,
                                           std::span<const int64_t> path, int64_t device) const {
  const int64_t leader = groups.place_of(device)->leader;
  if (!functions_differ_) {
    InstanceKey key(path.begin(), path.end());
    key.push_back(leader);
    return key;
  }
  InstanceKey key = groups.members(leader);
  InstanceKey own = key;
  own.push_back(device);
  key.push_back(table.num_arrivals[own]++);
  return key;
}

/// Checks that a device's operands fit the instance. They can differ only if devices run different
/// functions.
Status Rendezvous::verify_match(const CollectiveInstance& instance, const Instruction& instruction,
                                const Tensors& operands) const {
  if (instance.instruction == &instruction) return {};
  const ir::Module& module = *program_.module;
  const auto first = std::ranges::find(instance.arrived, true) - instance.arrived.begin();
  const Tensors& before = instance.operands[static_cast<std::size_t>(first)];
  const bool fits = std::ranges::equal(
      operands, before, [](const Tensor& a, const Tensor& b) { return a.type() == b.type(); });
  if (fits && module.attributes(instruction.op) == module.attributes(instance.instruction->op)) {
    return {};
  }
  return tl::unexpected<Error>(
      Error{.message = std::string(module.name(instruction.op)) + " does not fit that of device " +
                       std::to_string(instance.device(first)),
            .notes = {"the other one is at " + module.location_text(instance.instruction->op)},
            .code = "E_COLLECTIVE_MISMATCH"});
}

/// Returns the instance of the key and creates it if needed. Requires: the mutex of the table is
/// locked.
std::shared_ptr<CollectiveInstance> Rendezvous::instance_of(Table& table, const InstanceKey& key,
                                                            const CollectiveKernel& collective,
                                                            std::span<const int64_t> path,
                                                            int64_t leader) {
  std::shared_ptr<CollectiveInstance>& instance = table.instances[key];
  if (instance == nullptr) {
    instance = new_instance(collective, path, leader, place_);
    instance->number = place_.link == nullptr
                           ? num_instances_++
                           : common_number(static_cast<std::size_t>(&table - tables_.data()), key);
  }
  return instance;
}

Result<Arrival> Rendezvous::arrive(const Instruction& instruction, std::span<const int64_t> path,
                                   int64_t device, Tensors operands) {
  const CollectiveKernel& collective = program_.collectives[instruction.index];
  const auto place = collective.groups.place_of(device);
  if (!place) {
    return fail_as("E_KERNEL", std::string(program_.module->name(instruction.op)) + ": device " +
                                   std::to_string(device) + " is in no group of the op");
  }
  const auto rank = static_cast<std::size_t>(place->rank);
  Table& table = tables_[table_of_[instruction.index]];
  std::shared_ptr<CollectiveInstance> instance;
  std::vector<OutgoingValues> values;
  bool is_complete = false;
  InstanceKey key;
  {
    const std::scoped_lock lock(table.mutex);
    key = key_of(table, collective.groups, path, device);
    instance = instance_of(table, key, collective, path, place->leader);
    if (instance->instruction == nullptr) instance->instruction = &instruction;
    SHARDY_ASSERT(!instance->arrived[rank]);
    SHARDY_TRY_STATUS(verify_match(*instance, instruction, operands));
    instance->operands[rank] = std::move(operands);
    instance->arrived[rank] = true;
    is_complete = --instance->num_missing == 0;
    if (--instance->num_missing_here == 0 && place_.link != nullptr) {
      SHARDY_TRY(values, outgoing(collective, instruction.index, *instance));
    }
    const bool folds = !instance->divided || instance->divided->folds(place_.link->rank());
    is_complete = is_complete && folds;  // otherwise it waits for the parts of other ranks
    if (is_complete && !instance->divided) table.instances.erase(key);
  }
  send({instruction.index, instance->leader, kOperandStage}, std::move(values));
  // All other devices of the instance wait, so only this thread uses the instance until it notifies
  // them.
  if (is_complete) is_complete = finish(table, key, collective, *instance);
  return Arrival{std::move(instance), place->rank, is_complete};
}

Result<std::shared_ptr<CollectiveInstance>> Rendezvous::take(Incoming incoming) {
  const auto broken = [&] { return not_asked_for(incoming); };
  const int64_t index = incoming.header.collective;
  if (functions_differ_ || index < 0 || index >= std::ssize(program_.collectives) ||
      incoming.header.stage > kPartStage) {
    return broken();
  }
  const CollectiveKernel& collective = program_.collectives[static_cast<std::size_t>(index)];
  const int64_t leader = incoming.header.leader;
  if (!collective.groups.has_leader(leader)) return broken();
  ByteReader reader(incoming.payload());
  InstanceKey key = reader.numbers();
  if (!reader.ok()) return broken();
  const std::vector<int64_t> path = key;
  key.push_back(leader);
  Table& table = tables_[static_cast<std::size_t>(index)];
  if (incoming.header.stage == kPartStage) return take_part(table, key, std::move(incoming));
  std::shared_ptr<CollectiveInstance> instance;
  {
    const std::scoped_lock lock(table.mutex);
    instance = instance_of(table, key, collective, path, leader);
    if (instance->divided && !instance->divided->folds(place_.link->rank())) return broken();
    for (std::size_t rank = 0; rank < instance->devices.size(); ++rank) {
      if (place_.owner(instance->devices[rank]) != incoming.header.sender) continue;
      if (instance->arrived[rank]) return broken();
      instance->arrived[rank] = true;
      --instance->num_missing;
    }
    instance->from_other_ranks.push_back(std::move(incoming));
    if (instance->num_missing > 0) return std::shared_ptr<CollectiveInstance>();
    if (!instance->divided) table.instances.erase(key);
  }
  if (!finish(table, key, collective, *instance)) return std::shared_ptr<CollectiveInstance>();
  return instance;
}

// ---- Divided folds -----------------------------------------------------------------------------

/// Returns the payloads to be sent for an instance. Requires: the mutex of the table is locked, and
/// all members on this rank have arrived.
Result<std::vector<OutgoingValues>> Rendezvous::outgoing(const CollectiveKernel& collective,
                                                         std::size_t index,
                                                         CollectiveInstance& instance) const {
  instance.divided = divided_fold(collective, index, instance, place_);
  return instance.divided ? operands_by_part(instance, place_)
                          : values_for_others(collective, instance, place_);
}

void Rendezvous::send(const PacketTopic& topic, std::vector<OutgoingValues> values) const {
  for (OutgoingValues& each : values) {
    place_.link->send(each.to, PacketKind::Values, topic, std::move(each.pieces));
  }
}

/// Completes an instance whose members have all arrived. Returns false if parts of other ranks are
/// missing.
bool Rendezvous::finish(Table& table, const InstanceKey& key, const CollectiveKernel& collective,
                        CollectiveInstance& instance) {
  if (!instance.divided) {
    complete(collective, instance);
    return true;
  }
  SHARDY_ASSERT(instance.divided->folds(place_.link->rank()));
  Result<Tensors> part = fold_own_part(collective, instance, place_, pool_);
  instance.from_other_ranks.clear();
  auto values = part ? part_for_others(instance, place_, *part)
                     : Result<std::vector<OutgoingValues>>(tl::unexpected<Error>(part.error()));
  if (!values) {
    // The instance stays in the table until the parts of other ranks arrive.
    instance.outcome = tl::unexpected<Error>(values.error());
    return true;
  }
  const auto index = static_cast<int64_t>(&collective - program_.collectives.data());
  send({index, instance.leader, kPartStage}, *std::move(values));
  {
    const std::scoped_lock lock(table.mutex);
    instance.divided->own_part = *std::move(part);
    if (--instance.divided->num_missing > 0) return false;
    table.instances.erase(key);
  }
  end_divided(instance);
  return true;
}

/// Takes the folded part of another rank.
Result<std::shared_ptr<CollectiveInstance>> Rendezvous::take_part(Table& table,
                                                                  const InstanceKey& key,
                                                                  Incoming incoming) {
  std::shared_ptr<CollectiveInstance> instance;
  {
    const std::scoped_lock lock(table.mutex);
    const auto found = table.instances.find(key);
    const int64_t sender = incoming.header.sender;
    std::optional<Incoming>* place = nullptr;
    if (found != table.instances.end() && found->second->divided) {
      place = found->second->divided->packet_of(sender);
    }
    if (place == nullptr || place->has_value()) return not_asked_for(incoming);
    *place = std::move(incoming);
    instance = found->second;
    if (--instance->divided->num_missing > 0) return std::shared_ptr<CollectiveInstance>();
    table.instances.erase(found);
  }
  end_divided(*instance);
  return instance;
}

/// Joins the parts. Requires: all parts have arrived, and no other thread uses the instance.
void Rendezvous::end_divided(CollectiveInstance& instance) const {
  instance.outcome = put_together(instance, place_);
  instance.operands.clear();
  instance.divided.reset();
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

std::vector<int64_t> awaited_ranks(const CollectiveInstance& instance, const RankPlace& place) {
  std::vector<int64_t> missing;  // devices that have not arrived
  const bool needs_all = !instance.divided || instance.divided->folds(place.link->rank());
  for (std::size_t member = 0; needs_all && member < instance.devices.size(); ++member) {
    if (!instance.arrived[member]) missing.push_back(instance.devices[member]);
  }
  if (!missing.empty() || !instance.divided) return place.owners(missing);
  std::vector<int64_t> ranks;
  for (std::size_t part = 0; part < instance.divided->folders.size(); ++part) {
    if (!instance.divided->packets[part]) ranks.push_back(instance.divided->folders[part]);
  }
  std::erase(ranks, place.link->rank());
  return ranks;
}

// ---- The end -----------------------------------------------------------------------------------

/// Computes the outcome. Requires: all members have arrived, and no other thread uses the instance.
void Rendezvous::complete(const CollectiveKernel& collective, CollectiveInstance& instance) const {
  std::vector<bool> here;
  if (place_.link != nullptr) {
    for (const int64_t device : instance.devices) here.push_back(place_.devices.contains(device));
    if (const Status read = read_values_of_others(collective, instance, place_); !read) {
      instance.outcome = tl::unexpected<Error>(read.error());
      return;
    }
  }
  instance.outcome = collective.exchange(
      {instance.operands, instance.leader, pool_, {here.empty() ? nullptr : &here}});
  instance.operands.clear();
  instance.from_other_ranks.clear();
}

}  // namespace shardy::simulation

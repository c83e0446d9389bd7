#include "simulation/rank_failure.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "simulation/rank_link.hpp"

namespace shardy::simulation {
namespace {

constexpr std::size_t kMaxListed = 8;

/// Returns a text such as "device 3" or "devices 0, 2 and 14 more".
std::string devices_text(const std::vector<int64_t>& devices) {
  std::string text = devices.size() == 1 ? "device " : "devices ";
  const std::size_t shown = std::min(devices.size(), kMaxListed);
  for (std::size_t index = 0; index < shown; ++index) {
    text += (index == 0 ? "" : ", ") + std::to_string(devices[index]);
  }
  if (shown < devices.size()) text += " and " + std::to_string(devices.size() - shown) + " more";
  return text;
}

class FailureExplanation {
 public:
  FailureExplanation(const Program& program, std::span<const DeviceState> states)
      : module_(*program.module), states_(states) {}

  Error error() const {
    for (const CollectiveInstance* instance : instances()) {
      for (const int64_t device : missing(*instance)) {
        if (is_elsewhere_in_group(*instance, device)) return divergence(*instance);
      }
    }
    return deadlock(*instances().front());
  }

 private:
  const DeviceState& state(int64_t device) const {
    return states_[static_cast<std::size_t>(device)];
  }

  /// Returns the incomplete collective instances, ordered by their smallest waiting device.
  std::vector<const CollectiveInstance*> instances() const {
    std::vector<const CollectiveInstance*> found;
    for (const DeviceState& each : states_) {
      if (each.instance != nullptr && std::ranges::find(found, each.instance) == found.end()) {
        found.push_back(each.instance);
      }
    }
    return found;
  }

  static std::vector<int64_t> select(const CollectiveInstance& instance, bool arrived) {
    std::vector<int64_t> devices;
    for (std::size_t rank = 0; rank < instance.arrived.size(); ++rank) {
      if (instance.arrived[rank] == arrived) {
        devices.push_back(instance.device(static_cast<int64_t>(rank)));
      }
    }
    std::ranges::sort(devices);
    return devices;
  }
  static std::vector<int64_t> missing(const CollectiveInstance& instance) {
    return select(instance, false);
  }
  static std::vector<int64_t> members(const CollectiveInstance& instance) {
    std::vector<int64_t> devices = select(instance, false);
    const std::vector<int64_t> arrived = select(instance, true);
    devices.insert(devices.end(), arrived.begin(), arrived.end());
    std::ranges::sort(devices);
    return devices;
  }

  /// Checks whether a device has finished, or waits at another instance whose group has the same
  /// devices.
  bool is_elsewhere_in_group(const CollectiveInstance& instance, int64_t device) const {
    const CollectiveInstance* other = state(device).instance;
    return other == nullptr || members(*other) == members(instance);
  }

  std::string place_text(const CollectiveInstance& instance) const {
    const ir::OpId op = instance.instruction->op;
    std::string text = std::string(module_.name(op));
    if (!module_.location_text(op).empty()) text += " (" + module_.location_text(op) + ")";
    for (std::size_t index = 0; index < instance.path.size(); ++index) {
      text += (index == 0 ? ", path " : " ") + std::to_string(instance.path[index]);
    }
    return text;
  }

  std::string waiting_text(const CollectiveInstance& instance) const {
    const std::vector<int64_t> devices = select(instance, true);
    return devices_text(devices) + (devices.size() == 1 ? " waits at " : " wait at ") +
           place_text(instance);
  }

  /// Returns the positions of the missing members, one note per position.
  std::vector<std::string> missing_notes(const CollectiveInstance& instance) const {
    std::vector<std::pair<std::string, std::vector<int64_t>>> places;
    for (const int64_t device : missing(instance)) {
      const CollectiveInstance* other = state(device).instance;
      std::string place = other == nullptr ? "finished" : place_text(*other);
      const auto found =
          std::ranges::find_if(places, [&](const auto& entry) { return entry.first == place; });
      if (found == places.end()) {
        places.emplace_back(std::move(place), std::vector{device});
      } else {
        found->second.push_back(device);
      }
    }
    std::vector<std::string> notes;
    for (const auto& [place, devices] : places) {
      const bool one = devices.size() == 1;
      const std::string verb =
          place == "finished" ? (one ? " is " : " are ") : (one ? " waits at " : " wait at ");
      notes.push_back(devices_text(devices).append(verb).append(place));
    }
    if (notes.size() > kMaxListed) notes.resize(kMaxListed);
    return notes;
  }

  Error error_at(const CollectiveInstance& instance, std::string_view code,
                 std::string message) const {
    return {.message = std::move(message),
            .location = module_.source_location(instance.instruction->op),
            .code = code};
  }

  Error divergence(const CollectiveInstance& instance) const {
    Error error =
        error_at(instance, "E_DIVERGENT",
                 std::string(module_.name(instance.instruction->op)) + " is never reached by " +
                     devices_text(missing(instance)) + " of its group");
    error.notes.push_back(waiting_text(instance));
    for (std::string& note : missing_notes(instance)) error.notes.push_back(std::move(note));
    return error;
  }

  /// Follows the chain of waiting devices until it reaches a device for the second time.
  Error deadlock(const CollectiveInstance& first) const {
    std::vector<const CollectiveInstance*> chain = {&first};
    while (true) {
      const CollectiveInstance* next = state(missing(*chain.back()).front()).instance;
      const auto again = std::ranges::find(chain, next);
      if (again != chain.end()) {
        chain.erase(chain.begin(), again);
        break;
      }
      chain.push_back(next);
    }
    Error error = error_at(*chain.front(), "E_DEADLOCK", "communication ops wait for each other");
    for (const CollectiveInstance* instance : chain) {
      error.notes.push_back(waiting_text(*instance) + " for " + devices_text(missing(*instance)));
    }
    if (error.notes.size() > kMaxListed) error.notes.resize(kMaxListed);
    return error;
  }

  const ir::Module& module_;
  std::span<const DeviceState> states_;
};

std::vector<std::byte> handshake_of(const RankOptions& options, uint64_t program) {
  ByteWriter handshake;
  handshake.number(options.num_devices);
  handshake.number(std::ssize(options.agreements) + 2);
  for (const Agreement& each : options.agreements) {
    handshake.text(each.what).number(static_cast<int64_t>(each.hash));
  }
  handshake.text("the ops of the program").number(static_cast<int64_t>(program));
  handshake.text("the size from which all_reduces are divided").number(options.min_divided_bytes);
  return {handshake.bytes().begin(), handshake.bytes().end()};
}

struct Handshake {
  int64_t num_devices = 0;
  std::vector<std::pair<std::string, int64_t>> items;
  friend bool operator==(const Handshake&, const Handshake&) = default;
};

std::optional<Handshake> read_handshake(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Handshake handshake;
  handshake.num_devices = reader.number();
  for (int64_t rest = reader.count(); rest > 0 && reader.ok(); --rest) {
    std::string what = reader.text();
    handshake.items.emplace_back(std::move(what), reader.number());
  }
  if (!reader.ok()) return std::nullopt;
  return handshake;
}

/// Returns the entries of `second` that differ from `first`, as text.
std::string difference_of(const Handshake& first, const Handshake& second) {
  for (std::size_t index = 0; index < first.items.size(); ++index) {
    if (index >= second.items.size() || second.items[index] != first.items[index]) {
      return first.items[index].first;
    }
  }
  return first.num_devices != second.num_devices ? "the number of devices"
                                                 : "the number of agreements";
}

using DeviceStatus = PackedDeviceState::DeviceStatus;

void write_counts(ByteWriter& out, const ValueCounts& counts) {
  out.number(counts.sent).number(counts.taken);
}

ValueCounts read_counts(ByteReader& in) {
  const int64_t sent = in.number();
  return {sent, in.number()};
}

void write_standing(ByteWriter& out, const PackedDeviceState& state) {
  out.number(state.device).number(static_cast<int64_t>(state.state));
  out.error(state.error).number(state.op.value).number(state.collective);
  out.number(state.leader).numbers(state.path);
}

PackedDeviceState read_standing(ByteReader& in) {
  PackedDeviceState state;
  state.device = in.number();
  state.state = static_cast<DeviceStatus>(in.number());
  state.error = in.error();
  state.op = ir::OpId(static_cast<uint32_t>(in.number()));
  state.collective = in.number();
  state.leader = in.number();
  state.path = in.numbers();
  return state;
}

/// Checks that data of another rank fits the program. Such data is untrusted and used as an index.
bool fits(const Program& program, const PackedDeviceState& state) {
  if (state.state != DeviceStatus::Waiting) return true;
  const auto index = static_cast<std::size_t>(state.collective);
  return state.collective >= 0 && index < program.collectives.size() &&
         state.op.value < program.module->num_ops() &&
         program.collectives[index].groups.has_leader(state.leader);
}

}  // namespace

Error explain_deadlock(const Program& program, std::span<const DeviceState> states) {
  return FailureExplanation(program, states).error();
}

Status RankLink::compare_handshakes(std::span<const std::vector<std::byte>> handshakes) const {
  const std::optional<Handshake> first = read_handshake(handshakes[0]);
  std::vector<int64_t> others;
  std::string what;
  for (std::size_t rank = 1; rank < handshakes.size(); ++rank) {
    const std::optional<Handshake> handshake = read_handshake(handshakes[rank]);
    if (!handshake || !first) {
      return fail_as("E_TRANSPORT", "the handshake of a rank cannot be read");
    }
    if (*handshake == *first) continue;
    const std::string differs = difference_of(*first, *handshake);
    if (others.empty()) what = differs;
    if (differs == what) others.push_back(static_cast<int64_t>(rank));
  }
  if (others.empty()) return {};
  return tl::unexpected(Error{.message = ranks_text(others) +
                                         (others.size() == 1 ? " differs" : " differ") +
                                         " from rank 0 in " + what,
                              .notes = {"all ranks must be given the same files and options"},
                              .code = "E_RANKS_DIFFER"});
}

Result<std::vector<std::vector<std::byte>>> RankLink::collect_handshakes(
    std::span<const std::byte> own) {
  std::vector<std::vector<std::byte>> handshakes(static_cast<std::size_t>(ranks_));
  handshakes[0].assign(own.begin(), own.end());
  int64_t missing = ranks_ - 1;
  const Clock::time_point begin = Clock::now();
  while (missing > 0) {
    const std::optional<Incoming> incoming = receive();
    if (failed()) return tl::unexpected(status().error());
    if (incoming && incoming->header.kind == PacketKind::Handshake) {
      const auto payload = incoming->payload();
      handshakes[static_cast<std::size_t>(incoming->header.sender)].assign(payload.begin(),
                                                                           payload.end());
      --missing;
    } else if (options_.run.cancel.stop_requested()) {
      give_up({.message = "the run was cancelled", .code = "E_CANCELLED"});
    } else if (Clock::now() - begin > options_.start_patience) {
      std::vector<int64_t> silent;
      for (int64_t rank = 1; rank < ranks_; ++rank) {
        if (handshakes[static_cast<std::size_t>(rank)].empty()) silent.push_back(rank);
      }
      give_up({.message = ranks_text(silent) + (silent.size() == 1 ? " has" : " have") +
                          " not begun the run within " + seconds_text(options_.start_patience),
               .code = "E_RANK_LOST"});
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return handshakes;
}

/// Notifies the other ranks that all have the same program.
Status RankLink::release_ranks() {
  for (int64_t to = 1; to < ranks_; ++to) send(to, PacketKind::Agreed);
  return status();
}

Status RankLink::wait_for_agreement() {
  const Clock::time_point begin = Clock::now();
  std::vector<Incoming> early;
  // Waits twice as long as rank 0, which can name the missing ranks.
  while (true) {
    std::optional<Incoming> incoming = receive();
    if (failed()) return tl::unexpected(status().error());
    if (incoming && incoming->header.kind == PacketKind::Agreed) break;
    if (incoming) {
      early.push_back(*std::move(incoming));
    } else if (options_.run.cancel.stop_requested()) {
      give_up({.message = "the run was cancelled", .code = "E_CANCELLED"});
    } else if (Clock::now() - begin > 2 * options_.start_patience) {
      give_up({.message = "rank 0 has not begun the run within " +
                          seconds_text(2 * options_.start_patience),
               .code = "E_RANK_LOST"});
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  const std::scoped_lock lock(mutex_);
  incoming_.insert(incoming_.begin(), std::make_move_iterator(early.begin()),
                   std::make_move_iterator(early.end()));
  return {};
}

Status RankLink::agree() {
  const std::vector<std::byte> handshake = handshake_of(options_, program_);
  if (rank_ == 0) {
    SHARDY_TRY(const auto handshakes, collect_handshakes(handshake));
    if (Status same = compare_handshakes(handshakes); !same) {
      give_up(std::move(same).error());
      return tl::unexpected(status().error());
    }
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Handshake, handshake);
    SHARDY_TRY_STATUS(wait_for_agreement());
  }
  const std::scoped_lock lock(mutex_);
  agreed_ = true;
  last_beat_ = Clock::now();
  for (Peer& each : peers_) each.heard = last_beat_;
  return {};
}

Result<std::vector<std::vector<std::byte>>> RankLink::gather(std::span<const std::byte> own) {
  std::vector<std::vector<std::byte>> all;
  if (rank_ == 0) {
    SHARDY_TRY(all, collect_handshakes(own));
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Handshake, own);
    SHARDY_TRY_STATUS(wait_for_agreement());
  }
  close();
  return all;
}

Result<std::vector<std::vector<std::byte>>> gather_on_rank_0(Transport& transport,
                                                             std::span<const std::byte> own,
                                                             const RankOptions& options) {
  // Starts with one byte, so that an empty message differs from no message.
  std::vector<std::byte> bytes = {std::byte{1}};
  bytes.insert(bytes.end(), own.begin(), own.end());
  SHARDY_TRY(auto all, RankLink(transport, options, 0).gather(bytes));
  for (std::vector<std::byte>& each : all) {
    if (!each.empty()) each.erase(each.begin());
  }
  return all;
}

RankFailure::RankFailure(const Program& program, RankLink& link, int64_t num_devices,
                         DeviceStates states)
    : program_(program),
      link_(link),
      num_devices_(num_devices),
      states_(std::move(states)),
      idle_(static_cast<std::size_t>(link.ranks())),
      idle_round_(static_cast<std::size_t>(link.ranks())),
      answers_(static_cast<std::size_t>(link.ranks())) {}

// ---- On every rank ------------------------------------------------------------------------------

void RankFailure::idle(const ValueCounts& counts) {
  if (is_over_ || reported_ == counts) return;
  reported_ = counts;
  if (link_.rank() == 0) return note(0, answered_, counts);
  ByteWriter out;
  out.number(answered_);
  write_counts(out, counts);
  link_.send(0, PacketKind::Idle, out.bytes());
}

void RankFailure::take(const Incoming& incoming, bool idle, const ValueCounts& counts) {
  if (is_over_) return;
  const int64_t sender = incoming.header.sender;
  ByteReader in(incoming.payload());
  switch (incoming.header.kind) {
    case PacketKind::Idle: {
      const int64_t round = in.number();
      if (link_.rank() == 0) note(sender, round, read_counts(in));
      return;
    }
    case PacketKind::Probe: {
      if (!idle) reported_.reset();  // the rank will report idle again
      answered_ = in.number();
      return answer(sender, idle, counts);
    }
    case PacketKind::DeviceState: {
      if (!take_answer(sender, in)) return;
      if (all_answered()) conclude(idle, counts);
      return;
    }
    case PacketKind::Verdict: {
      const bool is_good = in.number() != 0;
      Error error = in.error();
      return end(is_good ? Status() : Status(tl::unexpected<Error>(std::move(error))));
    }
    default:
      return;
  }
}

/// Answers a probe of rank 0.
void RankFailure::answer(int64_t asker, bool idle, const ValueCounts& counts) {
  ByteWriter out;
  out.number(answered_);
  const auto states = idle ? states_() : std::vector<PackedDeviceState>();
  out.number(idle ? 1 : 0);
  write_counts(out, counts);
  out.number(std::ssize(states));
  for (const PackedDeviceState& each : states) write_standing(out, each);
  link_.send(asker, PacketKind::DeviceState, out.bytes());
}

void RankFailure::end(Status outcome) {
  outcome_ = std::move(outcome);
  is_over_ = true;
  link_.close();
}

// ---- On rank 0 ----------------------------------------------------------------------------------

/// Returns false if the packet does not answer the current probe.
bool RankFailure::take_answer(int64_t sender, ByteReader& in) {
  const int64_t round = in.number();
  RankAnswer from;
  from.idle = in.number() != 0;
  from.counts = read_counts(in);
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    from.states.push_back(read_standing(in));
  }
  const bool is_good = in.ok() && std::ranges::all_of(from.states, [&](const auto& each) {
                         return fits(program_, each);
                       });
  if (link_.rank() != 0 || !is_good || !is_asking_ || round != round_) return false;
  answers_[static_cast<std::size_t>(sender)] = std::move(from);
  return true;
}

/// Records the counts of a report. Counts never decrease, so a report with smaller counts was
/// overtaken and is ignored.
void RankFailure::note_counts(std::size_t rank, int64_t round, const ValueCounts& counts) {
  std::optional<ValueCounts>& known = idle_[rank];
  if (known && counts.sent + counts.taken < known->sent + known->taken) return;
  known = counts;
  idle_round_[rank] = std::max(idle_round_[rank], round);
}

void RankFailure::note(int64_t rank, int64_t round, const ValueCounts& counts) {
  note_counts(static_cast<std::size_t>(rank), round, counts);
  if (!is_asking_) probe();
}

/// Probes all ranks if all of them were idle in their last reports and no packet was in flight.
void RankFailure::probe() {
  int64_t under_way = 0;
  for (const auto& counts : idle_) {
    if (!counts) return;
    under_way += counts->sent - counts->taken;
  }
  if (under_way != 0) return;
  is_asking_ = true;
  asked_ = idle_;
  std::ranges::fill(answers_, std::nullopt);
  ByteWriter out;
  out.number(++round_);
  for (int64_t rank = 1; rank < link_.ranks(); ++rank) {
    link_.send(rank, PacketKind::Probe, out.bytes());
  }
  if (link_.ranks() == 1) conclude(true, *idle_[0]);
}

bool RankFailure::all_answered() const {
  return std::all_of(answers_.begin() + 1, answers_.end(),
                     [](const auto& answer) { return answer.has_value(); });
}

/// Evaluates the answers to a probe. Requires: all ranks have answered. `is_idle` and `counts`
/// belong to rank 0.
void RankFailure::conclude(bool is_idle, const ValueCounts& counts) {
  is_asking_ = false;
  answers_[0] = RankAnswer{is_idle, counts, {}};
  answered_ = round_;
  if (!is_idle) reported_.reset();
  bool is_still = true;
  for (std::size_t rank = 0; rank < answers_.size(); ++rank) {
    const RankAnswer& each = *answers_[rank];
    // A rank that was idle with other counts has continued since its report.
    is_still = is_still && each.idle && each.counts == asked_[rank];
    if (each.idle) {
      note_counts(rank, round_, each.counts);
    } else if (idle_round_[rank] < round_) {
      // The rank will report when it is idle again. If it already has, the report overtook its
      // answer, and idle_round_ is not less than round_.
      idle_[rank].reset();
    }
  }
  if (!is_still) return probe();
  std::vector<PackedDeviceState> all = states_();
  for (std::size_t rank = 1; rank < answers_.size(); ++rank) {
    auto& more = answers_[rank]->states;
    all.insert(all.end(), more.begin(), more.end());
  }
  Status outcome = judge(all);
  ByteWriter out;
  out.number(outcome ? 1 : 0).error(outcome ? Error() : outcome.error());
  for (int64_t rank = 1; rank < link_.ranks(); ++rank) {
    link_.send(rank, PacketKind::Verdict, out.bytes());
  }
  end(std::move(outcome));
}

Status RankFailure::judge(const std::vector<PackedDeviceState>& states) const {
  const auto is_in = [](DeviceStatus state) {
    return [state](const PackedDeviceState& each) { return each.state == state; };
  };
  const auto num_failed = std::ranges::count_if(states, is_in(DeviceStatus::Failed));
  if (num_failed > 0) {
    Error error = std::ranges::find_if(states, is_in(DeviceStatus::Failed))->error;
    if (num_failed > 1) {
      error.notes.push_back(std::to_string(num_failed - 1) + " more devices failed");
    }
    return tl::unexpected<Error>(std::move(error));
  }
  if (std::ranges::all_of(states, is_in(DeviceStatus::Finished))) return {};
  return tl::unexpected<Error>(deadlock(states));
}

/// Builds the error of a deadlock from the collective instances in the reports of all ranks.
Error RankFailure::deadlock(const std::vector<PackedDeviceState>& states) const {
  struct WaitingInstance {
    Instruction instruction;
    CollectiveInstance instance;
  };
  std::map<std::vector<int64_t>, std::unique_ptr<WaitingInstance>> places;
  std::vector<DeviceState> all(static_cast<std::size_t>(num_devices_));
  for (const PackedDeviceState& each : states) {
    if (each.state != DeviceStatus::Waiting) continue;
    std::vector<int64_t> key = each.path;
    key.push_back(each.leader);
    key.push_back(each.collective);
    std::unique_ptr<WaitingInstance>& place = places[key];
    if (place == nullptr) {
      place = std::make_unique<WaitingInstance>();
      place->instruction.op = each.op;
      CollectiveInstance& instance = place->instance;
      instance.instruction = &place->instruction;
      instance.devices =
          program_.collectives[static_cast<std::size_t>(each.collective)].groups.members(
              each.leader);
      instance.arrived.resize(instance.devices.size(), false);
      instance.path = each.path;
      instance.leader = each.leader;
    }
    CollectiveInstance& instance = place->instance;
    const auto member = std::ranges::find(instance.devices, each.device) - instance.devices.begin();
    if (member < std::ssize(instance.devices))
      instance.arrived[static_cast<std::size_t>(member)] = true;
    if (each.device >= 0 && each.device < num_devices_) {
      all[static_cast<std::size_t>(each.device)].instance = &instance;
    }
  }
  const bool makes_sense = std::ranges::all_of(places, [](const auto& entry) {
    return std::ranges::count(entry.second->instance.arrived, false) > 0;
  });
  if (makes_sense) return explain_deadlock(program_, all);
  return {.message = "devices wait for values that have arrived", .code = "E_TRANSPORT"};
}

}  // namespace shardy::simulation

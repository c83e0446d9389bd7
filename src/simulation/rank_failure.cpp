#include "simulation/rank_failure.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "simulation/deadlock.hpp"

namespace shardy::simulation {
namespace {

using State = PackedDeviceState::State;

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
  state.state = static_cast<State>(in.number());
  state.error = in.error();
  state.op = ir::OpId(static_cast<uint32_t>(in.number()));
  state.collective = in.number();
  state.leader = in.number();
  state.path = in.numbers();
  return state;
}

/// Data of another rank is untrusted: it must fit the program before it is used as an index.
bool fits(const Program& program, const PackedDeviceState& state) {
  if (state.state != State::Waiting) return true;
  const auto index = static_cast<std::size_t>(state.collective);
  return state.collective >= 0 && index < program.collectives.size() &&
         state.op.value < program.module->num_ops() &&
         program.collectives[index].groups.has_leader(state.leader);
}

}  // namespace

RankFailure::RankFailure(const Program& program, RankLink& link, int64_t num_devices,
                         DeviceStates states)
    : program_(program),
      link_(link),
      num_devices_(num_devices),
      states_(std::move(states)),
      idle_(static_cast<std::size_t>(link.ranks())),
      idle_round_(static_cast<std::size_t>(link.ranks())),
      answers_(static_cast<std::size_t>(link.ranks())) {}

// ---- Of every rank -----------------------------------------------------------------------------

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
      if (!idle) reported_.reset();  // it will say so again
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

/// To the question of rank 0.
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

// ---- Of rank 0 ---------------------------------------------------------------------------------

/// Returns false if the packet does not answer the last question.
bool RankFailure::take_answer(int64_t sender, ByteReader& in) {
  const int64_t round = in.number();
  Answer from;
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

/// Counts only grow: what says less was overtaken by what says more.
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

/// Asks all if all were idle when they last said something, and nothing was under way.
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

/// Requires: all have answered. `is_idle` and `counts` are those of rank 0 itself.
void RankFailure::conclude(bool is_idle, const ValueCounts& counts) {
  is_asking_ = false;
  answers_[0] = Answer{is_idle, counts, {}};
  answered_ = round_;
  if (!is_idle) reported_.reset();
  bool is_still = true;
  for (std::size_t rank = 0; rank < answers_.size(); ++rank) {
    const Answer& each = *answers_[rank];
    // Answers that were sent during the question do not count as earlier ones.
    is_still = is_still && each.idle && each.counts == asked_[rank];
    if (each.idle) {
      note_counts(rank, round_, each.counts);
    } else if (idle_round_[rank] < round_) {
      // It will say when it is idle again; where it has, that has overtaken its answer.
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
  const auto is_in = [](State state) {
    return [state](const PackedDeviceState& each) { return each.state == state; };
  };
  const auto num_failed = std::ranges::count_if(states, is_in(State::Failed));
  if (num_failed > 0) {
    Error error = std::ranges::find_if(states, is_in(State::Failed))->error;
    if (num_failed > 1) {
      error.notes.push_back(std::to_string(num_failed - 1) + " more devices failed");
    }
    return tl::unexpected<Error>(std::move(error));
  }
  if (std::ranges::all_of(states, is_in(State::Finished))) return {};
  return tl::unexpected<Error>(deadlock(states));
}

/// CollectiveInstances as one rank would have them, of what all ranks say.
Error RankFailure::deadlock(const std::vector<PackedDeviceState>& states) const {
  struct Place {
    Instruction instruction;
    CollectiveInstance instance;
  };
  std::map<std::vector<int64_t>, std::unique_ptr<Place>> places;
  std::vector<DeviceState> all(static_cast<std::size_t>(num_devices_));
  for (const PackedDeviceState& each : states) {
    if (each.state != State::Waiting) continue;
    std::vector<int64_t> key = each.path;
    key.push_back(each.leader);
    key.push_back(each.collective);
    std::unique_ptr<Place>& place = places[key];
    if (place == nullptr) {
      place = std::make_unique<Place>();
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
  return {.message = "devices wait for values that have come", .code = "E_TRANSPORT"};
}

}  // namespace shardy::simulation

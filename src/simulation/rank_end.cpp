#include "simulation/rank_end.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "simulation/standstill.hpp"

namespace shardy::simulation {
namespace {

using State = DeviceStanding::State;

void write_counts(ByteWriter& out, const ValueCounts& counts) {
  out.number(counts.sent).number(counts.taken);
}

ValueCounts read_counts(ByteReader& in) {
  const int64_t sent = in.number();
  return {sent, in.number()};
}

void write_standing(ByteWriter& out, const DeviceStanding& standing) {
  out.number(standing.device).number(static_cast<int64_t>(standing.state));
  out.error(standing.error).number(standing.op.value).number(standing.collective);
  out.number(standing.leader).numbers(standing.path);
}

DeviceStanding read_standing(ByteReader& in) {
  DeviceStanding standing;
  standing.device = in.number();
  standing.state = static_cast<State>(in.number());
  standing.error = in.error();
  standing.op = ir::OpId(static_cast<uint32_t>(in.number()));
  standing.collective = in.number();
  standing.leader = in.number();
  standing.path = in.numbers();
  return standing;
}

/// What another rank says may be anything: it must fit the program before it is looked up.
bool fits(const Program& program, const DeviceStanding& standing) {
  if (standing.state != State::Waiting) return true;
  const auto index = static_cast<std::size_t>(standing.collective);
  return standing.collective >= 0 && index < program.collectives.size() &&
         standing.op.value < program.module->num_ops() &&
         program.collectives[index].groups.has_leader(standing.leader);
}

}  // namespace

RankEnd::RankEnd(const Program& program, RankLink& link, int64_t num_devices, Standings standings)
    : program_(program),
      link_(link),
      num_devices_(num_devices),
      standings_(std::move(standings)),
      idle_(static_cast<std::size_t>(link.ranks())),
      idle_round_(static_cast<std::size_t>(link.ranks())),
      answers_(static_cast<std::size_t>(link.ranks())) {}

// ---- Of every rank -----------------------------------------------------------------------------

void RankEnd::idle(const ValueCounts& counts) {
  if (is_over_ || reported_ == counts) return;
  reported_ = counts;
  if (link_.rank() == 0) return note(0, answered_, counts);
  ByteWriter out;
  out.number(answered_);
  write_counts(out, counts);
  link_.send(0, PacketKind::Idle, out.bytes());
}

void RankEnd::take(const Incoming& incoming, bool idle, const ValueCounts& counts) {
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
    case PacketKind::Standing: {
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
void RankEnd::answer(int64_t asker, bool idle, const ValueCounts& counts) {
  ByteWriter out;
  out.number(answered_);
  const auto standings = idle ? standings_() : std::vector<DeviceStanding>();
  out.number(idle ? 1 : 0);
  write_counts(out, counts);
  out.number(std::ssize(standings));
  for (const DeviceStanding& each : standings) write_standing(out, each);
  link_.send(asker, PacketKind::Standing, out.bytes());
}

void RankEnd::end(Status outcome) {
  outcome_ = std::move(outcome);
  is_over_ = true;
  link_.close();
}

// ---- Of rank 0 ---------------------------------------------------------------------------------

/// False for what is no answer to the last question.
bool RankEnd::take_answer(int64_t sender, ByteReader& in) {
  const int64_t round = in.number();
  Answer from;
  from.idle = in.number() != 0;
  from.counts = read_counts(in);
  for (int64_t rest = in.count(); rest > 0 && in.ok(); --rest) {
    from.standings.push_back(read_standing(in));
  }
  const bool is_good = in.ok() && std::ranges::all_of(from.standings, [&](const auto& each) {
                         return fits(program_, each);
                       });
  if (link_.rank() != 0 || !is_good || !is_asking_ || round != round_) return false;
  answers_[static_cast<std::size_t>(sender)] = std::move(from);
  return true;
}

/// Counts only grow: what says less was overtaken by what says more.
void RankEnd::note_counts(std::size_t rank, int64_t round, const ValueCounts& counts) {
  std::optional<ValueCounts>& known = idle_[rank];
  if (known && counts.sent + counts.taken < known->sent + known->taken) return;
  known = counts;
  idle_round_[rank] = std::max(idle_round_[rank], round);
}

void RankEnd::note(int64_t rank, int64_t round, const ValueCounts& counts) {
  note_counts(static_cast<std::size_t>(rank), round, counts);
  if (!is_asking_) probe();
}

/// Asks all if all were idle when they last said something, and nothing was under way.
void RankEnd::probe() {
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

bool RankEnd::all_answered() const {
  return std::all_of(answers_.begin() + 1, answers_.end(),
                     [](const auto& answer) { return answer.has_value(); });
}

/// Requires: all have answered. `is_idle` and `counts` are those of rank 0 itself.
void RankEnd::conclude(bool is_idle, const ValueCounts& counts) {
  is_asking_ = false;
  answers_[0] = Answer{is_idle, counts, {}};
  answered_ = round_;
  if (!is_idle) reported_.reset();
  bool is_still = true;
  for (std::size_t rank = 0; rank < answers_.size(); ++rank) {
    const Answer& each = *answers_[rank];
    // What was said while the question was under way is no news from before it.
    is_still = is_still && each.idle && each.counts == asked_[rank];
    if (each.idle) {
      note_counts(rank, round_, each.counts);
    } else if (idle_round_[rank] < round_) {
      // It will say when it is idle again; where it has, that has overtaken its answer.
      idle_[rank].reset();
    }
  }
  if (!is_still) return probe();
  std::vector<DeviceStanding> all = standings_();
  for (std::size_t rank = 1; rank < answers_.size(); ++rank) {
    auto& more = answers_[rank]->standings;
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

Status RankEnd::judge(const std::vector<DeviceStanding>& standings) const {
  const auto is_in = [](State state) {
    return [state](const DeviceStanding& each) { return each.state == state; };
  };
  const auto num_failed = std::ranges::count_if(standings, is_in(State::Failed));
  if (num_failed > 0) {
    Error error = std::ranges::find_if(standings, is_in(State::Failed))->error;
    if (num_failed > 1) {
      error.notes.push_back(std::to_string(num_failed - 1) + " more devices failed");
    }
    return tl::unexpected<Error>(std::move(error));
  }
  if (std::ranges::all_of(standings, is_in(State::Finished))) return {};
  return tl::unexpected<Error>(standstill(standings));
}

/// Meetings as one rank would have them, of what all ranks say.
Error RankEnd::standstill(const std::vector<DeviceStanding>& standings) const {
  struct Place {
    Instruction instruction;
    Meeting meeting;
  };
  std::map<std::vector<int64_t>, std::unique_ptr<Place>> places;
  std::vector<Standing> all(static_cast<std::size_t>(num_devices_));
  for (const DeviceStanding& each : standings) {
    if (each.state != State::Waiting) continue;
    std::vector<int64_t> key = each.path;
    key.push_back(each.leader);
    key.push_back(each.collective);
    std::unique_ptr<Place>& place = places[key];
    if (place == nullptr) {
      place = std::make_unique<Place>();
      place->instruction.op = each.op;
      Meeting& meeting = place->meeting;
      meeting.instruction = &place->instruction;
      meeting.devices =
          program_.collectives[static_cast<std::size_t>(each.collective)].groups.members(
              each.leader);
      meeting.arrived.resize(meeting.devices.size(), false);
      meeting.path = each.path;
      meeting.leader = each.leader;
    }
    Meeting& meeting = place->meeting;
    const auto member = std::ranges::find(meeting.devices, each.device) - meeting.devices.begin();
    if (member < std::ssize(meeting.devices))
      meeting.arrived[static_cast<std::size_t>(member)] = true;
    if (each.device >= 0 && each.device < num_devices_) {
      all[static_cast<std::size_t>(each.device)].meeting = &meeting;
    }
  }
  const bool makes_sense = std::ranges::all_of(places, [](const auto& entry) {
    return std::ranges::count(entry.second->meeting.arrived, false) > 0;
  });
  if (makes_sense) return explain_standstill(program_, all);
  return {.message = "devices wait for values that have come", .code = "E_TRANSPORT"};
}

}  // namespace shardy::simulation

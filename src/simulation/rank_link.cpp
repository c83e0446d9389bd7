#include "simulation/rank_link.hpp"

#include <algorithm>
#include <utility>

namespace shardy::simulation {
namespace {

/// The largest number of packets received in one call, so that sends of this rank are not delayed
/// for long.
constexpr int kMostAtOnce = 64;
/// The number of heartbeats that a rank sends per timeout.
constexpr int kBeatsPerPatience = 10;
constexpr std::size_t kMostRanksListed = 8;

std::string rank_text(int64_t rank) { return "rank " + std::to_string(rank); }

Error transport_error(std::string message) {
  return {.message = std::move(message), .code = "E_TRANSPORT"};
}

}  // namespace

std::string seconds_text(std::chrono::milliseconds time) {
  const int64_t tenths = time.count() / 100;
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") +
         " s";
}

std::string ranks_text(const std::vector<int64_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  const std::size_t shown = std::min(ranks.size(), kMostRanksListed);
  for (std::size_t index = 0; index < shown; ++index) {
    const bool is_last = index + 1 == ranks.size();
    text += index == 0 ? "" : is_last ? " and " : ", ";
    text += std::to_string(ranks[index]);
  }
  if (shown < ranks.size()) text += " and " + std::to_string(ranks.size() - shown) + " more";
  return text;
}

RankLink::RankLink(Transport& transport, const RankOptions& options, uint64_t program)
    : transport_(transport),
      options_(options),
      program_(program),
      rank_(transport.rank()),
      ranks_(transport.ranks()),
      run_(transport.begin_run()),
      peers_(static_cast<std::size_t>(ranks_)),
      last_beat_(Clock::now()) {
  for (Peer& each : peers_) each.heard = last_beat_;
}

// ---- Sending -----------------------------------------------------------------------------------

void RankLink::send(int64_t to, PacketKind kind, const PacketTopic& topic,
                    std::vector<SharedBytes> payload) {
  const std::scoped_lock lock(mutex_);
  post(to, kind, topic, std::move(payload));
}

void RankLink::send(int64_t to, PacketKind kind, std::span<const std::byte> payload) {
  const std::optional<SharedBytes> copy = copied(payload);
  const std::scoped_lock lock(mutex_);
  if (!copy) return fail(transport_error("no memory for a packet"), true);
  post(to, kind, {}, {*copy});
}

void RankLink::post(int64_t to, PacketKind kind, const PacketTopic& topic,
                    std::vector<SharedBytes> payload) {
  if (!status_ && kind != PacketKind::Failed) return;
  PacketHeader header;
  header.program = program_;
  header.run = run_;
  header.kind = kind;
  header.stage = topic.stage;
  header.sender = rank_;
  header.receiver = to;
  header.number = ++peer(to).num_sent;
  header.collective = topic.collective;
  header.leader = topic.leader;
  header.num_bytes = static_cast<int64_t>(size_of(payload));
  header.checksum = header.computed_checksum();
  const std::optional<SharedBytes> copy = copied(header.bytes());
  if (!copy) return fail(transport_error("no memory for a packet"), true);
  payload.insert(payload.begin(), *copy);
  if (kind == PacketKind::Values) {
    ++traffic_.messages_sent;
    traffic_.bytes_sent += header.num_bytes;
  }
  if (const Status posted = transport_.post(to, std::move(payload)); !posted) {
    Error error = posted.error();
    error.code = "E_TRANSPORT";
    error.notes.push_back("while " + rank_text(rank_) + " sent a packet to " + rank_text(to));
    fail(std::move(error), kind != PacketKind::Failed);
  }
}

RankTraffic RankLink::traffic() const {
  const std::scoped_lock lock(mutex_);
  return traffic_;
}

// ---- Receiving ---------------------------------------------------------------------------------

std::optional<Incoming> RankLink::receive() {
  const std::scoped_lock lock(mutex_);
  if (incoming_.empty()) pump();
  if (incoming_.empty() || !status_) return std::nullopt;
  Incoming first = std::move(incoming_.front());
  incoming_.pop_front();
  return first;
}

bool RankLink::is_moving() const {
  const std::scoped_lock lock(mutex_);
  return transport_.is_moving();
}

void RankLink::pump() {
  for (int count = 0; count < kMostAtOnce && !closed_ && status_; ++count) {
    Result<std::optional<SharedBytes>> packet = transport_.poll();
    if (!packet) {
      Error error = std::move(packet).error();
      if (error.code.empty()) error.code = "E_TRANSPORT";
      return fail(std::move(error), true);
    }
    if (!*packet) return;
    accept(**std::move(packet));
  }
}

Status RankLink::check_header(const PacketHeader& header, std::size_t size) const {
  const std::string here = rank_text(rank_);
  if (header.magic != PacketHeader::kMagic || header.checksum != header.computed_checksum() ||
      header.sender < 0 || header.sender >= ranks_ || header.receiver != rank_) {
    return tl::unexpected(transport_error(here + " got a packet of " + std::to_string(size) +
                                          " bytes whose header is broken"));
  }
  const auto got = static_cast<int64_t>(size - sizeof(PacketHeader));
  if (header.num_bytes != got) {
    return tl::unexpected(transport_error("packet " + std::to_string(header.number) + " from " +
                                          rank_text(header.sender) + " to " + here + " has " +
                                          std::to_string(got) + " bytes instead of " +
                                          std::to_string(header.num_bytes) + ": it is truncated"));
  }
  if (header.kind == PacketKind::Values && header.program != program_) {
    return fail_as("E_RANKS_DIFFER",
                   rank_text(header.sender) + " runs another program than " + here);
  }
  return {};
}

/// Returns false for a packet that was received before.
bool RankLink::take_number(const PacketHeader& header) {
  Peer& from = peer(header.sender);
  from.heard = Clock::now();
  if (header.number < from.next || !from.early.insert(header.number).second) return false;
  const int64_t before = from.next;
  while (!from.early.empty() && *from.early.begin() == from.next) {
    from.early.erase(from.early.begin());
    ++from.next;
  }
  if (from.next != before || from.early.size() == 1) from.missing = from.heard;
  return true;
}

void RankLink::accept(SharedBytes packet) {
  if (packet.size < sizeof(PacketHeader)) {
    return fail(
        transport_error(rank_text(rank_) + " got a packet of " + std::to_string(packet.size) +
                        " bytes, less than a header: it is truncated"),
        true);
  }
  Incoming incoming;
  std::memcpy(static_cast<void*>(&incoming.header), packet.data.get(), sizeof(PacketHeader));
  if (Status valid = check_header(incoming.header, packet.size); !valid) {
    return fail(std::move(valid).error(), true);
  }
  if (incoming.header.run != run_) return;  // the packet belongs to an earlier run
  if (!take_number(incoming.header)) {
    return fail(transport_error("packet " + std::to_string(incoming.header.number) + " from " +
                                rank_text(incoming.header.sender) + " to " + rank_text(rank_) +
                                " came twice"),
                true);
  }
  incoming.packet = std::move(packet);
  if (incoming.header.kind == PacketKind::Heartbeat) return;
  if (incoming.header.kind == PacketKind::Failed) {
    ByteReader reader(incoming.payload());
    Error error = reader.error();
    if (error.message.empty()) {
      error = transport_error(rank_text(incoming.header.sender) + " has failed");
    }
    return fail(std::move(error), false);
  }
  incoming_.push_back(std::move(incoming));
}

void RankLink::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

// ---- Signs of life -----------------------------------------------------------------------------

void RankLink::pulse() {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  pump();
  if (!status_) return;
  const Clock::time_point now = Clock::now();
  beat(now);
  look_for_lost(now);
}

void RankLink::beat(Clock::time_point now) {
  if (!agreed_ || now - last_beat_ < options_.patience / kBeatsPerPatience) return;
  last_beat_ = now;
  for (int64_t to = 0; to < ranks_; ++to) {
    if (to != rank_) post(to, PacketKind::Heartbeat, {}, {});
  }
}

void RankLink::look_for_lost(Clock::time_point now) {
  if (!agreed_) return;
  for (int64_t from = 0; from < ranks_ && status_; ++from) {
    if (from == rank_) continue;
    const Peer& other = peer(from);
    if (!other.early.empty() && now - other.missing > options_.patience / 2) {
      return fail(
          transport_error("packet " + std::to_string(other.next) + " from " + rank_text(from) +
                          " to " + rank_text(rank_) + " is lost: later ones have arrived"),
          true);
    }
    if (now - other.heard > options_.patience) {
      return fail(Error{.message = rank_text(from) + " is lost: " + rank_text(rank_) +
                                   " has received no message from it for " +
                                   seconds_text(options_.patience),
                        .notes = {"its process has ended, is stopped, or cannot be reached"},
                        .code = "E_RANK_LOST"},
                  true);
    }
  }
}

// ---- Failure -----------------------------------------------------------------------------------

Status RankLink::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

void RankLink::give_up(Error reason) {
  const std::scoped_lock lock(mutex_);
  if (!closed_) fail(std::move(reason), true);
}

void RankLink::fail(Error reason, bool notifies) {
  if (!status_) return;
  status_ = tl::unexpected(std::move(reason));
  failed_.store(true, std::memory_order_release);
  if (!notifies) return;
  ByteWriter text;
  text.error(status_.error());
  for (int64_t to = 0; to < ranks_; ++to) {
    const std::optional<SharedBytes> copy = copied(text.bytes());
    if (to != rank_ && copy) post(to, PacketKind::Failed, {}, {*copy});
  }
  transport_.abort(status_.error());
}

}  // namespace shardy::simulation

#include "simulation/rank_link.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace shardy::simulation {
namespace {

using std::chrono::milliseconds;

/// Taken from the transport at a time, so that nobody is kept from sending for long.
constexpr int kMostAtOnce = 64;
/// Of the patience: how often a rank says that it is there.
constexpr int kBeatsPerPatience = 10;
constexpr std::size_t kMostRanksListed = 8;

std::string rank_text(int64_t rank) { return "rank " + std::to_string(rank); }

std::string seconds_text(milliseconds time) {
  const int64_t tenths = time.count() / 100;
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") +
         " s";
}

Error transport_error(std::string message) {
  return {.message = std::move(message), .code = "E_TRANSPORT"};
}

}  // namespace

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
                    std::vector<Bytes> payload) {
  const std::scoped_lock lock(mutex_);
  post(to, kind, topic, std::move(payload));
}

void RankLink::send(int64_t to, PacketKind kind, std::span<const std::byte> payload) {
  const std::optional<Bytes> copy = copied(payload);
  const std::scoped_lock lock(mutex_);
  if (!copy) return fail(transport_error("no memory for a packet"), true);
  post(to, kind, {}, {*copy});
}

void RankLink::post(int64_t to, PacketKind kind, const PacketTopic& topic,
                    std::vector<Bytes> payload) {
  if (failure_ && kind != PacketKind::Failed) return;
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
  const std::optional<Bytes> copy = copied(header.bytes());
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
  if (incoming_.empty() || failure_) return std::nullopt;
  Incoming first = std::move(incoming_.front());
  incoming_.pop_front();
  return first;
}

bool RankLink::is_moving() const {
  const std::scoped_lock lock(mutex_);
  return transport_.is_moving();
}

void RankLink::pump() {
  for (int count = 0; count < kMostAtOnce && !closed_ && !failure_; ++count) {
    Result<std::optional<Bytes>> packet = transport_.poll();
    if (!packet) {
      Error error = std::move(packet).error();
      if (error.code.empty()) error.code = "E_TRANSPORT";
      return fail(std::move(error), true);
    }
    if (!*packet) return;
    accept(**std::move(packet));
  }
}

std::optional<Error> RankLink::wrong(const PacketHeader& header, std::size_t size) const {
  const std::string here = rank_text(rank_);
  if (header.magic != PacketHeader::kMagic || header.checksum != header.computed_checksum() ||
      header.sender < 0 || header.sender >= ranks_ || header.receiver != rank_) {
    return transport_error(here + " got a packet of " + std::to_string(size) +
                           " bytes whose header is broken");
  }
  const auto got = static_cast<int64_t>(size - sizeof(PacketHeader));
  if (header.num_bytes != got) {
    return transport_error("packet " + std::to_string(header.number) + " from " +
                           rank_text(header.sender) + " to " + here + " has " +
                           std::to_string(got) + " bytes instead of " +
                           std::to_string(header.num_bytes) + ": it was cut off");
  }
  if (header.kind == PacketKind::Values && header.program != program_) {
    return Error{.message = rank_text(header.sender) + " runs another program than " + here,
                 .code = "E_RANKS_DIFFER"};
  }
  return std::nullopt;
}

/// False for a packet that has come before.
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

void RankLink::accept(Bytes packet) {
  if (packet.size < sizeof(PacketHeader)) {
    return fail(
        transport_error(rank_text(rank_) + " got a packet of " + std::to_string(packet.size) +
                        " bytes, less than a header: it was cut off"),
        true);
  }
  Incoming incoming;
  std::memcpy(static_cast<void*>(&incoming.header), packet.data.get(), sizeof(PacketHeader));
  if (auto error = wrong(incoming.header, packet.size)) return fail(*std::move(error), true);
  if (incoming.header.run != run_) return;  // of a run that is over
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
      error = transport_error(rank_text(incoming.header.sender) + " has given up");
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
  if (failure_) return;
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
  for (int64_t from = 0; from < ranks_ && !failure_; ++from) {
    if (from == rank_) continue;
    const Peer& other = peer(from);
    if (!other.early.empty() && now - other.missing > options_.patience / 2) {
      return fail(
          transport_error("packet " + std::to_string(other.next) + " from " + rank_text(from) +
                          " to " + rank_text(rank_) + " is lost: later ones have come"),
          true);
    }
    if (now - other.heard > options_.patience) {
      return fail(
          Error{.message = rank_text(from) + " is lost: " + rank_text(rank_) +
                           " has heard nothing of it for " + seconds_text(options_.patience),
                .notes = {"its process has ended, is stopped, or cannot be reached"},
                .code = "E_RANK_LOST"},
          true);
    }
  }
}

// ---- Failure -----------------------------------------------------------------------------------

std::optional<Error> RankLink::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

void RankLink::give_up(Error reason) {
  const std::scoped_lock lock(mutex_);
  if (!closed_) fail(std::move(reason), true);
}

void RankLink::fail(Error reason, bool tell) {
  if (failure_) return;
  failure_ = std::move(reason);
  failed_.store(true, std::memory_order_release);
  if (!tell) return;
  ByteWriter text;
  text.error(*failure_);
  for (int64_t to = 0; to < ranks_; ++to) {
    const std::optional<Bytes> copy = copied(text.bytes());
    if (to != rank_ && copy) post(to, PacketKind::Failed, {}, {*copy});
  }
  transport_.abort(*failure_);
}

// ---- Agreement ---------------------------------------------------------------------------------

namespace {

std::vector<std::byte> hello_of(const RankOptions& options, uint64_t program) {
  ByteWriter hello;
  hello.number(options.num_devices);
  hello.number(std::ssize(options.agreements) + 2);
  for (const Agreement& each : options.agreements) {
    hello.text(each.what).number(static_cast<int64_t>(each.hash));
  }
  hello.text("the ops of the program").number(static_cast<int64_t>(program));
  hello.text("the size from which all_reduces are divided").number(options.min_divided_bytes);
  return {hello.bytes().begin(), hello.bytes().end()};
}

struct Hello {
  int64_t num_devices = 0;
  std::vector<std::pair<std::string, int64_t>> items;
  friend bool operator==(const Hello&, const Hello&) = default;
};

std::optional<Hello> read_hello(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Hello hello;
  hello.num_devices = reader.number();
  for (int64_t rest = reader.count(); rest > 0 && reader.ok(); --rest) {
    std::string what = reader.text();
    hello.items.emplace_back(std::move(what), reader.number());
  }
  if (!reader.ok()) return std::nullopt;
  return hello;
}

/// What the second one has that the first has not.
std::string difference_of(const Hello& first, const Hello& second) {
  for (std::size_t index = 0; index < first.items.size(); ++index) {
    if (index >= second.items.size() || second.items[index] != first.items[index]) {
      return first.items[index].first;
    }
  }
  return first.num_devices != second.num_devices ? "the number of devices"
                                                 : "the number of agreements";
}

}  // namespace

std::optional<Error> RankLink::difference(std::span<const std::vector<std::byte>> hellos) const {
  const std::optional<Hello> first = read_hello(hellos[0]);
  std::vector<int64_t> others;
  std::string what;
  for (std::size_t rank = 1; rank < hellos.size(); ++rank) {
    const std::optional<Hello> hello = read_hello(hellos[rank]);
    if (!hello || !first) return transport_error("the hello of a rank cannot be read");
    if (*hello == *first) continue;
    const std::string differs = difference_of(*first, *hello);
    if (others.empty()) what = differs;
    if (differs == what) others.push_back(static_cast<int64_t>(rank));
  }
  if (others.empty()) return std::nullopt;
  return Error{.message = ranks_text(others) + (others.size() == 1 ? " differs" : " differ") +
                          " from rank 0 in " + what,
               .notes = {"all ranks must be given the same files and options"},
               .code = "E_RANKS_DIFFER"};
}

Result<std::vector<std::vector<std::byte>>> RankLink::collect_hellos(
    std::span<const std::byte> own) {
  std::vector<std::vector<std::byte>> hellos(static_cast<std::size_t>(ranks_));
  hellos[0].assign(own.begin(), own.end());
  int64_t missing = ranks_ - 1;
  const Clock::time_point begin = Clock::now();
  while (missing > 0) {
    const std::optional<Incoming> incoming = receive();
    if (failed()) return tl::unexpected<Error>(*failure());
    if (incoming && incoming->header.kind == PacketKind::Hello) {
      const auto payload = incoming->payload();
      hellos[static_cast<std::size_t>(incoming->header.sender)].assign(payload.begin(),
                                                                       payload.end());
      --missing;
    } else if (options_.run.cancel.stop_requested()) {
      give_up({.message = "the run was cancelled", .code = "E_CANCELLED"});
    } else if (Clock::now() - begin > options_.start_patience) {
      std::vector<int64_t> silent;
      for (int64_t rank = 1; rank < ranks_; ++rank) {
        if (hellos[static_cast<std::size_t>(rank)].empty()) silent.push_back(rank);
      }
      give_up({.message = ranks_text(silent) + (silent.size() == 1 ? " has" : " have") +
                          " not begun the run within " + seconds_text(options_.start_patience),
               .code = "E_RANK_LOST"});
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return hellos;
}

/// They may go on.
Status RankLink::release_ranks() {
  for (int64_t to = 1; to < ranks_; ++to) send(to, PacketKind::Agreed);
  if (failed()) return tl::unexpected<Error>(*failure());
  return {};
}

Status RankLink::wait_for_agreement() {
  const Clock::time_point begin = Clock::now();
  std::vector<Incoming> early;
  // Twice the time of rank 0, which can name those that are missing.
  while (true) {
    std::optional<Incoming> incoming = receive();
    if (failed()) return tl::unexpected<Error>(*failure());
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
  const std::vector<std::byte> hello = hello_of(options_, program_);
  if (rank_ == 0) {
    SHARDY_TRY(const auto hellos, collect_hellos(hello));
    if (auto differs = difference(hellos)) {
      give_up(*std::move(differs));
      return tl::unexpected<Error>(*failure());
    }
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Hello, hello);
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
    SHARDY_TRY(all, collect_hellos(own));
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Hello, own);
    SHARDY_TRY_STATUS(wait_for_agreement());
  }
  close();
  return all;
}

Result<std::vector<std::vector<std::byte>>> gather_on_rank_0(Transport& transport,
                                                             std::span<const std::byte> own,
                                                             const RankOptions& options) {
  // A byte in front: what is empty has come, too.
  std::vector<std::byte> bytes = {std::byte{1}};
  bytes.insert(bytes.end(), own.begin(), own.end());
  SHARDY_TRY(auto all, RankLink(transport, options, 0).gather(bytes));
  for (std::vector<std::byte>& each : all) {
    if (!each.empty()) each.erase(each.begin());
  }
  return all;
}

}  // namespace shardy::simulation

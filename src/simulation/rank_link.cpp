
#include "simulation/rank_link.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "shardy/simulation/rank_run.hpp"

namespace shardy::simulation {

// ---- Packets ------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kPacketAlignment = 64;

std::shared_ptr<std::byte> packet_buffer(std::size_t size) {
  const std::size_t whole =
      (std::max<std::size_t>(size, 1) + kPacketAlignment - 1) / kPacketAlignment * kPacketAlignment;
  if (whole < size) return nullptr;
  auto* const bytes = static_cast<std::byte*>(std::aligned_alloc(kPacketAlignment, whole));
  if (bytes == nullptr) return nullptr;
  return {bytes, [](std::byte* each) { std::free(each); }};
}

/// The packets in flight to each rank.
struct PacketQueues {
  explicit PacketQueues(std::size_t ranks) : boxes(ranks) {}

  struct PacketQueue {
    std::mutex mutex;  // guards the packets
    std::deque<SharedBytes> packets;
  };
  std::vector<PacketQueue> boxes;
  std::mutex mutex;  // guards the reason
  std::optional<Error> reason;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<PacketQueues> boxes, int64_t rank)
      : boxes_(std::move(boxes)), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t ranks() const override { return std::ssize(boxes_->boxes); }

  Status post(int64_t to, std::vector<SharedBytes> pieces) override {
    const std::optional<SharedBytes> packet = joined(pieces);
    if (!packet) return fail_as("E_TRANSPORT", "no memory for a packet");
    PacketQueues::PacketQueue& box = boxes_->boxes[static_cast<std::size_t>(to)];
    const std::scoped_lock lock(box.mutex);
    box.packets.push_back(*packet);
    return {};
  }

  Result<std::optional<SharedBytes>> poll() override {
    PacketQueues::PacketQueue& box = boxes_->boxes[static_cast<std::size_t>(rank_)];
    {
      const std::scoped_lock lock(box.mutex);
      if (!box.packets.empty()) {
        SharedBytes packet = std::move(box.packets.front());
        box.packets.pop_front();
        return std::optional(std::move(packet));
      }
    }
    const std::scoped_lock lock(boxes_->mutex);
    if (boxes_->reason) return tl::unexpected<Error>(*boxes_->reason);
    return std::optional<SharedBytes>();
  }

  void abort(const Error& reason) override {
    const std::scoped_lock lock(boxes_->mutex);
    if (!boxes_->reason) boxes_->reason = reason;
  }

 private:
  std::shared_ptr<PacketQueues> boxes_;
  int64_t rank_;
};

}  // namespace

uint64_t hash_of_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

uint64_t PacketHeader::computed_checksum() const {
  PacketHeader without = *this;
  without.checksum = 0;
  const auto bytes = without.bytes();
  return hash_of_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<SharedBytes> copied(std::span<const std::byte> bytes) {
  std::shared_ptr<std::byte> copy = packet_buffer(bytes.size());
  if (copy == nullptr) return std::nullopt;
  std::ranges::copy(bytes, copy.get());
  return SharedBytes{std::move(copy), bytes.size()};
}

std::size_t size_of(std::span<const SharedBytes> pieces) {
  std::size_t size = 0;
  for (const SharedBytes& piece : pieces) size += piece.size;
  return size;
}

std::optional<SharedBytes> joined(std::span<const SharedBytes> pieces) {
  const std::size_t size = size_of(pieces);
  std::shared_ptr<std::byte> all = packet_buffer(size);
  if (all == nullptr) return std::nullopt;
  std::byte* to = all.get();
  for (const SharedBytes& piece : pieces) {
    if (piece.size > 0) std::memcpy(to, piece.data.get(), piece.size);
    to += piece.size;
  }
  return SharedBytes{std::move(all), size};
}

SharedBytes padding_after(std::size_t size) {
  alignas(kPacketAlignment) static constexpr std::byte kZeros[kPacketAlignment] = {};
  const std::size_t missing = (kPacketAlignment - size % kPacketAlignment) % kPacketAlignment;
  return {std::shared_ptr<const std::byte>(std::shared_ptr<void>(), kZeros), missing};
}

// ---- Numbers and text
// ----------------------------------------------------------------------------

ByteWriter& ByteWriter::number(int64_t value) {
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  bytes_.insert(bytes_.end(), from, from + sizeof(value));
  return *this;
}

ByteWriter& ByteWriter::text(std::string_view value) {
  number(std::ssize(value));
  const auto* const from = reinterpret_cast<const std::byte*>(value.data());
  bytes_.insert(bytes_.end(), from, from + value.size());
  return *this;
}

ByteWriter& ByteWriter::numbers(std::span<const int64_t> values) {
  number(std::ssize(values));
  for (const int64_t value : values) number(value);
  return *this;
}

ByteWriter& ByteWriter::error(const Error& value) {
  text(value.message).text(value.location.text()).text(value.code);
  number(std::ssize(value.notes));
  for (const std::string& note : value.notes) text(note);
  return *this;
}

ByteWriter& ByteWriter::align() {
  bytes_.resize(bytes_.size() + padding_after(bytes_.size()).size);
  return *this;
}

int64_t ByteReader::number() {
  int64_t value = 0;
  if (!ok_ || bytes_.size() - position_ < sizeof(value)) {
    ok_ = false;
    return 0;
  }
  std::memcpy(&value, bytes_.data() + position_, sizeof(value));
  position_ += sizeof(value);
  return value;
}

std::string ByteReader::text() {
  const int64_t size = number();
  if (!ok_ || size < 0 || static_cast<std::size_t>(size) > bytes_.size() - position_) {
    ok_ = false;
    return {};
  }
  std::string value(reinterpret_cast<const char*>(bytes_.data()) + position_,
                    static_cast<std::size_t>(size));
  position_ += value.size();
  return value;
}

int64_t ByteReader::count() {
  const int64_t value = number();
  const auto room = static_cast<int64_t>((bytes_.size() - position_) / sizeof(int64_t));
  if (ok_ && value >= 0 && value <= room) return value;
  ok_ = false;
  return 0;
}

std::vector<int64_t> ByteReader::numbers() {
  std::vector<int64_t> values(static_cast<std::size_t>(count()));
  for (int64_t& value : values) value = number();
  return values;
}

Error ByteReader::error() {
  Error value;
  value.message = text();
  value.location = text();
  value.code = known_code(text());
  value.notes.resize(static_cast<std::size_t>(count()));
  for (std::string& note : value.notes) note = text();
  return value;
}

void ByteReader::align() {
  const std::size_t missing = padding_after(position_).size;
  if (missing > bytes_.size() - position_) ok_ = false;
  if (ok_) position_ += missing;
}

std::string_view known_code(std::string_view code) {
  static constexpr std::string_view kCodes[] = {
      "E_KERNEL",    "E_STEP_LIMIT",          "E_MEMORY_LIMIT", "E_DIVERGENT",
      "E_DEADLOCK",  "E_COLLECTIVE_MISMATCH", "E_CANCELLED",    "E_RANKS_DIFFER",
      "E_RANK_LOST", "E_TRANSPORT",           "E_TRACE_LIMIT"};
  const auto* const known = std::ranges::find(kCodes, code);
  return known == std::end(kCodes) ? std::string_view() : *known;
}

std::vector<std::unique_ptr<Transport>> thread_transports(int64_t ranks) {
  constexpr int64_t kMaxRanks = 1 << 16;
  SHARDY_EXPECTS(ranks >= 1 && ranks <= kMaxRanks);
  const auto boxes = std::make_shared<PacketQueues>(static_cast<std::size_t>(ranks));
  std::vector<std::unique_ptr<Transport>> transports;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    transports.push_back(std::make_unique<ThreadTransport>(boxes, rank));
  }
  return transports;
}

// ---- Links --------------------------------------------------------------------------------------

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

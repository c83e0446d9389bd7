#include "simulation/packet.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "shardy/simulation/rank_run.hpp"

namespace shardy::simulation {
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

}  // namespace shardy::simulation

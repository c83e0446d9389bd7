// The packets between ranks, which are numbered, checked, and reported as missing after a timeout.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/simulation/rank_run.hpp"

namespace shardy::simulation {

// ---- Packets ------------------------------------------------------------------------------------
// Packets between ranks: a checked header and its payload.

enum class PacketKind : uint32_t {
  Handshake,    // to rank 0: the program and options of the sender
  Agreed,       // from rank 0: all ranks have the same program
  Values,       // operands of group members for a collective
  Idle,         // to rank 0: no device of the sender can continue
  Probe,        // from rank 0: requests the idle state of the receiver
  DeviceState,  // to rank 0: the instructions of the sender's devices
  Verdict,      // from rank 0: the end of the run, with its error if any
  Failed,       // the sender ends the run
  Heartbeat,    // the sender is alive
};

/// The header of each packet. Its size keeps the payload aligned.
struct PacketHeader {
  static constexpr uint64_t kMagic = 0x31304b4e41524853;  // "SHRANK01" of a little endian machine

  uint64_t magic = kMagic;
  uint64_t checksum = 0;  // checksum of the header in which this field is 0
  uint64_t program = 0;   // hash of the program
  int64_t run = 0;        // number of the run on the transport
  PacketKind kind = PacketKind::Heartbeat;
  uint32_t stage = 0;  // stage of an op with several steps
  int64_t sender = 0;  // rank of the sender
  int64_t receiver = 0;
  int64_t number = 0;      // counts the packets from sender to receiver, from 1 on
  int64_t collective = 0;  // for values: index of the collective
  int64_t leader = 0;      // for values: leader of the group
  int64_t num_bytes = 0;   // size of the payload
  int64_t unused[5] = {};

  uint64_t computed_checksum() const;
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(this), sizeof(PacketHeader)};
  }
};
static_assert(sizeof(PacketHeader) == 128);

/// Copies the bytes into a buffer that is aligned to 64 bytes; std::nullopt if memory is exhausted.
std::optional<SharedBytes> copied(std::span<const std::byte> bytes);
std::optional<SharedBytes> joined(std::span<const SharedBytes> pieces);
std::size_t size_of(std::span<const SharedBytes> pieces);

/// Returns zeros up to the next multiple of 64.
SharedBytes padding_after(std::size_t size);

/// Appends numbers and text to a byte string.
class ByteWriter {
 public:
  ByteWriter& number(int64_t value);
  ByteWriter& text(std::string_view value);
  ByteWriter& numbers(std::span<const int64_t> values);
  ByteWriter& error(const Error& value);
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Appends zeros up to a multiple of 64.
  ByteWriter& align();

 private:
  std::vector<std::byte> bytes_;
};

/// Reads the bytes of a ByteWriter. If bytes are missing, `ok` is false and the values are zero or
/// empty.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  int64_t number();
  std::string text();
  std::vector<int64_t> numbers();
  Error error();
  /// Reads the number of following entries, each of which takes at least eight bytes.
  int64_t count();
  void align();
  /// Returns the offset of the next byte.
  std::size_t position() const { return position_; }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

/// Returns the literal of a code of this library; empty for other codes.
std::string_view known_code(std::string_view code);

// ---- Links --------------------------------------------------------------------------------------

/// A packet with a valid header.
struct Incoming {
  PacketHeader header;
  SharedBytes packet;  // including its header
  std::span<const std::byte> payload() const {
    return {packet.data.get() + sizeof(PacketHeader), packet.size - sizeof(PacketHeader)};
  }
};

/// The collective instance to which a packet of values belongs.
struct PacketTopic {
  int64_t collective = 0;
  int64_t leader = 0;
  uint32_t stage = 0;
};

/// The payload of a packet to be sent.
struct OutgoingValues {
  int64_t to = 0;  // rank of the receiver
  std::vector<SharedBytes> pieces;
};

/// The use of a transport by one run. Any thread may call the functions; a mutex guards the
/// transport.
class RankLink {
 public:
  RankLink(Transport& transport, const RankOptions& options, uint64_t program);

  int64_t rank() const { return rank_; }
  int64_t ranks() const { return ranks_; }

  /// Waits until all ranks have started the same program. Errors: E_RANKS_DIFFER, E_RANK_LOST,
  /// E_TRANSPORT.
  Status agree();

  /// Gathers bytes on rank 0: returns the bytes of each rank; empty on other ranks. Called instead
  /// of a run.
  Result<std::vector<std::vector<std::byte>>> gather(std::span<const std::byte> own);

  void send(int64_t to, PacketKind kind, const PacketTopic& topic,
            std::vector<SharedBytes> payload);
  void send(int64_t to, PacketKind kind, std::span<const std::byte> payload = {});

  /// Returns the next packet that is not for the link itself.
  std::optional<Incoming> receive();
  /// Returns true if packets are in flight.
  bool is_moving() const;
  /// Receives packets, sends heartbeats, and checks the heartbeats of other ranks.
  void pulse();
  /// Stops receiving, because later packets belong to the next run.
  void close();

  /// Checks whether the run has to end. status() returns the first error.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Status status() const;
  /// Notifies all ranks of the error, unless this rank was notified by another.
  void give_up(Error reason);

  RankTraffic traffic() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// The last known state of another rank.
  struct Peer {
    int64_t num_sent = 0;
    int64_t next = 1;           // number of the first packet that has not arrived
    std::set<int64_t> early;    // numbers of later packets that have arrived
    Clock::time_point heard;    // time of the last packet
    Clock::time_point missing;  // if `early` is not empty: since when packet `next` is missing
  };

  Peer& peer(int64_t rank) { return peers_[static_cast<std::size_t>(rank)]; }
  void post(int64_t to, PacketKind kind, const PacketTopic& topic,
            std::vector<SharedBytes> payload);
  void pump();
  void accept(SharedBytes packet);
  Status check_header(const PacketHeader& header, std::size_t size) const;
  bool take_number(const PacketHeader& header);
  void beat(Clock::time_point now);
  void look_for_lost(Clock::time_point now);
  void fail(Error reason, bool notifies);
  Result<std::vector<std::vector<std::byte>>> collect_handshakes(std::span<const std::byte> own);
  Status release_ranks();
  Status wait_for_agreement();
  Status compare_handshakes(std::span<const std::vector<std::byte>> handshakes) const;

  Transport& transport_;
  const RankOptions& options_;
  const uint64_t program_;
  const int64_t rank_;
  const int64_t ranks_;
  const int64_t run_;
  mutable std::mutex mutex_;  // guards all members below, and calls of the transport
  std::vector<Peer> peers_;
  std::deque<Incoming> incoming_;
  Clock::time_point last_beat_;
  bool agreed_ = false;
  bool closed_ = false;
  RankTraffic traffic_;
  Status status_;
  std::atomic<bool> failed_ = false;
};

/// Returns a text such as "rank 3" or "ranks 0, 2 and 14 more".
std::string ranks_text(const std::vector<int64_t>& ranks);
/// Returns a text such as "2 s" or "0.5 s".
std::string seconds_text(std::chrono::milliseconds time);

}  // namespace shardy::simulation

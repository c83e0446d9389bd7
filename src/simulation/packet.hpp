// Packets between ranks: a checked header and its payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/simulation/rank_run.hpp"

namespace shardy::simulation {

enum class PacketKind : uint32_t {
  Handshake,    // to rank 0: the program and the options of this rank
  Agreed,       // of rank 0: all ranks have the same program
  Values,       // operands of members of a group for a collective
  Idle,         // to rank 0: no device of this rank can continue
  Probe,        // of rank 0: asks whether the rank is still idle
  DeviceState,  // to rank 0: the instructions of the devices
  Verdict,      // of rank 0: the end of the run, with its error if any
  Failed,       // the sender aborts
  Heartbeat,    // the sender is alive
};

/// Precedes each packet. Its size keeps the payload aligned.
struct PacketHeader {
  static constexpr uint64_t kMagic = 0x31304b4e41524853;  // "SHRANK01" of a little endian machine

  uint64_t magic = kMagic;
  uint64_t checksum = 0;  // of the header with zero here
  uint64_t program = 0;   // hash
  int64_t run = 0;        // number of the run on the transport
  PacketKind kind = PacketKind::Heartbeat;
  uint32_t stage = 0;  // of an op in several steps
  int64_t sender = 0;  // rank
  int64_t receiver = 0;
  int64_t number = 0;      // of the packets from sender to receiver, from 1 on
  int64_t collective = 0;  // of values: the op
  int64_t leader = 0;      // of values: the group
  int64_t num_bytes = 0;   // after the header
  int64_t unused[5] = {};

  uint64_t computed_checksum() const;
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(this), sizeof(PacketHeader)};
  }
};
static_assert(sizeof(PacketHeader) == 128);

/// Buffers for packets: aligned to 64 bytes. nullopt: no memory.
std::optional<Bytes> copied(std::span<const std::byte> bytes);
std::optional<Bytes> joined(std::span<const Bytes> pieces);
std::size_t size_of(std::span<const Bytes> pieces);

/// Zeros up to the next multiple of 64.
Bytes padding_after(std::size_t size);

/// Appends numbers and text to a byte string.
class ByteWriter {
 public:
  ByteWriter& number(int64_t value);
  ByteWriter& text(std::string_view value);
  ByteWriter& numbers(std::span<const int64_t> values);
  ByteWriter& error(const Error& value);
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Ends at a multiple of 64.
  ByteWriter& align();

 private:
  std::vector<std::byte> bytes_;
};

/// Reads them back. Missing bytes make `ok` false; values are zero or empty then.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  int64_t number();
  std::string text();
  std::vector<int64_t> numbers();
  Error error();
  /// A count of entries that take at least eight bytes each.
  int64_t count();
  void align();
  /// Returns the position.
  std::size_t position() const { return position_; }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

/// Returns the literal of one of our codes; empty for another.
std::string_view known_code(std::string_view code);

}  // namespace shardy::simulation

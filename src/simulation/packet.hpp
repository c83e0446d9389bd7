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

}  // namespace shardy::simulation

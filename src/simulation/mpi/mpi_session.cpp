// The transport over MPI, on duplicated communicators. A small packet is one message. The first
// message of a larger packet announces the others, and each large piece is a separate message from
// contiguous memory, which MPI moves in one copy if possible. The module uses only headers of this
// library, so one program can load modules for several MPI implementations.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shardy/simulation/rank_run.hpp"

namespace shardy::simulation {
namespace {

/// Memory for arriving packets. The memory of released packets is reused, because an allocation
/// costs more than writing the bytes.
class UnexpectedQueue : public std::enable_shared_from_this<UnexpectedQueue> {
 public:
  ~UnexpectedQueue() {
    for (const auto& each : kept_) std::free(each.second);
  }

  /// Returns memory aligned to 64 bytes; null if memory is exhausted. Any thread may release it.
  std::shared_ptr<std::byte> take(std::size_t size) {
    const std::size_t whole = std::max<std::size_t>((size + 63) / 64 * 64, 64);
    std::byte* bytes = find(whole);
    if (bytes == nullptr) bytes = static_cast<std::byte*>(std::aligned_alloc(64, whole));
    if (bytes == nullptr) return nullptr;
    return {bytes, [shelf = shared_from_this(), whole](std::byte* each) {
              shelf->give_back(each, whole);
            }};
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 28;  // bytes
  static constexpr std::size_t kMostBuffers = 16;

  std::byte* find(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const auto& each) { return each.first == size; });
    if (found == kept_.end()) return nullptr;
    std::byte* const bytes = found->second;
    kept_bytes_ -= size;
    kept_.erase(found);
    return bytes;
  }
  void give_back(std::byte* bytes, std::size_t size) {
    const std::scoped_lock lock(mutex_);
    if (kept_.size() < kMostBuffers && size <= kMostKept - kept_bytes_) {
      kept_bytes_ += size;
      kept_.emplace_back(size, bytes);
    } else {
      std::free(bytes);
    }
  }

  std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::byte*>> kept_;
  std::size_t kept_bytes_ = 0;
};

constexpr int kPacketTag = 1;
constexpr int kEnvelopeTag = 2;
/// Packets and pieces below this size are copied into one message.
constexpr std::size_t kCopied = std::size_t{1} << 14;
/// The largest message, because MPI counts are ints.
constexpr std::size_t kMostInMessage = std::size_t{1} << 30;
/// The time after which the end of a session drops packets that no rank receives.
constexpr auto kLongestFlush = std::chrono::seconds(5);

Status status_of(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail_as("E_TRANSPORT", std::string(what) + " failed: " + std::string(text));
}

/// A part of a packet that has its own message.
struct LargePiece {
  uint64_t begin = 0;  // offset in the packet
  uint64_t size = 0;
};

/// The head of a large packet's first message. The sizes, the list of large pieces and all other
/// bytes follow.
struct EnvelopeHead {
  uint64_t packet_size = 0;
  uint64_t num_large = 0;
};

class MpiTransport : public Transport {
 public:
  MpiTransport(MPI_Comm packets, MPI_Comm pieces, int rank, int ranks)
      : packets_(packets), pieces_(pieces), rank_(rank), ranks_(ranks) {}

  int64_t rank() const override { return rank_; }
  int64_t ranks() const override { return ranks_; }

  Status post(int64_t to, std::vector<SharedBytes> pieces) override {
    std::size_t size = 0;
    for (const SharedBytes& piece : pieces) size += piece.size;
    sending_.emplace_back();
    Sending& sending = sending_.back();
    sending.pieces = std::move(pieces);
    return size <= kCopied ? send_packet(static_cast<int>(to), size, sending)
                           : send_large_packet(static_cast<int>(to), size, sending);
  }

  Result<std::optional<SharedBytes>> poll() override {
    SHARDY_TRY_STATUS(finish_sends());
    SHARDY_TRY_STATUS(begin_receives());
    std::vector<int> waits;  // ranks whose envelopes have not arrived
    for (auto each = receiving_.begin(); each != receiving_.end(); ++each) {
      SHARDY_TRY(const bool done, are_done(each->requests));
      const bool is_next = std::find(waits.begin(), waits.end(), each->from) == waits.end();
      if (each->is_envelope && done && is_next) {
        SHARDY_TRY_STATUS(open_envelope(*each));
      } else if (each->is_envelope) {
        waits.push_back(each->from);  // pieces arrive in the order of their envelopes
      } else if (done) {
        SharedBytes packet{std::move(each->buffer), each->size};
        receiving_.erase(each);
        return std::optional(std::move(packet));
      }
    }
    return std::optional<SharedBytes>();
  }

  bool is_moving() const override { return !sending_.empty() || !receiving_.empty(); }

  /// Does nothing: the engine has notified the other ranks, and MPI_Abort would end this process.
  void abort(const Error& /*reason*/) override {}

  /// Completes all posted sends.
  void flush() {
    const auto begin = std::chrono::steady_clock::now();
    while (!sending_.empty() && std::chrono::steady_clock::now() - begin < kLongestFlush) {
      if (!finish_sends()) return;
      std::this_thread::yield();
    }
  }

 private:
  using Requests = std::vector<MPI_Request>;
  struct Sending {
    Requests requests;
    std::vector<SharedBytes> pieces;  // alive until all sends are complete
  };
  struct Receiving {
    int from;
    bool is_envelope;
    std::shared_ptr<std::byte> buffer;
    std::size_t size;
    Requests requests;
  };

  static Result<bool> are_done(Requests& requests) {
    int done = 0;
    SHARDY_TRY_STATUS(status_of(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall"));
    return done != 0;
  }

  Status send(const std::byte* bytes, std::size_t size, int to, int tag, MPI_Comm comm,
              Requests& requests) {
    requests.push_back(MPI_REQUEST_NULL);
    return status_of(
        MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, to, tag, comm, &requests.back()),
        "MPI_Isend");
  }
  Status receive(std::byte* bytes, std::size_t size, int from, Requests& requests) {
    requests.push_back(MPI_REQUEST_NULL);
    return status_of(MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, from, kPacketTag, pieces_,
                               &requests.back()),
                     "MPI_Irecv");
  }

  Status send_packet(int to, std::size_t size, Sending& sending) {
    const std::shared_ptr<std::byte> all = shelf_->take(size);
    if (all == nullptr) return fail("no memory for a packet");
    std::byte* next = all.get();
    for (const SharedBytes& piece : sending.pieces)
      next = add_bytes(next, piece.data.get(), piece.size);
    sending.pieces = {SharedBytes{all, size}};
    return send(all.get(), size, to, kPacketTag, packets_, sending.requests);
  }

  Status send_large_packet(int to, std::size_t size, Sending& sending) {
    const auto is_large = [](const SharedBytes& piece) { return piece.size > kCopied; };
    EnvelopeHead head{size, 0};
    std::vector<LargePiece> large;
    std::size_t begin = 0;
    for (const SharedBytes& piece : sending.pieces) {
      if (is_large(piece)) large.push_back({begin, piece.size});
      begin += piece.size;
    }
    head.num_large = large.size();
    std::size_t envelope_size = sizeof(head) + large.size() * sizeof(LargePiece) + size;
    for (const LargePiece& piece : large) envelope_size -= piece.size;
    const std::shared_ptr<std::byte> envelope = shelf_->take(envelope_size);
    if (envelope == nullptr) return fail("no memory for a packet");
    std::byte* next = add_bytes(envelope.get(), &head, sizeof(head));
    next = add_bytes(next, large.data(), large.size() * sizeof(LargePiece));
    for (const SharedBytes& piece : sending.pieces) {
      if (!is_large(piece)) next = add_bytes(next, piece.data.get(), piece.size);
    }
    std::erase_if(sending.pieces, [&](const SharedBytes& piece) { return !is_large(piece); });
    sending.pieces.push_back({envelope, envelope_size});
    SHARDY_TRY_STATUS(
        send(envelope.get(), envelope_size, to, kEnvelopeTag, packets_, sending.requests));
    for (std::size_t index = 0; index < large.size(); ++index) {
      const std::byte* const bytes = sending.pieces[index].data.get();
      for (std::size_t at = 0; at < large[index].size; at += kMostInMessage) {
        SHARDY_TRY_STATUS(send(bytes + at, std::min(large[index].size - at, kMostInMessage), to,
                               kPacketTag, pieces_, sending.requests));
      }
    }
    return {};
  }

  static std::byte* add_bytes(std::byte* to, const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    return to + size;
  }

  Status finish_sends() {
    for (auto each = sending_.begin(); each != sending_.end();) {
      SHARDY_TRY(const bool done, are_done(each->requests));
      each = done ? sending_.erase(each) : std::next(each);
    }
    return {};
  }

  Status begin_receives() {
    while (true) {
      int found = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      SHARDY_TRY_STATUS(
          status_of(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, packets_, &found, &message, &status),
                    "MPI_Improbe"));
      if (found == 0) return {};
      int size = 0;
      SHARDY_TRY_STATUS(status_of(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count"));
      Receiving receiving{status.MPI_SOURCE,
                          status.MPI_TAG == kEnvelopeTag,
                          shelf_->take(static_cast<std::size_t>(size)),
                          static_cast<std::size_t>(size),
                          {MPI_REQUEST_NULL}};
      if (receiving.buffer == nullptr) return fail_as("E_TRANSPORT", "no memory for a packet");
      SHARDY_TRY_STATUS(status_of(
          MPI_Imrecv(receiving.buffer.get(), size, MPI_BYTE, &message, receiving.requests.data()),
          "MPI_Imrecv"));
      receiving_.push_back(std::move(receiving));
    }
  }

  /// Opens an envelope and posts receives of the large pieces into the packet.
  Status open_envelope(Receiving& receiving) {
    const std::shared_ptr<std::byte> envelope = std::move(receiving.buffer);
    const std::byte* next = envelope.get();
    EnvelopeHead head;
    std::memcpy(&head, next, sizeof(head));
    next += sizeof(head);
    std::vector<LargePiece> large(head.num_large);
    std::memcpy(large.data(), next, large.size() * sizeof(LargePiece));
    next += large.size() * sizeof(LargePiece);
    receiving.is_envelope = false;
    receiving.size = head.packet_size;
    receiving.buffer = shelf_->take(head.packet_size);
    receiving.requests.clear();
    if (receiving.buffer == nullptr) return fail_as("E_TRANSPORT", "no memory for a packet");
    std::byte* const packet = receiving.buffer.get();
    std::size_t begin = 0;
    for (const LargePiece& piece : large) {
      next = fill(packet, begin, piece.begin, next);
      begin = piece.begin + piece.size;
      for (std::size_t at = 0; at < piece.size; at += kMostInMessage) {
        SHARDY_TRY_STATUS(receive(packet + piece.begin + at,
                                  std::min(piece.size - at, kMostInMessage), receiving.from,
                                  receiving.requests));
      }
    }
    fill(packet, begin, head.packet_size, next);
    return {};
  }

  /// Copies bytes of the envelope to the range between large pieces. Returns the rest of the
  /// envelope.
  static const std::byte* fill(std::byte* packet, std::size_t begin, std::size_t end,
                               const std::byte* from) {
    if (begin < end) std::memcpy(packet + begin, from, end - begin);
    return from + (end - begin);
  }

  MPI_Comm packets_;
  MPI_Comm pieces_;  // communicator for the pieces that envelopes announce
  int rank_;
  int ranks_;
  std::shared_ptr<UnexpectedQueue> shelf_ = std::make_shared<UnexpectedQueue>();
  std::list<Sending> sending_;
  std::list<Receiving> receiving_;
};

class Session : public MpiSession {
 public:
  explicit Session(std::unique_ptr<MpiTransport> transport) : transport_(std::move(transport)) {}
  ~Session() override {
    transport_->flush();
    MPI_Finalize();
  }
  Transport& transport() override { return *transport_; }
  void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  std::unique_ptr<MpiTransport> transport_;
};

Result<MPI_Comm> own_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  SHARDY_TRY_STATUS(status_of(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"));
  SHARDY_TRY_STATUS(
      status_of(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
  return comm;
}

Result<std::unique_ptr<MpiTransport>> begin() {
  int level = MPI_THREAD_SINGLE;
  SHARDY_TRY_STATUS(status_of(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level),
                              "MPI_Init_thread"));
  if (level < MPI_THREAD_SERIALIZED) {
    return fail("this MPI takes no calls from several threads (MPI_THREAD_SERIALIZED)");
  }
  SHARDY_TRY(const MPI_Comm packets, own_communicator());
  SHARDY_TRY(const MPI_Comm pieces, own_communicator());
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(packets, &rank);
  MPI_Comm_size(packets, &ranks);
  return std::make_unique<MpiTransport>(packets, pieces, rank, ranks);
}

}  // namespace
}  // namespace shardy::simulation

extern "C" __attribute__((visibility("default"))) shardy::simulation::MpiSession* shardy_begin_mpi(
    char* message, std::size_t size) {
  using namespace shardy::simulation;
  auto transport = begin();
  if (transport) return new Session(*std::move(transport));
  std::snprintf(message, size, "%s", transport.error().message.c_str());
  return nullptr;
}

// The transport over MPI: a packet is one message on a communicator of our own. Of the library only
// headers are used, so one module of each MPI implementation serves the same program.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "shardy/simulation/mpi_session.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string>
#include <thread>
#include <utility>

namespace shardy::simulation {
namespace {

constexpr int kTag = 1;
/// Smaller packets are copied into one piece, larger ones sent from where they are.
constexpr std::size_t kCopied = std::size_t{1} << 16;
/// What one block of a type may have; counts of MPI are ints.
constexpr std::size_t kMostInBlock = std::size_t{1} << 30;
/// Until the end of a session gives up what no rank takes.
constexpr auto kLongestFlush = std::chrono::seconds(5);

Status status_of(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail_as("E_TRANSPORT", std::string(what) + " failed: " + std::string(text));
}

std::shared_ptr<std::byte> aligned_buffer(std::size_t size) {
  const std::size_t whole = std::max<std::size_t>((size + 63) / 64 * 64, 64);
  auto* const bytes = static_cast<std::byte*>(std::aligned_alloc(64, whole));
  return {bytes, [](std::byte* each) { std::free(each); }};
}

/// Memory at several places as one value of MPI, which knows the addresses.
class Places {
 public:
  void add(const std::byte* begin, std::size_t size) {
    for (std::size_t at = 0; at < size; at += kMostInBlock) {
      MPI_Aint address = 0;
      MPI_Get_address(begin + at, &address);
      addresses_.push_back(address);
      lengths_.push_back(static_cast<int>(std::min(size - at, kMostInBlock)));
    }
  }
  Result<MPI_Datatype> type() const {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    SHARDY_TRY_STATUS(
        status_of(MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(),
                                           addresses_.data(), MPI_BYTE, &made),
                  "MPI_Type_create_hindexed"));
    SHARDY_TRY_STATUS(status_of(MPI_Type_commit(&made), "MPI_Type_commit"));
    return made;
  }

 private:
  std::vector<MPI_Aint> addresses_;
  std::vector<int> lengths_;
};

class MpiTransport : public Transport {
 public:
  MpiTransport(MPI_Comm comm, int rank, int ranks) : comm_(comm), rank_(rank), ranks_(ranks) {}

  int64_t rank() const override { return rank_; }
  int64_t ranks() const override { return ranks_; }

  Status post(int64_t to, std::vector<Bytes> pieces) override {
    Sending sending{MPI_REQUEST_NULL, std::move(pieces)};
    std::size_t size = 0;
    for (const Bytes& piece : sending.pieces) size += piece.size;
    if (size <= kCopied) {
      std::shared_ptr<std::byte> all = aligned_buffer(size);
      if (all == nullptr) return fail("no memory for a packet");
      std::byte* next = all.get();
      for (const Bytes& piece : sending.pieces) {
        if (piece.size > 0) std::memcpy(next, piece.data.get(), piece.size);
        next += piece.size;
      }
      sending.pieces = {Bytes{all, size}};
      SHARDY_TRY_STATUS(status_of(MPI_Isend(all.get(), static_cast<int>(size), MPI_BYTE,
                                            static_cast<int>(to), kTag, comm_, &sending.request),
                                  "MPI_Isend"));
    } else {
      Places places;
      for (const Bytes& piece : sending.pieces) places.add(piece.data.get(), piece.size);
      SHARDY_TRY(MPI_Datatype type, places.type());
      const int code =
          MPI_Isend(MPI_BOTTOM, 1, type, static_cast<int>(to), kTag, comm_, &sending.request);
      MPI_Type_free(&type);
      SHARDY_TRY_STATUS(status_of(code, "MPI_Isend"));
    }
    sending_.push_back(std::move(sending));
    return {};
  }

  Result<std::optional<Bytes>> poll() override {
    SHARDY_TRY_STATUS(finish_sends());
    SHARDY_TRY_STATUS(begin_receives());
    for (auto each = receiving_.begin(); each != receiving_.end(); ++each) {
      int done = 0;
      SHARDY_TRY_STATUS(status_of(MPI_Test(&each->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
      if (done == 0) continue;
      Bytes packet{std::move(each->buffer), each->size};
      receiving_.erase(each);
      return std::optional(std::move(packet));
    }
    return std::optional<Bytes>();
  }

  /// The engine has told the others; MPI has no other way that leaves this process alive.
  void abort(const Error& /*reason*/) override {}

  /// What was posted gets out.
  void flush() {
    const auto begin = std::chrono::steady_clock::now();
    while (!sending_.empty() && std::chrono::steady_clock::now() - begin < kLongestFlush) {
      if (!finish_sends()) return;
      std::this_thread::yield();
    }
  }

 private:
  struct Sending {
    MPI_Request request;
    std::vector<Bytes> pieces;  // live until it is done
  };
  struct Receiving {
    MPI_Request request;
    std::shared_ptr<std::byte> buffer;
    std::size_t size;
  };

  Status finish_sends() {
    for (auto each = sending_.begin(); each != sending_.end();) {
      int done = 0;
      SHARDY_TRY_STATUS(status_of(MPI_Test(&each->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
      each = done != 0 ? sending_.erase(each) : std::next(each);
    }
    return {};
  }

  Status begin_receives() {
    while (true) {
      int found = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      SHARDY_TRY_STATUS(status_of(
          MPI_Improbe(MPI_ANY_SOURCE, kTag, comm_, &found, &message, &status), "MPI_Improbe"));
      if (found == 0) return {};
      MPI_Count size = 0;
      SHARDY_TRY_STATUS(
          status_of(MPI_Get_elements_x(&status, MPI_BYTE, &size), "MPI_Get_elements_x"));
      SHARDY_TRY_STATUS(begin_receive(message, static_cast<std::size_t>(size)));
    }
  }

  Status begin_receive(MPI_Message message, std::size_t size) {
    Receiving receiving{MPI_REQUEST_NULL, aligned_buffer(size), size};
    if (receiving.buffer == nullptr) return fail_as("E_TRANSPORT", "no memory for a packet");
    int code = MPI_SUCCESS;
    if (size <= kMostInBlock) {
      code = MPI_Imrecv(receiving.buffer.get(), static_cast<int>(size), MPI_BYTE, &message,
                        &receiving.request);
    } else {
      Places places;
      places.add(receiving.buffer.get(), size);
      SHARDY_TRY(MPI_Datatype type, places.type());
      code = MPI_Imrecv(MPI_BOTTOM, 1, type, &message, &receiving.request);
      MPI_Type_free(&type);
    }
    SHARDY_TRY_STATUS(status_of(code, "MPI_Imrecv"));
    receiving_.push_back(std::move(receiving));
    return {};
  }

  MPI_Comm comm_;
  int rank_;
  int ranks_;
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

Result<std::unique_ptr<MpiTransport>> begin() {
  int level = MPI_THREAD_SINGLE;
  SHARDY_TRY_STATUS(status_of(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level),
                              "MPI_Init_thread"));
  if (level < MPI_THREAD_SERIALIZED) {
    return fail("this MPI takes no calls from several threads (MPI_THREAD_SERIALIZED)");
  }
  MPI_Comm comm = MPI_COMM_NULL;
  SHARDY_TRY_STATUS(status_of(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"));
  SHARDY_TRY_STATUS(
      status_of(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  return std::make_unique<MpiTransport>(comm, rank, ranks);
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

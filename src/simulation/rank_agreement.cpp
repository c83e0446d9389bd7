// All ranks begin the same run.
#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "simulation/rank_link.hpp"

namespace shardy::simulation {
namespace {

std::vector<std::byte> handshake_of(const RankOptions& options, uint64_t program) {
  ByteWriter handshake;
  handshake.number(options.num_devices);
  handshake.number(std::ssize(options.agreements) + 2);
  for (const Agreement& each : options.agreements) {
    handshake.text(each.what).number(static_cast<int64_t>(each.hash));
  }
  handshake.text("the ops of the program").number(static_cast<int64_t>(program));
  handshake.text("the size from which all_reduces are divided").number(options.min_divided_bytes);
  return {handshake.bytes().begin(), handshake.bytes().end()};
}

struct Handshake {
  int64_t num_devices = 0;
  std::vector<std::pair<std::string, int64_t>> items;
  friend bool operator==(const Handshake&, const Handshake&) = default;
};

std::optional<Handshake> read_handshake(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Handshake handshake;
  handshake.num_devices = reader.number();
  for (int64_t rest = reader.count(); rest > 0 && reader.ok(); --rest) {
    std::string what = reader.text();
    handshake.items.emplace_back(std::move(what), reader.number());
  }
  if (!reader.ok()) return std::nullopt;
  return handshake;
}

/// Returns the text of the entries of `second` that `first` lacks.
std::string difference_of(const Handshake& first, const Handshake& second) {
  for (std::size_t index = 0; index < first.items.size(); ++index) {
    if (index >= second.items.size() || second.items[index] != first.items[index]) {
      return first.items[index].first;
    }
  }
  return first.num_devices != second.num_devices ? "the number of devices"
                                                 : "the number of agreements";
}

}  // namespace

std::optional<Error> RankLink::difference(
    std::span<const std::vector<std::byte>> handshakes) const {
  const std::optional<Handshake> first = read_handshake(handshakes[0]);
  std::vector<int64_t> others;
  std::string what;
  for (std::size_t rank = 1; rank < handshakes.size(); ++rank) {
    const std::optional<Handshake> handshake = read_handshake(handshakes[rank]);
    if (!handshake || !first)
      return Error{.message = "the handshake of a rank cannot be read", .code = "E_TRANSPORT"};
    if (*handshake == *first) continue;
    const std::string differs = difference_of(*first, *handshake);
    if (others.empty()) what = differs;
    if (differs == what) others.push_back(static_cast<int64_t>(rank));
  }
  if (others.empty()) return std::nullopt;
  return Error{.message = ranks_text(others) + (others.size() == 1 ? " differs" : " differ") +
                          " from rank 0 in " + what,
               .notes = {"all ranks must be given the same files and options"},
               .code = "E_RANKS_DIFFER"};
}

Result<std::vector<std::vector<std::byte>>> RankLink::collect_handshakes(
    std::span<const std::byte> own) {
  std::vector<std::vector<std::byte>> handshakes(static_cast<std::size_t>(ranks_));
  handshakes[0].assign(own.begin(), own.end());
  int64_t missing = ranks_ - 1;
  const Clock::time_point begin = Clock::now();
  while (missing > 0) {
    const std::optional<Incoming> incoming = receive();
    if (failed()) return tl::unexpected<Error>(*failure());
    if (incoming && incoming->header.kind == PacketKind::Handshake) {
      const auto payload = incoming->payload();
      handshakes[static_cast<std::size_t>(incoming->header.sender)].assign(payload.begin(),
                                                                           payload.end());
      --missing;
    } else if (options_.run.cancel.stop_requested()) {
      give_up({.message = "the run was cancelled", .code = "E_CANCELLED"});
    } else if (Clock::now() - begin > options_.start_patience) {
      std::vector<int64_t> silent;
      for (int64_t rank = 1; rank < ranks_; ++rank) {
        if (handshakes[static_cast<std::size_t>(rank)].empty()) silent.push_back(rank);
      }
      give_up({.message = ranks_text(silent) + (silent.size() == 1 ? " has" : " have") +
                          " not begun the run within " + seconds_text(options_.start_patience),
               .code = "E_RANK_LOST"});
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return handshakes;
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
  const std::vector<std::byte> handshake = handshake_of(options_, program_);
  if (rank_ == 0) {
    SHARDY_TRY(const auto handshakes, collect_handshakes(handshake));
    if (auto differs = difference(handshakes)) {
      give_up(*std::move(differs));
      return tl::unexpected<Error>(*failure());
    }
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Handshake, handshake);
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
    SHARDY_TRY(all, collect_handshakes(own));
    SHARDY_TRY_STATUS(release_ranks());
  } else {
    send(0, PacketKind::Handshake, own);
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

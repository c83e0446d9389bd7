// A network of ranks in one process that delays, reorders, loses, duplicates, truncates and
// corrupts packets.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "shardy/simulation/rank_run.hpp"

namespace shardy_test {

/// The fault of a packet between two ranks.
enum class Fault { None, Lose, Double, CutHeader, CutPayload, FlipHeader };

/// Decides the fault of packet `number`, from 1 on, that a rank sends to another rank.
using FaultPlan = std::function<Fault(int64_t from, int64_t to, int64_t number)>;

struct NetworkOptions {
  FaultPlan faults = {};
  /// Each packet waits for a random number of polls of its receiver, at most this many, so packets
  /// overtake each other.
  int64_t max_delay = 0;
  uint64_t seed = 1;
};

/// From its packet `stuck_after` on, this rank neither sends nor receives.
class FaultyTransport : public shardy::simulation::Transport {
 public:
  using Bytes = shardy::simulation::SharedBytes;

  FaultyTransport(std::unique_ptr<Transport> inner, NetworkOptions options)
      : inner_(std::move(inner)),
        options_(std::move(options)),
        random_(options_.seed * 1000 + static_cast<uint64_t>(inner_->rank())),
        num_sent_(static_cast<std::size_t>(inner_->ranks())) {}

  int64_t rank() const override { return inner_->rank(); }
  int64_t ranks() const override { return inner_->ranks(); }

  shardy::Status post(int64_t to, std::vector<Bytes> pieces) override {
    const int64_t number = ++num_sent_[static_cast<std::size_t>(to)];
    const Fault fault = options_.faults ? options_.faults(rank(), to, number) : Fault::None;
    if (fault == Fault::Lose) return {};
    if (fault == Fault::None) return inner_->post(to, std::move(pieces));
    if (fault == Fault::Double) {
      SHARDY_TRY_STATUS(inner_->post(to, pieces));
      return inner_->post(to, std::move(pieces));
    }
    return inner_->post(to, {broken(pieces, fault)});
  }

  shardy::Result<std::optional<Bytes>> poll() override {
    SHARDY_TRY(std::optional<Bytes> packet, inner_->poll());
    if (options_.max_delay == 0) return packet;
    if (packet) {
      const auto delay =
          static_cast<int64_t>(random_() % static_cast<uint64_t>(options_.max_delay + 1));
      late_.emplace_back(delay, *std::move(packet));
    }
    for (auto each = late_.begin(); each != late_.end(); ++each) {
      if (each->first-- > 0) continue;
      Bytes due = std::move(each->second);
      late_.erase(each);
      return std::optional(std::move(due));
    }
    return std::optional<Bytes>();
  }

  /// The other ranks must find out by themselves.
  void abort(const shardy::Error& /*reason*/) override {}

 private:
  static Bytes broken(const std::vector<Bytes>& pieces, Fault fault) {
    std::vector<std::byte> all;
    for (const Bytes& piece : pieces) {
      all.insert(all.end(), piece.data.get(), piece.data.get() + piece.size);
    }
    constexpr std::size_t kHeaderBytes = 128;
    if (fault == Fault::CutHeader) all.resize(kHeaderBytes / 2);
    if (fault == Fault::CutPayload) all.resize(std::max(kHeaderBytes, all.size() - 8));
    if (fault == Fault::CutPayload && all.size() == kHeaderBytes &&
        size_of(pieces) == kHeaderBytes) {
      all.resize(kHeaderBytes - 1);
    }
    if (fault == Fault::FlipHeader) all[40] ^= std::byte{4};
    auto* const aligned =
        static_cast<std::byte*>(std::aligned_alloc(64, (all.size() + 63) / 64 * 64));
    std::memcpy(aligned, all.data(), all.size());
    return {std::shared_ptr<const std::byte>(
                aligned, [](const std::byte* p) { std::free(const_cast<std::byte*>(p)); }),
            all.size()};
  }
  static std::size_t size_of(const std::vector<Bytes>& pieces) {
    std::size_t size = 0;
    for (const Bytes& piece : pieces) size += piece.size;
    return size;
  }

  std::unique_ptr<Transport> inner_;
  NetworkOptions options_;
  std::mt19937_64 random_;
  std::vector<int64_t> num_sent_;
  std::deque<std::pair<int64_t, Bytes>> late_;
};

inline std::vector<std::unique_ptr<shardy::simulation::Transport>> faulty_transports(
    int64_t ranks, const NetworkOptions& options) {
  auto transports = shardy::simulation::thread_transports(ranks);
  for (auto& each : transports) {
    each = std::make_unique<FaultyTransport>(std::move(each), options);
  }
  return transports;
}

}  // namespace shardy_test

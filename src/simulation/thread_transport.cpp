// Ranks that are threads of one process.
#include <deque>
#include <mutex>
#include <utility>

#include "shardy/simulation/transport.hpp"
#include "simulation/packet.hpp"

namespace shardy::simulation {
namespace {

/// Packets in flight to each rank.
struct Boxes {
  explicit Boxes(std::size_t ranks) : boxes(ranks) {}

  struct Box {
    std::mutex mutex;  // guards the packets
    std::deque<Bytes> packets;
  };
  std::vector<Box> boxes;
  std::mutex mutex;  // guards the reason
  std::optional<Error> reason;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Boxes> boxes, int64_t rank)
      : boxes_(std::move(boxes)), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t ranks() const override { return std::ssize(boxes_->boxes); }

  Status post(int64_t to, std::vector<Bytes> pieces) override {
    const std::optional<Bytes> packet = joined(pieces);
    if (!packet) return fail_as("E_TRANSPORT", "no memory for a packet");
    Boxes::Box& box = boxes_->boxes[static_cast<std::size_t>(to)];
    const std::scoped_lock lock(box.mutex);
    box.packets.push_back(*packet);
    return {};
  }

  Result<std::optional<Bytes>> poll() override {
    Boxes::Box& box = boxes_->boxes[static_cast<std::size_t>(rank_)];
    {
      const std::scoped_lock lock(box.mutex);
      if (!box.packets.empty()) {
        Bytes packet = std::move(box.packets.front());
        box.packets.pop_front();
        return std::optional(std::move(packet));
      }
    }
    const std::scoped_lock lock(boxes_->mutex);
    if (boxes_->reason) return tl::unexpected<Error>(*boxes_->reason);
    return std::optional<Bytes>();
  }

  void abort(const Error& reason) override {
    const std::scoped_lock lock(boxes_->mutex);
    if (!boxes_->reason) boxes_->reason = reason;
  }

 private:
  std::shared_ptr<Boxes> boxes_;
  int64_t rank_;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> thread_transports(int64_t ranks) {
  constexpr int64_t kMaxRanks = 1 << 16;
  SHARDY_EXPECTS(ranks >= 1 && ranks <= kMaxRanks);
  const auto boxes = std::make_shared<Boxes>(static_cast<std::size_t>(ranks));
  std::vector<std::unique_ptr<Transport>> transports;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    transports.push_back(std::make_unique<ThreadTransport>(boxes, rank));
  }
  return transports;
}

}  // namespace shardy::simulation

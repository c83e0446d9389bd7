// A pool of memory for packets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace shardy::simulation {

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

}  // namespace shardy::simulation

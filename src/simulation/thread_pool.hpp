// Threads that help with large ops. Spec: partitioning 11.4.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace shardy::simulation {

/// A pool of threads for large ops of devices. The caller works on its own tasks too, so it never
/// waits for a busy worker, and tasks may start further tasks.
class ThreadPool {
 public:
  /// Helpers start with the first work for them. Guests are threads of callers that run tasks while
  /// they are idle.
  explicit ThreadPool(std::size_t num_helpers, std::size_t num_guests = 0)
      : num_helpers_(num_helpers), num_guests_(num_guests) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that may take part, the caller's among them.
  std::size_t size() const { return num_helpers_ + num_guests_ + 1; }
  /// Calls `part` once with each of 0, 1, ..., count - 1, in any order and from several threads;
  /// returns when all calls have. It must not throw.
  void run(int64_t count, const std::function<void(int64_t index)>& part);
  /// Runs one task as a guest. Returns false if no task is pending.
  bool help_once();

 private:
  struct Work;
  void announce(const std::shared_ptr<Work>& work);
  void help();
  void retire(const std::shared_ptr<Work>& work);

  std::size_t num_helpers_;
  std::size_t num_guests_;
  std::atomic<bool> has_work_ = false;  // guests look at it before they lock
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Work>> pending_;  // guarded by mutex_
  bool ends_ = false;                          // guarded by mutex_
  std::vector<std::thread> helpers_;           // guarded by mutex_
};

/// Calls `body(begin, end)` for ranges that make up [0, count), each but the last with at least
/// `grain` elements. Without a pool, or if one range suffices: in one call.
template <class Body>
void for_ranges(ThreadPool* pool, int64_t count, int64_t grain, const Body& body) {
  constexpr int64_t kRangesPerThread = 4;  // threads are not equally fast
  const int64_t most = pool == nullptr ? 1 : static_cast<int64_t>(pool->size()) * kRangesPerThread;
  const int64_t num_ranges = std::min(most, count / std::max<int64_t>(grain, 1));
  if (num_ranges <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  const int64_t size = (count + num_ranges - 1) / num_ranges;
  pool->run((count + size - 1) / size,
            [&](int64_t range) { body(range * size, std::min(count, (range + 1) * size)); });
}

}  // namespace shardy::simulation

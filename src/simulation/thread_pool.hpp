// A thread pool for large ops. Spec: partitioning 11.4.
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

/// A thread pool whose callers take part in the work. A caller works on its own tasks, so it never
/// waits for a busy worker, and tasks may start further tasks.
class ThreadPool {
 public:
  /// The pool starts `num_helpers` threads with the first work. `num_guests` is the number of other
  /// threads that run tasks by help_once() while they are idle.
  explicit ThreadPool(std::size_t num_helpers, std::size_t num_guests = 0)
      : num_helpers_(num_helpers), num_guests_(num_guests) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Returns the number of threads that may take part, including the caller.
  std::size_t size() const { return num_helpers_ + num_guests_ + 1; }
  /// Calls `part` once for each of 0, 1, ..., count - 1, in any order and from several threads.
  /// Returns after the last call. `part` must not throw.
  void run(int64_t count, const std::function<void(int64_t index)>& part);
  /// Runs one task on the calling thread. Returns false if no task is pending.
  bool help_once();

 private:
  struct Work;
  void announce(const std::shared_ptr<Work>& work);
  void help();
  void retire(const std::shared_ptr<Work>& work);

  std::size_t num_helpers_;
  std::size_t num_guests_;
  std::atomic<bool> has_work_ = false;  // read without the mutex before it is locked
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Work>> pending_;  // guarded by mutex_
  bool ends_ = false;                          // guarded by mutex_
  std::vector<std::thread> helpers_;           // guarded by mutex_
};

/// Calls `body(begin, end)` for ranges that make up [0, count). Each range but the last has at
/// least `grain` elements. Calls `body` once without a pool or if one range is enough.
template <class Body>
void for_ranges(ThreadPool* pool, int64_t count, int64_t grain, const Body& body) {
  constexpr int64_t kRangesPerThread = 4;  // more than one, because threads are not equally fast
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

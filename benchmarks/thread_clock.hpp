// The time that a thread computes: waits for a core that others use do not count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

/// For kernels that run on the thread which measures them.
struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

/// Seconds that the iterations of one thing took.
class Times {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }

  /// A quarter of them took less. Not the least: on virtual machines the clock of a thread jumps
  /// now and then, and the least of many is such a jump. Requires one.
  double typical() {
    const auto found = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 4);
    std::nth_element(seconds_.begin(), found, seconds_.end());
    return *found;
  }

 private:
  std::vector<double> seconds_;
};

// Limits of a computation: cancellation by another thread, a deadline, memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string_view>

namespace shardy {

/// Returns the time of std::chrono::steady_clock in nanoseconds since its epoch, `seconds` from
/// now: the form of deadlines. Beyond the range of int64_t: its largest or smallest value.
int64_t steady_time_ns(double seconds = 0);

/// Ends of a computation before its result.
struct WorkLimits {
  /// Ends it when another thread sets the flag, which must outlive the computation; null: never.
  const std::atomic<bool>* cancel = nullptr;
  std::optional<int64_t> deadline_ns = {};  // ends it at that time of steady_time_ns
  std::optional<int64_t> max_bytes = {};    // most bytes of its programs and tables
};

/// Checks the limits of one computation between its steps. After the first exceeded limit all
/// checks fail. All calls come from the thread of the computation.
class LimitChecker {
 public:
  /// Checks these limits.
  explicit LimitChecker(const WorkLimits& limits = {}) : limits_(limits) {}

  /// Returns false once the computation was cancelled, has met its deadline, or exceeds its memory.
  bool may_continue() {
    if (exceeded_ != Limit::None) return false;
    if (is_cancelled()) return exceed(Limit::Cancel);
    return !limits_.deadline_ns || steady_time_ns() < *limits_.deadline_ns ||
           exceed(Limit::Deadline);
  }
  /// Checks the limits of a computation with short steps: reads `bytes()` and the clock only every
  /// 64 calls.
  template <class Bytes>
  bool may_continue(const Bytes& bytes) {
    if (exceeded_ != Limit::None) return false;
    if (is_cancelled()) return exceed(Limit::Cancel);
    if (num_steps_++ % 64 != 0) return true;
    return (!limits_.max_bytes || may_hold(bytes())) && may_continue();
  }
  /// Returns false if `bytes` plus the bytes of hold() exceed the memory limit, and after any limit
  /// was exceeded.
  bool may_hold(int64_t bytes) {
    if (exceeded_ != Limit::None) return false;
    if (!limits_.max_bytes) return true;
    const int64_t max_bytes = *limits_.max_bytes < 0 ? 0 : *limits_.max_bytes;
    return bytes <= max_bytes - held_ || exceed(Limit::Bytes);
  }
  /// Sets the bytes that the computation holds, without the bytes of its current step.
  void hold(int64_t bytes) { held_ = bytes; }

  /// Returns the limits of a part of the computation: with the memory that is left.
  WorkLimits rest() const;
  /// Errors: the exceeded limit, in the words `PHASE was cancelled`; codes E_CANCELLED, E_DEADLINE,
  /// E_MEMORY_LIMIT.
  Status status(std::string_view phase) const;

 private:
  enum class Limit : uint8_t { None, Cancel, Deadline, Bytes };

  bool is_cancelled() const {
    return limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed);
  }
  bool exceed(Limit limit) {
    exceeded_ = limit;
    return false;
  }

  WorkLimits limits_;
  int64_t held_ = 0;
  uint64_t num_steps_ = 0;
  Limit exceeded_ = Limit::None;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <ctime>
#include <limits>
#include <string>

namespace shardy {

SHARDY_INLINE int64_t steady_time_ns(double seconds) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t now_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  const double time_ns = static_cast<double>(now_ns) + seconds * 1e9;
  if (!(time_ns < 0x1p62)) return std::numeric_limits<int64_t>::max();
  if (time_ns < -0x1p62) return std::numeric_limits<int64_t>::min();
  return now_ns + static_cast<int64_t>(seconds * 1e9);
}

SHARDY_INLINE WorkLimits LimitChecker::rest() const {
  WorkLimits rest = limits_;
  if (rest.max_bytes) *rest.max_bytes -= held_;
  return rest;
}

SHARDY_INLINE Status LimitChecker::status(std::string_view phase) const {
  const std::string subject(phase);
  switch (exceeded_) {
    case Limit::Cancel:
      return tl::unexpected(Error{.message = subject + " was cancelled", .code = "E_CANCELLED"});
    case Limit::Deadline:
      return tl::unexpected(
          Error{.message = subject + " did not end before its deadline", .code = "E_DEADLINE"});
    case Limit::Bytes:
      return tl::unexpected(Error{.message = subject + " needs more than " +
                                             std::to_string(*limits_.max_bytes) +
                                             " bytes; the limit is max_bytes",
                                  .code = "E_MEMORY_LIMIT"});
    default:
      return {};
  }
}

}  // namespace shardy
#endif  // SHARDY_BODIES

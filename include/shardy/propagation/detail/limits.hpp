// Limits of one propagation: cancellation, deadline and memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <stop_token>
#include <utility>

namespace shardy::propagation {

/// Conditions that end a propagation with an error. The shardings of the problem are then
/// unchanged.
struct Limits {
  std::stop_token cancel = {};  // propagation ends when a stop is requested
  /// Time at which propagation ends.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  /// Largest number of bytes for the tables of propagation. The problem and an observer's log do
  /// not count.
  std::optional<int64_t> max_bytes = {};
};

namespace detail {

/// A checker of limits between steps. After the first exceeded limit, every check fails.
class LimitChecker {
 public:
  explicit LimitChecker(Limits limits) : limits_(std::move(limits)) {}

  /// Returns false if a limit was exceeded. Calls `bytes()` in every 64th step.
  template <class Bytes>
  bool may_go_on(const Bytes& bytes) {
    if (exceeded_ != Limit::None) return false;
    if (limits_.cancel.stop_requested()) return exceed(Limit::Cancel);
    if (num_checks_++ % 64 != 0) return true;
    if (limits_.max_bytes && bytes() > *limits_.max_bytes) return exceed(Limit::Bytes);
    const bool is_late = limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline;
    return !is_late || exceed(Limit::Deadline);
  }
  /// Returns an error that names the exceeded limit; success if none was exceeded.
  Status status() const;

 private:
  enum class Limit : uint8_t { None, Cancel, Deadline, Bytes };

  bool exceed(Limit limit) {
    exceeded_ = limit;
    return false;
  }

  Limits limits_;
  uint64_t num_checks_ = 0;
  Limit exceeded_ = Limit::None;
};

}  // namespace detail

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <string>

namespace shardy::propagation::detail {

SHARDY_INLINE Status LimitChecker::status() const {
  switch (exceeded_) {
    case Limit::Cancel:
      return fail("propagation was cancelled");
    case Limit::Deadline:
      return fail("propagation did not end before its deadline");
    case Limit::Bytes:
      return fail("propagation needs more than " + std::to_string(*limits_.max_bytes) + " bytes");
    default:
      return {};
  }
}

}  // namespace shardy::propagation::detail
#endif  // SHARDY_BODIES

#include "shardy/support/limits.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "support/catch.hpp"

namespace shardy::limits_test {
namespace {

std::string error_of(const LimitChecker& limits) {
  const Status status = limits.status("work");
  return status ? "(no error)" : status.error().headline();
}

TEST_CASE("deadlines are times of the steady clock", "[support][limits]") {
  const auto now = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const int64_t before = now();
  const int64_t time = steady_time_ns();
  CHECK(before <= time);
  CHECK(time <= now());
  CHECK(steady_time_ns(10) >= before + 10'000'000'000);
  CHECK(steady_time_ns(-10) < before);
  CHECK(steady_time_ns(1e30) == std::numeric_limits<int64_t>::max());
  CHECK(steady_time_ns(-1e30) == std::numeric_limits<int64_t>::min());
  CHECK(steady_time_ns(std::numeric_limits<double>::quiet_NaN()) ==
        std::numeric_limits<int64_t>::max());
}

TEST_CASE("limit checks fail after the first exceeded limit", "[support][limits]") {
  std::atomic<bool> cancel = false;
  LimitChecker limits({.cancel = &cancel, .max_bytes = 100});
  CHECK(limits.may_continue());
  CHECK(limits.may_hold(100));
  CHECK(error_of(limits) == "(no error)");
  CHECK(!limits.may_hold(101));
  CHECK(!limits.may_continue());
  cancel = true;
  CHECK(!limits.may_continue());
  CHECK(error_of(limits) ==
        "E_MEMORY_LIMIT: work needs more than 100 bytes; the limit is max_bytes");
}

TEST_CASE("held bytes reduce the limit of later work", "[support][limits]") {
  LimitChecker limits({.max_bytes = 100});
  limits.hold(60);
  CHECK(limits.may_hold(40));
  CHECK(limits.rest().max_bytes == 40);
  CHECK(!limits.may_hold(41));
}

TEST_CASE("short steps read the clock and their memory every 64 calls", "[support][limits]") {
  LimitChecker limits({.max_bytes = 100});
  int num_reads = 0;
  int64_t bytes = 0;
  const auto read = [&] {
    ++num_reads;
    return bytes;
  };
  for (int step = 0; step < 128; ++step) CHECK(limits.may_continue(read));
  CHECK(num_reads == 2);
  bytes = 101;
  CHECK(!limits.may_continue(read));
  LimitChecker late({.deadline_ns = steady_time_ns(-1)});
  CHECK(!late.may_continue(read));
  CHECK(error_of(late) == "E_DEADLINE: work did not end before its deadline");
}

}  // namespace
}  // namespace shardy::limits_test

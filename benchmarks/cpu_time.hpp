// Time measurement and failure of benchmarks that have their own main function.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace shardy_benchmarks {

[[noreturn]] inline void refuse(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(2);
}

/// Returns the processor time of all threads.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace shardy_benchmarks

#include "tools/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace shardy::tools {

Progress::Progress() : begin_(std::chrono::steady_clock::now()) {
  if (isatty(STDERR_FILENO) == 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
}

Progress::~Progress() = default;

void Progress::stage(std::string_view name) {
  const std::lock_guard lock(mutex_);
  stage_ = name;
}

void Progress::show(const std::stop_token& stop) {
  using namespace std::chrono_literals;
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, 200ms, [] { return false; });
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
    if (gone < 1s || stop.stop_requested()) continue;
    shown = true;
    fmt::print(stderr, "\r\033[K[{:.1f} s] {}", gone.count(), stage_);
    std::fflush(stderr);
  }
  if (!shown) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace shardy::tools

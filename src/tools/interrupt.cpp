#include "tools/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>

#include "tools/commands.hpp"

namespace shardy::tools {

namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> num_guards = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Does what a signal handler may do.
void on_interrupt(int /*signal*/) {
  if (num_guards > 0 && !interrupted.exchange(true)) return;
  ::_exit(kInterrupted);
}

}  // namespace

void handle_interrupts() { std::signal(SIGINT, &on_interrupt); }

bool was_interrupted() { return interrupted; }

InterruptGuard::InterruptGuard() {
  ++num_guards;
  watcher_ = std::jthread([source = source_](const std::stop_token& end) mutable {
    constexpr auto kStep = std::chrono::milliseconds(20);
    while (!end.stop_requested() && !interrupted) std::this_thread::sleep_for(kStep);
    if (interrupted) source.request_stop();
  });
}

InterruptGuard::~InterruptGuard() { --num_guards; }

}  // namespace shardy::tools

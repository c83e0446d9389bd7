// Ctrl-C ends a command with what is known so far.
#pragma once

#include <stop_token>
#include <thread>

namespace shardy::tools {

/// Exits with kInterrupted on Ctrl-C from now on, at once unless a guard lives.
void handle_interrupts();

/// Checks whether Ctrl-C was pressed while a guard lived.
bool was_interrupted();

/// Notes Ctrl-C while it lives, and requests a stop; a second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Others may request the stop, too.
  std::stop_source source() const { return source_; }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;  // a signal handler must not request a stop itself
};

}  // namespace shardy::tools

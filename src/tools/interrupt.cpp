#include "tools/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace shardy::tools {

namespace {

std::atomic<bool> interrupted = false;

void note_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool was_interrupted() { return interrupted; }

InterruptGuard::InterruptGuard() : before_(std::signal(SIGINT, &note_interrupt)) {}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, before_); }

}  // namespace shardy::tools

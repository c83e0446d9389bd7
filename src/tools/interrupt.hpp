// Ctrl-C as a wish to end with what is known.
#pragma once

namespace shardy::tools {

/// Whether Ctrl-C was pressed while a guard lived.
bool was_interrupted();

/// While it lives Ctrl-C is noted; a second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace shardy::tools

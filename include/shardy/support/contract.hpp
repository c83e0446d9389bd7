// Preconditions of functions, and the handler of violations.
#pragma once

#include <atomic>
#include <shardy/support/detail/inline.hpp>

namespace shardy {

/// A call whose `Requires:` did not hold.
struct ContractViolation {
  const char* condition;  // that did not hold, as it is written in the library
  const char* function;   // without its class
  const char* file;       // of the library
  int line;               // in that file
};

/// Is called in place of going on. It must not return; where it does, the process ends all the
/// same. It may throw where everything between the caller and the library can be unwound, or end
/// the thread, or write the violation down and end the process.
using ContractHandler = void (*)(const ContractViolation& violation);

/// Replaces the handler of the process; null: the one at the beginning, which writes one line to
/// standard error and aborts. The former one, never null. Threads: any, at any time.
ContractHandler set_contract_handler(ContractHandler handler) noexcept;

namespace detail {

/// Prints the violation on standard error, and aborts.
[[noreturn]] void abort_on_violation(const ContractViolation& violation);

inline std::atomic<ContractHandler> contract_handler{nullptr};

/// Calls the handler. Out of line, so that a check is one comparison and one jump; its arguments
/// fit registers, so that functions with a check are still small enough to be inlined.
[[noreturn, gnu::cold]] void contract_failed(const char* condition, const char* function,
                                             const char* file, int line);

}  // namespace detail
}  // namespace shardy

/// A precondition of a public function: its `Requires:`. Checked in all builds, regardless of
/// NDEBUG.
#define SHARDY_EXPECTS(...)                           \
  ((__VA_ARGS__) ? static_cast<void>(0)               \
                 : ::shardy::detail::contract_failed( \
                       #__VA_ARGS__, static_cast<const char*>(__func__), __FILE__, __LINE__))

namespace shardy {

/// A handler of violated contracts for the calling thread. It is called before that of the process
/// while the scope lives. Scopes nest; threads that the caller starts have none of their own.
class ContractScope {
 public:
  /// Installs the handler; null: that of the process is called, as without a scope.
  explicit ContractScope(ContractHandler own) noexcept : former_(current()) { current() = own; }
  ~ContractScope() { current() = former_; }
  ContractScope(const ContractScope&) = delete;
  ContractScope& operator=(const ContractScope&) = delete;

  /// Returns the handler of the innermost scope on this thread; null without one. A thread that
  /// works for another one opens a scope with the handler of that one.
  static ContractHandler handler() noexcept { return current(); }

 private:
  static ContractHandler& current() noexcept {
    thread_local ContractHandler own = nullptr;
    return own;
  }

  ContractHandler former_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <cstdio>
#include <cstdlib>

namespace shardy {

namespace detail {

SHARDY_INLINE void abort_on_violation(const ContractViolation& violation) {
  std::fprintf(stderr, "%s:%d: %s: the caller violated the requirement that %s\n", violation.file,
               violation.line, violation.function, violation.condition);
  std::abort();
}

SHARDY_INLINE void contract_failed(const char* condition, const char* function, const char* file,
                                   int line) {
  const ContractViolation violation{condition, function, file, line};
  if (const ContractHandler own = ContractScope::handler(); own != nullptr) own(violation);
  const ContractHandler handler = contract_handler.load(std::memory_order_acquire);
  if (handler != nullptr) handler(violation);
  abort_on_violation(violation);
}

}  // namespace detail

SHARDY_INLINE ContractHandler set_contract_handler(ContractHandler handler) noexcept {
  const ContractHandler former =
      detail::contract_handler.exchange(handler, std::memory_order_acq_rel);
  return former != nullptr ? former : [](const ContractViolation& violation) {
    detail::abort_on_violation(violation);
  };
}

}  // namespace shardy
#endif  // SHARDY_BODIES

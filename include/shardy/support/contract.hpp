// Preconditions of functions, and the handler that is called for violations.
#pragma once

#include <atomic>
#include <shardy/support/detail/inline.hpp>

namespace shardy {

/// A violated precondition (`Requires:`) of a function call.
struct ContractViolation {
  const char* condition;  // text of the condition in the source of the library
  const char* function;   // name of the function without its class
  const char* file;       // source file of the library
  int line;               // line in `file`
};

/// Called when a precondition is violated. A handler must not return; if it does, the process ends.
/// A handler may throw if the stack between caller and library can be unwound, or end the thread,
/// or log the violation and end the process.
using ContractHandler = void (*)(const ContractViolation& violation);

/// Sets the handler of the process, and returns the previous handler, never null. Null restores the
/// default, which writes one line to standard error and aborts. Threads: any, at any time.
ContractHandler set_contract_handler(ContractHandler handler) noexcept;

namespace detail {

/// Prints the violation on standard error, and aborts.
[[noreturn]] void abort_on_violation(const ContractViolation& violation);

inline std::atomic<ContractHandler> contract_handler{nullptr};

}  // namespace detail

/// Calls the handler; SHARDY_EXPECTS calls this function. It is not inlined and its arguments fit
/// in registers. A check is then one comparison and one jump, and functions with a check are still
/// small enough to be inlined.
/// Requires: no call, because each call is a violation.
[[noreturn, gnu::cold]] void contract_failed(const char* condition, const char* function,
                                             const char* file, int line);

}  // namespace shardy

/// Checks a precondition of a public function, its `Requires:`. The check is in all builds,
/// regardless of NDEBUG.
#define SHARDY_EXPECTS(...)                                                                    \
  ((__VA_ARGS__) ? static_cast<void>(0)                                                        \
                 : ::shardy::contract_failed(#__VA_ARGS__, static_cast<const char*>(__func__), \
                                             __FILE__, __LINE__))

namespace shardy {

/// A contract handler of the calling thread. During the scope, it is called instead of the handler
/// of the process. Scopes nest. Threads that this thread starts do not inherit the handler.
class ContractScope {
 public:
  /// Installs the handler. If `own` is null, violations call the handler of the process, as without
  /// a scope.
  explicit ContractScope(ContractHandler own) noexcept : former_(current()) { current() = own; }
  ~ContractScope() { current() = former_; }
  ContractScope(const ContractScope&) = delete;
  ContractScope& operator=(const ContractScope&) = delete;

  /// Returns the handler of the innermost scope on this thread; null without a scope. A worker
  /// thread opens a scope with the handler of the thread for which it works.
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

}  // namespace detail

SHARDY_INLINE void contract_failed(const char* condition, const char* function, const char* file,
                                   int line) {
  const ContractViolation violation{condition, function, file, line};
  if (const ContractHandler own = ContractScope::handler(); own != nullptr) own(violation);
  const ContractHandler handler = detail::contract_handler.load(std::memory_order_acquire);
  if (handler != nullptr) handler(violation);
  detail::abort_on_violation(violation);
}

SHARDY_INLINE ContractHandler set_contract_handler(ContractHandler handler) noexcept {
  const ContractHandler former =
      detail::contract_handler.exchange(handler, std::memory_order_acq_rel);
  return former != nullptr ? former : [](const ContractViolation& violation) {
    detail::abort_on_violation(violation);
  };
}

}  // namespace shardy
#endif  // SHARDY_BODIES

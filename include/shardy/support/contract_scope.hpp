#pragma once

#include <shardy/support/contract.hpp>

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

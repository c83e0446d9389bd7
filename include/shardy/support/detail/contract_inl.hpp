// Bodies of contract.hpp.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <shardy/support/contract.hpp>
#include <shardy/support/contract_scope.hpp>
#include <shardy/support/inline.hpp>

namespace shardy {

namespace detail {

SHARDY_INLINE void abort_on_violation(const ContractViolation& violation) {
  std::fprintf(stderr, "%s:%d: %s: the caller did not see to it that %s\n", violation.file,
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

// The calls of the wrong-call test, which scripts/api_calls.py writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "api/values.hpp"

namespace shardy::api_test {

struct Call {
  const char* function;  // with its parameters
  bool may_fail;         // it has a `Requires:`
  void (*make)(Draw& draw);
};

/// An error value without a message is useless.
void note_error(const Error& error);

template <class T>
void use(T&& result) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (requires {
                  result.has_value();
                  result.error().message;
                }) {
    if (!result.has_value()) note_error(result.error());
  } else if constexpr (requires {
                         result.data();
                         result.size();
                       } &&
                       !std::is_rvalue_reference_v<T&&>) {
    std::vector<std::remove_cvref_t<decltype(*result.data())>> copy(result.data(),
                                                                    result.data() + result.size());
    static_cast<void>(copy);
  } else if constexpr (std::is_copy_constructible_v<Plain> && std::is_lvalue_reference_v<T>) {
    [[maybe_unused]] const Plain copy = result;
  }
}

}  // namespace shardy::api_test

// The error of a module without a main function.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::ir {

/// `message` at the first function, and which functions there are.
/// Requires: module.main_function() is nothing, or has no body.
Error no_main_function(const Module& module, std::string message);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE Error no_main_function(const Module& module, std::string message) {
  constexpr std::size_t kMaxNames = 10;
  std::vector<OpId> functions = module.functions();
  std::ranges::sort(functions, {}, &OpId::value);  // as they were written, wherever passes put them
  Error error{std::move(message), {}, {}};
  if (functions.empty()) {
    error.notes.emplace_back("the module has no function");
    return error;
  }
  error.location = module.location_text(functions.front());
  if (module.main_function()) {
    error.location = module.location_text(*module.main_function());
    error.notes.emplace_back("it is declared, but has no body");
    return error;
  }
  std::string names;
  for (std::size_t index = 0; index < functions.size() && index < kMaxNames; ++index) {
    names += (index == 0 ? "@" : ", @") + std::string(module.symbol_name(functions[index]));
  }
  if (functions.size() > kMaxNames) {
    names += " and " + std::to_string(functions.size() - kMaxNames) + " more";
  }
  error.notes.push_back(
      "of several functions the one that starts the program is called @main; "
      "the module has " +
      names);
  return error;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES

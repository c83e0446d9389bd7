// The error of a module without a main function.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::ir {

/// `message` at the first function, and which functions there are.
/// Requires: module.main_function() is nothing, or has no body.
Error no_main_function(const Module& module, std::string message);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/main_function_inl.hpp>
#endif

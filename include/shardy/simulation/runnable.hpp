// Types that runs do not support. Spec: stablehlo 36.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::simulation {

/// Errors: quantized elements, dims of unknown size, encodings; types other than tensors.
inline Status expect_runnable(const ir::Type& type) {
  if (type.is_static_tensor() && type.tensor()->encoding.empty()) return {};
  const std::string text = ir::to_string(type);
  if (text.find("!quant.") != std::string::npos) return fail("quantized types are not supported");
  const bool is_dynamic = type.is_tensor() || text.starts_with("tensor<*");
  if (is_dynamic) return fail("dynamic shapes are not supported");
  return fail("unsupported type " + text);
}

/// The same of each argument of a function, at its place.
inline Status expect_runnable_arguments(const ir::Module& module, ir::OpId function) {
  int64_t index = 0;
  for (const ir::Type& type : module.arg_types(function)) {
    Status status = expect_runnable(type);
    const std::string argument = "argument " + std::to_string(index++);
    if (status) continue;
    status.error().location = module.location_text(function);
    return tl::unexpected(with_prefix(
        argument + " of @" + std::string(module.symbol_name(function)) + ": ", status.error()));
  }
  return {};
}

}  // namespace shardy::simulation

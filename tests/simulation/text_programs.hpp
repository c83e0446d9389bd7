// Programs written as text, run on one device.
#pragma once

#include <string>

#include "shardy/ir/type_text.hpp"
#include "shardy/text/mlir.hpp"
#include "simulation/programs.hpp"

namespace shardy_test {

/// Results of @main.
inline Tensors run_program(const std::string& text, const Tensors& inputs = {}) {
  const auto module = shardy::text::parse_mlir(text);
  if (!module) FAIL(shardy::text::error_text("program", text, module.error()));
  const Result<RunResult> result = shardy::simulation::run(*module, "main", {inputs});
  if (!result) FAIL(located_message_of(result));
  return result->outputs[0];
}

/// Results of one line of text, which names them `%0` or `%0:2` and its operands `%a`, `%b`, ...;
/// `types` are those of the results.
inline Tensors run_line(const std::string& line, const Tensors& inputs,
                        const std::vector<std::string>& types) {
  std::string arguments;
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    arguments += (index == 0 ? "%" : ", %") + std::string(1, static_cast<char>('a' + index)) +
                 ": " + shardy::ir::to_string(inputs[index].type());
  }
  std::string values;
  std::string listed;
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::string separator = index == 0 ? "" : ", ";
    values += separator + (types.size() == 1 ? "%0" : "%0#" + std::to_string(index));
    listed += separator + types[index];
  }
  return run_program("func.func @main(" + arguments + ") -> (" + listed + ") {\n  " + line +
                         "\n  return " + values + " : " + listed + "\n}\n",
                     inputs);
}

/// The one result of an op in generic or custom form, without its types: `stablehlo.add %a, %b`.
inline Tensor run_op(const std::string& op, const Tensors& inputs, const std::string& type) {
  std::string operands;
  for (const Tensor& input : inputs) {
    operands += (operands.empty() ? "" : ", ") + shardy::ir::to_string(input.type());
  }
  return run_line("%0 = " + op + " : (" + operands + ") -> " + type, inputs, {type})[0];
}

}  // namespace shardy_test

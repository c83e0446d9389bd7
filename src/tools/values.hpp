// Reads inputs and writes outputs of programs as files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "text/json_writer.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Returns the arguments of a function: the values of the input files in order, one per `.npy` and
/// `.json` file, all of a `.npz` file. Returns random values without files. Errors: arguments that
/// cannot be run or exceed the memory, other files, invalid files, values of other types, too few
/// or too many values.
Result<simulation::Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                                           const CommandOptions& options);
/// Reads values of the given types instead of the argument types.
Result<simulation::Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                                           const std::vector<ir::Type>& types,
                                           const CommandOptions& options);

/// Checks whether a value has too many elements to print in full.
bool is_large(const simulation::Tensor& value);

/// Returns a summary of a value: shape and type, the first and the last elements, and the norm (the
/// root of the sum of squares).
std::string value_summary(const simulation::Tensor& value);

/// Writes each value as PREFIXn.npy to a folder, which is created if missing.
Status write_outputs(const std::string& folder, const std::string& prefix,
                     const simulation::Tensors& values);

/// Escapes a name for a file name: each character except letters, digits, `_`, `$`, `-` and inner
/// `.` becomes `%` and two hex digits.
std::string part_of_file_name(std::string_view name);

/// Writes a value such as `{"type": "tensor<2xf32>", "values": [1.0, 2.0]}`. Complex numbers are
/// pairs; infinities and NaNs are strings.
void write_value(text::JsonWriter& out, const simulation::Tensor& value);

}  // namespace shardy::tools

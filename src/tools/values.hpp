// Inputs and outputs of programs as files.
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

/// Returns the arguments of a function: the values of the input files, in order, one per `.npy` and
/// `.json` file, all of a `.npz` file; random ones without files. Errors: arguments that cannot be
/// run or take more memory than there is, other files, bad files, values of other types, too few or
/// too many.
Result<simulation::Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                                           const CommandOptions& options);
/// Reads values of the given types instead of those of the arguments.
Result<simulation::Tensors> read_arguments(const ir::Module& module, ir::OpId function,
                                           const std::vector<ir::Type>& types,
                                           const CommandOptions& options);

/// Checks whether a value has too many elements to print in full.
bool is_large(const simulation::Tensor& value);

/// Returns shape and type, the first and the last elements, and the norm: the root of the sum of
/// squares.
std::string value_summary(const simulation::Tensor& value);

/// Writes each value as PREFIXn.npy into a folder, which is created if missing.
Status write_outputs(const std::string& folder, const std::string& prefix,
                     const simulation::Tensors& values);

/// Escapes a name for a file name: each character except letters, digits, `_`, `$`, `-` and inner
/// `.` becomes `%` and two hex digits.
std::string part_of_file_name(std::string_view name);

/// `{"type": "tensor<2xf32>", "values": [1.0, 2.0]}`; complex numbers as pairs, infinities and
/// NaNs as strings.
void write_value(text::JsonWriter& out, const simulation::Tensor& value);

}  // namespace shardy::tools

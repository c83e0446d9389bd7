// Inputs and outputs of programs as files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "shardy/ir/type.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The values of the files, in order: one per `.npy` and `.json` file, all of a `.npz` file.
/// Errors: other files, bad files, values of other types, too few or too many.
Result<simulation::Tensors> read_inputs(const std::vector<std::string>& paths,
                                        std::span<const ir::Type> types);

/// Writes each value as PREFIXn.npy into a folder, which is made if it is not there.
Status write_outputs(const std::string& folder, const std::string& prefix,
                     const simulation::Tensors& values);

/// `{"type": "tensor<2xf32>", "values": [1.0, 2.0]}`; complex numbers as pairs, infinities and
/// NaNs as strings.
nlohmann::ordered_json value_json(const simulation::Tensor& value);

}  // namespace shardy::tools

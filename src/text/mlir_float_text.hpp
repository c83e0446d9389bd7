// Floats as MLIR prints them, under the names that the text layer uses. Spec: stablehlo 13.3.
#pragma once

#include "ir/float_text.hpp"

namespace shardy::text {

using ir::float_bytes;
using ir::float_text;
using ir::float_value;

}  // namespace shardy::text

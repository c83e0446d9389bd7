// Programs as JSON and as MLIR text, both ways.
#pragma once

#include <shardy/text/json.hpp>
#include <shardy/text/mlir.hpp>
#include <shardy/text/written_values.hpp>

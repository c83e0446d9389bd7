// Printing and parsing of programs as JSON and as MLIR text.
#pragma once

#include <shardy/text/json.hpp>
#include <shardy/text/mlir.hpp>
#include <shardy/text/written_values.hpp>

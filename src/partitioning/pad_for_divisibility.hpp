// sdy-pad-for-divisibility: rounds shapes up so that all shards are equal. Spec: partitioning 10.1.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// Treatment of function arguments and results with uneven dims.
enum class FunctionIo { Divisible, Grows };

/// Rounds every dim up to a multiple of its shards and masks padding that would reach a result,
/// whatever callers pass there. Errors: uneven arguments and results of functions that may not
/// grow, ops without a known mask.
passes::PassErrors pad_for_divisibility(ir::Module& module, FunctionIo io = FunctionIo::Divisible);

}  // namespace shardy::partitioning

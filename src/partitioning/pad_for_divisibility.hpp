// sdy-pad-for-divisibility: shapes grow until all shards are of one size. Spec: partitioning 10.1.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// Treatment of function arguments and results with uneven dims.
enum class FunctionIo { Divisible, Grows };

/// Rounds every dim up to the next multiple of its shards; padding is masked where
/// it would matter, whatever callers put there. Errors: arguments and results of functions that
/// would have to grow and may not, and ops of which no mask is known that keeps their values.
passes::PassErrors pad_for_divisibility(ir::Module& module, FunctionIo io = FunctionIo::Divisible);

}  // namespace shardy::partitioning

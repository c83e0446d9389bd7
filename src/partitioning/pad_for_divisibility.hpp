// sdy-pad-for-divisibility: shapes grow until all shards are of one size. Spec: partitioning 10.1.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// What becomes of arguments and results of functions whose dims do not divide.
enum class FunctionIo { Divisible, Grows };

/// Every dim grows to the next multiple of its shards; what is behind the old size is masked where
/// it would show, whatever callers put there. Errors: arguments and results of functions that would
/// have to grow and may not, and ops of which no mask is known that keeps their values.
passes::PassErrors pad_for_divisibility(ir::Module& module, FunctionIo io = FunctionIo::Divisible);

}  // namespace shardy::partitioning

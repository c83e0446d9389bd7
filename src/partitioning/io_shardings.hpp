// Divisibility of the dims of arguments and results. Spec: partitioning 1.2 I7.
#pragma once

#include <string>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

inline constexpr std::string_view kNonDivisibleIo = "E_NON_DIVISIBLE_IO";

/// Errors: the first dim of `what` that its shards do not divide. Requires: a static tensor of that
/// rank.
Status check_divisible(const ir::Type& type, const TensorSharding& sharding,
                       const std::string& what);

}  // namespace shardy::partitioning

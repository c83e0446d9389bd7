// Products whose operand is gathered, or whose result is scattered, block by block in a loop.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// Where a dot_general of a per-device program reads an operand that is gathered for it alone and
/// has more than `max_bytes` then, blocks go around instead, and are multiplied one by one; so are
/// those of a result of more than `max_bytes` that is summed and scattered. Sums are taken in
/// another order; not so sums of floats that devices are to hold alike. Spec: partitioning 8.8.
std::vector<passes::CollectiveRewrite> loop_products(ir::Module& program, int64_t max_bytes);

}  // namespace shardy::partitioning

// Products with a gathered operand or a scattered result as loops over blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/export_pipeline.hpp"

namespace shardy::partitioning {

/// Replaces a dot_general whose operand is gathered only for it, to more than `max_bytes`, by a
/// loop over blocks; likewise a result of more than `max_bytes` that is reduce-scattered. The order
/// of float additions changes, except where devices must have equal results. Spec: partitioning
/// 8.8.
std::vector<passes::CollectiveRewrite> loop_products(ir::Module& program, int64_t max_bytes);

}  // namespace shardy::partitioning

// Divisible shapes for an op that is partitioned alone. Spec: passes 5.19.
#pragma once

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Pads the value with zeros at the end of each dim to `wanted`; returns the value itself if it has
/// that size.
ir::ValueId fill_up(ir::Builder& builder, const ir::Module& module, ir::ValueId value,
                    const ir::Type& wanted, const TensorSharding& sharding);

/// Slices the low corner with the size of `wanted`; returns the value itself if it has that size.
ir::ValueId cut_back(ir::Builder& builder, const ir::Module& module, ir::ValueId value,
                     const ir::Type& wanted, const TensorSharding& sharding);

}  // namespace shardy::partitioning

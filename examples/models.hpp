// The example programs, built with the graph builder.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace examples {

/// A two-layer perceptron: the batch is sharded over "data" first, then the weights over "model".
shardy::Result<shardy::ir::Module> mlp();

/// The forward pass of a transformer block: layer norm, causal attention with heads, MLP,
/// residuals, on batch=2 x model=4 devices.
shardy::Result<shardy::ir::Module> transformer();

/// GShard's mixture-of-experts layer on 8 devices. Groups are sharded before and after the experts,
/// and experts are sharded in between. With several replicas of the experts, an axis "data"
/// multiplies the numbers of groups and devices.
shardy::Result<shardy::ir::Module> mixture_of_experts(int64_t replicas = 1);

}  // namespace examples

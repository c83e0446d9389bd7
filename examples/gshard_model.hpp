// A training step of GShard's transformer, in which every second layer is a mixture of experts.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace examples {

/// The sizes of the model. There is one expert and one group of tokens per device. The widths are
/// small.
struct GshardSizes {
  int64_t devices = 8;   // D: experts E and groups G
  int64_t tokens = 2;    // S, per group
  int64_t model = 4;     // M
  int64_t heads = 2;     // N; a head has M / N elements
  int64_t hidden = 8;    // H, of dense layers and of experts
  int64_t capacity = 1;  // C, of an expert for one group
  int64_t classes = 3;   // V
};

/// Returns the training step. Arguments: tokens [G, S, M], labels [G, S, V], all parameters, then a
/// momentum for each parameter. Results: the loss, the new parameters, then the new momenta.
shardy::Result<shardy::ir::Module> gshard_step(const GshardSizes& sizes);

/// The bytes that a device sends per step by the analysis of the paper (section 3.2): four times
/// the slots of its group per mixture layer, and the gradients of the replicated parameters.
struct GshardTraffic {
  int64_t all_to_all = 0;
  int64_t all_reduce = 0;
};
GshardTraffic expected_traffic(const GshardSizes& sizes);

}  // namespace examples

// A training step of GShard's transformer: every second layer is a mixture of experts.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace examples {

/// Sizes: one expert and one group of tokens per device. The widths are small.
struct GshardSizes {
  int64_t devices = 8;   // D: experts E and groups G
  int64_t tokens = 2;    // S, per group
  int64_t model = 4;     // M
  int64_t heads = 2;     // N, each of M / N elements
  int64_t hidden = 8;    // H, in dense layers and in experts
  int64_t capacity = 1;  // C, of an expert per group
  int64_t classes = 3;   // V
};

/// Arguments: tokens [G, S, M], labels [G, S, V], then all parameters, then a momentum of each.
/// Results: the loss, then new parameters and momenta.
shardy::Result<shardy::ir::Module> gshard_step(const GshardSizes& sizes);

/// Bytes sent per device and step by the analysis of the paper (section 3.2): the slots of its
/// group four times per mixture, and gradients of replicated parameters.
struct GshardTraffic {
  int64_t all_to_all = 0;
  int64_t all_reduce = 0;
};
GshardTraffic expected_traffic(const GshardSizes& sizes);

}  // namespace examples

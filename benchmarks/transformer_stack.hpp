// A stack of transformer blocks of any depth, as a program to measure with.
#pragma once

#include <shardy/algebra/mesh.hpp>
#include <shardy/ir/module.hpp>

namespace benchmarks {

struct StackOptions {
  int64_t num_ops = 1000;        // at least; whole blocks are added until it is reached
  int64_t batch_devices = 2;     // size of mesh axis "batch"
  int64_t model_devices = 4;     // size of mesh axis "model"
  bool has_own_weights = false;  // each block has 8 arguments of its own; else all share 3
};

/// Only the inputs and the weights are sharded. Requires: sizes that fit the dims of the program.
shardy::ir::Module transformer_stack(const StackOptions& options);

/// Ops of `main`, those of regions not counted.
int64_t num_ops(const shardy::ir::Module& module);

}  // namespace benchmarks

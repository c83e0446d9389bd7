// A program for benchmarks: a stack of any number of transformer blocks.
#pragma once

#include <shardy/algebra/mesh.hpp>
#include <shardy/ir/module.hpp>

namespace benchmarks {

struct StackOptions {
  // Least number of ops; whole blocks are added until the program has so many.
  int64_t num_ops = 1000;
  int64_t batch_devices = 2;  // size of mesh axis "batch"
  int64_t model_devices = 4;  // size of mesh axis "model"
  // Each block has 8 arguments of its own; otherwise all blocks share 3.
  bool has_own_weights = false;
};

/// Makes the stack, in which only the inputs and the weights are sharded. Requires: the mesh
/// divides the dims of the program.
shardy::ir::Module transformer_stack(const StackOptions& options);

/// Returns the number of ops in the body of `main`, without the ops in regions.
int64_t num_ops(const shardy::ir::Module& module);

}  // namespace benchmarks

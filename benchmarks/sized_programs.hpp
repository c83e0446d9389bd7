// Programs whose tensors grow with the number of devices, so that the work of each device stays the
// same.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>

namespace benchmarks {

/// Convolutions of images with pooling between them. The images are sharded by rows, which needs
/// halos.
shardy::ir::Module convolutions(int64_t devices);

/// Lookups, updates and rotations of the rows of a sharded table.
shardy::ir::Module lookups(int64_t devices);

}  // namespace benchmarks

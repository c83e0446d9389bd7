// Programs whose tensors grow with the number of devices, so that each device has as much to do.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>

namespace benchmarks {

/// Convolutions of images sharded by rows with pooling between them: halos.
shardy::ir::Module convolutions(int64_t devices);

/// Rows of a sharded table are looked up, updated and rotated.
shardy::ir::Module lookups(int64_t devices);

}  // namespace benchmarks

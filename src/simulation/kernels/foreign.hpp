// Kernels of ops and custom calls that only the embedder knows.
#pragma once

#include <string>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// The embedder's kernel of that name among `kernels`, or null.
const ForeignKernel* find_foreign(const ForeignKernels::ByName& kernels, std::string_view name);

/// Runs it, and refuses results of other types than the op declares.
Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name);

}  // namespace shardy::simulation

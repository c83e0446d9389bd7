// The rows of the kernel table for ops with windows, indices and regions, one list per family.
#pragma once

#include <span>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

std::span<const KernelRow> convolution_kernels();
std::span<const KernelRow> reduce_window_kernels();
std::span<const KernelRow> select_and_scatter_kernels();
std::span<const KernelRow> map_kernels();
std::span<const KernelRow> sort_kernels();
std::span<const KernelRow> gather_kernels();
std::span<const KernelRow> scatter_kernels();

}  // namespace shardy::simulation

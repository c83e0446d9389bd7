// The rows of the kernel table, one list per family.
#pragma once

#include <span>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

std::span<const KernelRow> arithmetic_kernels();  // two operands
std::span<const KernelRow> unary_kernels();       // one operand, but for the next
std::span<const KernelRow> math_kernels();        // exponential, sine, ...
std::span<const KernelRow> comparison_kernels();  // compare, select, clamp
std::span<const KernelRow> conversion_kernels();  // convert, reduce_precision
std::span<const KernelRow> constant_kernels();    // constant, iota, coord, device_id, undef
std::span<const KernelRow> identity_kernels();    // annotations and sdy collectives
std::span<const KernelRow> layout_kernels();      // broadcast, reshape, transpose, reverse
std::span<const KernelRow> slice_kernels();       // slices, pad, concatenate
std::span<const KernelRow> dot_kernels();
std::span<const KernelRow> reduce_kernels();
std::span<const KernelRow> region_kernels();         // manual computations
std::span<const KernelRow> bitcast_kernels();        // bitcast_convert
std::span<const KernelRow> chlo_kernels();           // elementwise ops of CHLO
std::span<const KernelRow> broadcasting_kernels();   // broadcast, chlo.broadcast_*
std::span<const KernelRow> top_k_kernels();          // chlo.top_k
std::span<const KernelRow> normalization_kernels();  // batch_norm_*
std::span<const KernelRow> einsum_kernels();         // einsum, unary_einsum
std::span<const KernelRow> index_select_kernels();   // torch_index_select
std::span<const KernelRow> factorization_kernels();  // cholesky, triangular_solve
std::span<const KernelRow> fft_kernels();
std::span<const KernelRow> random_kernels();  // rng_bit_generator
std::span<const KernelRow> check_kernels();   // checks, prints, probes
std::span<const KernelRow> custom_call_kernels();
std::span<const KernelRow> dynamic_kernels();  // dynamic_* with static result types
std::span<const KernelRow> rng_kernels();
std::span<const KernelRow> process_kernels();    // process ids, run_parallel
std::span<const KernelRow> structure_kernels();  // tuples, tokens, what is never run

}  // namespace shardy::simulation

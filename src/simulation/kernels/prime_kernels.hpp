// Elementwise loops and products of row-major matrices over the prime field, with the results of
// prime_field.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulation/element.hpp"
#include "simulation/kernels/matrix_product.hpp"

namespace shardy::simulation {

void add_primes(const Prime* x, const Prime* y, Prime* sums, std::size_t count);
void subtract_primes(const Prime* x, const Prime* y, Prime* differences, std::size_t count);
void multiply_primes(const Prime* x, const Prime* y, Prime* products, std::size_t count);
/// Inverts many divisors together.
void divide_primes(const Prime* x, const Prime* y, Prime* quotients, std::size_t count);

/// Orders elements by `prime_field::order_key`; returns the first of two equal elements or NaNs.
void larger_primes(const Prime* x, const Prime* y, Prime* maxima, std::size_t count);
void smaller_primes(const Prime* x, const Prime* y, Prime* minima, std::size_t count);
/// Reduces the sum once.
Prime sum_of_primes(Prime first, const Prime* others, std::size_t count);
/// Folds elements in order, with one key for each.
Prime largest_prime(Prime first, const Prime* others, std::size_t count);
Prime smallest_prime(Prime first, const Prime* others, std::size_t count);

/// A function of the elements at each position that looks random: `prime_field::mixed` of the salt
/// and of the operands in order. NaN if one of them is NaN. Requires: operands.
void mix_primes(uint64_t salt, std::span<const Prime* const> operands, Prime* mixes,
                std::size_t count);

struct PrimeProductVersion {
  std::string_view name;
  MatrixProduct product;
};

/// Returns the versions that this machine runs, the fastest last. All return bitwise equal results:
/// sums of `prime_field::multiply` by `prime_field::add`, which do not depend on the order.
std::vector<PrimeProductVersion> prime_products();

}  // namespace shardy::simulation

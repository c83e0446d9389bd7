#include "simulation/kernels/prime_loops.hpp"

#include <algorithm>
#include <array>

#include "shardy/support/detail/prime_field.hpp"

namespace shardy::simulation {
namespace {

/// Elements that are computed together, in the L1 cache.
constexpr std::size_t kTogether = 256;
using Chunk = std::array<uint64_t, kTogether>;

/// Calls `run(first, size)` for ranges of at most kTogether elements.
template <class Run>
void for_chunks(std::size_t count, const Run& run) {
  for (std::size_t first = 0; first < count; first += kTogether) {
    run(first, std::min(kTogether, count - first));
  }
}

template <class Function>
void for_pairs(const Prime* x, const Prime* y, Prime* out, std::size_t count,
               const Function& function) {
  for (std::size_t at = 0; at < count; ++at) out[at] = {function(x[at].raw, y[at].raw)};
}

/// Checks whether y replaces x as the maximum, or as the minimum.
template <bool kIsMaximum>
bool replaces(uint64_t x, uint64_t x_key, uint64_t y, uint64_t y_key) {
  const bool is_farther = kIsMaximum ? x_key < y_key : y_key < x_key;
  return prime_field::is_number(x) && (!prime_field::is_number(y) || is_farther);
}

template <bool kIsMaximum>
void farther_primes(const Prime* x, const Prime* y, Prime* out, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    const bool second = replaces<kIsMaximum>(x[at].raw, prime_field::order_key(x[at].raw),
                                             y[at].raw, prime_field::order_key(y[at].raw));
    out[at] = second ? y[at] : x[at];
  }
}

template <bool kIsMaximum>
Prime farthest_prime(Prime first, const Prime* others, std::size_t count) {
  uint64_t key = prime_field::order_key(first.raw);
  for (std::size_t at = 0; at < count; ++at) {
    const uint64_t other = prime_field::order_key(others[at].raw);
    if (!replaces<kIsMaximum>(first.raw, key, others[at].raw, other)) continue;
    first = others[at];
    key = other;
  }
  return first;
}

/// Adds the elements to the states; NaN makes the position NaN.
void mix_into(const Prime* x, std::size_t size, Chunk& states, Chunk& are_nans) {
  for (std::size_t at = 0; at < size; ++at) {
    states[at] = prime_field::mixed(states[at], x[at].raw);
    are_nans[at] |= prime_field::is_number(x[at].raw) ? 0U : 1U;
  }
}

}  // namespace

void add_primes(const Prime* x, const Prime* y, Prime* sums, std::size_t count) {
  for_pairs(x, y, sums, count, prime_field::add);
}
void subtract_primes(const Prime* x, const Prime* y, Prime* differences, std::size_t count) {
  for_pairs(x, y, differences, count, prime_field::subtract);
}
void multiply_primes(const Prime* x, const Prime* y, Prime* products, std::size_t count) {
  for_pairs(x, y, products, count, prime_field::multiply);
}

void divide_primes(const Prime* x, const Prime* y, Prime* quotients, std::size_t count) {
  Chunk divisors;
  Chunk inverses;
  for_chunks(count, [&](std::size_t first, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) divisors[at] = y[first + at].raw;
    prime_field::invert_all(divisors.data(), inverses.data(), size);
    for (std::size_t at = 0; at < size; ++at) {
      quotients[first + at] = {prime_field::multiply(x[first + at].raw, inverses[at])};
    }
  });
}

void larger_primes(const Prime* x, const Prime* y, Prime* maxima, std::size_t count) {
  farther_primes<true>(x, y, maxima, count);
}
void smaller_primes(const Prime* x, const Prime* y, Prime* minima, std::size_t count) {
  farther_primes<false>(x, y, minima, count);
}

Prime sum_of_primes(Prime first, const Prime* others, std::size_t count) {
  prime_field::detail::Wide sum = first.raw;
  bool is_number = prime_field::is_number(first.raw);
  for (std::size_t at = 0; at < count; ++at) {
    sum += others[at].raw;
    is_number = is_number && prime_field::is_number(others[at].raw);
  }
  if (!is_number) return {count == 0 ? first.raw : prime_field::kNotANumber};
  const uint64_t low = static_cast<uint64_t>(sum) & prime_field::kPrime;
  return {prime_field::reduced(low + static_cast<uint64_t>(sum >> 61U))};
}
Prime largest_prime(Prime first, const Prime* others, std::size_t count) {
  return farthest_prime<true>(first, others, count);
}
Prime smallest_prime(Prime first, const Prime* others, std::size_t count) {
  return farthest_prime<false>(first, others, count);
}

void mix_primes(uint64_t salt, std::span<const Prime* const> operands, Prime* mixes,
                std::size_t count) {
  const uint64_t start = prime_field::mixing_start(salt);
  Chunk states;
  Chunk are_nans;
  for_chunks(count, [&](std::size_t first, std::size_t size) {
    for (std::size_t at = 0; at < size; ++at) {
      const uint64_t x = operands[0][first + at].raw;
      states[at] = prime_field::mixed(start + x);
      are_nans[at] = prime_field::is_number(x) ? 0U : 1U;
    }
    for (const Prime* operand : operands.subspan(1)) {
      mix_into(operand + first, size, states, are_nans);
    }
    for (std::size_t at = 0; at < size; ++at) {
      mixes[first + at] = {are_nans[at] != 0 ? prime_field::kNotANumber
                                             : prime_field::reduced(states[at])};
    }
  });
}

}  // namespace shardy::simulation

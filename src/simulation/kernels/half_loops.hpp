// Loops over f16 by the instructions that x86-64-v3 has for it.
#pragma once

#include <cstddef>

#include "simulation/element.hpp"
#include "simulation/kernels/wide_code.hpp"

#if defined(SHARDY_WIDE_CODE)
#include <immintrin.h>
#endif

namespace shardy::simulation {

using HalfBinaryLoop = void (*)(const std::byte* x, const std::byte* y, std::byte* out,
                                std::size_t count);

#if defined(SHARDY_WIDE_CODE)
/// An op on f16 as one on vectors of f32, whose results are rounded to the nearest f16, ties to
/// even.
template <class Op>
SHARDY_WIDE_CODE void half_binary_loop(const std::byte* x, const std::byte* y, std::byte* out,
                                       std::size_t count) {
  constexpr std::size_t kLanes = 8;
  const auto* left = reinterpret_cast<const F16*>(x);
  const auto* right = reinterpret_cast<const F16*>(y);
  auto* result = reinterpret_cast<F16*>(out);
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    __m256 a = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(left + at)));
    const __m256 b = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(right + at)));
    Op::combine(a, b);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result + at),
                     _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; at < count; ++at) result[at] = Op::apply(left[at], right[at]);
}
#endif

/// Null on machines without these instructions. Requires: the op rounds an f32 result once.
template <class Op>
HalfBinaryLoop pick_half_binary() {
#if defined(SHARDY_WIDE_CODE)
  if (runs_wide_code()) return &half_binary_loop<Op>;
#endif
  return nullptr;
}

}  // namespace shardy::simulation

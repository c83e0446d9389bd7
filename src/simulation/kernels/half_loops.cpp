#include "simulation/kernels/half_loops.hpp"

#include "simulation/kernels/wide_code.hpp"

#if defined(SHARDY_WIDE_CODE)
#include <immintrin.h>
#endif

namespace shardy::simulation {

#if defined(SHARDY_WIDE_CODE)
namespace {

constexpr std::size_t kLanes = 8;

SHARDY_WIDE_CODE void widen_halves(const F16* from, float* to, std::size_t count) {
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm256_storeu_ps(to + at, _mm256_cvtph_ps(halves));
  }
  for (; at < count; ++at) to[at] = to_exact(from[at]);
}

SHARDY_WIDE_CODE void narrow_halves(const float* from, F16* to, std::size_t count) {
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + at), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), halves);
  }
  for (; at < count; ++at) to[at] = from_exact<F16>(from[at]);
}

constexpr HalfConversions kHalfConversions = {&widen_halves, &narrow_halves};

}  // namespace
#endif

const HalfConversions* half_conversions() {
#if defined(SHARDY_WIDE_CODE)
  if (runs_wide_code()) return &kHalfConversions;
#endif
  return nullptr;
}

}  // namespace shardy::simulation

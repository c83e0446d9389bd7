// Writing past the caches: lines that nobody reads soon need not be fetched first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace shardy::simulation {

inline constexpr std::ptrdiff_t kLineBytes = 64;  // of a cache

/// Bytes from the begin of the cache line to a place in it.
inline std::ptrdiff_t past_line(const std::byte* place) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(place) %
                                     static_cast<std::uintptr_t>(kLineBytes));
}

/// Requires: `to` and `bytes` are multiples of 16; finish_streams() before another thread reads.
inline void stream_bytes(const std::byte* from, std::byte* to, std::ptrdiff_t bytes) {
#if defined(__SSE2__)
  for (std::ptrdiff_t at = 0; at < bytes; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), part);
  }
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

/// The same for a vector, in code that is compiled for a machine that has such registers.
/// Requires: `to` is a multiple of its size.
template <class Vector>
[[gnu::always_inline]] inline void stream_register(const Vector& vector, std::byte* to) {
#if defined(__clang__)
  __builtin_nontemporal_store(vector, reinterpret_cast<Vector*>(to));
#elif defined(__SSE2__)
  // Not the intrinsics: those can be inlined only where all code is compiled for such a machine.
  if constexpr (sizeof(Vector) == 64) {
    typedef long long Eighths __attribute__((vector_size(64)));  // NOLINT
    __builtin_ia32_movntdq512(reinterpret_cast<Eighths*>(to), reinterpret_cast<Eighths>(vector));
  } else if constexpr (sizeof(Vector) == 32) {
    typedef long long Quarters __attribute__((vector_size(32)));  // NOLINT
    __builtin_ia32_movntdq256(reinterpret_cast<Quarters*>(to), reinterpret_cast<Quarters>(vector));
  } else {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(vector));
  }
#else
  std::memcpy(to, &vector, sizeof(Vector));
#endif
}

inline void finish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace shardy::simulation
